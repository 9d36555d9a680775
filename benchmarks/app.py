"""How long a rater waits: `make bench-app`, in a real browser against a real server on a database of its own.

The time runs from the key that submits a rating to the next item's painted text, measured inside the page. First
one rater is alone; then others rate beside them, at pages without a browser (tests/faults/wire.py) in a process of
their own, since a team's browsers don't run on its server. Theirs is the time from sending to the next item's arrival.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from celeus_label.certify import Design
from scripts.browser import ensure
from tests.browser.people import Card, Server
from tests.faults.crowd import Rater
from tests.faults.wire import cookies_of

# Each crowd in a fresh process: no thread or connection of this one goes along.
context = multiprocessing.get_context("spawn")
PARAGRAPH = "The answer goes on for as long as answers of this kind usually do, and a little longer. "

# Resolves with the milliseconds from the next trusted key to the frame that shows another response.
STOPWATCH = """
() => { window.waited = new Promise((done) => {
  const card = [...document.querySelectorAll('*')].map((e) => e.shadowRoot?.querySelector('.card')).find(Boolean);
  const text = card.querySelector('section.response .text');
  const before = text.textContent;
  addEventListener('keydown', (event) => {
    const look = () => {
      if (text.textContent === before) { requestAnimationFrame(look); return; }
      const painted = new MessageChannel(); // its message comes after the frame
      painted.port1.onmessage = () => done(performance.now() - event.timeStamp);
      painted.port2.postMessage(0);
    };
    requestAnimationFrame(look);
  }, { capture: true, once: true });
}); }
"""


def crowd(port: int, links: list[str], every: float, orders: Connection) -> None:
    """Let raters rate until told to stop, then tell their waits in milliseconds and what went wrong."""
    raters = [Rater([port], cookies_of(link), seed, every) for seed, link in enumerate(links)]
    for rater in raters:
        rater.start()
    orders.recv()
    began = time.monotonic()  # the warm-up does not count
    orders.recv()
    for rater in raters:
        rater.going = False
    for rater in raters:
        rater.join(60)
    told = [receipt for rater in raters for receipt in rater.receipts if receipt.sent > began]
    wrong = [repr(rater.fault) for rater in raters if rater.fault is not None]
    wrong += [notice for rater in raters for notice in rater.refused]
    orders.send(([1000 * receipt.wait for receipt in told], wrong))


def most_memory(pid: int) -> float:
    """The most memory that a process has had, in megabytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def enter(browser: Browser, link: str) -> Card:
    """A rater in a browser context of their own, who submits by one key."""
    page = browser.new_context().new_page()
    page.add_init_script("localStorage.setItem('celeus.at_once', '1')")
    page.goto(link)
    return Card(page).wait()


def waits(page: Page, ratings: int, progress: Progress, task: int) -> list[float]:
    """The wait after each rating, in milliseconds."""
    found = []
    for number in range(ratings):
        page.evaluate(STOPWATCH)
        page.keyboard.press(str(1 + number % 5))
        found.append(float(page.evaluate("window.waited")))
        page.wait_for_timeout(400)  # an item takes no score in its first moments
        progress.advance(task)
    return found


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--items", type=int, default=127_600, help="items of the pool")
    asked.add_argument("--ratings", type=int, default=100, help="ratings that are timed in each round")
    asked.add_argument(
        "--others", type=int, nargs="+", default=[20, 50], help="raters beside, round by round"
    )
    asked.add_argument("--every", type=float, default=3, help="seconds from one rating of theirs to the next")
    options = asked.parse_args()
    table = Table(
        "raters beside", "median", "95 %", "longest", "theirs", "median", "95 %", "longest", "errors"
    )
    path = ensure()
    with (
        tempfile.TemporaryDirectory() as folder,
        sync_playwright() as tools,
        Progress(transient=True) as progress,
    ):
        server = Server(Path(folder) / "bench.db")
        texts = [
            (f"Question {i}. {PARAGRAPH * 4}", f"Answer {i}. {PARAGRAPH * 12}") for i in range(options.items)
        ]
        session = server.session(texts, name="bench", design=Design(seed=1, width=0.004))
        server.start()
        assert server.process is not None
        try:
            chromium = tools.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
            card = enter(chromium, server.link("rater", session.id, "Ada"))
            for others in (0, *options.others):
                task = progress.add_task(f"{others} raters beside", total=options.ratings + 5)
                links = [server.link("rater", session.id, f"Rater {number}") for number in range(others)]
                orders, theirs = context.Pipe()
                process = context.Process(
                    target=crowd, args=(server.port, links, options.every, theirs), daemon=True
                )
                process.start()
                card.page.wait_for_timeout(1000 * 2 * options.every * bool(others))
                waits(card.page, 5, progress, task)  # to warm up
                orders.send("count")
                found = waits(card.page, options.ratings, progress, task)
                orders.send("stop")
                told, wrong = orders.recv()
                process.join()
                table.add_row(str(others), *spread(found), str(len(told)), *spread(told), str(len(wrong)))
                for fault in sorted(set(wrong)):
                    progress.console.print(f"{wrong.count(fault)} times: {fault}")
            memory = most_memory(server.process.pid)
        finally:
            server.stop()
    console = Console()
    console.print(table)
    console.print(f"a pool of {options.items:,} items; the server has had {memory:,.0f} MB at most")
    console.print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} over the last minute")


def spread(waits: list[float]) -> tuple[str, str, str]:
    """Median, 95 % and longest."""
    if not waits:
        return "", "", ""
    median, high = np.quantile(waits, [0.5, 0.95])
    return f"{median:.0f} ms", f"{high:.0f} ms", f"{max(waits):.0f} ms"


if __name__ == "__main__":
    main()
