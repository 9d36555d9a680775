from __future__ import annotations

import streamlit as st

st.title("celeus-label")
if "refused" in st.query_params:
    st.error("This invite link is not valid: it was revoked, has expired, or was cut short in copying.")
st.write(
    "You come in by an invite link. Ask whoever leads the evaluation for yours, and open it in this browser."
)
