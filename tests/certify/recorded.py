"""A session whose every step goes into a ledger, as the app writes it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from celeus_label import ledger
from celeus_label.certify import Certifier, Design, Draw, Pool, Scale, design_body, draw_events
from celeus_label.ledger import Event

LIKERT = Scale(1, 5, step=1)


class Recorded:
    """A certifier and the events that led to its state."""

    def __init__(self, pool: Pool, design: Design) -> None:
        self.design = design
        self.certifier = Certifier(pool, design)
        self.events: list[Event] = []
        self._write("design", design_body("a session", pool, design))

    def ask(self) -> Draw:
        draw = self.certifier.ask()
        for kind, body in draw_events(draw):
            self._write(kind, body)
        return draw

    def tell(self, draw: Draw, value: float, rater: str = "ann") -> None:
        self.certifier.tell(draw, value, rater)
        self._write("rating", {"round": draw.round, "rater": rater, "value": value, "duration_ms": 900})

    def cannot_rate(self, draw: Draw, rater: str) -> None:
        self.certifier.cannot_rate(draw, rater)
        self._write("unratable", {"round": draw.round, "rater": rater, "reason": "empty", "text": ""})

    def correct(self, draw: Draw, old: float, new: float, rater: str = "ann") -> None:
        self.certifier.correct(draw, new, rater)
        self._write("correction", {"round": draw.round, "rater": rater, "old": old, "new": new, "by": rater})

    def go_on(self, width: float) -> None:
        self.certifier.go_on(width)
        self._write("width", {"width": width})

    def later(self, draw: Draw, rater: str) -> None:
        self._write("later", {"round": draw.round, "rater": rater})

    def _write(self, kind: str, body: dict[str, Any]) -> None:
        last = self.events[-1] if self.events else None
        self.events.append(ledger.append(last, kind, body, "2026-01-02T03:04:05+00:00"))


def likert_pool(size: int, seed: int = 0) -> tuple[Pool, NDArray[np.float64]]:
    """A pool on a scale from 1 to 5 with a fair judge, a feature "w", one with gaps and a group; its true values."""
    rng = np.random.default_rng(seed)
    values = np.clip(np.round(rng.normal(3.4, 1.1, size)), 1, 5)
    judge = np.clip(values + rng.normal(0.4, 0.9, size), 1, 5)
    gaps = np.where(rng.random(size) < 0.2, np.nan, rng.normal(size=size))
    pool = Pool(
        [f"item-{row}" for row in range(size)],
        judge,
        LIKERT,
        Scale(1, 5),
        {"w": np.abs(rng.normal(size=size)), "length": gaps},
        {"system": [f"system {k}" for k in rng.integers(0, 3, size)]},
    )
    return pool, values


def same_state(one: Certifier, other: Certifier) -> None:
    """Both certifiers say the same, to the last bit."""
    assert one.interval == other.interval
    assert one.unit_interval == other.unit_interval
    assert (one.ratings, one.draws, one.status, one.estimate) == (
        other.ratings,
        other.draws,
        other.status,
        other.estimate,
    )
    for name, path in one.trajectory.items():
        np.testing.assert_array_equal(path, other.trajectory[name])
    assert one.propose() == other.propose()
    assert one.forecast() == other.forecast()
