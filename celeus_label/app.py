"""The app: which pages there are for whoever is asking. Streamlit runs this script for every open tab."""

from __future__ import annotations

import streamlit as st

from celeus_label.session import StoreError, logs
from celeus_label.ui import signin, theme, waiting

logs.begin_request()
st.set_page_config(page_title="celeus-label", page_icon=theme.ICON, layout="centered")

try:
    lead = signin.identity("lead")
    rater = signin.identity("rater")
except StoreError:  # nobody can say yet who is asking, and whether the store's own sentence is for them
    waiting.until_the_database_answers()

pages = []
if lead is not None:
    pages += [
        st.Page("../pages/monitor.py", title="Monitor", default=True),
        st.Page("../pages/certificate.py", title="Certificate"),
        st.Page("../pages/raters.py", title="Raters"),
        st.Page("../pages/compare.py", title="Compare"),
    ]
    if lead.role == "admin":
        pages.append(st.Page("../pages/people.py", title="People"))
    if lead.session is None:  # whoever leads one session alone makes no other
        pages.insert(1, st.Page("../pages/setup.py", title="Set up"))
if rater is not None:
    pages.append(st.Page("../pages/label.py", title="Label", default=lead is None))
if not pages:
    pages.append(st.Page("../pages/door.py", title="Sign in", default=True))

page = st.navigation(pages, position="sidebar" if lead is not None else "hidden")
if lead is not None:
    theme.narrow_margins()
    theme.legible()
    with st.sidebar:
        st.text(lead.name)
        theme.sign_out()
page.run()
