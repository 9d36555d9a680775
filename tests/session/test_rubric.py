"""A rubric of several aspects from the set-up to the bundle, as rater and lead meet it."""

from __future__ import annotations

from pathlib import Path

import pytest

from celeus_label.certificate import verify
from celeus_label.certify import Aspect, Scale
from celeus_label.certify.aspects import aspect_intervals
from celeus_label.ui import desk
from tests.office import Office

ASPECTS = (Aspect("tone", Scale(1, 3, 1, ("rude", "plain", "kind"))), Aspect("a length", Scale(0, 100)))


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path / "work.db", aspects=ASPECTS, main_aspect="help", width=0.3)


def give(office: Office, value: float, tone: float, length: float) -> None:
    task = office.take(office.ada)
    aspects = {"tone": tone, "a length": length}
    office.workspace.rate(office.ada, office.id, task.lease, value, 900, aspects=aspects)


def test_each_rating_has_a_value_of_every_aspect_and_the_monitor_an_interval(office: Office) -> None:
    for n in range(30):
        give(office, 1 + n % 5, 1 + n % 3, 3 * n)
    state = office.workspace.monitor(office.lead, office.id)
    assert [one.name for one in state.aspects] == ["tone", "a length"]
    with office.workspace._certifier(office.id) as certifier:
        assert list(state.aspects) == aspect_intervals(certifier, office.workspace._loaded(office.id).design)
    certificate = office.workspace.certificate(office.lead, office.id, "rating", "answers")
    assert certificate.claim.aspects == state.aspects
    assert certificate.claim.main_aspect == "help"


def test_what_is_missing_or_off_its_scale_is_refused_and_nothing_stored(office: Office) -> None:
    task = office.take(office.ada)
    for aspects, told in (
        (None, "the values of the aspects are missing"),
        ({"tone": 1}, "the value of the aspect a length is missing"),
        ({"tone": 4, "a length": 1}, "tone is 4, outside the scale"),
        ({"tone": 1, "a length": 1, "x": 1}, "there is no aspect 'x'"),
    ):
        with pytest.raises(ValueError, match=told):
            office.workspace.rate(office.ada, office.id, task.lease, 3, 900, aspects=aspects)
    assert not [event for event in office.workspace.store.events(office.id) if event.kind == "rating"]


def test_a_correction_may_change_an_aspect_alone_and_keeps_what_it_does_not_name(office: Office) -> None:
    give(office, 4, 2, 50)
    office.workspace.correct(office.ada, office.id, 1, 4, aspects={"tone": 3, "a length": 50})
    office.workspace.correct(office.lead, office.id, 1, 2, rater=office.ada.person)  # the main value alone
    bodies = [event.body for event in office.workspace.store.events(office.id) if event.kind == "correction"]
    assert [(body["old"], body["new"], body["answer"]["aspects"]) for body in bodies] == [
        (4, 4, {"tone": 3, "a length": 50}),
        (4, 2, {"tone": 3, "a length": 50}),
    ]
    (own,) = office.workspace.recent(office.ada, office.id)
    assert (own.value, own.aspects) == (2, {"tone": 3, "a length": 50})
    assert office.workspace.doctor(office.workspace.local()) == []
    told = [
        (one.old, one.old_aspects, one.new, one.new_aspects)
        for one in office.workspace.corrections(office.lead, office.id)
    ]
    assert told == [  # newest first
        (4, {"tone": 3, "a length": 50}, 2, {"tone": 3, "a length": 50}),
        (4, {"tone": 2, "a length": 50}, 4, {"tone": 3, "a length": 50}),
    ]


def test_half_a_character_in_a_comment_costs_no_rating(office: Office) -> None:
    state: dict[str, object] = {}
    card = desk.view(office.workspace, office.ada, office.id, state)
    half = {"lease": card["lease"], "comment": "half \ud83d", "flag": False}
    desk.act(office.workspace, office.ada, office.id, {"do": "draft", **half, "n": 1}, state)
    assert desk.view(office.workspace, office.ada, office.id, state)["draft"]["comment"] == "half \ufffd"
    scores = {"score": 4, "aspects": {"tone": 1, "a length": 70}, "dwell_ms": 900}
    desk.act(office.workspace, office.ada, office.id, {"do": "rate", **half, **scores, "n": 2}, state)
    (remark,) = office.workspace.remarks(office.lead, office.id)
    assert remark.comment == "half \ufffd"
    card = desk.view(office.workspace, office.ada, office.id, state)
    report = {"do": "unratable", "lease": card["lease"], "reason": "other", "text": "\udc00", "n": 3}
    desk.act(office.workspace, office.ada, office.id, report, state)
    assert office.workspace.store.events(office.id)[-1].body["text"] == "\ufffd"


def test_the_card_goes_through_the_aspects_in_the_order_of_the_design(office: Office) -> None:
    state: dict[str, object] = {}
    card = desk.view(office.workspace, office.ada, office.id, state)
    assert [part["name"] for part in card["rubric"]] == ["help", "tone", "a length"]
    assert [part["options"] is None for part in card["rubric"]] == [False, False, True]
    draft = {
        "do": "draft",
        "lease": card["lease"],
        "comment": "",
        "flag": False,
        "given": [4, None, "7"],
        "n": 1,
    }
    desk.act(office.workspace, office.ada, office.id, draft, state)
    card = desk.view(office.workspace, office.ada, office.id, state)
    assert card["draft"]["given"] == [4, None, "7"]
    for hostile, kept in (
        ([float("nan"), {}, "x" * 99], ["nan", None, "x" * 40]),
        ("4", None),
        ([1] * 99, None),
    ):
        desk.act(office.workspace, office.ada, office.id, draft | {"given": hostile}, state)
        assert desk.view(office.workspace, office.ada, office.id, state)["draft"].get("given") == kept
    sent = {
        "do": "rate",
        "lease": card["lease"],
        "score": 4,
        "aspects": {"tone": 1, "a length": 70},
        "dwell_ms": 900,
    }
    desk.act(office.workspace, office.ada, office.id, {**sent, "n": 2}, state)
    assert state["saved"]["value"] == "4 · 1 · 70"  # type: ignore[index]
    desk.act(office.workspace, office.ada, office.id, {"do": "undo", "n": 3}, state)
    card = desk.view(office.workspace, office.ada, office.id, state)
    assert (card["was"], card["was_text"]) == ([4, 1, 70], "4 · 1 · 70")
    for hostile in (None, "x", [1], {"tone": "x", "a length": 1}, {"tone": {}, "a length": 1}):
        desk.act(
            office.workspace,
            office.ada,
            office.id,
            {**sent, "do": "correct", "aspects": hostile, "n": 4},
            state,
        )
        desk.view(office.workspace, office.ada, office.id, state)
    assert len([e for e in office.workspace.store.events(office.id) if e.kind == "correction"]) == 0


def test_a_session_is_certified_with_its_aspects(office: Office, tmp_path: Path) -> None:
    while office.workspace.monitor(office.lead, office.id).interval.status == "open":
        give(office, 4, 2, 0)
    verdict = verify(office.workspace.export(office.lead, office.id, tmp_path / "bundle.zip"))
    assert verdict.differences == []
    assert verdict.claim is not None
    tone, length = verdict.claim.aspects
    assert tone.lower <= 2 <= tone.upper
    assert length.lower == 0
    assert tone.alpha == length.alpha == 0.025
