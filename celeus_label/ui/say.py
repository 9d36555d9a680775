"""Sentences that hold other people's words.

Streamlit reads labels and messages as Markdown, so such a sentence goes into neither: `st.text` shows it.
"""

from __future__ import annotations

import math
from urllib.parse import urljoin

import streamlit as st

from celeus_label.certify import Interval, Scale
from celeus_label.session import Monitor, SessionInfo


def problem(sentence: object, title: str = "That can't be used as it is.") -> None:
    """Say what went wrong: a title of our own words, then the sentence, letter by letter."""
    st.error(title)
    st.text(str(sentence))


def verbatim(text: str) -> None:
    """Other people's text, letter by letter, with its lines and wrapped."""
    st.code(text, language=None, wrap_lines=True)


def link(token: str) -> str:
    """The address that signs its holder in."""
    return urljoin(str(st.context.url), f"./?invite={token}")


def show_link(token: str) -> None:
    """An invite link, to be copied now: only its hash is kept."""
    st.code(link(token), language=None, wrap_lines=True)


def points(width: float, scale_range: float) -> str:
    """A width in both ways: points on the scale, and share of its range.

    >>> points(0.05, 4)
    '0.2 points (5 % of the scale)'
    """
    return f"{width * scale_range:.3g} points ({width * 100:.3g} % of the scale)"


def ends(interval: Interval, scale: Scale) -> tuple[str, str]:
    """The interval's ends as text, rounded outwards so that no more is claimed than was certified.

    >>> ends(Interval(2.45678, 2.65001, 2.5, 300, "open", 0.05), Scale(1, 5))
    ('2.456', '2.651')
    """
    places = max(0, 3 - math.floor(math.log10(scale.range)))
    tens = 10**places
    low, high = math.floor(interval.lower * tens) / tens, math.ceil(interval.upper * tens) / tens
    return f"{low:.{places}f}", f"{high:.{places}f}"


def claim(session: SessionInfo, state: Monitor) -> str:
    """The certificate in one sentence, with the design that is in force."""
    design, interval = state.design, state.interval
    of = "of this pool of" if design.target == "pool" else "of the population behind this sample of"
    about = f"{session.name}: the mean rating {of} {session.items:,} items, on the scale {session.scale},"
    if interval.status == "contradicted":
        return f"{about} can't be certified: the ratings contradict each other under this design."
    low, high = ends(interval, session.scale)
    sure = f"{(1 - design.alpha) * 100:g} % confidence at any stopping time"
    return f"{about} is between {low} and {high}, with {sure}, after {interval.ratings:,} rated items."
