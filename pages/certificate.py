from __future__ import annotations

import tempfile
from pathlib import Path

import streamlit as st
from celeus_label.certificate.verify import verify

from celeus_label.ui import choose, say, signin

who = signin.need("lead")
workspace = signin.workspace()
session = choose.session(who)

st.title("Certificate")
state = workspace.monitor(who, session.id)


def bundle() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return workspace.export(who, session.id, Path(folder) / "bundle.zip").read_bytes()


st.header("What is certified", anchor=False)
st.text(say.claim(session, state.interval))
if state.interval.status == "open":
    st.info(
        "The target is not met yet. The interval is valid now, too: it holds at whatever moment one looks."
    )
st.download_button(
    "Download the bundle", bundle, f"session-{session.id}.zip", "application/zip", on_click="ignore"
)
st.caption(
    "The bundle holds every number that the interval follows from, without the texts and without names."
)

st.header("Verify a bundle", anchor=False)
upload = st.file_uploader("A bundle, from here or from elsewhere", type=["zip"])
if upload is not None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bundle.zip"
        path.write_bytes(upload.getvalue())
        with st.spinner("Computing everything again …"):
            verdict = verify(path)
    if verdict.valid:
        st.success("VALID: every hash, draw and interval was computed again and agrees.")
    else:
        st.error("INVALID")
    for difference in verdict.differences:
        st.text(str(difference))
