"""How long a rater waits: `make bench-app`, in a real browser against a real server on a database of its own.

The time runs from the key that submits a rating to the next item's painted text, measured inside the page. First
one rater is alone; then others rate beside them, each in a browser page of its own, so that on a small machine
their browsers take their share of the processors too.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from celeus_label.certify import Design
from scripts.browser import ensure
from tests.browser.people import Card, Server

ITEMS = 20_000
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
# A rater who presses a key about every so many milliseconds.
BUSY = """
(every) => { const press = () => {
  const key = String(1 + Math.floor(Math.random() * 5));
  document.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  setTimeout(press, every * (0.8 + 0.4 * Math.random()));
}; setTimeout(press, every * Math.random()); }
"""


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
    asked.add_argument("--ratings", type=int, default=100, help="ratings that are timed in each round")
    asked.add_argument("--others", type=int, default=20, help="raters beside")
    asked.add_argument("--every", type=float, default=3, help="seconds from one rating of theirs to the next")
    options = asked.parse_args()
    table = Table("raters beside", "ratings timed", "median", "95 %", "longest", "ratings in all")
    path = ensure()
    with (
        tempfile.TemporaryDirectory() as folder,
        sync_playwright() as tools,
        Progress(transient=True) as progress,
    ):
        server = Server(Path(folder) / "bench.db")
        server.start()
        try:
            texts = [
                (f"Question {i}. {PARAGRAPH * 4}", f"Answer {i}. {PARAGRAPH * 12}") for i in range(ITEMS)
            ]
            session = server.session(texts, name="bench", design=Design(seed=1, width=0.004))
            mine, theirs = (
                tools.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
                for _ in range(2)
            )
            card = enter(mine, server.link("rater", session.id, "Ada"))
            for others in (0, options.others):
                for number in range(others):
                    other = enter(theirs, server.link("rater", session.id, f"Rater {number}"))
                    other.page.evaluate(BUSY, options.every * 1000)
                task = progress.add_task(f"{others} raters beside", total=options.ratings + 5)
                waits(card.page, 5, progress, task)  # to warm up
                before = len(server.ratings(session.id))
                found = waits(card.page, options.ratings, progress, task)
                done = len(server.ratings(session.id)) - before
                median, high = np.quantile(found, [0.5, 0.95])
                table.add_row(
                    str(others), str(len(found)), f"{median:.0f} ms", f"{high:.0f} ms", f"{max(found):.0f} ms",
                    str(done),
                )  # fmt: skip
        finally:
            server.stop()
    console = Console()
    console.print(table)
    console.print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} over the last minute")


if __name__ == "__main__":
    main()
