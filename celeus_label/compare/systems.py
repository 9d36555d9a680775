"""The paper's systems as designs, and trials of them on pools whose hidden values are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from celeus_label.certify import Design
from celeus_label.certify.pool import Floats
from celeus_label.compare.batch import Paths, Signals, paths
from celeus_label.compare.courses import Course, course, draw
from celeus_label.compare.hidden import WEIGHTS, HiddenPool

# Every system that can be compared, as the paper's tables order them; the last two are not in its tables.
SYSTEMS = ("evalue", "celeus-no-surrogate", "celeus", "oracle", "cer-eval", "target-aware")
# Those whose surrogate and weights never change, so that `trials` can run them side by side.
STATIC = ("evalue", "celeus-no-surrogate", "celeus", "oracle")

NAMES = {
    "evalue": "EValue",
    "evalue-unwidened": "EValue (not widened)",
    "celeus-no-surrogate": "Celeus (w/o surrogate)",
    "celeus-no-surrogate-guided": "Celeus (w/o surrogate, guided)",
    "celeus": "Celeus",
    "oracle": "Oracle",
    "cer-eval": "Cer-Eval",
    "target-aware": "target-aware",
}

# Cells of candidates in a trial. The certifier has more of them; the ends hardly differ (tests/compare/test_batch.py).
CELLS = 1024
# Rounds that are drawn ahead at first; hardly any trial needs more.
_AHEAD = 1 << 15


def not_valid(system: str, target: str) -> str:
    """Why nothing may be certified with a system for a target; empty where it may."""
    if system == "cer-eval":
        return "not valid: it chooses its parts of the pool and measures them from the same ratings"
    if system == "oracle":
        return "valid, but out of reach: it samples by the hidden values"
    if system == "evalue" and target == "pool":
        return "not valid for the pool's mean: raw ratings are a martingale for the population's mean alone"
    return ""


def design_of(system: str, **options: Any) -> Design:
    """The design of a system.

    Parameters
    ----------
    system : str
        One of `SYSTEMS` but "cer-eval", which has none.
    options
        Fields of the design that differ from the preset's.
    """
    if system not in SYSTEMS or system == "cer-eval":
        known = ", ".join(name for name in SYSTEMS if name != "cer-eval")
        raise ValueError(f"system must be one of {known}, got {system!r}")
    if system in ("celeus", "oracle"):
        options.setdefault("weights", WEIGHTS)
    return Design(preset="celeus" if system == "oracle" else system, **options)


@dataclass(frozen=True)
class Trials:
    """Trials of one system: the draws of each, and the intervals."""

    courses: list[Course]
    paths: Paths


def trials(
    pools: Sequence[HiddenPool], system: str, design: Design, seeds: Sequence[int], *, until: str = "each"
) -> Trials:
    """One trial on each pool.

    Parameters
    ----------
    pools : sequence of HiddenPool
        All of one size; the same one may stand there again and again.
    system : str
        One of `STATIC`.
    design : Design
        See `design_of`.
    seeds : sequence of int
        Of each trial's draws.
    until : str
        See `batch.paths`.
    """
    if system not in STATIC:
        raise ValueError(f"trials side by side are for {', '.join(STATIC)}, not for {system!r}")
    size = pools[0].size
    rounds = min(size, _AHEAD)
    while True:
        courses = [
            _course(pool, system, design, rounds, seed) for pool, seed in zip(pools, seeds, strict=True)
        ]
        found = paths(signals(pools, courses, design), design, until=until, cells=CELLS)
        if rounds == size or until == "end" or (found.stop > 0).all():
            return Trials(courses, found)
        rounds = size


def signals(pools: Sequence[HiddenPool], courses: Sequence[Course], design: Design) -> Signals:
    """What the bets of a design see of these draws."""
    rows = [_signals(pool.values, known, design) for pool, known in zip(pools, courses, strict=True)]
    signal, low, high, certain_low, certain_high = (
        np.array([row[part] for row in rows]) for part in range(5)
    )
    return Signals(signal, low, high, certain_low, certain_high, pools[0].size)


def _course(pool: HiddenPool, system: str, design: Design, rounds: int, seed: int) -> Course:
    weights = None if design.weights is None else pool.weights_of(system)
    surrogate = pool.surrogate if design.surrogate == "judge" else np.zeros(pool.size)
    beta = float(design.beta or 1.0)
    order = draw(weights, pool.size, beta, rounds, np.random.default_rng(seed))
    return course(order, surrogate, weights, beta)


def _signals(values: Floats, known: Course, design: Design) -> tuple[Floats, ...]:
    y = values[known.order]
    nothing = np.zeros(known.rounds)
    if design.signal == "raw":
        return y, nothing, nothing + 1.0, nothing, nothing + 1.0
    low, high = known.bounds(values)
    if design.bounds == "global":
        low, high = (nothing + end for end in design.global_bounds)
    rated = known.rated(values) + y
    return (
        known.signals(values),
        low,
        high,
        rated / known.size,
        (rated + known.left - 1) / known.size,
    )
