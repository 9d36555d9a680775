"""Losses and strategies by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from celeus_label.compare.losses import LOSSES, STRATEGIES, Probabilities, losses

# f: sure and right; unsure and wrong; sure and wrong.  g agrees, disagrees, agrees.
TARGET = [[0.9, 0.1, 0.0], [0.4, 0.5, 0.1], [0.2, 0.8, 0.0]]
SURROGATE = [[0.6, 0.3, 0.1], [0.2, 0.2, 0.6], [0.1, 0.6, 0.3]]
LABEL = [0, 0, 2]
KNOWN = Probabilities(np.array(TARGET), np.array(SURROGATE), np.array(LABEL))

HARD = [0, 1, 0]
DISPERSION = [1 - 0.82, 1 - 0.42, 1 - 0.68]
SOFT = [1 - 0.9, 1 - 0.1, 1 - 0.8]
MODE = [-math.log(0.9), -math.log(0.5), -math.log(0.8)]


def entropy(p: list[float]) -> float:
    return -sum(x * math.log(x) for x in p if x > 0)


ENTROPY, OTHER_ENTROPY = [entropy(p) for p in TARGET], [entropy(p) for p in SURROGATE]
ERRORS = [0, 1, 1]
PARTS = {
    ("zero-one", "A"): (HARD, DISPERSION),
    ("zero-one", "B"): (DISPERSION, SOFT),
    ("zero-one", "C"): (SOFT, DISPERSION),
    ("cross-entropy", "A"): (MODE, ENTROPY),
    ("cross-entropy", "B"): (ENTROPY, MODE),
    ("cross-entropy", "C"): (ENTROPY, OTHER_ENTROPY),
}


@pytest.mark.parametrize(("loss", "strategy"), PARTS)
def test_each_strategy_is_the_papers(loss: str, strategy: str) -> None:
    proxy, surrogate = (np.array(part) for part in PARTS[loss, strategy])
    pool = losses(KNOWN, loss, strategy, upper=4.0)
    scale = 1.0 if loss == "zero-one" else 4.0
    assert pool.upper == scale
    assert pool.surrogate * scale == pytest.approx(surrogate)
    assert pool.weights * scale == pytest.approx(np.abs(proxy - surrogate))


def test_values_of_the_zero_one_loss() -> None:
    assert losses(KNOWN).values.tolist() == ERRORS


def test_the_cross_entropy_is_clipped_to_its_declared_end_and_the_clipped_are_counted() -> None:
    pool = losses(KNOWN, "cross-entropy", upper=0.5)
    # -log 0.9, -log 0.4 = 0.92 and infinity
    assert pool.values * 0.5 == pytest.approx([-math.log(0.9), 0.5, 0.5])
    assert pool.clipped == 2
    assert pool.clipped_scores == 2  # the second's and the third's entropy
    assert losses(KNOWN, "cross-entropy", upper=4.0).clipped == 1
    assert losses(KNOWN).clipped == 0
    assert losses(KNOWN, "cross-entropy").upper == pytest.approx(math.log(3) + 2)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_oracle_samples_by_the_true_residual(loss: str) -> None:
    pool, main = losses(KNOWN, loss, "oracle"), losses(KNOWN, loss, "A")
    assert pool.surrogate == pytest.approx(main.surrogate)
    assert pool.weights == pytest.approx(np.abs(pool.values - pool.surrogate))
    assert set(STRATEGIES) == {"A", "B", "C", "oracle"}


def test_rounding_of_small_floats_is_no_fault() -> None:
    p = np.array(TARGET, dtype=np.float16)
    pool = losses(Probabilities(p, np.array(SURROGATE), np.array(LABEL)))
    assert pool.surrogate == pytest.approx(DISPERSION, abs=1e-3)


@pytest.mark.parametrize(
    ("target", "label", "sentence"),
    [
        ([[0.9, 0.2, 0.0], *TARGET[1:]], LABEL, "item 1: the target's probabilities sum to 1.1, not to 1"),
        (
            [TARGET[0], [4.0, -1.0, 2.0], TARGET[2]],
            LABEL,
            "item 2: the target's probabilities .* are not all in",
        ),
        ([TARGET[0], [math.nan, 0.5, 0.5], TARGET[2]], LABEL, "item 2: the target's probabilities"),
        (TARGET, [0, 0, 3], "item 3: its label is 3, not a whole number from 0 to 2"),
        (TARGET, [0, 0.5, 1], "item 2: its label is 0.5"),
        (TARGET, [0, 1], "labels for 3 items"),
        (TARGET[:2], LABEL[:2], "shape"),
    ],
)
def test_what_is_wrong_is_named(target: list[list[float]], label: list[float], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Probabilities(np.array(target), np.array(SURROGATE), np.array(label))


def test_no_such_loss_or_strategy_or_end() -> None:
    with pytest.raises(ValueError, match="loss must be one of zero-one, cross-entropy, got 'hinge'"):
        losses(KNOWN, "hinge")
    with pytest.raises(ValueError, match="strategy must be one of A, B, C, oracle, got 'D'"):
        losses(KNOWN, "zero-one", "D")
    with pytest.raises(ValueError, match="upper end must be a positive number, got -1"):
        losses(KNOWN, "cross-entropy", upper=-1)
