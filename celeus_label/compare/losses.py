"""Losses of a classifier from label probabilities, and what stands in for them before they are known.

The target model f is the one that is evaluated; the surrogate model g is a smaller one. A strategy (paper, Rem. 1
and 2) is a pair of functions of their probabilities alone: the surrogate score s that fills in for unrated items, and
a proxy of the loss; items are sampled by |proxy - s|.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from celeus_label.certify.pool import Floats
from celeus_label.compare.hidden import HiddenPool

Labels = NDArray[np.intp]

LOSSES = ("zero-one", "cross-entropy")
STRATEGIES = ("A", "B", "C", "oracle")
# Probabilities of an item may sum to 1 within this, as those of half-precision models do; they are scaled to 1.
_SUM = 1e-2


@dataclass(frozen=True)
class Probabilities:
    """Label probabilities of two models for every item, and the true labels.

    Parameters
    ----------
    target, surrogate : array of shape (N, K)
        p_f and p_g; each row is scaled to sum to 1.
    label : int array of shape (N,)
        From 0 to K - 1.
    name : str

    Raises
    ------
    ValueError
        A probability outside [0, 1], a row whose sum is not 1, a label that is none, or shapes that do not agree;
        the item is named, counted from 1.
    """

    target: Floats
    surrogate: Floats
    label: Labels
    name: str = "pool"

    def __post_init__(self) -> None:
        for name in ("target", "surrogate"):
            object.__setattr__(self, name, _rows(name, getattr(self, name)))
        if self.surrogate.shape != self.target.shape:
            raise ValueError(
                f"the surrogate's probabilities have the shape {self.surrogate.shape}, the target's {self.target.shape}"
            )
        label = np.asarray(self.label)
        if label.shape != (self.size,):
            raise ValueError(f"{label.shape} labels for {self.size} items")
        wrong = ~((label >= 0) & (label < self.labels) & (label == np.floor(label)))
        if wrong.any():
            row = int(wrong.argmax())
            raise ValueError(
                f"item {row + 1}: its label is {label[row]}, not a whole number from 0 to {self.labels - 1}"
            )
        object.__setattr__(self, "label", label.astype(np.intp))

    @property
    def size(self) -> int:
        """Number of items N."""
        return len(self.target)

    @property
    def labels(self) -> int:
        """Number of labels K."""
        return int(self.target.shape[1])


def losses(
    known: Probabilities, loss: str = "zero-one", strategy: str = "A", upper: float | None = None
) -> HiddenPool:
    """The pool that a loss and a strategy make: hidden losses, surrogate scores, sampling weights.

    Parameters
    ----------
    known : Probabilities
    loss : str
        "zero-one" or "cross-entropy".
    strategy : str
        "A", "B", "C", or "oracle": the surrogate of A, and weights from the hidden losses (Thm. 4).
    upper : float, optional
        U of the cross-entropy, in nats; everything above is clipped to it, and counted. log K + 2 where it is None.

    Returns
    -------
    HiddenPool
        On the scale from 0 to U (1 for the 0-1 loss); `clipped` counts the losses and the scores that were clipped.
    """
    if loss not in LOSSES:
        raise ValueError(f"loss must be one of {', '.join(LOSSES)}, got {loss!r}")
    if strategy not in STRATEGIES:
        raise ValueError(f"strategy must be one of {', '.join(STRATEGIES)}, got {strategy!r}")
    if loss == "zero-one":
        values, most = (known.target.argmax(axis=1) != known.label).astype(np.float64), 1.0
    else:
        values, most = cross_entropy(known), math.log(known.labels) + 2 if upper is None else float(upper)
        if not 0 < most < math.inf:
            raise ValueError(f"the cross-entropy's upper end must be a positive number, got {most}")
    proxy, surrogate = (part(known) for part in _PARTS[loss, "A" if strategy == "oracle" else strategy])
    clipped = int((values > most).sum())
    clipped_scores = int(((surrogate > most) | (proxy > most)).sum())
    values, proxy, surrogate = (np.minimum(part, most) / most for part in (values, proxy, surrogate))
    weights = np.abs((values if strategy == "oracle" else proxy) - surrogate)
    return HiddenPool(
        f"{known.name}, {loss}, strategy {strategy}",
        values,
        surrogate,
        weights,
        upper=most,
        clipped=clipped,
        clipped_scores=clipped_scores,
        features=_features(known, most),
    )


def dispersion(known: Probabilities) -> Floats:
    """1 - sum_y p_f(y)^2."""
    spread: Floats = np.clip(1 - (known.target**2).sum(axis=1), 0.0, 1.0)
    return spread


def hard(known: Probabilities) -> Floats:
    """1 where the two models' first choices differ, else 0."""
    differ: Floats = (known.target.argmax(axis=1) != known.surrogate.argmax(axis=1)).astype(np.float64)
    return differ


def soft(known: Probabilities) -> Floats:
    """1 - p_f of the surrogate's first choice."""
    chosen = known.surrogate.argmax(axis=1)
    rest: Floats = np.clip(1 - known.target[np.arange(known.size), chosen], 0.0, 1.0)
    return rest


def mode(known: Probabilities) -> Floats:
    """-log max_y p_f(y), in nats."""
    loss: Floats = -np.log(known.target.max(axis=1))
    return np.maximum(loss, 0.0)


def entropy(known: Probabilities) -> Floats:
    """H(f) in nats."""
    return _entropy(known.target)


def surrogate_entropy(known: Probabilities) -> Floats:
    """H(g) in nats."""
    return _entropy(known.surrogate)


def cross_entropy(known: Probabilities) -> Floats:
    """-log p_f of the true label in nats, not clipped; infinite where that probability is 0."""
    with np.errstate(divide="ignore"):
        loss: Floats = -np.log(known.target[np.arange(known.size), known.label])
    return np.maximum(loss, 0.0)


# (loss, strategy) -> (proxy, surrogate score); the paper's main ones are A.
_PARTS: dict[tuple[str, str], tuple[Callable[[Probabilities], Floats], Callable[[Probabilities], Floats]]] = {
    ("zero-one", "A"): (hard, dispersion),
    ("zero-one", "B"): (dispersion, soft),
    ("zero-one", "C"): (soft, dispersion),
    ("cross-entropy", "A"): (mode, entropy),
    ("cross-entropy", "B"): (entropy, mode),
    ("cross-entropy", "C"): (entropy, surrogate_entropy),
}


def _features(known: Probabilities, most: float) -> dict[str, Floats]:
    """What a preset that learns may use: every column above that needs no label."""
    columns = {
        "hard": hard(known),
        "soft": soft(known),
        "mode": np.minimum(mode(known), most),
        "entropy": entropy(known),
        "surrogate_entropy": surrogate_entropy(known),
    }
    return columns


def _entropy(p: Floats) -> Floats:
    logs = np.log(np.where(p > 0, p, 1.0))
    result: Floats = np.maximum(-(p * logs).sum(axis=1), 0.0)
    return result


def _rows(name: str, values: Floats) -> Floats:
    p = np.array(values, dtype=np.float64)
    if p.ndim != 2 or p.shape[0] < 1 or p.shape[1] < 2:
        raise ValueError(
            f"the {name}'s probabilities have the shape {p.shape}, not (items, two labels or more)"
        )
    wrong = ~((p >= 0) & (p <= 1 + _SUM)).all(axis=1)
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"item {row + 1}: the {name}'s probabilities {p[row].tolist()} are not all in [0, 1]"
        )
    sums = p.sum(axis=1)
    wrong = np.abs(sums - 1) > _SUM
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"item {row + 1}: the {name}'s probabilities sum to {sums[row]:g}, not to 1; are they logits?"
        )
    scaled: Floats = p / sums[:, None]
    return scaled
