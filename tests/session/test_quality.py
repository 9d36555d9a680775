"""Raters measured: agreement, gold and repeated items, items on which they differ; and none of it in the interval."""

from __future__ import annotations

from pathlib import Path

import pytest

from celeus_label.certificate import verify
from celeus_label.certify import Certifier, Design, replay
from celeus_label.session import Idle, StoreError, Task, Workspace
from tests.office import Office, pool_of


@pytest.fixture
def pair(tmp_path: Path) -> Office:
    """Two ratings an item, and a third where they differ by more than 1."""
    return Office(tmp_path / "pair.db", ratings_per_item=2, disagreement=1.0, width=0.3)


def disagree(office: Office, *pairs: tuple[int, int]) -> None:
    for one, two in pairs:
        office.rate(office.ada, one)
        office.rate(office.bob, two)


# --- items on which raters differ -------------------------------------------------------------------------


def test_a_further_rating_is_asked_for_and_enters_the_value(pair: Office) -> None:
    disagree(pair, (1, 5), (3, 4))
    seen = pair.workspace.monitor(pair.lead, pair.id)
    assert (seen.interval.ratings, seen.counts.contested, seen.counts.waiting) == (0, 1, 1)
    cid = pair.enter("rater")
    assert pair.rate(cid, 3).round == 1
    assert pair.workspace.monitor(pair.lead, pair.id).interval.ratings == 2


def test_a_lead_decides_and_the_interval_follows(pair: Office, tmp_path: Path) -> None:
    disagree(pair, (1, 5), (3, 4))
    (dispute,) = pair.workspace.disputes(pair.lead, pair.id)
    assert (dispute.round, [value for _, _, value, _ in dispute.ratings]) == (1, [1, 5])
    pair.workspace.adjudicate(pair.lead, pair.id, 1, 4)
    seen = pair.workspace.monitor(pair.lead, pair.id)
    assert (seen.interval.ratings, seen.counts.waiting) == (2, 0)
    events = pair.workspace.store.events(pair.id)
    assert events[-1].body == {"round": 1, "old": None, "new": 4, "by": pair.lead.person}
    assert replay(pool_of(60).pool, pair.info.design, events).interval == seen.interval
    again = Workspace(tmp_path / "pair.db", pair.clock)
    assert again.monitor(again.local(), pair.id).interval == seen.interval


@pytest.mark.parametrize(
    ("round", "value", "sentence"),
    [
        (2, 3, "draw 2: its ratings don't differ by more than the session allows"),
        (9, 3, "there is no draw 9"),
        (1, 6, "the value decided is 6, outside the scale 1 to 5 in steps of 1"),
        (1, 2.5, "the value decided is 2.5, between two steps of the scale"),
    ],
)
def test_what_a_lead_may_not_decide_changes_nothing(
    pair: Office, round: int, value: float, sentence: str
) -> None:
    disagree(pair, (1, 5), (3, 4))
    before = pair.workspace.store.events(pair.id)
    with pytest.raises((StoreError, ValueError), match=sentence):
        pair.workspace.adjudicate(pair.lead, pair.id, round, value)
    assert pair.workspace.store.events(pair.id) == before


def test_the_rules_are_frozen_in_the_design_and_its_first_event(pair: Office) -> None:
    body = pair.workspace.store.events(pair.id)[0].body
    assert body["design"]["disagreement"] == 1.0
    assert pair.info.design.disagreement == 1.0
    settings = pair.workspace.store.session(pair.id).settings
    assert (settings["disagreement"], settings["ratings_per_item"]) == (1.0, 2)


def test_a_disputed_session_exports_and_verifies_and_the_certificate_counts(
    pair: Office, tmp_path: Path
) -> None:
    cid = pair.enter("rater")
    stream = iter(range(10_000))
    while True:
        tasks = [(who, pair.workspace.claim(who, pair.id)) for who in (pair.ada, pair.bob, cid)]
        working = [(who, task) for who, task in tasks if isinstance(task, Task)]
        if not working:
            break
        for who, task in working:
            pair.workspace.rate(who, pair.id, task.lease, (1, 2, 4, 2)[next(stream) % 4], 100)
    disputes = pair.workspace.disputes(pair.lead, pair.id)
    assert len(disputes) > 2
    pair.workspace.adjudicate(pair.lead, pair.id, disputes[0].round, 2)
    bundle = pair.workspace.export(pair.lead, pair.id, tmp_path / "bundle.zip")
    verdict = verify(bundle)
    assert verdict.valid, verdict.differences
    assert verdict.claim is not None
    assert (verdict.claim.disputed, verdict.claim.decided, verdict.claim.late_changes) == (
        len(disputes),
        1,
        1,
    )
    page = pair.workspace.certificate_page(pair.lead, pair.id, "rating", "answers")
    assert f"<td>{len(disputes)}, of which the lead decided 1</td>" in page
    assert "whose value the lead decided: 1." in page


# --- corrections ------------------------------------------------------------------------------------------


def rate_until_it_stops(office: Office) -> Idle:
    while isinstance(task := office.workspace.claim(office.ada, office.id), Task):
        office.workspace.rate(office.ada, office.id, task.lease, 2 + task.round % 3, 100)
    return task


def test_corrections_after_the_stop_are_taken_and_are_on_the_certificate(tmp_path: Path) -> None:
    office = Office(tmp_path / "stopped.db", width=0.4)
    office.rate(office.ada, 5)
    office.workspace.correct(office.ada, office.id, 1, 4)
    assert rate_until_it_stops(office).reason == "stopped"
    before = office.workspace.monitor(office.lead, office.id).interval
    office.workspace.correct(office.ada, office.id, 2, 5)
    office.workspace.correct(office.lead, office.id, 3, 5, rater=office.ada.person)
    after = office.workspace.monitor(office.lead, office.id).interval
    assert after != before
    events = [event.body for event in office.workspace.store.events(office.id) if event.kind == "correction"]
    assert [(body["rater"], body["by"]) for body in events] == [
        (office.ada.person, office.ada.person),
        (office.ada.person, office.ada.person),
        (office.ada.person, office.lead.person),
    ]
    verdict = verify(office.workspace.export(office.lead, office.id, tmp_path / "bundle.zip"))
    assert verdict.valid, verdict.differences
    assert verdict.claim is not None
    assert (verdict.claim.corrections, verdict.claim.late_changes) == (3, 2)
    told = office.workspace.certificate(office.lead, office.id, "rating", "answers").not_claimed
    assert any("after a stopping rule had fired: 2." in sentence for sentence in told)


def test_a_correction_that_widens_the_interval_opens_the_session_again(tmp_path: Path) -> None:
    office = Office(tmp_path / "again.db", size=120, width=0.35)
    while isinstance(task := office.workspace.claim(office.ada, office.id), Task):
        office.workspace.rate(office.ada, office.id, task.lease, 3, 100)
    last = task
    assert last.reason == "stopped"
    for round in (1, 2, 3, 4, 5, 6):
        office.workspace.correct(office.ada, office.id, round, 1 if round % 2 else 5)
    assert office.workspace.monitor(office.lead, office.id).interval.status == "open"
    assert isinstance(office.workspace.claim(office.ada, office.id), Task)


# --- the queue --------------------------------------------------------------------------------------------


def test_the_monitor_names_the_draw_that_others_wait_for_and_its_holder_who_can_be_relieved(
    tmp_path: Path,
) -> None:
    office = Office(tmp_path / "slow.db")
    slow = office.take(office.ada)
    for value in (2, 3, 4):
        office.rate(office.bob, value)
    counts = office.workspace.monitor(office.lead, office.id).counts
    assert (counts.first_open, counts.waiting) == (1, 3)
    assert [(held.name, held.expires) for held in counts.blocking] == [("a rater", slow.expires)]
    assert office.workspace.take_back(office.lead, office.id, 1) == 1
    assert office.workspace.monitor(office.lead, office.id).counts.blocking == ()
    assert office.rate(office.bob, 5).round == 1
    assert office.workspace.monitor(office.lead, office.id).interval.ratings == 4
    with pytest.raises(StoreError, match="finished by others"):
        office.workspace.rate(office.ada, office.id, slow.lease, 1, 100)


# --- gold and repeated items ------------------------------------------------------------------------------


def answer_all(office: Office, answers: dict[str, float]) -> None:
    """Ada's whole session; items that are not in `answers` get a 3."""
    while isinstance(task := office.workspace.claim(office.ada, office.id), Task):
        value = answers.get(office.workspace.item_id(office.id, task), 3)
        office.workspace.rate(office.ada, office.id, task.lease, value, 1000)


@pytest.fixture
def golden(tmp_path: Path) -> Office:
    return Office(tmp_path / "gold.db", size=60, gold=20, gold_rate=0.4, repeat_rate=0.2, width=0.001)


def test_gold_and_repeated_items_are_no_part_of_the_interval(golden: Office, tmp_path: Path) -> None:
    assert golden.info.items == 60
    answer_all(golden, {f"g{n}": 1 + n % 5 for n in range(20)} | {f"i{n}": 1 + n % 5 for n in range(60)})
    seen = golden.workspace.monitor(golden.lead, golden.id)
    assert (seen.interval.ratings, seen.counts.ratings, seen.draws) == (60, 60, 60)
    controls = golden.workspace.controls(golden.lead, golden.id)
    assert {row.of for row in controls} == {"gold", "repeat"}
    # a session on the same pool that never heard of gold ends with the same interval, to the last bit
    pool = pool_of(60).pool
    certifier = Certifier(pool, Design(seed=3, width=0.001))
    while not certifier.stopped:
        draw = certifier.ask()
        certifier.tell(draw, 1 + int(draw.item_id[1:]) % 5)
    assert seen.interval == certifier.interval
    verdict = verify(golden.workspace.export(golden.lead, golden.id, tmp_path / "bundle.zip"))
    assert verdict.valid, verdict.differences
    assert verdict.claim is not None
    assert (verdict.claim.ratings, verdict.claim.items) == (60, 60)


def test_how_a_rater_did_is_told_to_leads(golden: Office) -> None:
    answer_all(golden, {f"g{n}": 1 + n % 5 for n in range(20)} | {"g0": 3, "g5": 2})
    (report,) = golden.workspace.rater_reports(golden.lead, golden.id)
    assert (report.name, report.ratings, report.median_ms) == ("a rater", 60, 1000)
    assert report.gold is not None
    assert report.repeats is not None
    given = {row.item_id for row in golden.workspace.controls(golden.lead, golden.id) if row.of == "gold"}
    wrong = {"g0": 2, "g5": 1}  # by how much the rating is above the answer
    off = sum(wrong[item] for item in given & set(wrong))
    count = report.gold.items
    assert count == len(given) > 10
    assert report.gold.off == report.gold.bias == pytest.approx(off / count)
    assert report.gold.same == pytest.approx(1 - len(given & set(wrong)) / count)
    assert (report.repeats.same, report.repeats.off, report.repeats.bias) == (1, 0, 0)
    assert report.agreement is not None
    assert report.agreement.interval.why == "no item of this rater has a rating by another"


def test_a_gold_task_looks_like_any_other(golden: Office) -> None:
    kinds = set()
    for _ in range(40):
        task = golden.take(golden.ada)
        kinds.add(task.round < 0)
        assert (task.expires - golden.clock.now).total_seconds() == 300
        golden.workspace.rate(golden.ada, golden.id, task.lease, 4, 100)
        last = golden.workspace.recent(golden.ada, golden.id, limit=1)[0]
        assert (last.prompt, last.response, last.value) == (task.prompt, task.response, 4)
        golden.workspace.correct(golden.ada, golden.id, last.round, 2)
        assert golden.workspace.recent(golden.ada, golden.id, limit=1)[0].value == 2
    assert kinds == {True, False}
    assert golden.workspace.own_work(golden.ada, golden.id).ratings == 40
    assert golden.take(golden.ada).own_today == 40


def test_gold_answers_are_not_in_the_ledger_and_their_hash_is(golden: Office) -> None:
    body = golden.workspace.store.events(golden.id)[0].body
    assert body["controls"] | {"gold_hash": ""} == {
        "gold": 20,
        "gold_hash": "",
        "gold_rate": 0.4,
        "repeat_rate": 0.2,
    }
    assert len(body["controls"]["gold_hash"]) == 64


# --- agreement --------------------------------------------------------------------------------------------


def test_agreement_is_of_the_ratings_as_they_stand(pair: Office) -> None:
    disagree(pair, (2, 2), (3, 4), (5, 5), (1, 1))
    overall = pair.workspace.agreement(pair.lead, pair.id)
    assert (overall.items, overall.percent.value) == (4, 0.75)
    reports = pair.workspace.rater_reports(pair.lead, pair.id)
    assert [one.agreement.percent.value for one in reports if one.agreement is not None] == [0.75, 0.75]
    pair.workspace.correct(pair.ada, pair.id, 2, 4)
    overall = pair.workspace.agreement(pair.lead, pair.id)
    assert (overall.percent.value, overall.nominal.value, overall.interval.value) == (1, 1, 1)


def test_a_session_without_two_ratings_an_item_says_why_there_is_no_agreement(tmp_path: Path) -> None:
    office = Office(tmp_path / "single.db")
    office.rate(office.ada, 3)
    overall = office.workspace.agreement(office.lead, office.id)
    assert (overall.interval.value, overall.interval.why) == (None, "no item has ratings by two raters")
