"""An item before a lead who decides about it, and the value decided."""

from __future__ import annotations

import streamlit as st

from celeus_label.certify import Scale
from celeus_label.session import ItemRow
from celeus_label.ui import desk, say


def verbatim(item: ItemRow) -> None:
    """Id and texts, letter by letter; no judge's score, which could sway the decision."""
    st.text(f"Id {item.item_id}")
    second = item.extra.get("response_b")
    texts = [("Prompt", item.prompt), ("Response" if second is None else "Response A", item.response)]
    if second is not None:
        texts.append(("Response B", second))
    for title, text in texts:
        if text:
            st.caption(title)
            say.verbatim(text)


def value(scale: Scale) -> float | None:
    """Ask for a value of the scale; there is none to begin with."""
    buttons = desk.options(scale)
    if buttons is None:
        return st.number_input(f"Value, {scale}", value=None, format="%g")
    names = {one["value"]: " · ".join(filter(None, (one["text"], one["word"]))) for one in buttons}
    chosen: float | None = st.selectbox(
        "Value", list(names), index=None, format_func=names.__getitem__, placeholder="Choose"
    )
    return chosen
