"""Streamlit's page frame, fitted to ours."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

ICON = str(Path(__file__).with_name("icon.svg"))


def whole_window() -> None:
    """Give the page the whole window: no header bar, no margins (the rating card has its own)."""
    st.html(
        "<style>"
        ".stMainBlockContainer {padding: 0; max-width: none}"
        ".stMain [data-testid=stVerticalBlock] {gap: 0}"
        ".stMain {overflow: hidden}"
        ".stAppHeader {display: none}"
        "</style>"
    )
