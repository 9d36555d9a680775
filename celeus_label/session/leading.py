"""What leads do: watch, go on, take an item back, export."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from celeus_label.certificate import export_bundle
from celeus_label.certify import Certifier
from celeus_label.session.base import Base
from celeus_label.session.thinning import kept
from celeus_label.session.types import Identity, Monitor, Trajectory
from celeus_label.store import Remark

# More points than this are thinned for a chart.
_CHART_POINTS = 2_000


class Leading(Base):
    """A lead's view of a session, and a lead's means."""

    def monitor(self, who: Identity, session: int) -> Monitor:
        """The state of a session as it is now."""
        self._check(who, "lead", session)
        counts = self.store.counts(session, self._clock())
        raters = tuple(self.store.rater_stats(session))
        live = self._loaded(session)
        with self._watched(session) as certifier:
            return Monitor(
                interval=certifier.interval,
                trajectory=live.once("trajectory", lambda: _trajectory(certifier)),
                design=certifier.design,
                scale=certifier.pool.scale,
                items=certifier.pool.size,
                draws=certifier.draws,
                counts=counts,
                raters=raters,
                aspects=live.aspects(),
            )

    def go_on(self, who: Identity, session: int, width: float) -> None:
        """Aim at another width, a fraction of the scale's range; allowed at any time.

        Raises
        ------
        ValueError
            The width is not in (0, 1).
        """
        self._check(who, "lead", session)
        if not 0 < width < 1:
            raise ValueError(f"the width must lie between 0 and 1 (a fraction of the scale), got {width:g}")
        self.store.append(session, "width", {"width": width}, self._clock())

    def remarks(self, who: Identity, session: int) -> list[Remark]:
        """What raters wrote about items, and which they flagged; newest first."""
        self._check(who, "lead", session)
        return self.store.remarks(session)

    def take_back(self, who: Identity, session: int, round: int) -> int:
        """End the leases on a draw, so that somebody else gets it; how many."""
        self._check(who, "lead", session)
        return self.store.take_back(session, round, self._clock())

    def export(self, who: Identity, session: int, path: str | Path, names: bool = False) -> Path:
        """Write the certificate bundle; raters stand in it by opaque ids, and by name as well only where asked."""
        self._check(who, "lead", session)
        live = self._loaded(session)
        known = {one.id: one.name for one in self.store.people()} if names else None
        with self._certifier(session) as certifier:
            # not one event more than the certifier has seen
            events = self.store.events(session)[: live.seen]
            return export_bundle(
                path, pool=live.pool, design=live.design, events=events, names=known, certifier=certifier
            )


def _trajectory(certifier: Certifier) -> Trajectory:
    path = certifier.trajectory
    keep = kept(path["estimate"], _CHART_POINTS)  # the ends only move inwards
    scale, size = certifier.pool.scale, certifier.pool.size
    ends = [
        certifier.design.widen(float(path["lower"][t]), float(path["upper"][t]), size)
        if path["lower"][t] <= path["upper"][t]
        else (float(path["lower"][t]), float(path["upper"][t]))
        for t in keep
    ]
    return Trajectory(
        rounds=np.array([t + 1 for t in keep], dtype=np.float64),
        lower=np.array([scale.from_unit(low) for low, _ in ends]),
        upper=np.array([scale.from_unit(high) for _, high in ends]),
        estimate=np.array([scale.from_unit(float(path["estimate"][t])) for t in keep]),
    )
