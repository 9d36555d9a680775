"""The fast answers equal those of a plain pass over the pool."""

from __future__ import annotations

import numpy as np
import pytest

from celeus_label.certify.blocks import LENGTH
from celeus_label.certify.proposals import Proposal
from celeus_label.certify.signals import terms
from celeus_label.certify.urn import Urn

SIZE = 300


def _columns(kind: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray | None]:
    s = rng.random(SIZE)
    return {
        "uniform": (s, None),
        "random weights": (s, rng.exponential(size=SIZE)),
        "weights that are a curve of the surrogate": (s, np.sqrt(0.05 + s * (1 - s))),
        "few different values": (rng.integers(0, 3, SIZE) / 2, rng.integers(0, 4, SIZE) / 4.0),
        "all weights but three are zero": (s, np.where(np.arange(SIZE) < 3, 1.0, 0.0)),
        "weights of all sizes": (s, 10.0 ** rng.uniform(-290, 290, SIZE)),
        "one surrogate": (np.full(SIZE, 0.3), rng.random(SIZE)),
    }[kind]


def _plain_pick(u: float, proposal: Proposal, remaining: np.ndarray) -> int:
    """The share beta of u goes along the items, the rest along the running sum of the weights."""
    items = np.flatnonzero(remaining)
    w = np.zeros(len(items)) if proposal.weights is None else proposal.weights[items]
    w = w / w.max() if w.max() > 0 else w
    beta = proposal.beta if w.sum() > 0 and proposal.beta < 1 else 1.0
    if u < beta:
        return int(items[min(int(u / beta * len(items)), len(items) - 1)])
    point, run = (u - beta) / (1 - beta) * w.sum(), 0.0
    for item, weight in zip(items, w, strict=True):
        run += weight
        if run > point:
            return int(item)
    return int(items[w > 0][-1])


KINDS = (
    "uniform", "random weights", "weights that are a curve of the surrogate", "few different values",
    "all weights but three are zero", "weights of all sizes", "one surrogate",
)  # fmt: skip


@pytest.mark.parametrize("beta", [0.05, 0.4, 1.0])
@pytest.mark.parametrize("kind", KINDS)
def test_every_round_of_a_pool_equals_the_plain_one(kind: str, beta: float) -> None:
    rng = np.random.default_rng(len(kind))
    s, weights = _columns(kind, rng)
    proposal, remaining = Proposal(weights, beta), np.ones(SIZE, dtype=bool)
    urn = Urn(s, proposal, remaining)
    for _ in range(SIZE):
        u = float(rng.random())
        position = urn.pick(u)
        assert position == _plain_pick(u, proposal, remaining)
        q = proposal.probabilities(remaining)
        got, plain = urn.terms(position), terms(position, s, q, remaining)
        assert (got.size, got.left, got.s) == (plain.size, plain.left, plain.s)
        for name in ("q", "rest", "low", "high"):
            assert getattr(got, name) == pytest.approx(getattr(plain, name), rel=1e-12, abs=1e-15), name
        remaining[position] = False
        urn.take(position)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_left_decides_and_not_how_it_came_to_be(kind: str) -> None:
    """A replay that builds the urn in the middle gives the same bits."""
    rng = np.random.default_rng(1)
    s, weights = _columns(kind, rng)
    proposal, remaining = Proposal(weights, 0.4), np.ones(SIZE, dtype=bool)
    urn = Urn(s, proposal, remaining)
    taken = rng.permutation(SIZE)[: SIZE // 2]
    for position in taken:
        urn.take(int(position))
    remaining[taken] = False
    anew = Urn(s, proposal, remaining)
    numbers = rng.random(50)
    assert [urn.pick(u) for u in numbers] == [anew.pick(u) for u in numbers]
    left = np.flatnonzero(remaining)[:50]
    assert [urn.terms(int(item)) for item in left] == [anew.terms(int(item)) for item in left]


def test_a_column_longer_than_a_block_of_the_memory() -> None:
    size = LENGTH * 2 + 77
    rng = np.random.default_rng(3)
    s, proposal = rng.random(size), Proposal(rng.exponential(size=size), 0.4)
    remaining = rng.random(size) < 0.7
    urn = Urn(s, proposal, remaining)
    for u in (0.1, 0.39, 0.41, 0.7, 0.999):
        position = urn.pick(u)
        q = proposal.probabilities(remaining)
        got, plain = urn.terms(position), terms(position, s, q, remaining)
        assert (got.left, got.s) == (plain.left, plain.s)
        for name in ("q", "rest", "low", "high"):
            assert getattr(got, name) == pytest.approx(getattr(plain, name), rel=1e-12), name
        remaining[position] = False
        urn.take(position)
