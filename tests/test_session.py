"""The session layer: who may do what, and how the store and the statistics meet."""

from __future__ import annotations

from pathlib import Path

import pytest

from celeus_label.certify import Design, replay
from celeus_label.session import Idle, Task, Workspace
from celeus_label.store import StoreError
from tests.office import Office, pool_of


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path / "work.db")


def test_a_rating_reaches_the_interval_and_survives_a_restart(office: Office, tmp_path: Path) -> None:
    for value in (1, 5, 3):
        office.rate(office.ada, value)
    seen = office.workspace.monitor(office.lead, office.id)
    assert seen.interval.ratings == 3
    again = Workspace(tmp_path / "work.db", office.clock)
    assert again.monitor(again.local(), office.id).interval == seen.interval


def test_the_monitor_agrees_with_a_replay_of_the_ledger(office: Office) -> None:
    for n in range(25):
        office.rate(office.ada if n % 2 else office.bob, 1 + n % 5)
    office.workspace.correct(office.ada, office.id, 2, 5)
    live = office.workspace.monitor(office.lead, office.id).interval
    again = replay(pool_of(60).pool, office.info.design, office.workspace.store.events(office.id))
    assert again.interval == live


def test_an_item_put_off_by_one_is_offered_to_another_and_ratings_wait_for_it(office: Office) -> None:
    first = office.take(office.ada)
    second = office.rate(office.bob, 4)
    assert (first.round, second.round) == (1, 2)
    seen = office.workspace.monitor(office.lead, office.id)
    assert (seen.interval.ratings, seen.counts.waiting) == (0, 1)
    office.workspace.later(office.ada, office.id, first.lease)
    again = office.rate(office.bob, 2)
    assert again.round == 1
    assert office.workspace.monitor(office.lead, office.id).interval.ratings == 2


def test_a_rater_gets_the_same_item_after_a_reload_and_another_after_rating(office: Office) -> None:
    task = office.take(office.ada)
    office.workspace.save_draft(office.ada, office.id, task.lease, "half a thought")
    again = office.take(office.ada)
    assert (again.lease, again.draft) == (task.lease, "half a thought")
    office.workspace.rate(office.ada, office.id, task.lease, 3, 100)
    assert office.take(office.ada).round != task.round


def test_a_second_press_changes_nothing(office: Office) -> None:
    task = office.rate(office.ada, 2)
    office.workspace.rate(office.ada, office.id, task.lease, 5, 100)
    assert [row.value for row in office.workspace.recent(office.ada, office.id)] == [2]


@pytest.mark.parametrize("value", [0, 6, 2.5, float("nan"), float("inf")])
def test_a_rating_off_the_scale_is_refused_and_the_lease_stays(office: Office, value: float) -> None:
    task = office.take(office.ada)
    with pytest.raises(ValueError, match=r"the rating is .* scale"):
        office.workspace.rate(office.ada, office.id, task.lease, value, 100)
    assert office.take(office.ada).lease == task.lease


def test_a_lease_that_somebody_else_took_over_is_refused_in_words(office: Office) -> None:
    task = office.take(office.ada)
    office.clock.pass_time(minutes=6)
    taken = office.take(office.bob)
    assert taken.round == task.round
    with pytest.raises(StoreError):
        office.workspace.rate(office.ada, office.id, task.lease, 3, 100)
    office.workspace.rate(office.bob, office.id, taken.lease, 4, 100)
    assert len(office.workspace.recent(office.bob, office.id)) == 1


def test_a_stopped_session_thanks_its_raters_and_goes_on_to_a_smaller_width(tmp_path: Path) -> None:
    office = Office(tmp_path / "small.db", size=40, width=0.5)
    while isinstance(task := office.workspace.claim(office.ada, office.id), Task):
        office.workspace.rate(office.ada, office.id, task.lease, 3, 100)
    assert task.reason == "stopped"
    before = office.workspace.monitor(office.lead, office.id).interval
    assert before.status == "target met"
    office.workspace.go_on(office.lead, office.id, 0.2)
    assert isinstance(office.workspace.claim(office.ada, office.id), Task)
    assert office.workspace.monitor(office.lead, office.id).design.width == 0.2


def test_every_item_rated_is_the_end(tmp_path: Path) -> None:
    office = Office(tmp_path / "tiny.db", size=4, width=0.001)
    for value in (1, 2, 3, 4):
        office.rate(office.ada, value)
    idle = office.workspace.claim(office.ada, office.id)
    assert isinstance(idle, Idle)
    interval = office.workspace.monitor(office.lead, office.id).interval
    assert interval.lower == pytest.approx(2.5)
    assert interval.upper == pytest.approx(2.5)


def test_a_task_tells_a_rater_nothing_but_the_texts(office: Office) -> None:
    task = office.take(office.ada)
    told = {**vars(task)}
    item = office.workspace.store.item(
        1, next(row.position for row in office.workspace.store.pool_items(1) if row.prompt == task.prompt)
    )
    for secret in (item.item_id, item.extra["groups"]["system"]):
        assert secret not in {value for value in told.values() if isinstance(value, str)}
    assert not {"judge", "extra", "item_id", "position", "interval"} & set(told)


def test_an_expired_or_unknown_token_signs_nobody_in(office: Office) -> None:
    token = office.workspace.invite(office.lead, "rater", office.id, "late", days=1)
    office.clock.pass_time(days=2)
    assert office.workspace.sign_in(token) is None
    assert office.workspace.sign_in("no such token") is None


@pytest.mark.parametrize(
    ("role", "days", "sentence"),
    [
        ("boss", 30, "role 'boss' is none of rater, lead, admin"),
        ("lead", 0, "at most 3,650 days, got 0"),
        ("lead", -1, "at most 3,650 days, got -1"),
        ("lead", float("nan"), "at most 3,650 days, got nan"),
        ("lead", 1e300, r"at most 3,650 days, got 1e\+300"),
    ],
)
def test_an_invitation_that_is_refused_leaves_nobody_behind(
    office: Office, role: str, days: float, sentence: str
) -> None:
    local = office.workspace.local()
    before = office.workspace.people(local)
    with pytest.raises(ValueError, match=sentence):
        office.workspace.invite(local, role, office.id, "nobody", days)
    assert office.workspace.people(local) == before


def test_signing_out_gives_the_item_back(office: Office) -> None:
    task = office.take(office.ada)
    office.workspace.sign_out(office.ada)
    assert office.take(office.bob).round == task.round


def test_a_design_that_the_pool_cannot_reach_is_refused_and_nothing_is_stored(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "empty.db")
    with pytest.raises(ValueError, match=r"out of reach for the population of a pool of 60 items"):
        workspace.create(workspace.local(), "too small", pool_of(60), Design(target="population", width=0.05))
    assert workspace.sessions(workspace.local()) == []
