"""Work that a page does unasked: cancelled, it stays undone until somebody wants it."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def page() -> None:
    import streamlit as st

    from celeus_label.ui.working import cancellable

    found = cancellable("sum", "Adding …", lambda show: sum((show(n / 4), n)[1] for n in range(5)))
    st.text("nothing" if found is None else f"it is {found}")


def test_what_is_cancelled_is_not_done_until_it_is_wanted() -> None:
    app = AppTest.from_function(page, default_timeout=60).run()
    assert [one.value for one in app.text] == ["it is 10"]
    assert not app.button  # bar and button are gone once it is done
    app.session_state["cancelled"] = {"sum"}
    app.run()
    assert [one.value for one in app.text] == ["nothing"]
    assert app.info[0].value.startswith("This was cancelled.")
    app.button[0].click().run()
    assert [one.value for one in app.text] == ["it is 10"]
    assert not app.info
