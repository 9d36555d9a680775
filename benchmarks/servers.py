"""Several servers at work: `make bench-servers`, three behind nginx on one PostgreSQL, and many raters.

The raters speak the app's own websocket through the proxy, and are of this one process. After a third of the time one
server is killed, and started again a little later; after two thirds the database crashes, and is started again. What
each rater was told is compared with what is stored at the end, and the servers with each other.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import psycopg
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from celeus_label.certify import Design, replay
from celeus_label.session import Workspace
from scripts import nginx, postgres
from tests.faults.crowd import Rater, Receipt
from tests.faults.serving import Servers, servers
from tests.faults.test_servers import same_to_the_last_bit, stored_ratings
from tests.faults.wire import cookies_of, figures
from tests.office import pool_of

SERVERS, AT_MOST = 3, 2
DOWN_SECONDS, AWAY_SECONDS = 10, 3


def processor_seconds(pid: int) -> float:
    """What a process has used of the processors."""
    used = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(used[11]) + int(used[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int) -> float:
    """The memory that a process has."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def waits(name: str, receipts: list[Receipt], table: Table) -> None:
    """A line about the ratings of one part of the time."""
    if not receipts:
        table.add_row(name, "0", *["–"] * 4)
        return
    found = [receipt.wait for receipt in receipts]
    median, high = np.quantile(found, [0.5, 0.95])
    again = sum(receipt.tries > 1 for receipt in receipts)
    table.add_row(
        name, str(len(found)), f"{median * 1000:.0f} ms", f"{high * 1000:.0f} ms", f"{max(found):.1f} s", str(again)
    )  # fmt: skip


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--raters", type=int, default=200)
    asked.add_argument(
        "--every", type=float, default=15, help="seconds from one rating of a rater's to the next"
    )
    asked.add_argument("--seconds", type=float, default=180)
    options = asked.parse_args()
    console = Console(width=110)
    nginx.ensure()
    size = int(1.5 * options.raters * (1 + options.seconds / options.every))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        database = stack.enter_context(postgres.running())
        address = database.new_database()
        workspace = Workspace(address)
        stack.callback(workspace.store.close)
        local = workspace.local()
        info = workspace.create(
            local, "bench", pool_of(size), Design(width=0.0001, seed=1, ratings_per_item=AT_MOST)
        )
        served: list[Servers] = [
            stack.enter_context(servers(address, folder / f"server-{n}")) for n in range(SERVERS)
        ]
        for server in served:
            server.start()
        door = stack.enter_context(nginx.running([server.port for server in served]))
        progress = stack.enter_context(Progress(transient=True))
        task = progress.add_task("raters come in", total=options.raters)
        raters: list[Rater] = []
        for number in range(options.raters):
            token = workspace.invite(local, "rater", info.id, f"rater {number}")
            cookies = cookies_of(f"http://127.0.0.1:{door}/?invite={token}")
            raters.append(Rater([door], cookies, number, options.every))
            raters[-1].start()
            progress.advance(task)
        task = progress.add_task("raters rate", total=options.seconds)
        began, marks = time.monotonic(), []
        used = [processor_seconds(server.pid) for server in served if server.pid]
        most_connections = 0

        def work_until(share: float) -> None:
            nonlocal most_connections
            end = began + share * options.seconds
            while time.monotonic() < end:
                time.sleep(min(1, max(0, end - time.monotonic())))
                with psycopg.connect(database.url("postgres")) as db:
                    found = db.execute(
                        "SELECT count(*) FROM pg_stat_activity WHERE datname LIKE 'test%'"
                    ).fetchone()
                    most_connections = max(most_connections, found[0] if found else 0)
                progress.update(task, completed=time.monotonic() - began)
            marks.append(time.monotonic())

        work_until(1 / 3)
        share = [
            (processor_seconds(server.pid) - before) / (time.monotonic() - began)
            for server, before in zip(served, used, strict=True)
            if server.pid
        ]
        memory = [resident_mb(server.pid) for server in served if server.pid]
        served[0].kill()
        time.sleep(DOWN_SECONDS)
        served[0].start()
        work_until(2 / 3)
        database.stop("QUIT")
        time.sleep(AWAY_SECONDS)
        database.start()
        work_until(1)
        for rater in raters:
            rater.going = False
        for rater in raters:
            rater.join(60)
        load = os.getloadavg()[0]
        lead = cookies_of(f"{served[0].url}/?invite={workspace.invite(local, 'lead', info.id, 'Lea')}")
        shown = [figures(server.port, dict(lead)) for server in served]
        progress.stop()

        receipts = sorted((one for rater in raters for one in rater.receipts), key=lambda one: one.sent)
        table = Table("sent", "ratings", "wait, median", "95 %", "longest", "sent again")
        waits("before the kill", [one for one in receipts if one.sent < marks[0]], table)
        waits(
            "a server killed, and back", [one for one in receipts if marks[0] <= one.sent < marks[1]], table
        )
        waits("the database crashed, and back", [one for one in receipts if marks[1] <= one.sent], table)
        console.print(table)
        stored = stored_ratings(workspace)
        lost = Counter((one.lease, one.value) for one in receipts) - Counter(
            (lease, value) for lease, _, _, value in stored
        )
        most = max(Counter(round for _, round, _, _ in stored).values())
        findings = workspace.doctor(local)
        workspace.monitor(local, info.id)
        again = replay(pool_of(size).pool, info.design, workspace.store.events(info.id))
        same_to_the_last_bit(workspace._loaded(info.id).certifier, again)
        checks = {
            f"{len(receipts)} ratings acknowledged, {len(stored)} stored, {sum(lost.values())} lost": not lost,
            f"{most} ratings at most of a draw that takes {AT_MOST}": most <= AT_MOST,
            f"the servers show the same figures: {' | '.join(map(str, dict.fromkeys(map(str, shown))))}": all(
                one == shown[0] != {} for one in shown
            ),
            f"doctor finds {len(findings)} faults; a replay gives the same interval": not findings,
            f"{sum(len(rater.refused) for rater in raters)} ratings refused": not any(
                r.refused for r in raters
            ),
            f"{sum(rater.fault is not None for rater in raters)} raters met a fault": not any(
                r.fault for r in raters
            ),
        }
        for sentence, good in checks.items():
            console.print(f"{'ok  ' if good else 'FAIL'} {sentence}", markup=False, highlight=False)
        first, last = (sorted(Counter(r.servers[at] for r in raters if r.servers).items()) for at in (0, -1))
        console.print(
            f"{sum(rater.kept for rater in raters)} pages opened anew with the same item in hand, "
            f"{sum(rater.beyond for rater in raters)} with the next one, its rating being stored; "
            f"raters at each server at first: {first}, at last: {last}",
            highlight=False,
        )
        console.print(
            f"before the kill a server used {np.mean(share):.0%} of a processor and {np.mean(memory):.0f} MB; "
            f"{most_connections} connections at most; {os.cpu_count()} processors, load {load:.1f}",
            highlight=False,
        )
        if not all(checks.values()):
            sys.exit(1)


if __name__ == "__main__":
    main()
