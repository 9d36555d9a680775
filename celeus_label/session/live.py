"""A session's certifier in this process, kept up to date with the ledger."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from celeus_label.certify import Certifier, Design, Pool, Scale, fold
from celeus_label.certify.aspects import AspectInterval, Aspects
from celeus_label.certify.slices import Progress, Slice, Slicer
from celeus_label.ledger import canonical
from celeus_label.store import ItemRow, SessionRow, Store

# The pace is that of the last ratings; a gap between two of them counts as no more than a break.
_PACE_RATINGS = 60
_FEWEST_TIMES = 6
_BREAK_SECONDS = 300.0
_LONG_SECONDS = 0.5
_SLICERS = 4  # columns whose slices are kept, ready to go on

T = TypeVar("T")


class Live:
    """A session's certifier in this process; it folds in the events that it has not seen."""

    def __init__(self, store: Store, row: SessionRow, pool: Pool) -> None:
        self.pool = pool
        first = store.events(row.id)[0]
        self.design = Design.from_dict(first.body["design"])
        self.certifier = Certifier(self.pool, self.design)
        self.seen = 0
        self.archived = False
        self._news: object | None = None  # when it was last looked at
        # what was computed of it, with the last event seen, and until when it is good enough all the same
        self._views: dict[str, tuple[int, float, Any]] = {}
        self._times: deque[datetime] = deque(maxlen=_PACE_RATINGS + 1)  # of the last ratings
        self.lock = threading.Lock()
        self._aspects = Aspects(self.pool, self.design)
        self._slicing = threading.Lock()
        self._slicers: dict[str, Slicer] = {}

    def catch_up(self, store: Store, session: int) -> Certifier:
        """Call with `lock` held. Reads only, so it may run inside a claim's transaction."""
        for event in store.events(session, after=self.seen):
            fold(self.certifier, event)
            if event.kind == "rating":
                self._times.append(datetime.fromisoformat(event.at))
            elif event.kind == "archive":
                self.archived = event.body["archived"]
            self.seen = event.seq
        return self.certifier

    def look(self, store: Store, session: int) -> Certifier:
        """As `catch_up`, for those who watch: the ledger is read only if there is news of it."""
        news = store.news(session)
        if news is None or news != self._news:
            self.catch_up(store, session)
            self._news = news
        return self.certifier

    @property
    def stopped(self) -> bool:
        """Whether nobody is given a further item."""
        return self.archived or self.certifier.stopped

    @property
    def ended(self) -> str:
        """Why nobody is given a further item, as `Idle` says it."""
        if self.archived:
            return "archived"
        return "stopped" if self.certifier.status == "target met" else "finished"

    def once(self, name: str, make: Callable[[], T]) -> T:
        """What `make` gives, made anew only after a further event: people look more often than they rate.

        What takes long is made anew less often, so that watching it leaves the machine to the raters.
        """
        kept = self._views.get(name)
        if kept is not None and (kept[0] == self.seen or time.monotonic() < kept[1]):
            return kept[2]  # type: ignore[no-any-return]
        seen, started = self.seen, time.monotonic()
        view = make()
        took = time.monotonic() - started
        until = started + 10 * took if took > _LONG_SECONDS else started
        self._views[name] = seen, until, view
        return view

    def aspects(self) -> tuple[AspectInterval, ...]:
        """The intervals of the further aspects. Call with `lock` held."""
        return self.once("aspects", lambda: tuple(self._aspects.follow(self.certifier)))

    def slices(
        self,
        name: str,
        groups: Callable[[], Sequence[str]],
        certifier: Certifier,
        progress: Progress | None,
    ) -> list[Slice]:
        """The slices of that name, which go on from where they were left; one person's at a time."""
        with self._slicing:
            slicer = self._slicers.pop(name, None) or Slicer(self.pool, self.design, groups())
            self._slicers[name] = slicer
            if len(self._slicers) > _SLICERS:
                del self._slicers[next(iter(self._slicers))]
            return slicer.follow(certifier, progress)

    @property
    def pace(self) -> float | None:
        """Mean seconds between two ratings of late; breaks count as five minutes. None before there are enough."""
        if len(self._times) < _FEWEST_TIMES:
            return None
        times = list(self._times)
        gaps = [(b - a).total_seconds() for a, b in pairwise(times)]
        return sum(min(max(gap, 0.0), _BREAK_SECONDS) for gap in gaps) / len(gaps)


@contextmanager
def current(live: Live, store: Store, session: int, watching: bool = False) -> Iterator[Certifier]:
    """A session's certifier, up to date and locked for the length of a `with` block.

    The connection comes before the lock, as it does where a draw is made: of those who wait for the lock each has one,
    and its holder could wait in vain for another.
    """
    with store.lent(), live.lock:
        yield (live.look if watching else live.catch_up)(store, session)


def read_pool(store: Store, pool_id: int) -> Pool:
    """The pool of that id, as its items say."""
    meta = store.pool(pool_id).meta
    ids: list[str] = []
    judge: list[float] = []
    features: dict[str, list[float]] = {name: [] for name in meta["features"]}
    groups: dict[str, list[str]] = {name: [] for name in meta["groups"]}
    for item in store.pool_items(pool_id):
        ids.append(item.item_id)
        judge.append(item.extra["judge"])
        for name, column in features.items():
            value = item.extra["features"][name]
            column.append(np.nan if value is None else value)
        for name, words in groups.items():
            words.append(item.extra["groups"][name])
    return Pool(
        ids, judge, Scale.from_dict(meta["scale"]), Scale.from_dict(meta["judge_scale"]), features, groups
    )


def gold_hash(rows: Iterable[ItemRow]) -> str:
    """SHA-256 of gold items, texts and answers, in their order."""
    content = [
        [row.item_id, row.prompt, row.response, row.extra["answer"]]
        + ([row.extra["response_b"]] if "response_b" in row.extra else [])
        for row in rows
    ]
    return hashlib.sha256(canonical(content).encode("utf-8")).hexdigest()
