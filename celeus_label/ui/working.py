"""Work that takes long: a bar, and a way to cancel it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

T = TypeVar("T")
Show = Callable[[float], None]


def barred(
    key: str, text: str, compute: Callable[[Show], T], on_cancel: Callable[[], None] | None = None
) -> T:
    """What `compute` gives, with a bar and a button Cancel while it works.

    A click on Cancel ends it: Streamlit leaves a run at its next call into the page.

    Parameters
    ----------
    key : str
        Names the work on its page.
    text : str
        Says what is done.
    compute : callable
        Is given a function to call with the share that is done, 0 to 1, if it takes long.
    on_cancel : callable, optional
        Done by the click beside.
    """
    place = st.empty()
    bars: list[Callable[..., object]] = []

    def show(share: float) -> None:
        if not bars:
            with place.container():
                bars.append(st.progress(0.0, text).progress)
                st.button("Cancel", key=f"{key} cancel", on_click=on_cancel)
        bars[0](min(share, 1.0), f"{text} {share:.0%}")

    found = compute(show)
    place.empty()
    return found


def cancellable(key: str, text: str, compute: Callable[[Show], T]) -> T | None:
    """As `barred`, for work that a page does unasked; None once it is cancelled, until somebody wants it after all."""
    cancelled: set[str] = st.session_state.setdefault("cancelled", set())
    if key in cancelled:
        st.info("This was cancelled. Going on takes up the work where it was left.")
        st.button("Go on", key=f"{key} go on", on_click=cancelled.discard, args=(key,))
        return None
    return barred(key, text, compute, lambda: cancelled.add(key))
