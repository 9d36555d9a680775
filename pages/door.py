from __future__ import annotations

import streamlit as st

from celeus_label.ui import say, signin, theme

REFUSED = {
    "link": "This invite link is not valid: it was revoked, has expired, or was cut short in copying.",
    "password": "The name or the password is wrong.",
    "wait": "There were too many attempts. Wait 15 minutes, then try again.",
}

st.title("celeus-label")
refused = REFUSED.get(st.query_params.get("refused", ""))
if refused is not None:
    st.error(refused)
vouched = signin.vouched_for()
if vouched is not None:
    say.problem(
        vouched, "You are signed in, but nobody has given you a role here. Ask whoever keeps this server."
    )
    theme.sign_out()
    st.stop()
st.write(
    "You come in by an invite link. Ask whoever leads the evaluation for yours, and open it in this browser."
)
if signin.has_provider() and st.button("Sign in with your organisation"):
    st.login()
if signin.workspace().has_passwords():
    theme.password_form()
