"""Starts `celeus-label` commands from a process that has imported everything already.

A start then takes a moment instead of seconds, so that a server can be killed many times in one test. Each line of the
input is a command's words with tabs between, and before them a file: the seconds that it holds are added to the time of
day that the command sees. The answer is the command's process id.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import sys
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from celeus_label.cli import main
from celeus_label.session import base
from celeus_label.ui import desk

# What a server imports on its way to the first item, later than at its start.
LATE = (
    "anyio._backends._asyncio",
    "celeus_label.store.postgres",
    "celeus_label.ui.ratercard",
    "celeus_label.ui.server",
    "encodings.idna",
    "pydantic",
    "pydantic.json_schema",
    "pydantic.types",
    "sqlite_utils.migrations",
    "starlette.applications",
    "starlette.middleware.sessions",
    "starlette.staticfiles",
    "streamlit.components.v2.manifest_scanner",
    "streamlit.runtime.scriptrunner",
    "streamlit.web.bootstrap",
    "streamlit.web.server.starlette.starlette_agent_routes",
    "streamlit.web.server.starlette.starlette_app",
    "uvicorn.lifespan.on",
    "uvicorn.loops.auto",
    "uvicorn.protocols.http.auto",
    "uvicorn.protocols.websockets.auto",
)


# Linux's number of the right to write any file, whatever its mode says, and of its interface to such rights.
CAP_DAC_OVERRIDE, VERSION_3 = 1, 0x20080522


def obey_modes() -> None:
    """Be bound by the modes of files, as everybody but root is."""
    libc = ctypes.CDLL(None, use_errno=True)
    header, rights = (ctypes.c_uint32 * 2)(VERSION_3, 0), (ctypes.c_uint32 * 6)()
    assert libc.capget(header, rights) == 0
    for kind in (0, 1):  # in force, and allowed
        rights[kind] &= ~(1 << CAP_DAC_OVERRIDE)
    assert libc.capset(header, rights) == 0


def set_clock(file: Path) -> None:
    """Let the file say by how much the clock is wrong, from now on and whenever it changes."""

    class Clock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Clock:
            return super().now(tz) + timedelta(seconds=float(file.read_text() if file.exists() else 0))

    for module in (base, desk):
        module.datetime = Clock  # type: ignore[misc,attr-defined]


def launch() -> None:
    """Work until the input ends."""
    for name in LATE:
        importlib.import_module(name)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            os.dup2(
                2, 1
            )  # what the command says goes into the log, and the next line of the input is not its own
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            clock, *words = line.rstrip("\n").split("\t")
            if os.geteuid() == 0:
                obey_modes()
            set_clock(Path(clock))
            sys.argv = ["celeus-label", *words]
            main()
            os._exit(0)
        print(child, flush=True)
        os.waitpid(child, 0)


if __name__ == "__main__":
    launch()
