from __future__ import annotations

import tempfile
from pathlib import Path

import streamlit as st

from celeus_label.certificate import verify
from celeus_label.ui import choose, say, signin

who = signin.need("lead")
workspace = signin.workspace()

st.title("Certificate", anchor=False)
session = choose.session(who)
state = workspace.monitor(who, session.id)


def bundle() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return workspace.export(who, session.id, Path(folder) / "bundle.zip").read_bytes()


st.subheader("What is certified", anchor=False)
st.text(say.claim(session, state))
if state.interval.status == "open":
    st.info(
        "The target is not met yet. The interval is valid now, too: it holds at whatever moment one looks."
    )
st.download_button(
    "Download the bundle",
    bundle,
    f"session-{session.id}.zip",
    "application/zip",
    type="primary",
    on_click="ignore",
)
st.caption(
    "It holds every number that the interval follows from, and neither names of raters nor texts of items."
)

st.subheader("Verify a bundle", anchor=False)
upload = st.file_uploader("A bundle, from here or from elsewhere", type=["zip"])
ledger_hash = st.text_input(
    "Hash that its ledger must end with (optional)",
    help="Have it from elsewhere than the bundle: without it, a ledger made up as a whole verifies, too.",
)
if upload is not None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bundle.zip"
        path.write_bytes(upload.getvalue())
        with st.spinner("Computing everything again …"):
            verdict = verify(path, ledger_hash.strip() or None)
    if verdict.valid:
        st.success("VALID: every hash, draw and interval was computed again and agrees.")
    else:
        st.error(f"{verdict.status}: this bundle is not what it says.")
    for difference in verdict.differences:
        st.text(f"• {difference}")
    if verdict.claim is not None:
        st.caption(f"The ledger ends with {verdict.claim.ledger_hash}")
