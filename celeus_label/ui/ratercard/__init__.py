"""The rating card: one item, verbatim, and the score bar under it, as a Streamlit component of our own.

The card's script, not Streamlit's buttons, listens to keys and clicks, because it alone knows which item is
on the screen at that moment: a held key or a double click then cannot rate an item that nobody has seen.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from celeus_label.ui.words import RATER

HERE = Path(__file__).parent
KEY = "rating_card"
PARTS = ("tools", "markup", "reading", "scale", "rubric", "note", "dialogs", "status", "line", "keys", "card")


def script() -> str:
    """The card's script: the texts, then its files in the order in which they need each other."""
    texts = f"const WORDS = {json.dumps(RATER, ensure_ascii=False)};"
    return "\n".join([texts, *((HERE / f"{part}.js").read_text("utf-8") for part in PARTS)])


_card = st.components.v2.component(
    "celeus_label_rating_card",
    css=(HERE / "card.css").read_text("utf-8"),
    js=script(),
)


def rating_card(data: dict[str, Any], on_act: Callable[[], None]) -> None:
    """Draw the card; `on_act` is called when it has sent a message, which `message` then returns."""
    _card(key=KEY, data=data, on_act_change=on_act)


def message() -> dict[str, Any]:
    """The message that the card has just sent."""
    sent: dict[str, Any] = st.session_state[KEY]["act"]
    return sent
