"""A workspace with a session and its people, for the tests of all that stands on it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from celeus_label.certify import Design, Scale
from celeus_label.ingest import Loaded, guess_mapping, load, read_table
from celeus_label.session import Identity, Task, Workspace


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_time(self, **passed: float) -> None:
        self.now += timedelta(**passed)


def pool_of(size: int, gold: int = 0) -> Loaded:
    """A pool, and before it gold items g0, g1, … with the answers 1, 2, … 5, 1, …."""
    rng = np.random.default_rng(size)
    rows = ["item_id,prompt,response,judge_score,system,expert"]
    rows += [f"g{n},gold question {n},gold answer {n},3,s0,{1 + n % 5}" for n in range(gold)]
    rows += [f"i{n},question {n},answer {n},{rng.integers(1, 6)},s{n % 3}," for n in range(size)]
    table = read_table("\n".join(rows).encode(), "pool.csv")
    mapping = replace(guess_mapping(table), gold="expert") if gold else guess_mapping(table)
    return load(table, mapping, Scale(1, 5, step=1))


class Office:
    """A workspace with one session, a lead and two raters."""

    def __init__(
        self,
        db: Path,
        size: int = 60,
        gold: int = 0,
        gold_rate: float = 0.1,
        repeat_rate: float = 0.0,
        **design: object,
    ) -> None:
        self.clock = Clock()
        self.workspace = Workspace(db, self.clock)
        local = self.workspace.local()
        self.info = self.workspace.create(
            local,
            "helpful",
            pool_of(size, gold),
            Design(seed=3, **design),  # type: ignore[arg-type]
            gold_rate=gold_rate,
            repeat_rate=repeat_rate,
        )
        self.id = self.info.id
        self.lead = self.enter("lead")
        self.ada, self.bob = self.enter("rater"), self.enter("rater")

    def enter(self, role: str, session: int | None = None) -> Identity:
        token = self.workspace.invite(self.workspace.local(), role, session or self.id, f"a {role}")
        who = self.workspace.sign_in(token)
        assert who is not None
        return who

    def take(self, who: Identity) -> Task:
        task = self.workspace.claim(who, self.id)
        assert isinstance(task, Task)
        return task

    def rate(self, who: Identity, value: float) -> Task:
        task = self.take(who)
        self.workspace.rate(who, self.id, task.lease, value, 1500)
        return task


def busy_office(path: Path, ratings: int) -> Office:
    """An office whose session has had gold and own items again, differences, and a decision on one."""
    office = Office(path, gold=9, gold_rate=0.3, repeat_rate=0.1, ratings_per_item=2, disagreement=1.0)
    for n in range(ratings):
        office.rate((office.ada, office.bob)[n % 2], 1 + n % 5)
    dispute = office.workspace.disputes(office.lead, office.id)[0]
    office.workspace.adjudicate(office.lead, office.id, dispute.round, 3)
    return office
