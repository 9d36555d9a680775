"""Two-stage sampling: a shard with known probability, then an item inside it (docs/scale.md).

Nothing is kept of a shard but a few numbers and the positions of its rated items; it is read when it is drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from celeus_label.certify.proposals import Proposal
from celeus_label.certify.signals import Terms
from celeus_label.certify.urn import Urn

Floats = NDArray[np.float64]

BETA = 0.4  # floor of the probabilities, of shards and inside them
STICKY = 0.3  # share of draws that may open a shard, under the rule "opened"
GUESS = 0.7  # an item's score in a shard whose total is not known yet, under the rule "guessed"
RULES = {
    "size": "shards by their items",
    "weights": "shards by their weights' totals",
    "opened": "mostly shards opened before",
    "guessed": "totals learnt on opening",
}


@dataclass(frozen=True)
class Shard:
    """What is read when a shard is opened, on [0, 1], and the hidden values, which only a simulation has."""

    judge: Floats
    weights: Floats | None
    values: Floats


@dataclass(frozen=True)
class Known:
    """What one pass leaves of every shard; arrays of shape (K,).

    Attributes
    ----------
    items, total, weight : arrays
        Number of items, sum of their judge scores, and of their weights.
    low, high : arrays
        min (0 - s) / q and max (1 - s) / q over a shard's items, q being the probability inside the shard.
    """

    items: Floats
    total: Floats
    weight: Floats
    low: Floats
    high: Floats


def known_of(shard: Shard) -> tuple[float, float, float, float, float]:
    """A shard's row of `Known`."""
    urn = Urn(shard.judge, Proposal(shard.weights, BETA), np.ones(len(shard.judge), dtype=np.bool_))
    full = urn.terms(0)
    weight = float(full.size if shard.weights is None else shard.weights.sum())
    return full.size, full.rest, weight, full.low * full.size, full.high * full.size


class TwoStage:
    """Draws without replacement from all shards together, and the terms of their signals.

    Parameters
    ----------
    known : Known
    read : callable
        Reads a shard by its number.
    rule : str
        Of `RULES`. "guessed" uses the totals of `known` for shards that were opened alone; inside a shard it draws
        uniformly.
    """

    def __init__(self, known: Known, read: Callable[[int], Shard], rule: str) -> None:
        self.read, self.rule = read, rule
        self.size = int(known.items.sum())
        self.left, self.rest, self.weight = known.items.copy(), known.total.copy(), known.weight.copy()
        self.low, self.high = known.low.copy(), known.high.copy()
        self.taken: dict[int, list[int]] = {}
        if rule == "guessed":
            self.rest = GUESS * self.left
            # what the shard's own total may turn out to be is part of the signal too
            self.low, self.high = 1 - self.left - self.rest, 2 * self.left - 1 - self.rest

    def probabilities(self) -> Floats:
        """The probability of each shard, positive where an item is left."""
        by_size: Floats = self.left / self.left.sum()
        if self.rule == "weights" and self.weight.sum() > 0:
            return BETA * by_size + (1 - BETA) * self.weight / self.weight.sum()
        if self.rule == "opened":
            opened = np.zeros(len(self.left))
            opened[list(self.taken)] = self.left[list(self.taken)]
            if opened.sum() > 0:
                return STICKY * by_size + (1 - STICKY) * opened / opened.sum()
        return by_size

    def open(self, shard: int) -> tuple[Shard, Urn]:
        """Read a shard; what is left of it."""
        found = self.read(shard)
        remaining = np.ones(len(found.judge), dtype=np.bool_)
        remaining[self.taken.get(shard, [])] = False
        weights = None if self.rule == "guessed" else found.weights
        return found, Urn(found.judge, Proposal(weights, BETA), remaining)

    def terms(self, shard: int, urn: Urn, position: int) -> Terms:
        """What the signal of a round needs that draws this item of this shard."""
        inside, p = urn.terms(position), self.probabilities()
        some = p > 0
        # what opening the shard adds to the sum of all scores, over the probability of opening it
        learnt = 0.0
        if self.rule == "guessed" and shard not in self.taken:
            learnt = (inside.rest - self.rest[shard]) / p[shard]
        return Terms(
            size=self.size,
            left=int(self.left.sum()),
            q=float(p[shard] * inside.q),
            s=inside.s,
            rest=float(self.rest.sum()) + learnt,
            low=float((self.low[some] / p[some]).min() - learnt) / self.size,
            high=float((self.high[some] / p[some]).max() - learnt) / self.size,
        )

    def take(self, shard: int, urn: Urn, position: int, weight: float) -> None:
        """Take an item out."""
        self.taken.setdefault(shard, []).append(position)
        urn.take(position)
        self.left[shard] = urn.left
        self.weight[shard] = max(self.weight[shard] - weight, 0.0) if urn.left else 0.0
        self.rest[shard] = self.low[shard] = self.high[shard] = 0.0
        if urn.left:
            now = urn.terms(position)
            self.rest[shard] = now.rest
            self.low[shard], self.high[shard] = now.low * now.size, now.high * now.size

    def draw(self, rng: np.random.Generator) -> tuple[float, Terms]:
        """Draw an item: its hidden value, and the terms of its signal."""
        sums = np.cumsum(self.probabilities())
        shard = int(sums.searchsorted(rng.random() * sums[-1], side="right"))
        found, urn = self.open(shard)
        position = urn.pick(rng.random())
        terms = self.terms(shard, urn, position)
        weight = 1.0 if found.weights is None else float(found.weights[position])
        self.take(shard, urn, position, weight)
        return float(found.values[position]), terms
