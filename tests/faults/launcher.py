"""Starts `celeus-label` commands from a process that has imported everything already.

A start then takes a moment instead of seconds, so that a server can be killed a hundred times in one test. Each line of
the input is a command's words with tabs between; the answer is its process id.
"""

from __future__ import annotations

import importlib
import os
import sys

from celeus_label.cli import main

# What a server imports on its way to the first item, later than at its start.
LATE = (
    "anyio._backends._asyncio",
    "celeus_label.ui.desk",
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
            sys.argv = ["celeus-label", *line.rstrip("\n").split("\t")]
            main()
            os._exit(0)
        print(child, flush=True)
        os.waitpid(child, 0)


if __name__ == "__main__":
    launch()
