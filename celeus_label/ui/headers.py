"""What every answer of the server tells the browser to refuse, and the id that it is logged under."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from pathlib import Path

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from celeus_label.session import logs


@cache
def content_policy() -> str:
    """Scripts from this server alone, and of those within the page only the ones that Streamlit's page has.

    Streamlit loads a component's script as a blob, which only a script that runs already can make. Styles may stand
    anywhere: Streamlit writes them while it runs.
    """
    page = (Path(st.__file__).parent / "static" / "index.html").read_text("utf-8")
    inline = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in inline]
    scripts = " ".join(["'self'", "blob:", *(f"'sha256-{one}'" for one in hashes)])
    return "; ".join(
        (
            "default-src 'self'",
            f"script-src {scripts}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "worker-src 'self' blob:",
            "frame-src 'none'",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        )
    )


class Headers:
    """Adds them to every answer, those of the app's own routes and Streamlit's alike."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.headers = {
            "Content-Security-Policy": content_policy(),
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
            "Referrer-Policy": "same-origin",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",  # frame-ancestors for older browsers
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = logs.begin_request()

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    headers[name] = value
                headers["X-Request-ID"] = request
            await send(message)

        if scope["path"].endswith("/_stcore/metrics"):  # of the process, for whoever asks
            await Response("Not found", 404)(scope, receive, with_headers)
        else:
            await self.app(scope, receive, with_headers)
