"""A refusal that a rater may meet has a text in every language, whatever the store says of it in English."""

from __future__ import annotations

from pathlib import Path

from celeus_label.session import NotAllowed
from celeus_label.store import AlreadyRated, DatabaseAway, LeaseExpired, LeaseUnknown
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


def test_a_rating_that_was_saved_stays_saved_while_no_next_item_can_be_given(tmp_path: Path) -> None:
    office = Office(tmp_path / "work.db")
    state: dict[str, object] = {}
    lease = desk.view(office.workspace, office.ada, office.id, state)["lease"]
    sent = {"do": "rate", "lease": lease, "score": 2, "dwell_ms": 900}
    desk.act(office.workspace, office.ada, office.id, sent, state)
    for looked in range(2):  # the card is done with, and another one looks for the next by itself
        card = desk.meanwhile(DatabaseAway("x"), state)
        assert (card["mode"], card["notice"], card["saved"]["value"]) == ("idle", "trouble_next_away", "2")
        desk.act(office.workspace, office.ada, office.id, {"do": "look", "n": looked}, state)
    card = desk.view(office.workspace, office.ada, office.id, state)
    assert (card["mode"], card["notice"], card["saved"]["value"]) == ("rate", None, "2")
    # now there is an item in hand, whose rating nobody has sent yet
    card = desk.meanwhile(DatabaseAway("x"), state)
    assert (card["mode"], card["notice"]) == ("rate", "trouble_away")
    desk.refuse({"do": "rate", "n": 7}, DatabaseAway("x"), state)
    card = desk.view(office.workspace, office.ada, office.id, state)
    assert (card["answered"], card["notice"], card["saved"]) == (7, "trouble_away", None)
