"""The paper's theorems on pools small enough to go through every order of draws."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pytest

from celeus_label.certify.estimators import Lure, Naive
from celeus_label.certify.proposals import Proposal
from celeus_label.certify.signals import conditional_variance, terms
from celeus_label.compare.hidden import HiddenPool
from celeus_label.compare.systems import design_of, trials

Y = np.array([1.0, 0.0, 0.3, 0.0, 0.8])
S = np.array([0.6, 0.2, 0.9, 0.0, 0.5])
WEIGHTS = np.array([3.0, 0.0, 1.0, 0.2, 0.7])
BETA = 0.3
PROPOSAL = Proposal(WEIGHTS, BETA)
SIZE, MEAN = len(Y), float(Y.mean())


def orders(rounds: int) -> Iterator[tuple[float, list[tuple[int, float]]]]:
    """Every order of draws with its probability, each draw with its q."""
    for order in itertools.permutations(range(SIZE), rounds):
        remaining, chance, draws = np.ones(SIZE, dtype=bool), 1.0, []
        for item in order:
            q = float(PROPOSAL.probabilities(remaining)[item])
            chance *= q
            remaining[item] = False
            draws.append((item, q))
        yield chance, draws


@pytest.mark.parametrize("rounds", range(1, SIZE + 1))
def test_theorem_1_lure_is_unbiased_at_every_fixed_number_of_rounds(rounds: int) -> None:
    lure_mean = naive_mean = squares = 0.0
    for chance, draws in orders(rounds):
        lure, naive = Lure(float(S.mean()), SIZE), Naive(float(S.mean()))
        for item, q in draws:
            lure.update(q, float(Y[item] - S[item]))
            naive.update(float(Y[item] - S[item]))
        lure_mean += chance * lure.get()
        naive_mean += chance * naive.get()
        squares += chance * (lure.get() - MEAN) ** 2
    assert lure_mean == pytest.approx(MEAN, abs=1e-12)
    if rounds < SIZE:
        assert abs(naive_mean - MEAN) > 0.01, "without the weights it is not"
    # Theorem 2's bound on the part of the variance that draws can change, (U-L)^2 / (beta t)
    assert squares <= 1 / (BETA * rounds)
    if rounds == SIZE:
        assert squares == pytest.approx(0, abs=1e-20)


def test_theorem_3_the_signals_mean_and_variance() -> None:
    for rounds in range(SIZE):
        for _, draws in orders(rounds):
            remaining = np.ones(SIZE, dtype=bool)
            remaining[[item for item, _ in draws]] = False
            rated = math.fsum(Y[item] for item, _ in draws)
            q = PROPOSAL.probabilities(remaining)
            left = np.flatnonzero(remaining)
            signals = [terms(int(item), S, q, remaining).signal(rated, float(Y[item])) for item in left]
            mean = sum(q[item] * signal for item, signal in zip(left, signals, strict=True))
            variance = sum(q[item] * (signal - MEAN) ** 2 for item, signal in zip(left, signals, strict=True))
            assert mean == pytest.approx(MEAN, abs=1e-12)
            assert variance == pytest.approx(conditional_variance(Y, S, q, remaining), abs=1e-12)


def test_theorem_4_no_proposal_has_a_smaller_variance_than_the_residuals() -> None:
    remaining = np.ones(SIZE, dtype=bool)
    residuals = np.abs(Y - S)
    remaining[3] = False  # its residual is 0
    best = residuals / residuals[remaining].sum()
    least = conditional_variance(Y, S, best, remaining)
    assert least == pytest.approx(
        (residuals[remaining].sum() / SIZE) ** 2 - ((Y - S)[remaining].sum() / SIZE) ** 2
    )
    rng = np.random.default_rng(0)
    for _ in range(500):
        q = rng.dirichlet(np.ones(SIZE) * rng.choice([0.3, 1.0, 5.0])) * remaining + 1e-9
        assert conditional_variance(Y, S, q / q[remaining].sum(), remaining) >= least - 1e-12


def test_theorem_6_what_is_left_at_the_end_is_the_step_to_the_population() -> None:
    rng = np.random.default_rng(1)
    values = (rng.random(5_000) < 0.2).astype(float)
    surrogate = np.clip(0.2 + 0.3 * (values - 0.2) + 0.1 * rng.standard_normal(5_000), 0, 1)
    pool = HiddenPool("p", values, surrogate, np.abs(surrogate - 0.2))
    design = design_of("celeus", target="population", width=1e-6)
    found = trials([pool], "celeus", design, [0], until="end").paths
    widths = [
        np.subtract(*design.widen(float(low), float(high), 5_000)[::-1])
        for low, high in zip(found.lower[0], found.upper[0], strict=True)
    ]
    assert (np.diff(widths) <= 1e-12).all()
    step = math.sqrt(math.log(2 / design.alpha2) / (2 * 5_000))
    assert widths[-1] == pytest.approx(2 * step, abs=1e-6)
    assert widths[499] - 2 * step < 0.2
    # four times the ratings, about half the width of the pool's interval (a logarithm is lost, and the pool runs out)
    ratio = (widths[1999] - 2 * step) / (widths[499] - 2 * step)
    assert 0.25 < ratio < 0.6
