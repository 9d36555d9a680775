"""The web server: Streamlit's app, with the routes that need plain HTTP (sign-in, sign-out, plotly.js)."""

from __future__ import annotations

import os
import socket
import tomllib
from pathlib import Path
from typing import Any

import plotly
import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from celeus_label.session import NotAllowed, StoreError
from celeus_label.ui import say, signin

ROOT = Path(__file__).resolve().parents[2]
COOKIE_SECONDS = 180 * 24 * 3600  # the browser's limit; the invite's own end counts, and comes sooner


class InviteDoor:
    """Answers `/?invite=TOKEN` with a cookie and the same address without the token.

    The token thus leaves the address bar, the history and the referrer at once.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        token = None
        if scope["type"] == "http" and scope["method"] == "GET":
            request = Request(scope)
            token = request.query_params.get("invite")
        if token is None:
            await self.app(scope, receive, send)
            return
        who = await run_in_threadpool(signin.workspace().sign_in, token)
        here = "/" + scope["path"].lstrip("/")  # "//host" would lead to another site
        response: Response
        if who is None:
            response = RedirectResponse(f"{here}?refused=1", 303)
        else:
            response = RedirectResponse(here, 303)
            response.set_cookie(
                signin.cookie_name(signin.slot(who.role)),
                signin.cookie_value(token),
                max_age=COOKIE_SECONDS,
                httponly=True,
                samesite="lax",  # a link in a mail must carry it; another site's form must not
                secure=request.url.scheme == "https",
            )
        response.headers["Cache-Control"] = "no-store"
        await response(scope, receive, send)


async def sign_out(request: Request) -> Response:
    """End both sign-ins of this browser."""
    response = RedirectResponse("./", 303)
    for side in signin.SLOTS:
        name = signin.cookie_name(side)
        await run_in_threadpool(signin.end, request.cookies.get(name))
        response.delete_cookie(name, httponly=True, samesite="lax")
    return response


async def plotly_js(_: Request) -> Response:
    """Plotly's script from the installed package, so that no other host is asked for it."""
    path = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    return FileResponse(path, media_type="text/javascript", headers={"Cache-Control": "max-age=86400"})


def tell(error: Exception) -> bool:
    """Show the sentence of an error that is meant for people; others go the common way, into the log."""
    if not isinstance(error, StoreError | NotAllowed):
        return False
    say.problem(error, "That was not done.")
    return True


app = st.App(
    ROOT / "celeus_label" / "app.py",
    routes=[Route("/sign-out", sign_out, methods=["POST"]), Route("/plotly.js", plotly_js)],
    middleware=[Middleware(InviteDoor)],
    on_script_error=tell,
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


def serve(db: str | Path, port: int = 8501, address: str = "127.0.0.1") -> None:
    """Serve the app on this database until the process is stopped.

    Raises
    ------
    OSError
        The port is taken (Streamlit would go to the next one in silence, and printed links be wrong).
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as error:
            raise OSError(
                f"port {port} on {address} can't be used ({error.strerror}): choose another"
            ) from error
    os.environ[signin.DATABASE] = str(Path(db).resolve())
    app.run(config=settings() | {"server.port": port, "server.address": address})
