"""The session layer: who may do what, and how the store and the statistics meet."""

from __future__ import annotations

from pathlib import Path

import pytest

from celeus_label.certify import Design, replay
from celeus_label.session import Identity, Idle, NotAllowed, Task, Workspace
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


LEADS_ONLY = {
    "monitor": lambda w, who, s: w.monitor(who, s),
    "go_on": lambda w, who, s: w.go_on(who, s, 0.2),
    "export": lambda w, who, s: w.export(who, s, "never.zip"),
    "take_back": lambda w, who, s: w.take_back(who, s, 1),
    "invite": lambda w, who, s: w.invite(who, "rater", s, "x"),
    "invites": lambda w, who, s: w.invites(who, s),
    "revoke": lambda w, who, s: w.revoke(who, s, "0" * 64),
    "remarks": lambda w, who, s: w.remarks(who, s),
    "create": lambda w, who, s: w.create(who, "other", pool_of(5), Design()),
    "agreement": lambda w, who, s: w.agreement(who, s),
    "rater_reports": lambda w, who, s: w.rater_reports(who, s),
    "controls": lambda w, who, s: w.controls(who, s),
    "disputes": lambda w, who, s: w.disputes(who, s),
    "adjudicate": lambda w, who, s: w.adjudicate(who, s, 1, 3),
    "correct another's": lambda w, who, s: w.correct(who, s, 1, 3, "somebody"),
    "backup": lambda w, who, s: w.backup(who, "never.db"),
    "doctor": lambda w, who, s: w.doctor(who),
}
RATERS = {
    "claim": lambda w, who, s: w.claim(who, s),
    "rate": lambda w, who, s: w.rate(who, s, "lease", 3, 100),
    "later": lambda w, who, s: w.later(who, s, "lease"),
    "unratable": lambda w, who, s: w.unratable(who, s, "lease", "empty"),
    "renew": lambda w, who, s: w.renew(who, s, "lease"),
    "save_draft": lambda w, who, s: w.save_draft(who, s, "lease", "x"),
    "recent": lambda w, who, s: w.recent(who, s),
    "own_work": lambda w, who, s: w.own_work(who, s),
    "correct": lambda w, who, s: w.correct(who, s, 1, 3),
    "session": lambda w, who, s: w.session(who, s),
}


@pytest.mark.parametrize("action", LEADS_ONLY)
def test_a_rater_may_do_nothing_that_is_a_leads(office: Office, action: str) -> None:
    with pytest.raises(NotAllowed):
        LEADS_ONLY[action](office.workspace, office.ada, office.id)


@pytest.mark.parametrize("action", {**LEADS_ONLY, **RATERS})
def test_nobody_acts_in_a_session_that_is_not_theirs(office: Office, action: str) -> None:
    other = office.workspace.create(office.workspace.local(), "other session", pool_of(9), Design())
    stranger = office.enter("lead", other.id)
    with pytest.raises(NotAllowed):
        {**LEADS_ONLY, **RATERS}[action](office.workspace, stranger, office.id)


@pytest.mark.parametrize("action", {**LEADS_ONLY, **RATERS})
def test_a_revoked_link_ends_at_the_next_action(office: Office, action: str) -> None:
    for invite in office.workspace.invites(office.workspace.local(), office.id):
        office.workspace.revoke(office.workspace.local(), office.id, invite.id)
    with pytest.raises(NotAllowed):
        {**LEADS_ONLY, **RATERS}[action](office.workspace, office.lead, office.id)


def test_a_forged_role_is_found_out(office: Office) -> None:
    forged = Identity(office.ada.person, office.ada.name, "lead", office.id, office.ada.invite)
    with pytest.raises(NotAllowed):
        office.workspace.monitor(forged, office.id)


def test_an_expired_or_unknown_token_signs_nobody_in(office: Office) -> None:
    token = office.workspace.invite(office.lead, "rater", office.id, "late", days=1)
    office.clock.pass_time(days=2)
    assert office.workspace.sign_in(token) is None
    assert office.workspace.sign_in("no such token") is None


def test_signing_out_gives_the_item_back(office: Office) -> None:
    task = office.take(office.ada)
    office.workspace.sign_out(office.ada)
    assert office.take(office.bob).round == task.round


def test_a_design_that_the_pool_cannot_reach_is_refused_and_nothing_is_stored(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "empty.db")
    with pytest.raises(ValueError, match=r"out of reach for the population of a pool of 60 items"):
        workspace.create(workspace.local(), "too small", pool_of(60), Design(target="population", width=0.05))
    assert workspace.sessions(workspace.local()) == []
