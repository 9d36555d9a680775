"""Who is asking: an invite link becomes an HttpOnly cookie, a cookie becomes an identity at every run.

The cookie holds the invite's token and a mark of this one sign-in. The token is looked up in the
database each time, so that a revoked or expired link ends at the next action, and a reload, a new tab
or a server started again changes nothing. A lead and a rater may be signed in side by side in one
browser (whoever tries the demo is both), so each role has its own cookie.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from contextlib import suppress
from functools import cache
from pathlib import Path

import streamlit as st

from celeus_label.session import Identity, StoreError, Workspace

DATABASE = "CELEUS_LABEL_DB"
SLOTS = ("lead", "rater")

# Open tabs keep the cookies they started with; these marks are of sign-ins that have ended since.
# A server started again needs no memory of them: its tabs connect anew, without the cookie.
_signed_out: set[str] = set()


@cache
def _open(path: str) -> Workspace:
    return Workspace(Path(path))


def workspace() -> Workspace:
    """The one workspace of this server, on the database that CELEUS_LABEL_DB names.

    Raises
    ------
    RuntimeError
        CELEUS_LABEL_DB is not set.
    """
    path = os.environ.get(DATABASE)
    if not path:
        raise RuntimeError(f"{DATABASE} is not set: start the app with `celeus-label serve --db PATH`")
    return _open(path)


def slot(role: str) -> str:
    """The side of the app that a role works on: raters rate, everybody else leads."""
    return "rater" if role == "rater" else "lead"


def cookie_name(side: str) -> str:
    """Name of a side's cookie, one a database: browsers share cookies between the ports of a host."""
    path = Path(os.environ.get(DATABASE, "")).resolve()
    return f"celeus_{side}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"


def cookie_value(token: str) -> str:
    """A cookie for a new sign-in with this token."""
    return f"{token}.{secrets.token_urlsafe(9)}"


def read_cookie(value: str | None) -> Identity | None:
    """The identity behind a cookie, None if there is none, it has ended, or its link was revoked."""
    token, _, mark = (value or "").rpartition(".")
    if not token or mark in _signed_out:
        return None
    return workspace().sign_in(token)


def end(value: str | None) -> None:
    """End the sign-in of this cookie in every open tab, and give back what its rater holds."""
    who = read_cookie(value)
    if who is not None:
        _signed_out.add((value or "").rpartition(".")[2])
        with suppress(StoreError):  # a full disk keeps nobody in; what is held is free once its time is over
            workspace().sign_out(who)


def identity(side: str) -> Identity | None:
    """Who is signed in on this side ("lead" or "rater") in the browser of the present run."""
    who = read_cookie(st.context.cookies.get(cookie_name(side)))
    return who if who is not None and slot(who.role) == side else None


def need(side: str) -> Identity:
    """`identity`, or the whole app runs again, to say that the sign-in has ended."""
    who = identity(side)
    if who is None:
        st.rerun(scope="app")
    return who


def rater() -> tuple[Identity, int]:
    """The rater, and the session that the rater's link is for."""
    who = need("rater")
    session = who.session if who.session is not None else workspace().sessions(who)[0].id
    return who, session
