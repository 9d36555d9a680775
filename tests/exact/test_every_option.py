"""METHOD 8, items 1 to 5, for every combination of options, on the whole tree of draws of a tiny pool."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from celeus_label.certify import Design
from tests.exact import laws
from tests.exact.tree import grow, make_pool, mean, telling

VALUES = (
    (0.0, 0.0, 0.0, 0.0),
    (1.0, 1.0, 1.0, 1.0),
    (0.0, 0.0, 0.0, 1.0),
    (1.0, 0.0, 1.0, 1.0),
    (0.0, 0.5, 0.5, 1.0),
    (0.31, 0.72, 0.05, 0.98),
)
Judge = Callable[[NDArray[np.float64]], NDArray[np.float64]]
JUDGES: dict[str, Judge] = {
    "exact": lambda y: y,
    "opposite": lambda y: 1 - y,
    "constant": lambda y: np.full(len(y), 0.5),
    "at the ends": lambda y: np.arange(len(y)) % 2 * 1.0,
    "unrelated": lambda y: np.linspace(0.93, 0.07, len(y)),
}
WEIGHTS = {
    "none": None,
    "skewed with zeros": (0.0, 20.0, 0.0, 1.0),
    "tiny": (1e-9, 1.0, 3e-4, 0.4),
    "all zero": (0.0, 0.0, 0.0, 0.0),
}
BETAS, ALPHAS, WIDTHS = (0.1, 0.4, 1.0), (0.05, 0.2, 0.5), (0.002, 0.6)


def _check(values: NDArray[np.float64], judge: str, weights: str, **options: object) -> None:
    column = WEIGHTS[weights]
    pool = make_pool(JUDGES[judge](values), None if column is None else column[: len(values)])
    design = Design(weights=None if column is None else "w", **options)  # type: ignore[arg-type]
    root = grow(pool, design, telling(values), mean(values))
    laws.check_signals(root, values)
    laws.check_wealth(root)
    laws.check_nested(root)
    laws.check_exhaustion(root, mean(values))
    assert laws.miscoverage(root, mean(values)) <= design.alpha, design


def _values(number: int, size: int) -> NDArray[np.float64]:
    """One of the value sets, each in turn."""
    return np.roll(VALUES[number % len(VALUES)], number // len(VALUES))[:size]


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("judge", [*JUDGES, "none"])
@pytest.mark.parametrize("bounds", ["local", "global"])
@pytest.mark.parametrize("bet", ["hedged", "target"])
def test_frozen_surrogate(bet: str, bounds: str, judge: str, weights: str) -> None:
    start = len(judge) + 3 * len(weights)
    for number, (beta, alpha) in enumerate(itertools.product(BETAS, ALPHAS), start):
        _check(
            _values(number, 3),
            "constant" if judge == "none" else judge,
            weights,
            bet=bet,
            bounds=bounds,
            surrogate="none" if judge == "none" else "judge",
            beta=beta,
            alpha=alpha,
            width=WIDTHS[number // 2 % 2],
            theta=(0.5, 0.2, 0.9)[number % 3],
        )


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("bounds", ["local", "global"])
@pytest.mark.parametrize("bet", ["hedged", "target"])
def test_surrogate_learnt_anew_after_every_rating(bet: str, bounds: str, judge: str, weights: str) -> None:
    start = len(judge) + 3 * len(weights)
    for number, (beta, alpha) in enumerate(((0.1, 0.5), (0.4, 0.2)), start):
        _check(
            _values(number, 4),
            judge,
            weights,
            bet=bet,
            bounds=bounds,
            surrogate="fitted",
            beta=beta,
            alpha=alpha,
            width=WIDTHS[number % 2],
        )


def test_the_learnt_weights_are_at_work() -> None:
    """Some of these trees must sample by learnt weights and learnt surrogates, or the tests above say little."""
    values = np.array([0.0, 1.0, 0.0, 0.9, 0.1])
    pool = make_pool([0.1, 0.2, 0.5, 0.6, 0.9], (0.0, 5.0, 0.0, 5.0, 0.1))
    root = grow(pool, Design(alpha=0.5, width=0.3), telling(values), mean(values))
    laws.check_signals(root, values)
    laws.check_wealth(root)
    spreads = [
        max(child.q for child in node.children) / min(child.q for child in node.children)
        for node in root.nodes()
        if node.children
    ]
    assert max(spreads) > 1.2
    surrogates = {
        child.terms.s for node in root.nodes() for child in node.children if child.terms is not None
    }
    assert len(surrogates) > 10
