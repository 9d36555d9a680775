"""The rules that a design has to keep, on its own and for a pool."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from celeus_label.certify.features import Features
from celeus_label.certify.pool import Pool
from celeus_label.certify.population import STEPS
from celeus_label.certify.presets import COMPARED_ONLY, PRESETS
from celeus_label.certify.rubric import MOST, check_name
from celeus_label.certify.surrogates import LOWEST_FLOOR, Fit

if TYPE_CHECKING:
    from celeus_label.certify.design import Design

TARGETS = ("pool", "population")
TASKS = ("single", "pairwise")
ASPECTS_ALPHA = ("shared", "each")
UNRATABLE_RULES = ("bound", "worst", "best")
AGGREGATES = ("mean", "median")
MOST_COUNT = 2**53 - 1  # what a browser and a database hold to the last digit


def check_preset(preset: str) -> None:
    """Check the name; raises `ValueError` for a system that is for comparison only."""
    if preset in COMPARED_ONLY:
        raise ValueError(
            f"design: preset {preset} is for comparison only, and nothing is certified with it: "
            f"{COMPARED_ONLY[preset]}; see it in celeus-label study"
        )
    _one_of("preset", preset, PRESETS)


def check_fields(design: Design) -> None:
    """Check the values on their own; raises `ValueError` with the field and its rule."""
    _one_of("target", design.target, TARGETS)
    _one_of("task", design.task, TASKS)
    _one_of("aggregate", design.aggregate, AGGREGATES)
    _one_of("unratable", design.unratable, UNRATABLE_RULES)
    _one_of("bounds", design.bounds, ("local", "global"))
    _one_of("population_step", design.population_step, STEPS)
    _one_of("signal", design.signal, ("corrected", "raw"))
    _one_of("surrogate", design.surrogate, ("fitted", "judge", "none"))
    _one_of("bet", design.bet, ("hedged", "target"))
    for name in ("width", "alpha"):
        _inside(name, getattr(design, name), "(0, 1)")
    _inside("theta", design.theta, "(0, 1)")
    if design.alpha_split is not None:
        _inside("alpha_split", design.alpha_split, "(0, 1)")
    if not (design.beta is not None and 0 < design.beta <= 1):
        raise ValueError(f"design: beta must lie in (0, 1], got {design.beta}")
    if not (design.c is not None and 0 < design.c < math.inf):
        raise ValueError(f"design: c must be positive, got {design.c}")
    if not (isinstance(design.seed, int) and 0 <= design.seed < 2**63):
        raise ValueError(f"design: seed must be a whole number from 0 to 2^63 - 1, got {design.seed!r}")
    for name in ("ratings_per_item", "unratable_after", "budget"):
        value = getattr(design, name)
        if value is not None and not (isinstance(value, int) and 1 <= value <= MOST_COUNT):
            raise ValueError(
                f"design: {name} must be a whole number, at least 1 and at most 2^53 - 1, got {value!r}"
            )
    if design.disagreement is not None:
        _check_disagreement(design.disagreement, design.ratings_per_item)
    _one_of("aspects_alpha", design.aspects_alpha, ASPECTS_ALPHA)
    if design.aspects:
        _check_aspects(design)
    elif design.main_aspect is not None:
        raise ValueError("design: main_aspect names the first of several aspects, but there is no other one")


def check_pool(design: Design, pool: Pool) -> None:
    """Check the values against a pool; raises `ValueError` with the field, its rule and the row."""
    if design.task == "pairwise":
        _check_pairwise(pool)
    for aspect in design.aspects:
        aspect.check(pool)
    if design.signal == "raw":
        _check_raw(design)
    if design.weights is not None:
        _check_weights(pool, design.weights)
    if design.warm_start is not None:
        _check_warm_start(design, pool)
    if design.disagreement is not None and design.disagreement >= pool.scale.range:
        raise ValueError(
            f"design: disagreement is {design.disagreement:g}, and no two ratings on the scale {pool.scale} "
            f"differ by more; ask for a smaller one"
        )
    for name in ("above", "below"):
        threshold = getattr(design, name)
        if threshold is not None and not pool.scale.lower <= threshold <= pool.scale.upper:
            raise ValueError(f"design: {name} is {threshold:g}, outside the scale {pool.scale}")


def _check_aspects(design: Design) -> None:
    if design.task != "single":
        raise ValueError("design: a pair has one verdict and no further aspects; leave them out")
    if len(design.aspects) > MOST:
        raise ValueError(f"design: {len(design.aspects)} aspects beside the main one; the most is {MOST}")
    assert design.main_aspect is not None
    check_name(design.main_aspect)
    names = [design.main_aspect, *(aspect.name for aspect in design.aspects)]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"design: two aspects have the name {name!r}; each needs its own")


def _check_raw(design: Design) -> None:
    if design.surrogate == "fitted":
        raise ValueError(
            "design: the signal raw takes the ratings as they are, so that sampling by learnt weights would bias "
            "it; set the surrogate to none, or leave the signal as it is"
        )
    if design.target != "population":
        raise ValueError(
            f"design: preset {design.preset} is not valid for the target pool: the mean of the next raw rating is "
            f"that of the items that are left, not the pool's; choose the target population, if the pool is an "
            f"i.i.d. sample of it, or another preset"
        )
    if design.weights is not None:
        raise ValueError(
            f"design: preset {design.preset} takes the ratings as they are, so that sampling by {design.weights!r} "
            f"would bias it; leave out the weights, or choose another preset"
        )


def _check_pairwise(pool: Pool) -> None:
    scale = pool.scale
    if (scale.lower, scale.upper, scale.step) != (0.0, 1.0, 0.5):
        raise ValueError(
            f"design: a pairwise session is on the scale 0 to 1 in steps of 0.5 (B wins, even, A wins), got {scale}"
        )


def _check_warm_start(design: Design, pool: Pool) -> None:
    if design.surrogate != "fitted":
        raise ValueError(f"design: preset {design.preset} learns nothing, so it takes no warm start")
    assert design.warm_start is not None
    if set(design.warm_start) != {"fit", "source"}:
        raise ValueError(
            f"design: warm_start has the fields {sorted(design.warm_start)}, not 'fit' and 'source'"
        )
    features = Features(pool)
    fit = Fit.from_dict(design.warm_start["fit"])
    if not LOWEST_FLOOR <= fit.beta <= 1:
        raise ValueError(f"design: the warm start's beta must lie in [{LOWEST_FLOOR}, 1], got {fit.beta}")
    for part in (fit.surrogate, fit.scale):
        for name in [] if part is None else [*part.numbers, *part.groups]:
            if name not in features.numbers and name not in features.groups:
                raise ValueError(
                    f"design: the warm start of {design.warm_start['source']} needs the column {name!r}, which this "
                    f"pool has not; load the pool with it, or start without"
                )


def _one_of(name: str, value: object, allowed: Any) -> None:
    if value not in allowed:
        raise ValueError(f"design: {name} must be one of {', '.join(allowed)}, got {value!r}")


def _inside(name: str, value: float | None, where: str) -> None:
    if value is None or not 0 < value < 1:
        raise ValueError(f"design: {name} must lie in {where}, got {value}")


def _check_disagreement(step: object, ratings_per_item: int) -> None:
    if isinstance(step, bool) or not isinstance(step, int | float) or not 0 <= step < math.inf:
        raise ValueError(f"design: disagreement must be a difference of ratings, 0 or more, got {step!r}")
    if ratings_per_item < 2:
        raise ValueError(
            f"design: disagreement is {step:g}, but with one rating an item there are no two that could differ; "
            f"set ratings_per_item to 2 or more"
        )


def _check_weights(pool: Pool, name: str) -> None:
    if name not in pool.features:
        known = ", ".join(sorted(pool.features)) or "none"
        raise ValueError(f"design: weights name the feature {name!r}; the pool's features are {known}")
    column = pool.features[name]
    wrong = ~(column >= 0)
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"row {row + 1}: {name} is {column[row]:g}; a sampling weight must be a number, 0 or more"
        )
