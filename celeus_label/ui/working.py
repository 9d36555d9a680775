"""Work that takes long: a bar, and a way to cancel it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

T = TypeVar("T")


def cancellable(key: str, text: str, compute: Callable[[Callable[[float], None]], T]) -> T | None:
    """What `compute` gives; None once somebody has cancelled it, until they want it after all.

    Parameters
    ----------
    key : str
        Names the work.
    text : str
        Says what is done.
    compute : callable
        Is given a function to call with the share that is done, 0 to 1, if it takes long. A click on Cancel ends it
        there: Streamlit leaves a run at its next call into the page.
    """
    cancelled: set[str] = st.session_state.setdefault("cancelled", set())
    if key in cancelled:
        st.info("This was cancelled. Going on takes up the work where it was left.")
        if not st.button("Go on", key=f"{key} go on", on_click=cancelled.discard, args=(key,)):
            return None
    place = st.empty()
    bars: list[Callable[..., object]] = []

    def show(share: float) -> None:
        if not bars:
            with place.container():
                bars.append(st.progress(share, text).progress)
                st.button("Cancel", key=f"{key} cancel", on_click=cancelled.add, args=(key,))
        bars[0](min(share, 1.0), f"{text} {share:.0%}")

    found = compute(show)
    place.empty()
    return found
