"""What whoever comes in while the database can't be read is told, and sees until it can."""

from __future__ import annotations

from typing import NoReturn

import streamlit as st

from celeus_label.session import StoreError
from celeus_label.ui import signin
from celeus_label.ui.words import RATER

EVERY_SECONDS = 3


def sentences() -> list[str]:
    """In every language: nobody knows yet which one the reader has chosen."""
    return [texts["trouble_page"] for texts in RATER.values()]


def until_the_database_answers() -> NoReturn:
    """Stay on this page, and go on by itself."""
    st.title("celeus-label", anchor=False)
    for sentence in sentences():
        st.warning(sentence)
    _look_again()
    st.stop()


@st.fragment(run_every=EVERY_SECONDS)
def _look_again() -> None:
    try:
        signin.workspace().has_passwords()
    except StoreError:
        return
    st.rerun()
