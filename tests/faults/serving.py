"""`celeus-label serve` in processes of its own, which can be killed, set to another time, and denied the disk."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts import system

ROOT = Path(__file__).resolve().parents[2]


class Servers:
    """One `celeus-label serve` after the other on the same port, each a process of its own."""

    def __init__(self, db: Path | str, beside: Path | None = None) -> None:
        beside = beside or Path(db)
        self.port = system.free_port()
        self.clock = beside.with_suffix(".clock")
        self._command = "\t".join([str(self.clock), "serve", "--db", str(db), "--port", str(self.port)])
        self.log = beside.with_suffix(".log")
        with self.log.open("wb") as log:
            self._launcher = subprocess.Popen(
                [sys.executable, "-m", "tests.faults.launcher"],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self.pid: int | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def set_clock(self, seconds: float) -> None:
        """Let the server's clock be so much ahead; negative for behind."""
        self.clock.write_text(str(seconds))

    @contextmanager
    def full_disk(self) -> Iterator[None]:
        """Let the system refuse whatever the server writes, as if no file could grow."""
        assert self.pid is not None
        resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
        yield
        resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    def start(self) -> None:
        assert self._launcher.stdin is not None
        assert self._launcher.stdout is not None
        self._launcher.stdin.write(f"{self._command}\n")
        self._launcher.stdin.flush()
        self.pid = int(self._launcher.stdout.readline())
        until = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=5).close()
                return
            except OSError:
                assert time.monotonic() < until, self.log.read_text()
                time.sleep(0.02)

    def kill(self) -> None:
        if self.pid is not None:
            os.kill(self.pid, signal.SIGKILL)  # fails if the server ended by itself
            self.pid = None

    def end(self) -> None:
        self.kill()
        assert self._launcher.stdin is not None
        self._launcher.stdin.close()
        self._launcher.wait(30)


@contextmanager
def servers(db: Path | str, beside: Path | None = None) -> Iterator[Servers]:
    """Clock and log lie beside the database, or where they are told to if it is no file."""
    made = Servers(db, beside)
    try:
        yield made
    finally:
        made.end()
