"""Who is asking: an invite link becomes an HttpOnly cookie, a cookie becomes an identity at every run.

The cookie holds the invite's token and a mark of this one sign-in. The token is looked up in the
database each time, so that a revoked or expired link ends at the next action, and a reload, a new tab
or a server started again changes nothing. A lead and a rater may be signed in side by side in one
browser (whoever tries the demo is both), so each role has its own cookie.

Where a provider of OpenID Connect is set up, Streamlit's own cookie says whom it vouched for, and rules
say which role that gives; the cookies of invite links come first.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import streamlit as st

from celeus_label.session import Identity, StoreError, Workspace, whole_address
from celeus_label.session.rules import Rule, read_rules, rule_for, verified_email

DATABASE = "CELEUS_LABEL_DB"
SLOTS = ("lead", "rater")
PROVIDER_COOKIE = "_streamlit_user"  # Streamlit's, signed by it

# Open tabs keep the cookies they started with; these marks are of sign-ins that have ended since.
# A server started again needs no memory of them: its tabs connect anew, without the cookie.
_signed_out: set[str] = set()
# The rules that give roles to whom the provider vouches for, and whom they let in, by the mark of the cookie.
_rules: list[Rule] = []
_vouched: dict[str, dict[str, Identity]] = {}


@cache
def _open(address: str) -> Workspace:
    return Workspace(address)


def workspace() -> Workspace:
    """The one workspace of this server, on the database that CELEUS_LABEL_DB names.

    Raises
    ------
    RuntimeError
        CELEUS_LABEL_DB is not set.
    """
    path = os.environ.get(DATABASE)
    if not path:
        raise RuntimeError(f"{DATABASE} is not set: start the app with `celeus-label serve --db ADDRESS`")
    return _open(path)


def slot(role: str) -> str:
    """The side of the app that a role works on: raters rate, everybody else leads."""
    return "rater" if role == "rater" else "lead"


def cookie_name(side: str) -> str:
    """Name of a side's cookie, one a database: browsers share cookies between the ports of a host."""
    address = whole_address(os.environ.get(DATABASE, ""))
    return f"celeus_{side}_{hashlib.sha256(address.encode()).hexdigest()[:8]}"


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


def use_provider(secrets_file: Path) -> None:
    """Let people in whom the provider of this file vouches for, by the rules that stand in it.

    Raises
    ------
    OSError
        It can't be read.
    ValueError
        It has no provider, a rule makes no sense, or what speaks to a provider is not installed.
    """
    try:
        found = tomllib.loads(secrets_file.read_text("utf-8"))
    except tomllib.TOMLDecodeError:
        # the fault would quote the line, which may hold a secret
        raise ValueError(f"{secrets_file} is not TOML") from None
    if "auth" not in found:
        raise ValueError(f"{secrets_file} has no table [auth]; see docs/deployment.md")
    if find_spec("authlib") is None:
        raise ValueError("sign-in by OpenID Connect needs Authlib: install celeus-label[sso]")
    rules = read_rules(found.get("roles", ()))
    if not rules:
        raise ValueError(f"{secrets_file} has no table [[roles]], so that it would let nobody in")
    _rules[:] = rules


def has_provider() -> bool:
    """Whether one can sign in by OpenID Connect."""
    return bool(_rules)


def vouched_for() -> str | None:
    """Whom the provider says the browser of the present run to be; None without a sign-in that still holds."""
    if not _rules or provider_mark(st.context.cookies) in _signed_out:
        return None
    said = st.user.to_dict()
    if not said.get("is_logged_in"):
        return None
    return verified_email(said) or f"{said.get('sub')} of {said.get('iss')}"


def provider_mark(cookies: Mapping[str, str]) -> str | None:
    """Tells one sign-in by a provider from another, by the cookies that it left; None without any."""
    own = sorted((name, value) for name, value in cookies.items() if name.startswith(PROVIDER_COOKIE))
    return hashlib.sha256(repr(own).encode()).hexdigest() if own else None


def end_vouched(mark: str | None) -> None:
    """End the sign-in of this mark in every open tab, and give back what its rater holds."""
    if mark is not None:
        _signed_out.add(mark)
        for who in _vouched.pop(mark, {}).values():
            with suppress(StoreError):
                workspace().sign_out(who)


def _from_provider(side: str) -> Identity | None:
    login = vouched_for()
    if login is None:
        return None
    said = st.user.to_dict()
    rule = rule_for(_rules, side, said)
    if rule is None:
        return None
    who = workspace().admit(login, str(said.get("name") or login), rule.role, rule.session)
    if who is not None:
        _vouched.setdefault(provider_mark(st.context.cookies) or "", {})[side] = who
    return who


def identity(side: str) -> Identity | None:
    """Who is signed in on this side ("lead" or "rater") in the browser of the present run."""
    who = read_cookie(st.context.cookies.get(cookie_name(side)))
    if who is None or slot(who.role) != side:
        who = _from_provider(side)
    return who


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
