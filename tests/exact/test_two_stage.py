"""Two-stage sampling (docs/scale.md): every sequence of draws of a small pool in shards."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import numpy as np
import pytest

from benchmarks.two_stage import RULES, Known, Shard, TwoStage, known_of
from celeus_label.certify import Design, Pool, Scale
from celeus_label.certify.inference import Inference
from celeus_label.certify.signals import Terms

POOLS = {
    "three shards": [([0.2, 0.9], [1.0, 0.0]), ([0.5], [1.0]), ([0.0, 1.0], [0.0, 0.3])],
    "a judge that is wrong everywhere": [([1.0, 1.0, 1.0], [0.0, 0.0, 0.0]), ([0.0, 0.0], [1.0, 1.0])],
    "a shard a item": [([0.1], [0.7]), ([0.9], [0.1]), ([0.4], [0.4]), ([0.8], [0.0])],
    "one shard": [([0.3, 0.6, 0.9, 0.1], [1.0, 0.0, 1.0, 0.5])],
}


def shards_of(name: str, weighted: bool) -> list[Shard]:
    return [
        Shard(np.array(judge), np.arange(len(judge)) + 0.5 if weighted else None, np.array(values))
        for judge, values in POOLS[name]
    ]


def outcomes(stage: TwoStage, shards: list[Shard]) -> Iterator[tuple[float, float, Terms, TwoStage]]:
    """Probability, value, terms and what comes after, for every item that the next draw may give."""
    p = stage.probabilities()
    for number, shard in enumerate(shards):
        _, urn = stage.open(number)
        for position in range(len(shard.judge)):
            if position in stage.taken.get(number, []):
                continue
            after, opened = copy.deepcopy(stage), copy.deepcopy(urn)
            weight = 1.0 if shard.weights is None else float(shard.weights[position])
            after.take(number, opened, position, weight)
            terms = stage.terms(number, urn, position)
            yield float(p[number]) * urn.q(position), float(shard.values[position]), terms, after


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", POOLS)
def test_the_signal_is_unbiased_and_inside_its_bounds_after_every_sequence_of_draws(
    name: str, rule: str, weighted: bool
) -> None:
    shards = shards_of(name, weighted)
    values = np.concatenate([shard.values for shard in shards])
    known = Known(*np.array([known_of(shard) for shard in shards]).T)
    seen = 0

    def walk(stage: TwoStage, rated: float, left: int) -> None:
        nonlocal seen
        if not left:
            return
        found = list(outcomes(stage, shards))
        assert len(found) == left
        assert sum(chance for chance, *_ in found) == pytest.approx(1, abs=1e-12)
        mean = sum(chance * terms.signal(rated, y) for chance, y, terms, _ in found)
        assert mean == pytest.approx(values.mean(), abs=1e-12)
        bounds = {terms.bounds(rated) for _, _, terms, _ in found}
        for low, high in bounds:  # known before the draw, so the same for each
            assert (low, high) == pytest.approx(next(iter(bounds)), abs=1e-12)
        for chance, y, terms, after in found:
            assert chance > 0
            assert terms.q == pytest.approx(chance, rel=1e-12)
            for value in (0.0, y, 1.0):
                low, high = terms.bounds(rated)
                assert low - 1e-12 <= terms.signal(rated, value) <= high + 1e-12
            seen += 1
            walk(after, rated + y, left - 1)

    walk(TwoStage(known, shards.__getitem__, rule), 0.0, len(values))
    assert seen > 60


@pytest.mark.parametrize("rule", RULES)
def test_the_interval_misses_the_mean_no_more_often_than_alpha(rule: str) -> None:
    """Summed over every sequence of draws, at an alpha that so few ratings can reach."""
    shards = shards_of("a judge that is wrong everywhere", True)
    known = Known(*np.array([known_of(shard) for shard in shards]).T)
    values = np.concatenate([shard.values for shard in shards])
    judge = np.concatenate([shard.judge for shard in shards])
    pool = Pool([f"i{row}" for row in range(len(values))], judge, Scale(0, 1))
    design = Design(preset="celeus", alpha=0.6).resolved(pool)

    def missed(stage: TwoStage, inference: Inference, chance: float, left: int) -> float:
        if not inference.lower <= values.mean() <= inference.upper:
            return chance
        total = 0.0
        for step, y, terms, after in outcomes(stage, shards) if left else ():
            further = copy.deepcopy(inference)
            further.commit(terms, y, y)
            total += missed(after, further, chance * step, left - 1)
        return total

    start = TwoStage(known, shards.__getitem__, rule)
    assert missed(start, Inference(pool, design, judge), 1.0, len(values)) <= 0.6


def test_a_total_that_is_off_moves_the_signal_by_as_much() -> None:
    shards = shards_of("three shards", True)
    values = np.concatenate([shard.values for shard in shards])
    known = Known(*np.array([known_of(shard) for shard in shards]).T)
    known.total[1] += 0.3
    found = outcomes(TwoStage(known, shards.__getitem__, "size"), shards)
    mean = sum(chance * terms.signal(0.0, y) for chance, y, terms, _ in found)
    assert mean == pytest.approx(values.mean() + 0.3 / len(values), abs=1e-12)


def test_draws_have_the_probabilities_that_are_said_of_them() -> None:
    shards = shards_of("three shards", True)
    known = Known(*np.array([known_of(shard) for shard in shards]).T)
    rng = np.random.default_rng(0)
    expected: dict[float, float] = {}
    for chance, *_ in outcomes(TwoStage(known, shards.__getitem__, "weights"), shards):
        expected[round(chance, 9)] = expected.get(round(chance, 9), 0.0) + chance
    counts = dict.fromkeys(expected, 0)
    for _ in range(4_000):
        _, terms = TwoStage(known, shards.__getitem__, "weights").draw(rng)
        counts[round(terms.q, 9)] += 1
    for chance, share in expected.items():
        assert counts[chance] / 4_000 == pytest.approx(share, abs=4 * (share / 4_000) ** 0.5)
