"""A pool whose hidden values are known: what every study and comparison runs on."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from celeus_label.certify import Pool, Scale
from celeus_label.certify.pool import Floats

WEIGHTS = "weights"


@dataclass(frozen=True)
class HiddenPool:
    """N items with their hidden values; everything but `upper` is on the unit scale.

    Attributes
    ----------
    name : str
    values : array of shape (N,)
        The hidden y, in [0, 1].
    surrogate : array of shape (N,)
        s, in [0, 1].
    weights : array of shape (N,), optional
        Sampling weights that need no hidden value, not negative; None samples uniformly.
    embedding : array of shape (N, d), optional
        Where an item lies, for systems that look at neighbours; surrogate and weights serve where it is None.
    features : dict of str to array of shape (N,)
        Further columns for presets that learn.
    risk : float, optional
        Mean of the population that the pool is a sample of, on [0, 1], where it is known.
    upper : float
        The upper end of the values' own scale, which begins at 0.
    clipped, clipped_scores : int
        Number of items whose value, and whose surrogate score or proxy, was above `upper` and clipped to it.
    """

    name: str
    values: Floats
    surrogate: Floats
    weights: Floats | None = None
    embedding: Floats | None = None
    features: dict[str, Floats] = field(default_factory=dict)
    risk: float | None = None
    upper: float = 1.0
    clipped: int = 0
    clipped_scores: int = 0

    def __post_init__(self) -> None:
        for name in ("values", "surrogate"):
            column = getattr(self, name)
            wrong = ~((column >= 0) & (column <= 1))
            if wrong.any():
                row = int(wrong.argmax())
                raise ValueError(
                    f"{self.name}, item {row + 1}: its {name[:-1]} is {column[row]}, outside 0 to 1"
                )
        if len(self.surrogate) != self.size:
            raise ValueError(f"{self.name}: {len(self.surrogate)} surrogate scores for {self.size} values")

    @property
    def size(self) -> int:
        """Number of items N."""
        return len(self.values)

    @property
    def mean(self) -> float:
        """The pool mean R_N."""
        return float(self.values.mean())

    @property
    def residuals(self) -> Floats:
        """|y - s|, what the oracle samples by (Thm. 4)."""
        return np.abs(self.values - self.surrogate)

    def weights_of(self, preset: str) -> Floats | None:
        """The sampling weights of a preset; None samples uniformly."""
        return {"celeus": self.weights, "oracle": self.residuals}.get(preset)

    def pool(self, preset: str = "celeus") -> Pool:
        """The pool as a session sees it, with the weights of a preset as the feature "weights" where it has any.

        Only the preset "oracle" puts what is hidden into it.
        """
        weights = self.weights_of(preset)
        features = dict(self.features)
        if weights is not None:
            features[WEIGHTS] = weights
        ids = [f"item-{row}" for row in range(1, self.size + 1)]
        return Pool(ids, self.surrogate * self.upper, Scale(0, self.upper), features=features)
