"""A session driven as the app drives it: certifier and ledger in step, without a database."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from celeus_label.certificate import export_bundle
from celeus_label.certificate.tables import SHA256
from celeus_label.certify import Certifier, Design, Pool, Scale, design_body, draw_events, fold
from celeus_label.ledger import Event, append, canonical

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


def make_pool(size: int = 40, seed: int = 1, scale: Scale | None = None) -> tuple[Pool, np.ndarray]:
    """A pool with features, groups and awkward ids, and the ratings that its raters will give."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, size).astype(float)
    judge = np.clip(truth + rng.normal(0, 1, size), 1, 5)
    awkward = ["=1+1", "-5", "'quoted'", 'with "quotes", and commas', "two\nlines", "@x", "+1", "\tx", "é ＝"]
    ids = [*awkward, *(f"item-{n}" for n in range(size))][:size]
    spread = rng.normal(0, 1, size)
    spread[::7] = np.nan
    pool = Pool(
        ids,
        judge,
        scale or Scale(1, 5, 1, ("poor", "excellent")),
        Scale(1, 5),
        {"spread": spread, "item_id": rng.normal(size=size)},
        {"system": ["-a" if n % 2 else "b, c" for n in range(size)]},
    )
    return pool, truth


class Session:
    """A ledger and the certifier that is its fold."""

    def __init__(self, pool: Pool, design: Design, name: str = "first session") -> None:
        self.pool = pool
        self.design = design.resolved(pool)
        self.events: list[Event] = []
        self.certifier = Certifier(pool, self.design)
        self.add("design", design_body(name, pool, self.design))

    def add(self, kind: str, body: Mapping[str, Any]) -> None:
        at = (START + timedelta(seconds=17 * len(self.events))).isoformat(timespec="microseconds")
        event = append(self.events[-1] if self.events else None, kind, json.loads(json.dumps(body)), at)
        fold(self.certifier, event)
        self.events.append(event)

    def draw(self) -> int:
        """Make the next draw; its round."""
        proposed = self.certifier.propose()
        assert proposed is not None
        for kind, body in draw_events(proposed):
            self.add(kind, body)
        return proposed.round

    def rate(self, round_: int, value: float, rater: str = "p1", **more: Any) -> None:
        self.add("rating", {"round": round_, "rater": rater, "value": value, "duration_ms": 4200, **more})

    def correct(self, round_: int, old: float, new: float, rater: str = "p1") -> None:
        self.add("correction", {"round": round_, "rater": rater, "old": old, "new": new, "by": "lead"})

    def unratable(self, round_: int, rater: str) -> None:
        self.add("unratable", {"round": round_, "rater": rater, "reason": "other", "text": "=cut off"})

    def export(self, path: Path, **more: Any) -> Path:
        return export_bundle(path, pool=self.pool, design=self.design, events=self.events, **more)

    def run(self, truth: np.ndarray, most: int | None = None) -> Session:
        """Draw and rate until the session stops, or for a number of rounds."""
        done = 0
        while not self.certifier.stopped and (most is None or done < most):
            round_ = self.draw()
            position = self.events[-1].body["position"]
            for rater in range(self.design.ratings_per_item):
                self.rate(round_, float(truth[position]), f"p{rater + 1}")
            done += 1
        return self


def busy_session() -> Session:
    """A session in which everything happens that may happen."""
    pool, truth = make_pool()
    session = Session(pool, Design(width=0.3, alpha=0.05, seed=5, unratable_after=2))
    session.run(truth, 6)
    held = session.draw()
    late = session.draw()
    session.add("later", {"round": held, "rater": "p2"})
    session.rate(late, 3.0, "p2", comment='=HYPERLINK("http://x")')
    session.unratable(held, "p2")
    session.unratable(held, "p3")
    old = session.events[2].body["value"]
    session.correct(1, old, 6.0 - old)
    session.run(truth, 10)
    session.add("width", {"width": 0.2})
    return session.run(truth)


def contradicted_session() -> Session:
    """A session whose interval became empty, which takes an absurd alpha and some luck."""
    for seed in range(20):
        pool, truth = make_pool(60, seed)
        design = Design(width=0.001, alpha=0.9, seed=seed, preset="celeus-no-surrogate")
        session = Session(pool, design).run(truth)
        if session.certifier.status == "contradicted":
            return session
    raise AssertionError("no session was contradicted")


def members(path: Path) -> dict[str, str]:
    """The text of every member."""
    with zipfile.ZipFile(path) as bundle:
        return {info.filename: bundle.read(info).decode("utf-8") for info in bundle.infolist()}


def rewrite(path: Path, texts: Mapping[str, str | bytes] | Iterable[tuple[str, str | bytes]]) -> Path:
    """Write a zip file with these members."""
    pairs = texts.items() if isinstance(texts, Mapping) else texts
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, text in pairs:
            bundle.writestr(name, text)
    path.write_bytes(data.getvalue())
    return path


def rows_of(text: str) -> list[list[str]]:
    """The cells of a CSV as any program reads them."""
    return list(csv.reader(io.StringIO(text, newline="")))


def resealed(texts: Mapping[str, str]) -> dict[str, str]:
    """The members with every hash in certificate.csv made right again, as a careful forger would."""
    header, row = rows_of(texts["certificate.csv"])
    for place, name in enumerate(header[:-1]):
        if name.startswith(SHA256):
            text = texts.get(name.removeprefix(SHA256))
            row[place] = "" if text is None else hashlib.sha256(text.encode()).hexdigest()
    row[-1] = hashlib.sha256(canonical(row[:-1]).encode()).hexdigest()
    data = io.StringIO()
    csv.writer(data, lineterminator="\n").writerows([header, row])
    return {**texts, "certificate.csv": data.getvalue()}


def rechained(events: Iterable[Event]) -> list[Event]:
    """The same contents with a hash chain that is right."""
    chain: list[Event] = []
    for event in events:
        chain.append(append(chain[-1] if chain else None, event.kind, event.body, event.at))
    return chain
