"""A real server on a real database, and people who open its links."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Locator, Page

from celeus_label.certify import Design, Scale
from celeus_label.ingest import Mapping, load, read_table
from celeus_label.session import Example, SessionInfo, Workspace
from scripts import system


class Server:
    """`celeus-label serve` in a process of its own, and the database that it serves."""

    def __init__(self, db: Path) -> None:
        self.db = db
        self.workspace = Workspace(db)
        self.port = system.free_port()
        self.log = db.with_suffix(".log")
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self, *options: str) -> None:
        command = [sys.executable, "-m", "celeus_label.cli", "serve", "--db", str(self.db), *options]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*command, "--port", str(self.port)], stdout=log, stderr=subprocess.STDOUT, cwd=self.db.parent
            )
        until = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=2).close()
                return
            except OSError:
                assert self.process.poll() is None, self.log.read_text()
                assert time.monotonic() < until, self.log.read_text()
                time.sleep(0.1)

    def kill(self) -> None:
        """As when the machine loses its power."""
        assert self.process is not None
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(timeout=30)

    def link(self, role: str, session: int | None, name: str = "Ada") -> str:
        token = self.workspace.invite(self.workspace.local(), role, session, name)
        return f"{self.url}/?invite={token}"

    def session(
        self,
        texts: Sequence[tuple[str, ...]],
        scale: Scale | None = None,
        name: str = "Session",
        guidelines: str = "",
        lease_seconds: int = 300,
        design: Design | None = None,
        examples: Sequence[Example] = (),
    ) -> SessionInfo:
        """A session on a small pool; the file goes through the real reader. A third text is a response to compare."""
        names = ("prompt", "response", "response_b")[: len(texts[0])]
        rows = [
            {"item_id": f"item-{i}", "judge": i % 5 / 4, **dict(zip(names, item, strict=True))}
            for i, item in enumerate(texts)
        ]
        data = "\n".join(json.dumps(row) for row in rows).encode()
        mapping = Mapping(**{name: name for name in ("judge", "item_id", *names)})
        loaded = load(read_table(data, "pool.jsonl"), mapping, scale or Scale(1, 5, 1), Scale(0, 1))
        return self.workspace.create(
            self.workspace.local(),
            name,
            loaded,
            design or Design(seed=7),
            guidelines,
            lease_seconds,
            examples,
        )

    def ratings(self, session: int) -> list[tuple[int, float]]:
        """(round, value) of every rating in the ledger, as it was first given."""
        events = self.workspace.store.events(session)
        return [(e.body["round"], e.body["value"]) for e in events if e.kind == "rating"]


class Card:
    """The rating card on a page, as its rater sees it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.response: Locator = page.locator("section.response .text")
        self.prompt: Locator = page.locator("section.prompt .text")
        self.status: Locator = page.locator(".status")
        self.today: Locator = page.locator(".today")

    def wait(self) -> Card:
        self.response.first.wait_for()
        self.page.wait_for_timeout(350)  # an item takes no score in its first moments
        return self

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def rate(self, key: str) -> None:
        """Choose and submit by the same key, and wait for the next item."""
        before = self.done()
        chosen = self.page.locator(".score[aria-pressed=true]")
        self.press(key)
        while chosen.count() == 0 and self.done() == before:  # a busy machine may have shown it just now
            self.page.wait_for_timeout(50)
            self.press(key)
        if self.done() == before:
            self.press(key)
        self.page.wait_for_function(
            "n => { for (const e of document.querySelectorAll('*')) {"
            " const t = e.shadowRoot?.querySelector('.today');"
            " if (t) return parseInt(t.textContent) > n; } return false; }",
            arg=before,
        )
        self.page.wait_for_timeout(350)

    def done(self) -> int:
        return int((self.today.text_content() or "0").split()[0])

    def pressed(self) -> list[str]:
        return self.page.locator(".score[aria-pressed=true] .value").all_text_contents()
