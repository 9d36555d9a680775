"""Whole servers, statistics and all: many at once on one file, and killed at any moment."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from celeus_label.certify import Certifier, Design, replay
from celeus_label.ledger import Event
from celeus_label.session import Workspace
from tests.faults.processes import context, drain, gather, running, start, strike
from tests.faults.workers import Receipt, rate_in_a_workspace, serve_until_killed
from tests.office import pool_of


def stored_ratings(workspace: Workspace) -> list[Receipt]:
    """Lease, round, rater and the value first given, of every rating."""
    with workspace.store._reading() as db:  # type: ignore[attr-defined]
        rows = db.execute(
            "SELECT r.lease, r.round, r.rater, e.body FROM rating r"
            " JOIN event e ON e.session = r.session AND e.seq = r.seq"
        ).fetchall()
    return [(lease, round, rater, json.loads(body)["value"]) for lease, round, rater, body in rows]


def invited(workspace: Workspace, session: int, count: int) -> list[str]:
    return [
        workspace.invite(workspace.local(), "rater", session, f"rater {number}") for number in range(count)
    ]


def uninterrupted(events: list[Event], size: int, design: Design) -> Certifier:
    """The session as one process would have run it that heard the same ratings: it makes its own draws."""
    certifier = Certifier(pool_of(size).pool, design)
    for event in events:
        body = event.body
        if event.kind == "draw":
            draw = certifier.ask()
            made = (draw.round, draw.item_id, draw.q, draw.u, draw.committed, draw.fits)
            assert made == tuple(body[name] for name in ("round", "item", "q", "u", "committed", "fits"))
        elif event.kind == "rating":
            certifier.tell(body["round"], body["value"], body["rater"])
        elif event.kind == "unratable":
            certifier.cannot_rate(body["round"], body["rater"])
        elif event.kind == "correction":
            certifier.correct(body["round"], body["new"], body["rater"])
    return certifier


def same_to_the_last_bit(one: Certifier, two: Certifier) -> None:
    assert one.interval == two.interval
    for name, path in one.trajectory.items():
        np.testing.assert_array_equal(path, two.trajectory[name])


def test_twenty_servers_rate_one_session_at_once(
    address: Callable[[], str], capsys: pytest.CaptureFixture[str]
) -> None:
    size, servers = 2000, 20
    database = address()
    workspace = Workspace(database)
    info = workspace.create(workspace.local(), "race", pool_of(size), Design(width=0.0001, seed=1))
    barrier = context.Barrier(servers + 1)
    jobs = [
        (rate_in_a_workspace, database, info.id, token, barrier)
        for token in invited(workspace, info.id, servers)
    ]
    with running(*jobs) as processes:
        barrier.wait(120)
        began = time.perf_counter()
        receipts: list[Receipt] = gather(processes, 600)
        seconds = time.perf_counter() - began
    with capsys.disabled():
        print(
            f"\n{servers} servers, {size} items, each with the statistics: {len(receipts) / seconds:.0f} ratings "
            f"a second, {seconds:.1f} s"
        )
    assert len(receipts) == size
    assert Counter(stored_ratings(workspace)) == Counter(receipts)
    assert max(Counter(round for _, round, _, _ in receipts).values()) == 1
    assert workspace.doctor(workspace.local()) == []
    # every item is rated: the interval is the mean of the ratings, whoever gave them in whatever order
    interval = workspace.monitor(workspace.local(), info.id).interval
    assert interval.lower == pytest.approx(np.mean([value for _, _, _, value in receipts]))
    assert interval.width == pytest.approx(0, abs=1e-9)
    same_to_the_last_bit(
        workspace._loaded(info.id).certifier,
        replay(pool_of(size).pool, info.design, workspace.store.events(1)),
    )
    workspace.store.close()


def test_a_server_killed_a_hundred_times_goes_on_as_if_it_never_had_been(
    address: Callable[[], str], capsys: pytest.CaptureFixture[str]
) -> None:
    size, kills, raters = 1500, 100, 4
    chance = random.Random(8)
    database = address()
    witness = Workspace(database)  # a server that is never killed, and only watches
    local = witness.local()
    rules = {"ratings_per_item": 2, "disagreement": 2.0, "unratable_after": 1}
    design = Design(width=0.0001, seed=4, **rules)  # type: ignore[arg-type]
    info = witness.create(local, "killed", pool_of(size), design, lease_seconds=1)
    tokens = invited(witness, info.id, raters)
    receipts: list[Receipt] = []
    began = time.perf_counter()
    server = start(serve_until_killed, database, info.id, tokens, 0)
    try:
        for kill in range(kills):
            process, receive = server
            # the moment is random, so it may be within a claim, a commit, or a fit
            receipts += strike(process, receive, chance.uniform(0, 0.06))
            if kill % 20 == 19:
                fresh = Workspace(database)
                assert fresh.monitor(local, info.id).interval == witness.monitor(local, info.id).interval
                fresh.store.close()
            server = start(serve_until_killed, database, info.id, tokens, kill + 1)
    finally:
        process, receive = server
        process.kill()
        process.join()
        receipts += drain(receive)
    seconds = time.perf_counter() - began
    with capsys.disabled():
        print(
            f"\n{kills} kills of a server of {raters} raters: {len(receipts)} ratings acknowledged, {seconds:.1f} s"
        )

    assert len(receipts) >= kills
    # what was acknowledged is there, once, and nothing but the last rating of each thread came without a receipt
    stored = stored_ratings(witness)
    assert not Counter(receipts) - Counter(stored)
    assert len(stored) - len(receipts) <= (kills + 1) * raters
    assert max(Counter(round for _, round, _, _ in stored).values()) <= 3
    assert witness.doctor(local) == []
    events = witness.store.events(info.id)
    kinds = {event.kind for event in events}
    assert kinds >= {"draw", "fit", "rating", "later", "unratable", "correction", "further"}
    witness.monitor(local, info.id)
    watched = witness._loaded(info.id).certifier
    same_to_the_last_bit(watched, replay(pool_of(size).pool, info.design, events))
    same_to_the_last_bit(watched, uninterrupted(events, size, info.design))
    witness.store.close()
