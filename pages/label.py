from __future__ import annotations

import streamlit as st

from celeus_label.ui import desk, signin, theme
from celeus_label.ui.ratercard import message, rating_card

theme.whole_window(header=signin.identity("lead") is not None)


def act() -> None:
    who, session = signin.rater()
    desk.act(signin.workspace(), who, session, message(), st.session_state)


@st.fragment
def work() -> None:
    who, session = signin.rater()
    rating_card(desk.view(signin.workspace(), who, session, st.session_state), act)


work()
