"""Work that a page does unasked: in steps, and cancelled it stays undone until somebody wants it."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from celeus_label.ui import working


def at_once() -> None:
    import streamlit as st

    from celeus_label.ui.working import cancellable

    found = cancellable("sum", "Adding …", lambda show: sum((show(n / 4), n)[1] for n in range(5)))
    st.text("nothing" if found is None else f"it is {found}")


def test_what_is_cancelled_is_not_done_until_it_is_wanted() -> None:
    app = AppTest.from_function(at_once, default_timeout=60).run()
    assert [one.value for one in app.text] == ["it is 10"]
    assert not app.button  # bar and button are gone once it is done
    app.session_state["cancelled"] = {"sum"}
    app.run()
    assert [one.value for one in app.text] == ["nothing"]
    assert app.info[0].value.startswith("This was cancelled.")
    app.button[0].click().run()
    assert [one.value for one in app.text] == ["it is 10"]
    assert not app.info


def step_by_step() -> None:
    from collections.abc import Callable

    import streamlit as st

    from celeus_label.ui.working import in_steps

    done = st.session_state.setdefault("done", [])

    def add(show: Callable[[float], None]) -> int:
        while len(done) < 3:
            done.append(len(done))
            show(len(done) / 3)
        return sum(done)

    found = in_steps("sum", "Adding …", add)
    st.text("nothing" if found is None else f"it is {found}")


def test_steps_go_on_where_they_were_left_and_can_be_cancelled_between(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(working, "STEP_SECONDS", 0)
    app = AppTest.from_function(step_by_step, default_timeout=60).run()
    assert app.session_state["done"] == [0]
    assert [one.label for one in app.button] == ["Cancel"]
    app.button[0].click().run()
    assert app.session_state["done"] == [0]
    assert [one.label for one in app.button] == ["Go on"]
    app.button[0].click().run()
    assert app.session_state["done"] == [0, 1]
    app.run()
    assert app.session_state["done"] == [0, 1, 2]
    app.run()
    assert [one.value for one in app.text] == ["it is 3"]
    assert not app.button
