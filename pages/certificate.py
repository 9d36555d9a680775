from __future__ import annotations

import tempfile
from pathlib import Path

import streamlit as st

from celeus_label.certificate import verify
from celeus_label.ui import certified, choose, signin, working

who = signin.need("lead")
workspace = signin.workspace()

st.title("Certificate", anchor=False)
session = choose.session(who)


def bundle() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return workspace.export(who, session.id, Path(folder) / "bundle.zip", names).read_bytes()


st.subheader("What is certified", anchor=False)
left, right = st.columns(2)
quantity = left.text_input("What is rated", "rating", max_chars=60, help="A noun: helpfulness, accuracy, …")
items = right.text_input("What the items are", "answers", max_chars=60, help="In the plural.")
found = workspace.certificate(who, session.id, quantity.strip() or "rating", items.strip() or "items")
certified.claim(found)

st.subheader("Take it away", anchor=False)
names = st.checkbox("With the raters' names", help="Otherwise they stand in it by opaque ids alone.")
st.download_button(
    "Download the bundle",
    bundle,
    f"session-{session.id}.zip",
    "application/zip",
    type="primary",
    on_click="ignore",
)
st.caption(
    "The bundle holds every number that the interval follows from, and neither names of raters nor texts of items: "
    "anybody can verify it. The files below are for reading."
)
certified.files(workspace, who, session, quantity.strip() or "rating", items.strip() or "items")

certified.numbers(found)
certified.design(session.design)

st.subheader("What comes next", anchor=False)
with st.container(horizontal=True):
    if who.session is None and st.button("Start the next session from this one"):
        st.session_state["next_from"] = session.id
        st.switch_page("../pages/setup.py")
    label = "Take it back from the archive" if session.archived else "Archive this session"
    if st.button(
        label, help="While a session is archived, nobody is given an item of it. Nothing is deleted."
    ):
        workspace.archive(who, session.id, not session.archived)
        st.rerun()
st.caption(
    "The next session begins with the same scale, guidelines and design, and with what this one has learnt."
)

st.subheader("Verify a bundle", anchor=False)
upload = st.file_uploader("A bundle, from here or from elsewhere", type=["zip"])
ledger_hash = st.text_input(
    "Hash that its ledger must end with (optional)",
    help="Have it from elsewhere than the bundle: without it, a ledger made up as a whole verifies, too.",
)
if upload is not None:
    wanted = upload.file_id, ledger_hash.strip() or None
    if st.session_state.get("verified", (None,))[0] != wanted:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "bundle.zip"
            path.write_bytes(upload.getvalue())
            done = working.cancellable(
                f"verify {wanted}",
                "Computing everything again …",
                lambda show: verify(path, wanted[1], show),
            )
        if done is None:
            st.stop()
        st.session_state["verified"] = wanted, done
    verdict = st.session_state["verified"][1]
    if verdict.valid:
        st.success("VALID: every hash, draw and interval was computed again and agrees.")
    else:
        st.error(f"{verdict.status}: this bundle is not what it says.")
    for difference in verdict.differences:
        st.text(f"• {difference}")
    if verdict.claim is not None:
        st.caption(f"The ledger ends with {verdict.claim.ledger_hash}")
