from __future__ import annotations

import streamlit as st

from celeus_label.session import StoreError
from celeus_label.ui import desk, signin, theme
from celeus_label.ui.ratercard import message, rating_card

theme.whole_window(header=signin.identity("lead") is not None)


def act() -> None:
    state = st.session_state
    try:
        who, session = signin.rater()
    except StoreError as trouble:
        desk.refuse(message(), trouble, state)
        return
    desk.act(signin.workspace(), who, session, message(), state)


@st.fragment
def work() -> None:
    state = st.session_state
    try:
        who, session = signin.rater()
        card = desk.view(signin.workspace(), who, session, state)
    except StoreError as trouble:
        card = desk.meanwhile(trouble, state)
    rating_card(card, act)


work()
