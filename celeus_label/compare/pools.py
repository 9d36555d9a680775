"""Synthetic pools: three regimes like the paper's benchmarks, and a diagnostic pool on which Cer-Eval fails.

The paper's logits are not public. The regimes below are made so that what the paper prints of its benchmarks comes
out nearly the same (docs/paper.md puts the numbers side by side); who has real logits runs every study on them with
``celeus-label study NAME --pool FILE``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from celeus_label.certify.pool import Floats
from celeus_label.compare.hidden import HiddenPool
from celeus_label.compare.losses import Probabilities


@dataclass(frozen=True)
class Regime:
    """How the label probabilities of a target and a surrogate model are made.

    Item j has a true label, uniform over K, and an ease a_j ~ Normal(ease + topic effect, spread^2). The logit of label
    k is a_j [k is true] + e_jk for the target model, surrogate_ease a_j [k is true] + e'_jk for the surrogate, with
    standard normal errors that correlate by `shared`. Probabilities are the softmax of the logits times a sharpness:
    1 for the surrogate, sharpness exp(jitter Normal(0, 1)) for the target, drawn for each item. Last, a share `noise`
    of the items get a label at random, as human labels have it.

    Attributes
    ----------
    name : str
    items, labels : int
        N and K.
    ease, spread : float
        Mean and standard deviation of the ease over items. Negative: the target tends to another label.
    topics : int
        Number of topics; 0 for none.
    topic_spread : float
        Standard deviation of the topics' effects on the ease.
    surrogate_ease : float
        How much of the ease the surrogate model sees.
    shared : float
        Correlation of the two models' errors.
    sharpness, jitter : float
        Of the target's probabilities: below 1 it is less sure than it should be; the jitter makes how sure it is a
        poor sign of how right it is.
    noise : float
    seed : int
        Of the pool.
    """

    name: str
    items: int
    labels: int
    ease: float
    spread: float
    surrogate_ease: float
    shared: float
    sharpness: float
    jitter: float = 0.0
    topics: int = 0
    topic_spread: float = 0.0
    noise: float = 0.0
    seed: int = 1


# Aimed at in this order: the paper's labels to width 0.05 of EValue and their saving by Celeus (Table 2), the part of
# the conditional variance that guided draws save and the share of the oracle's saving that this is (Figure 2 right),
# the naive estimator's bias (Figure 2 left), and a surrogate model that is worse than the target, worst in the third.
REGIMES = {
    "sst2": Regime("sst2", 68_221, 2, ease=4.2, spread=3.5, surrogate_ease=0.8, shared=0.65, sharpness=0.42),
    "mmlu": Regime(
        "mmlu",
        115_700,
        4,
        ease=3.3,
        spread=2.2,
        surrogate_ease=0.7,
        shared=0.1,
        sharpness=1.8,
        jitter=1.3,
        topics=57,
        topic_spread=0.9,
        noise=0.01,
    ),
    "agnews": Regime(
        "agnews",
        127_600,
        4,
        ease=2.4,
        spread=2.7,
        surrogate_ease=0.5,
        shared=0.05,
        sharpness=0.85,
        jitter=0.95,
        noise=0.03,
    ),
}


def probabilities(regime: Regime, items: int | None = None) -> Probabilities:
    """Make a regime's label probabilities, with fewer items where `items` is given."""
    size, count = regime.items if items is None else min(items, regime.items), regime.labels
    rng = np.random.default_rng(regime.seed)
    label = rng.integers(count, size=size)
    ease = regime.ease + regime.spread * rng.standard_normal(size)
    if regime.topics:
        effects = regime.topic_spread * rng.standard_normal(regime.topics)
        ease += effects[rng.integers(regime.topics, size=size)]
    own, other = rng.standard_normal((2, size, count))
    true = np.eye(count)[label]
    target = true * ease[:, None] + own
    surrogate = true * (regime.surrogate_ease * ease)[:, None]
    surrogate += regime.shared * own + np.sqrt(1 - regime.shared**2) * other
    sharpness = regime.sharpness * np.exp(regime.jitter * rng.standard_normal(size))
    given = np.where(rng.random(size) < regime.noise, rng.integers(count, size=size), label)
    return Probabilities(_softmax(sharpness[:, None] * target), _softmax(surrogate), given, regime.name)


# The diagnostic pool. Failures are rarer than right answers, and each fails in its own way.
DIAGNOSTIC_ITEMS = 2_500
_SHARE = 0.3
_LOW, _HIGH = 0.2, 0.8
_FAMILIES, _DIMENSIONS, _CORE = 50, 32, 0.05
_KNOWN = 0.75
DIAGNOSTIC_RISK = _LOW + (_HIGH - _LOW) * _SHARE


def diagnostic(seed: int) -> HiddenPool:
    """A fresh pool of 2,500 graded losses, an i.i.d. sample of a population whose mean is 0.38.

    Each item fails with probability 0.3; its loss is 0.8 then, else 0.2. Items come in 50 families of prompts, far
    from each other in the embedding. Right answers to a family's prompts look alike and lie near its centre; failures
    lie around it, each in its own direction, nearer to the centre than to one another. So the nearest rated neighbour
    of a failure is a right answer, unless it is the failure itself: the part of the pool that Cer-Eval takes for bad
    has hardly any items but those that were rated, and the other part looks better than it is.

    The surrogate score and the proxy are right about three in four items, as a small model might be.
    """
    rng = np.random.default_rng(seed)
    size = DIAGNOSTIC_ITEMS
    fails = rng.random(size) < _SHARE
    values = np.where(fails, _HIGH, _LOW)
    centres = 10 * rng.standard_normal((_FAMILIES, _DIMENSIONS))
    direction = rng.standard_normal((size, _DIMENSIONS))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    embedding = centres[rng.integers(_FAMILIES, size=size)]
    embedding += np.where(fails, 1.0, _CORE)[:, None] * direction
    seen, guessed = (np.where(rng.random(size) < _KNOWN, fails, ~fails) for _ in range(2))
    middle = DIAGNOSTIC_RISK
    surrogate = middle + 0.3 * (np.where(seen, _HIGH, _LOW) - middle)
    proxy = np.where(guessed, _HIGH, _LOW)
    return HiddenPool(
        "diagnostic", values, surrogate, np.abs(proxy - surrogate), embedding=embedding, risk=DIAGNOSTIC_RISK
    )


def _softmax(logits: Floats) -> Floats:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    result: Floats = powers / powers.sum(axis=1, keepdims=True)
    return result
