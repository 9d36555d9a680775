"""A refusal that a rater may meet has a text in every language, whatever the store says of it in English."""

from __future__ import annotations

from pathlib import Path

from celeus_label.session import NotAllowed
from celeus_label.store import AlreadyRated, LeaseExpired, LeaseUnknown
from celeus_label.ui import desk
from celeus_label.ui.trouble import notice
from celeus_label.ui.words import RATER
from tests.office import Office


def test_every_refusal_about_an_item_is_told_in_the_raters_language() -> None:
    for error in (LeaseExpired("x"), LeaseUnknown("x"), AlreadyRated("x")):
        for texts in RATER.values():
            assert texts[notice(error)] != "x"
    assert notice(NotAllowed("no")) == "no"


def test_a_rating_that_came_too_late_is_not_saved_and_says_so(tmp_path: Path) -> None:
    office = Office(tmp_path / "work.db")
    state: dict[str, object] = {}
    late = desk.view(office.workspace, office.ada, office.id, state)["lease"]
    office.clock.pass_time(minutes=10)
    task = office.take(office.bob)  # the same item, for whoever comes
    office.workspace.rate(office.bob, office.id, task.lease, 4, 900)
    sent = {"do": "rate", "lease": late, "score": 2, "dwell_ms": 900}
    desk.act(office.workspace, office.ada, office.id, sent, state)
    card = desk.view(office.workspace, office.ada, office.id, state)
    assert (card["notice"], card["saved"]) == ("lost_taken", None)
    assert card["lease"] != late
    desk.act(office.workspace, office.ada, office.id, {**sent, "lease": "made up"}, state)
    assert state["notice"] == "lost_unknown"
    assert len([event for event in office.workspace.store.events(office.id) if event.kind == "rating"]) == 1
