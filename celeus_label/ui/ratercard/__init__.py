"""The rating card: one item, verbatim, and the score bar under it, as a Streamlit component of our own.

The card's script, not Streamlit's buttons, listens to keys and clicks, because it alone knows which item is
on the screen at that moment: a held key or a double click then cannot rate an item that nobody has seen.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

HERE = Path(__file__).parent
KEY = "rating_card"

_card = st.components.v2.component(
    "celeus_label_rating_card",
    css=(HERE / "card.css").read_text("utf-8"),
    js=(HERE / "card.js").read_text("utf-8"),
)


def rating_card(data: dict[str, Any], on_act: Callable[[], None]) -> None:
    """Draw the card; `on_act` is called when it has sent a message, which `message` then returns."""
    _card(key=KEY, data=data, on_act_change=on_act)


def message() -> dict[str, Any]:
    """The message that the card has just sent."""
    sent: dict[str, Any] = st.session_state[KEY]["act"]
    return sent
