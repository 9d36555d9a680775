"""Streamlit's page frame, fitted to ours."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

ICON = str(Path(__file__).with_name("icon.svg"))


def narrow_margins() -> None:
    """Take away most of the empty space above a page."""
    st.html("<style>.stMainBlockContainer {padding-top: 3.5rem}</style>")


def legible() -> None:
    """Dark letters on what has the primary colour in dark mode; Streamlit writes white ones on any colour."""
    marked = "[data-testid^=stBaseButton-primary], [data-tag]"
    st.html(f"<style>:is({marked}), :is({marked}) * {{color: light-dark(#fff, #12161c) !important}}</style>")


def whole_window(header: bool) -> None:
    """Give the page the whole window without margins; the rating card has its own.

    Parameters
    ----------
    header : bool
        Keep Streamlit's bar, which opens the menu of pages on a narrow window.
    """
    bar = ":root {--celeus-top: 3.75rem}" if header else ".stAppHeader {display: none}"
    st.html(
        "<style>"
        ".stMain .stMainBlockContainer {padding: 0; max-width: none}"
        ".stMain [data-testid=stVerticalBlock] {gap: 0}"
        ".stMain {overflow: hidden}"
        f"{bar}"
        "</style>"
    )


# A plain form, because only an HTTP answer can take the cookie away.
_sign_out = st.components.v2.component(
    "celeus_label_sign_out",
    html='<form method="post" action="sign-out"><button type="submit">Sign out</button></form>',
    css="""
        form { margin: 0; }
        button {
            min-height: 2.5rem; padding: 0 .8rem; font: inherit; cursor: pointer; color: var(--st-text-color);
            border: 1px solid var(--st-border-color); border-radius: var(--st-button-radius);
            background: none;
        }
        button:hover { border-color: currentcolor; }
        button:focus-visible { outline: 3px solid var(--st-primary-color); outline-offset: 2px; }
    """,
)


_password_form = st.components.v2.component(
    "celeus_label_password",
    html="""
        <form method="post" action="sign-in">
            <label for="login">Name or e-mail</label>
            <input id="login" name="login" autocomplete="username" required maxlength="200">
            <label for="password">Password</label>
            <input id="password" name="password" type="password" autocomplete="current-password" required
                maxlength="1000">
            <button type="submit">Sign in</button>
        </form>
    """,
    css="""
        form { margin: 0; display: grid; gap: .4rem; max-width: 22rem; }
        input, button {
            min-height: 2.75rem; padding: 0 .8rem; font: inherit; color: var(--st-text-color);
            background: var(--st-background-color); border: 1px solid var(--st-text-color);
            border-radius: var(--st-button-radius); box-sizing: border-box; width: 100%;
        }
        input { margin-bottom: .4rem; }
        button { cursor: pointer; font-weight: 600; }
        :is(input, button):focus-visible { outline: 3px solid var(--st-primary-color); outline-offset: 2px; }
    """,
)


def password_form() -> None:
    """Name and password, sent as a plain form for the same reason."""
    _password_form(key="password")


def sign_out() -> None:
    """The button that ends the sign-in of this browser."""
    _sign_out(key="sign_out")
