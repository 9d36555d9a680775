"""Sentences that hold other people's words.

Streamlit reads labels and messages as Markdown, so such a sentence goes into neither: `st.text` shows it.
"""

from __future__ import annotations

from urllib.parse import urljoin

import streamlit as st

from celeus_label.session.watching import Outlook


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


def new_link() -> None:
    """The link that this run of the page made, if any; its holder's name and token are in the state as "invited"."""
    if "invited" in st.session_state:
        invited, token = st.session_state.pop("invited")
        st.success("Copy the link now and send it to its holder alone: it can't be shown again.")
        st.text(invited)
        show_link(token)


def points(width: float, scale_range: float) -> str:
    """A width in both ways: points on the scale, and share of its range.

    >>> points(0.05, 4)
    '0.2 points (5 % of the scale)'
    """
    return f"{width * scale_range:.3g} points ({width * 100:.3g} % of the scale)"


def duration(seconds: float) -> str:
    """A time as people say it.

    >>> duration(20), duration(600), duration(6000), duration(200_000)
    ('under a minute', '10 min', '1 h 40 min', '56 h')
    """
    if seconds < 60:
        return "under a minute"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours = round(seconds / 3600)
    return f"{hours} h" if hours >= 24 else f"{minutes // 60} h {minutes % 60} min"


def forecast(seen: Outlook) -> str:
    """How much is still to come, in one sentence."""
    if seen.forecast is None:
        return "How many ratings are still needed can be said after the first 20."
    if seen.forecast.ratings == 0:
        return "No further rating is needed."
    more = f"About {seen.forecast.ratings:,} more ratings ({seen.forecast.low:,}–{seen.forecast.high:,})"
    if seen.seconds is None:
        return f"{more}."
    return f"{more}, {duration(seen.forecast.ratings * seen.seconds)} at the present pace."


def savings(seen: Outlook, ratings: int) -> str | None:
    """What the judge saves, in one sentence; None while nothing can be said."""
    if seen.forecast is None or seen.without_judge is None:
        return None
    total = ratings + seen.forecast.ratings
    if total == 0:
        return None
    so_far = round(ratings * seen.without_judge / total)
    return (
        f"Without the judge the target would take about {seen.without_judge:,} ratings instead of {total:,}; "
        f"the {ratings:,} so far would be about {so_far:,}."
    )
