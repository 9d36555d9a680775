"""Pairs and rubrics on the leads' pages: set up, watched, certified."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from celeus_label.certify import Aspect, Scale, pairs
from celeus_label.ui import signin
from tests.office import Office
from tests.ui.test_pages import HOSTILE, PAGES, button, markdown, upload
from tests.ui.test_raters_page import Enter, enter, metrics, run

__all__ = ["enter"]  # the fixture

PAIRS = "\n".join(
    ["item_id,prompt,response_a,response_b,judge_preference"]
    + [f"i{n},question {n},by A {n},by B {n},{'ABA'[n % 3]}" for n in range(30)]
).encode()
ASPECTS = (Aspect(HOSTILE[:40], Scale(1, 3, 1, ("rude", "plain", "kind"))), Aspect("length", Scale(0, 100)))


def named(page: AppTest, name: str) -> AppTest:
    next(one for one in page.text_input if one.label == "Name of the session").set_value(name)
    return button(page, "Freeze the design")


def everything(office: Office, monkeypatch: pytest.MonkeyPatch) -> Office:
    """The lead of every session, who may make a new one."""
    office.lead = office.workspace.local()
    monkeypatch.setattr(signin, "identity", {"lead": office.lead}.get)
    return office


def test_two_columns_of_responses_make_a_pairwise_session(
    enter: Enter, monkeypatch: pytest.MonkeyPatch
) -> None:
    office = everything(enter(), monkeypatch)
    page = upload(run("setup"), PAIRS)
    chosen = {one.label: one.value for one in page.selectbox}
    assert chosen["Response"] == "response_a"
    assert chosen["Second response, to compare"] == "response_b"
    assert [one.value for one in page.code] == ["question 0", "by A 0", "by B 0"]
    assert not any(one.label == "Lowest rating" for one in page.number_input)  # the scale of pairs is fixed
    named(button(page, "Check every row"), "A or B")
    made = office.workspace.sessions(office.lead)[-1]
    assert (made.design.task, made.scale) == ("pairwise", pairs.SCALE)
    assert office.workspace._loaded(made.id).pool.judge.tolist()[:3] == [1.0, 0.0, 1.0]
    monitor = AppTest.from_file(str(PAGES / "monitor.py"), default_timeout=30)
    monitor.session_state["session"] = made.id
    monitor.run()
    assert not monitor.exception
    assert any("win rate of A over B" in one.value for one in monitor.caption)


def test_a_rubric_has_an_interval_for_each_aspect_on_monitor_and_certificate(enter: Enter) -> None:
    office = enter(aspects=ASPECTS, main_aspect="help", width=0.3)
    for n in range(12):
        task = office.take(office.ada)
        given = {ASPECTS[0].name: 1 + n % 3, "length": 5 * n}
        office.workspace.rate(office.ada, office.id, task.lease, 1 + n % 5, 900, aspects=given)
    page = run("monitor")
    assert metrics(page)["Ratings"] == "12"
    table = next(one.value for one in page.dataframe if "Aspect" in one.value)
    assert table["Aspect"].tolist() == [ASPECTS[0].name, "length"]
    assert table["Confidence"].tolist() == ["97.5 %", "97.5 %"]
    assert HOSTILE[:40] not in markdown(page)
    page = run("certificate")
    told = [one.value for one in page.text]
    assert any(one.startswith(f"• The mean {ASPECTS[0].name}, rated 1 (rude) to 3 (kind)") for one in told)
    assert any("The mean help of this pool" in one or "he mean help of this pool" in one for one in told)
    assert HOSTILE[:40] not in markdown(page)


def test_the_next_session_has_the_same_aspects(enter: Enter, monkeypatch: pytest.MonkeyPatch) -> None:
    office = everything(enter(aspects=ASPECTS, main_aspect="help", aspects_alpha="each"), monkeypatch)
    page = AppTest.from_file(str(PAGES / "setup.py"), default_timeout=30)
    page.session_state["next_from"] = office.id
    page.run()
    rows = ["item_id,prompt,response,judge_score", *(f"i{n},P {n},R {n},{1 + n % 5}" for n in range(20))]
    named(button(upload(page, "\n".join(rows).encode()), "Check every row"), "Next")
    design = office.workspace.sessions(office.lead)[-1].design
    assert (design.aspects, design.main_aspect, design.aspects_alpha) == (ASPECTS, "help", "each")
