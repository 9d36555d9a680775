"""Seeded sessions on synthetic pools: how often the interval ever excludes the truth.

Two levels: at 0.2 a fault shows that 0.05 would hide. Sessions run on beyond their stopping time, and a miss at any
round counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from celeus_label.certify import Certifier, Design, Pool, Scale
from tests.exact.tree import few_cells

Floats = NDArray[np.float64]
SIZE, ROUNDS = 200, 70
# The whole file may be wrong about a valid method once in this many times.
DOUBT = 1e-4

POOLS: dict[str, Callable[[np.random.Generator], tuple[Floats, Floats]]] = {
    "Likert, a biased judge": lambda rng: _noisy(rng.binomial(4, 0.6, SIZE) / 4, 0.25, rng, 0.2),
    "skewed, a useless judge": lambda rng: (rng.beta(0.15, 3.0, SIZE), rng.random(SIZE)),
    "0/1, rare, a judge that says 0": lambda rng: ((rng.random(SIZE) < 0.06) * 1.0, np.zeros(SIZE)),
}
DESIGNS: dict[str, dict[str, Any]] = {
    "target-aware": {},
    "celeus": {"preset": "celeus"},
    "target bet, weights": {"surrogate": "judge", "weights": "w"},
}


def _noisy(y: Floats, noise: float, rng: np.random.Generator, bias: float = 0.0) -> tuple[Floats, Floats]:
    return y, np.clip(y + bias + rng.normal(0, noise, len(y)), 0, 1)


@pytest.mark.parametrize(
    ("design", "alpha", "runs"),
    [*((design, 0.2, 80) for design in DESIGNS), ("target-aware", 0.05, 50)],
)
@pytest.mark.parametrize("pool", POOLS)
def test_misses_are_within_alpha(pool: str, design: str, alpha: float, runs: int) -> None:
    rng = np.random.default_rng([len(pool), len(design)])
    y, s = POOLS[pool](rng)
    # a spread that has little to do with the residuals, as judges report it: some sure and wrong
    weights = np.where(rng.random(SIZE) < 0.2, 0.02, rng.random(SIZE))
    items = Pool([str(row) for row in range(SIZE)], s, Scale(0, 1), features={"w": weights})
    missed, stopped = 0, 0
    with few_cells(96):
        for seed in range(runs):
            certifier = Certifier(items, Design(alpha=alpha, width=0.16, seed=seed, **DESIGNS[design]))
            for _ in range(ROUNDS):
                draw = certifier.ask()
                certifier.tell(draw, float(y[draw.position]))
            path = certifier.trajectory
            missed += bool((path["lower"] > y.mean()).any() or (path["upper"] < y.mean()).any())
            stopped += path["upper"][-1] - path["lower"][-1] <= 0.16
    allowed = binom.isf(DOUBT / 12, runs, alpha)
    assert missed <= allowed, f"{missed} of {runs} sessions were wrong"
    assert stopped > runs / 4, "sessions must get as far as their stopping time"
