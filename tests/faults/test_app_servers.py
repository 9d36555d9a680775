"""Two servers on one PostgreSQL: one is killed, the database is started again, and the raters go on."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest

from celeus_label.certify import Design, replay
from celeus_label.session import Workspace
from scripts import postgres
from tests.faults.crowd import Rater
from tests.faults.serving import servers
from tests.faults.test_servers import same_to_the_last_bit, stored_ratings
from tests.faults.wire import cookies_of, figures
from tests.office import pool_of

RATERS, EACH, AT_MOST = 12, 6, 2


def until_all_have(raters: list[Rater], more: int) -> None:
    """Wait until each has that many receipts more."""
    before = [len(rater.receipts) for rater in raters]
    end = time.monotonic() + 120
    while any(len(rater.receipts) < had + more for rater, had in zip(raters, before, strict=True)):
        assert [rater.fault for rater in raters] == [None] * len(raters)
        assert time.monotonic() < end, "the raters are stuck"
        time.sleep(0.02)


def test_raters_of_two_servers_lose_nothing_by_a_kill_of_one_and_a_restart_of_the_database(
    postgres_server: postgres.Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = postgres_server.new_database()
    workspace = Workspace(database)
    local = workspace.local()
    design = Design(width=0.0001, seed=6, ratings_per_item=AT_MOST)
    info = workspace.create(local, "servers", pool_of(1000), design)
    began = time.perf_counter()
    with ExitStack() as stack:
        served = [stack.enter_context(servers(database, tmp_path / name)) for name in ("a", "b")]
        for server in served:
            server.start()
        raters = []
        for number in range(RATERS):
            token = workspace.invite(local, "rater", info.id, f"rater {number}")
            at = number % 2
            cookies = cookies_of(f"{served[at].url}/?invite={token}")
            ports = [served[at].port, served[1 - at].port]
            raters.append(Rater(ports, cookies, number, every=0.2))
        try:
            for rater in raters:
                rater.start()
            until_all_have(raters, 2)
            served[0].kill()
            until_all_have(raters, EACH)
            served[0].start()
            postgres_server.stop("QUIT")
            time.sleep(1)
            postgres_server.start()
            until_all_have(raters, EACH)
        finally:
            for rater in raters:
                rater.going = False
            for rater in raters:
                rater.join(60)
        lead = cookies_of(f"{served[0].url}/?invite={workspace.invite(local, 'lead', info.id, 'Lea')}")
        shown = [figures(server.port, dict(lead)) for server in served]
    seconds = time.perf_counter() - began
    assert [rater.fault for rater in raters] == [None] * RATERS
    assert [rater.refused for rater in raters] == [[]] * RATERS
    receipts = [receipt for rater in raters for receipt in rater.receipts]
    with capsys.disabled():
        print(
            f"\n2 servers, {RATERS} raters, a kill and a restart of the database: {len(receipts)} ratings, "
            f"{sum(receipt.tries > 1 for receipt in receipts)} of them sent again, "
            f"{sum(rater.kept for rater in raters)} pages opened anew with the same item in hand, {seconds:.1f} s"
        )
    stored = stored_ratings(workspace)
    # each once, with its value, and beside them no more than what each sent last
    assert not Counter((one.lease, one.value) for one in receipts) - Counter(
        (lease, value) for lease, _, _, value in stored
    )
    assert len(stored) - len(receipts) <= RATERS
    assert max(Counter(round for _, round, _, _ in stored).values()) <= AT_MOST
    # nobody's item went to somebody else: a page shows it again, or the next one if its rating had been stored
    assert sum(rater.kept + rater.beyond for rater in raters) >= RATERS // 2
    assert shown[0] == shown[1] != {}
    assert workspace.doctor(local) == []
    workspace.monitor(local, info.id)
    events = workspace.store.events(info.id)
    same_to_the_last_bit(
        workspace._loaded(info.id).certifier, replay(pool_of(1000).pool, info.design, events)
    )
    workspace.store.close()
