"""Work that takes long: a bar, and a way to cancel it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import streamlit as st

T = TypeVar("T")
Show = Callable[[float], None]
STEP_SECONDS = 1.5


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
    if _cancelled(key):
        return None
    return barred(key, text, compute, lambda: _marks().add(key))


def in_steps(key: str, text: str, compute: Callable[[Show], T]) -> T | None:
    """Work that goes on where it was left, a step at each run of a fragment that runs again by itself.

    Streamlit lets no click end the run of a fragment, so that each is short. None until it is done.

    Parameters
    ----------
    key, text : str
        As for `barred`.
    compute : callable
        As for `barred`; what it has done when its function raises it must not do again.
    """
    if _cancelled(key):
        return None
    until = time.monotonic() + STEP_SECONDS

    def show(share: float) -> None:
        if time.monotonic() >= until:
            raise _Enough(share)

    try:
        return compute(show)
    except _Enough as so_far:
        st.progress(min(so_far.share, 1.0), f"{text} {so_far.share:.0%}")
        st.button("Cancel", key=f"{key} cancel", on_click=_marks().add, args=(key,))
        return None


class _Enough(Exception):
    def __init__(self, share: float) -> None:
        super().__init__(share)
        self.share = share


def _marks() -> set[str]:
    """The works that were cancelled in this tab."""
    found: set[str] = st.session_state.setdefault("cancelled", set())
    return found


def _cancelled(key: str) -> bool:
    if key not in _marks():
        return False
    st.info("This was cancelled. Going on takes up the work where it was left.")
    st.button("Go on", key=f"{key} go on", on_click=_marks().discard, args=(key,))
    return True
