"""The web server: Streamlit's app, with the routes that need plain HTTP (sign-in, sign-out, plotly.js)."""

from __future__ import annotations

import logging
import os
import socket
import tomllib
from pathlib import Path
from typing import Any

import plotly
import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from celeus_label.session import NotAllowed, StoreError, logs, whole_address
from celeus_label.ui import doors, headers, say, signin, waiting

ROOT = Path(__file__).resolve().parents[2]


async def plotly_js(_: Request) -> Response:
    """Plotly's script from the installed package, so that no other host is asked for it."""
    path = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    return FileResponse(path, media_type="text/javascript", headers={"Cache-Control": "max-age=86400"})


def tell(error: Exception) -> bool:
    """Show the sentence of an error that is meant for people; of any other its id, and the trace goes into the log."""
    if isinstance(error, StoreError | NotAllowed):
        say.problem(error, "That was not done.")
    else:
        logs.log.error("a page failed", exc_info=error)
        say.problem(f"Error {logs.request_id()}", BROKEN)
    return True


def broken(request: Request, error: Exception) -> Response:
    """The same for plain HTTP, where nobody knows whether the store's own sentence is for who asks."""
    if isinstance(error, StoreError):
        logs.log.error("the database can't be used: %s", error)
        again = f"{waiting.EVERY_SECONDS}" + ("" if request.method == "GET" else "; url=./")
        return PlainTextResponse("\n".join(waiting.sentences()), 503, {"Refresh": again})
    logs.log.error("a request failed", exc_info=error)
    return PlainTextResponse(f"{BROKEN}\nError {logs.request_id()}", 500)


BROKEN = (
    "Something went wrong here. All that was saved is safe. Tell whoever keeps this server the number below."
)
app = st.App(
    ROOT / "celeus_label" / "app.py",
    routes=[
        Route("/sign-in", doors.sign_in, methods=["POST"]),
        Route("/sign-out", doors.sign_out, methods=["POST"]),
        Route("/plotly.js", plotly_js),
    ],
    middleware=[Middleware(headers.Headers), Middleware(doors.InviteDoor)],
    on_script_error=tell,
    exception_handlers={Exception: broken},
)


def settings() -> dict[str, Any]:
    """The settings of .streamlit/config.toml with dotted names.

    Streamlit looks for that file in the working directory alone; the command may start anywhere.
    """
    flat: dict[str, Any] = {}

    def walk(prefix: str, table: dict[str, Any]) -> None:
        for key, value in table.items():
            if isinstance(value, dict):
                walk(f"{prefix}{key}.", value)
            else:
                flat[prefix + key] = value

    walk("", tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8")))
    return flat


def serve(
    db: str | Path, port: int = 8501, address: str = "127.0.0.1", secrets: str | Path | None = None
) -> None:
    """Serve the app on this database until the process is stopped.

    Parameters
    ----------
    db
        A file, or `postgresql://user@host/database`.
    port, address
    secrets : path, optional
        A file with the provider of OpenID Connect, `[auth]`, and the rules that give roles, `[[roles]]`.

    Raises
    ------
    OSError
        The port is taken (Streamlit would go to the next one in silence, and printed links be wrong), or the file of
        secrets can't be read.
    ValueError
        A rule makes no sense.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as error:
            raise OSError(
                f"port {port} on {address} can't be used ({error.strerror}): choose another"
            ) from error
    os.environ[signin.DATABASE] = whole_address(db)
    chosen = {"server.port": port, "server.address": address}
    if secrets is not None:
        signin.use_provider(Path(secrets))
        chosen["secrets.files"] = [str(Path(secrets).resolve())]
    logs.to_standard_error()
    # Streamlit would print each trace that `tell` has logged, and each refusal that it has shown
    logging.getLogger("streamlit.error_util").addFilter(
        lambda record: record.getMessage() != "Uncaught app execution"
    )
    app.run(config=settings() | chosen)
