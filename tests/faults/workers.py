"""What the processes of these tests run. Each opens the database for itself, as a server process does."""

from __future__ import annotations

import random
import threading
import time
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier

from celeus_label.session import Idle, StoreError, Task, Workspace
from celeus_label.store import Claim, LeaseExpired, open_store
from tests.store.desk import draw_after

#: What a process was told is saved: lease, round, rater, value.
Receipt = tuple[str, int, str, float]


def rate_all(address: str, session: int, size: int, rater: str, start: Barrier, out: Connection) -> None:
    """Claim and rate until nothing is left, then send the receipts, and the error that there must not be."""
    receipts: list[Receipt] = []
    fault = None
    try:
        store = open_store(address)
        draw = draw_after(store, session, size)
        start.wait(60)
        while True:
            claim = store.claim(session, rater, datetime.now(UTC), draw)
            if not isinstance(claim, Claim):
                if claim.counts["open"] == 0 or claim.held_by_others == 0:
                    break
                time.sleep(0.005)
                continue
            value = random.random()
            saved = store.rate(claim.lease, rater, value, 10, datetime.now(UTC))
            receipts.append((claim.lease, saved.round, rater, saved.value))
    except BaseException as error:
        fault = repr(error)
    out.send((receipts, fault))


def rate_until_killed(address: str, session: int, size: int, rater: str, seed: int, out: Connection) -> None:
    """Work in every way a rater can, and send a receipt for each rating as soon as it is acknowledged."""
    chance = random.Random(seed)
    store = open_store(address)
    draw = draw_after(store, session, size)
    while True:
        claim = store.claim(session, rater, datetime.now(UTC), draw)
        if not isinstance(claim, Claim):
            out.send("nothing left")
            return
        what = chance.random()
        now = datetime.now(UTC)
        try:
            if what < 0.05:
                store.later(claim.lease, rater, now)
            elif what < 0.08:
                store.unratable(claim.lease, rater, "context", "", now)
            elif what < 0.12:
                store.release(claim.lease, rater, now)
            else:
                value = chance.random()
                saved = store.rate(claim.lease, rater, value, 10, now)
                out.send((claim.lease, saved.round, rater, saved.value))
        except LeaseExpired:
            # A draw that others closed as unratable in the meantime.
            continue


def open_at_once(address: str, start: Barrier, out: Connection) -> None:
    """Make or bring up to date one file, all at the same moment."""
    try:
        start.wait(60)
        store = open_store(address)
        store.add_person("Ann", datetime.now(UTC))
        out.send(None)
    except BaseException as error:
        out.send(repr(error))


def rate_in_a_workspace(address: str, session: int, token: str, start: Barrier, out: Connection) -> None:
    """One rater with a server process to themselves, statistics and all, until the session has ended."""
    receipts: list[Receipt] = []
    fault = None
    try:
        workspace = Workspace(address)
        who = workspace.sign_in(token)
        assert who is not None
        start.wait(120)
        while True:
            task = workspace.claim(who, session)
            if isinstance(task, Idle):
                if task.reason != "held by others":
                    break
                time.sleep(0.01)
                continue
            value = random.randint(1, 5)
            saved = workspace.rate(who, session, task.lease, value, 10)
            receipts.append((task.lease, saved.round, who.person, saved.value))
    except BaseException as error:
        fault = repr(error)
    out.send((receipts, fault))


def serve_until_killed(address: str, session: int, tokens: list[str], seed: int, out: Connection) -> None:
    """A server: one workspace, and a thread for each rater, who do all that raters do."""
    workspace = Workspace(address)
    sending = threading.Lock()

    def work(token: str, chance: random.Random) -> None:
        who = workspace.sign_in(token)
        assert who is not None
        while True:
            task = workspace.claim(who, session)
            assert isinstance(task, Task), task
            what = chance.random()
            try:
                if what < 0.04:
                    workspace.later(who, session, task.lease)
                elif what < 0.07:
                    workspace.unratable(who, session, task.lease, "context")
                elif what < 0.10:
                    workspace.sign_out(who)
                elif what < 0.14 and (own := workspace.recent(who, session, limit=5)):
                    workspace.correct(who, session, own[-1].round, chance.randint(1, 5))
                else:
                    saved = workspace.rate(who, session, task.lease, chance.randint(1, 5), 10)
                    with sending:
                        out.send((task.lease, saved.round, who.person, saved.value))
            except StoreError:
                # A draw that others closed as unratable in the meantime.
                continue

    threads = [
        threading.Thread(target=work, args=(token, random.Random(f"{seed} {n}")))
        for n, token in enumerate(tokens)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
