"""What a lead may know of a running session beside its interval: forecast, slices, and how the judge does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from celeus_label.certify import Certifier
from celeus_label.certify.forecast import Forecast
from celeus_label.certify.pool import Floats
from celeus_label.certify.savings import needed_without_judge, spread
from celeus_label.certify.slices import Progress, Slice
from celeus_label.session.base import Base
from celeus_label.session.types import Identity

# A judge with more different scores than this has its scores put into bins.
_MOST_SCORES = 8
_BINS = 6
# A column of more groups than this is a list of items, not of slices.
_MOST_SLICES = 60


@dataclass(frozen=True)
class Outlook:
    """What is still to come, in single ratings.

    Attributes
    ----------
    forecast : Forecast or None
        Ratings still needed; None before there are enough.
    seconds : float or None
        Between two ratings at the present pace, all raters together; None before there are enough.
    without_judge : int or None
        Ratings that the whole session would take without the judge.
    deviation, correlation : float or None
        Of the ratings on [0, 1], and of the judge with them.
    """

    forecast: Forecast | None
    seconds: float | None
    without_judge: int | None
    deviation: float | None
    correlation: float | None


@dataclass(frozen=True)
class Calibration:
    """The judge against the humans, on the raters' scale.

    Attributes
    ----------
    judge : array of shape (bins,)
        Mean of the judge's scores in each bin, moved to the raters' scale; of every item, rated or not.
    bins : list of Slice
        The mean rating of the same items, with an interval each; all hold together.
    bias : (float, float)
        The judge's mean less the mean rating, as an interval: as valid as the session's own.
    correlation : float or None
    """

    judge: Floats
    bins: list[Slice]
    bias: tuple[float, float] | None
    correlation: float | None


class Watching(Base):
    """Reads only, and for leads only: raters must see none of it."""

    def outlook(self, who: Identity, session: int) -> Outlook:
        """Forecast and pace."""
        self._check(who, "lead", session)
        live = self._loaded(session)
        with self._watched(session) as certifier:
            return live.once("outlook", lambda: _outlook(certifier, live.pace))

    def group_columns(self, who: Identity, session: int) -> dict[str, int]:
        """The pool's group columns, each with its number of groups; none of a single group or of very many."""
        self._check(who, "lead", session)
        counts = {name: len(set(values)) for name, values in self._loaded(session).pool.groups.items()}
        return {name: count for name, count in counts.items() if 2 <= count <= _MOST_SLICES}

    def slices(
        self, who: Identity, session: int, column: str, progress: Progress | None = None
    ) -> list[Slice]:
        """An interval for each group of a column; what `progress` raises puts the rest off to the next call.

        Raises
        ------
        ValueError
            The pool has no such column of groups.
        """
        if column not in self.group_columns(who, session):
            raise ValueError(f"the pool has no column {column!r} of 2 to {_MOST_SLICES} groups")
        groups = self._loaded(session).pool.groups[column]
        return self._slices(session, f"column {column}", lambda: groups, progress)

    def calibration(self, who: Identity, session: int, progress: Progress | None = None) -> Calibration:
        """How the judge's scores relate to the ratings."""
        self._check(who, "lead", session)
        pool = self._loaded(session).pool
        places = _bins(pool.surrogate)
        bins = self._slices(session, "judge", lambda: [f"{place:02d}" for place in places], progress)
        means = [float(pool.surrogate[places == int(one.name)].mean()) for one in bins]
        with self._watched(session) as certifier:
            interval, known = certifier.interval, spread(certifier)
        judge = pool.scale.from_unit(float(pool.surrogate.mean()))
        return Calibration(
            judge=np.array([pool.scale.from_unit(mean) for mean in means]),
            bins=bins,
            bias=(judge - interval.upper, judge - interval.lower)
            if interval.lower <= interval.upper
            else None,
            correlation=None if known is None or np.isnan(known.correlation) else known.correlation,
        )

    def _slices(
        self, session: int, key: str, groups: Callable[[], Sequence[str]], progress: Progress | None
    ) -> list[Slice]:
        """Computed once for each state of the ledger, and without holding up the raters meanwhile."""
        live = self._loaded(session)
        with self._watched(session) as certifier:
            pass
        return live.once(key, lambda: live.slices(key, groups, certifier, progress))


def _outlook(certifier: Certifier, pace: float | None) -> Outlook:
    each = certifier.design.ratings_per_item
    forecast, known = certifier.forecast(), spread(certifier)
    if forecast is not None:
        forecast = Forecast(forecast.ratings * each, forecast.low * each, forecast.high * each)
    needed = None if known is None else needed_without_judge(certifier, known)
    return Outlook(
        forecast=forecast,
        seconds=pace,
        without_judge=None if needed is None else needed * each,
        deviation=None if known is None else known.deviation,
        correlation=None if known is None or np.isnan(known.correlation) else known.correlation,
    )


def _bins(scores: Floats) -> NDArray[np.intp]:
    """Each score's bin: one for each score where there are few of them, else with about as many items each."""
    different = np.unique(scores)
    if len(different) > _MOST_SCORES:
        different = np.unique(np.quantile(scores, np.linspace(0, 1, _BINS, endpoint=False)))
    return np.searchsorted(different, scores, side="right") - 1
