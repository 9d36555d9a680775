"""Where a study's pools come from: a regime's generator, or a file of label probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from celeus_label.compare.files import read_probabilities
from celeus_label.compare.hidden import HiddenPool
from celeus_label.compare.losses import Probabilities, losses
from celeus_label.compare.pools import REGIMES, probabilities


@dataclass(frozen=True)
class Source:
    """A pool by the few words that it can be made from again, in any process.

    Attributes
    ----------
    name : str
        Of a regime; any name where there is a path.
    path : str, optional
        A file of label probabilities; it must be readable on every worker.
    loss, strategy : str
        See `losses`.
    upper : float, optional
        U of the cross-entropy.
    items : int, optional
        Take this many items of a regime.
    """

    name: str
    path: str | None = None
    loss: str = "zero-one"
    strategy: str = "A"
    upper: float | None = None
    items: int | None = None

    def load(self) -> HiddenPool:
        """The pool; kept, since many trials use it."""
        return _load(self)


def regimes(items: int | None = None) -> list[Source]:
    """The paper's three regimes."""
    return [Source(name, items=items) for name in REGIMES]


@lru_cache(maxsize=4)
def _probabilities(name: str, path: str | None, items: int | None) -> Probabilities:
    return probabilities(REGIMES[name], items) if path is None else read_probabilities(Path(path))


@lru_cache(maxsize=8)
def _load(source: Source) -> HiddenPool:
    known = _probabilities(source.name, source.path, source.items)
    return losses(known, source.loss, source.strategy, source.upper)
