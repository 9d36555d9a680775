"""What leads see and do while a session runs: forecast, slices, calibration, stopping, archive, certificate."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest

from celeus_label.certificate import verify
from celeus_label.certify import Design, Scale, replay
from celeus_label.certify.slices import slices
from celeus_label.ingest import guess_mapping, load, read_table
from celeus_label.session import Idle, NotAllowed, Task, Workspace
from celeus_label.session.thinning import kept
from tests.test_session import Office, pool_of


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path / "work.db", 400, width=0.3)


def answer(office: Office, count: int, seconds: float = 10) -> None:
    rng = np.random.default_rng(4)
    for _ in range(count):
        office.clock.pass_time(seconds=seconds)
        office.rate(office.ada, int(rng.integers(1, 6)))


def test_the_forecast_comes_with_the_pace_and_breaks_count_as_five_minutes(office: Office) -> None:
    office.workspace.go_on(office.lead, office.id, 0.05)
    before = office.workspace.outlook(office.lead, office.id)
    assert (before.forecast, before.seconds, before.without_judge) == (None, None, None)
    answer(office, 30)
    seen = office.workspace.outlook(office.lead, office.id)
    assert seen.seconds == pytest.approx(10)
    assert seen.forecast is not None
    assert 0 < seen.forecast.low <= seen.forecast.ratings <= seen.forecast.high
    assert seen.without_judge is not None
    office.clock.pass_time(hours=10)
    answer(office, 1)
    after = office.workspace.outlook(office.lead, office.id)
    assert after.seconds == pytest.approx((29 * 10 + 300) / 30)
    again = Workspace(office.workspace.store.path, office.clock)
    assert again.outlook(again.local(), office.id) == after


def test_forecast_slices_and_calibration_are_for_leads_alone(office: Office) -> None:
    answer(office, 3)
    for action in (
        lambda who: office.workspace.outlook(who, office.id),
        lambda who: office.workspace.slices(who, office.id, "system"),
        lambda who: office.workspace.calibration(who, office.id),
        lambda who: office.workspace.stop_at(who, office.id, budget=1),
        lambda who: office.workspace.archive(who, office.id),
        lambda who: office.workspace.certificate(who, office.id, "rating", "answers"),
        lambda who: office.workspace.certificate_page(who, office.id, "rating", "answers"),
        lambda who: office.workspace.learnt(who, office.id),
    ):
        with pytest.raises(NotAllowed):
            action(office.ada)
        action(office.lead)


def test_slices_are_those_of_a_replay_and_new_with_each_rating(office: Office) -> None:
    answer(office, 40)
    found = office.workspace.slices(office.lead, office.id, "system")
    assert [one.name for one in found] == ["s0", "s1", "s2"]
    assert sum(one.rated for one in found) == 40
    pool = pool_of(400).pool
    again = replay(pool, office.info.design, office.workspace.store.events(office.id))
    assert slices(again, office.info.design, pool.groups["system"]) == found
    assert office.workspace.slices(office.lead, office.id, "system") is found
    answer(office, 1)
    assert sum(one.rated for one in office.workspace.slices(office.lead, office.id, "system")) == 41
    with pytest.raises(ValueError, match="no column 'topic'"):
        office.workspace.slices(office.lead, office.id, "topic")


def test_calibration_has_a_bin_for_each_stretch_of_the_judge(office: Office) -> None:
    answer(office, 40)
    found = office.workspace.calibration(office.lead, office.id)
    assert found.judge.tolist() == [1, 2, 3, 4, 5]
    assert sum(one.items for one in found.bins) == 400
    assert all(one.lower <= one.estimate <= one.upper for one in found.bins)
    interval = office.workspace.monitor(office.lead, office.id).interval
    mean = float(pool_of(400).pool.judge.mean())
    assert found.bias == pytest.approx((mean - interval.upper, mean - interval.lower))


def test_no_more_items_are_given_out_than_the_budget_allows_while_one_is_held(office: Office) -> None:
    office.workspace.stop_at(office.lead, office.id, budget=3)
    held = office.take(office.ada)
    office.rate(office.bob, 4)
    office.rate(office.bob, 4)
    idle = office.workspace.claim(office.bob, office.id)
    assert isinstance(idle, Idle)
    assert (idle.reason, idle.held) == ("held by others", 1)
    office.workspace.rate(office.ada, office.id, held.lease, 2, 1500)
    interval = office.workspace.monitor(office.lead, office.id).interval
    assert (interval.status, interval.ratings) == ("budget spent", 3)
    last = office.workspace.claim(office.ada, office.id)
    assert isinstance(last, Idle)
    assert last.reason == "finished"  # not "stopped": raters would be told that the target is met


def test_a_budget_set_later_stops_the_session_and_the_bundle_says_so(office: Office, tmp_path: Path) -> None:
    answer(office, 5)
    office.workspace.stop_at(office.lead, office.id, budget=5)
    assert office.workspace.monitor(office.lead, office.id).interval.status == "budget spent"
    assert isinstance(office.workspace.claim(office.ada, office.id), Idle)
    certificate = office.workspace.certificate(office.lead, office.id, "helpfulness", "answers")
    assert certificate.claim.stopping_rule == "budget of 5 items"
    assert certificate.deviations[-1][1] == "stop at: budget 5"
    assert "The mean helpfulness of this pool of 400 answers" in certificate.sentence
    path = office.workspace.export(office.lead, office.id, tmp_path / "bundle.zip")
    assert verify(path).status == "VALID"
    office.workspace.stop_at(office.lead, office.id)
    assert isinstance(office.workspace.claim(office.ada, office.id), Task)


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [({"above": 7.0}, "above is 7, outside the scale 1 to 5"), ({"budget": 0}, "at least 1 item")],
)
def test_a_stopping_rule_that_makes_no_sense_is_refused(
    office: Office, rules: dict[str, float], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        office.workspace.stop_at(office.lead, office.id, **rules)  # type: ignore[arg-type]
    assert len(office.workspace.store.events(office.id)) == 1


def test_the_certificate_page_tells_what_stood_in_for_scores_and_which_rules_came_later(
    office: Office,
) -> None:
    table = read_table(b"item_id,prompt,response,judge_score\na,P,R,4\nb,P,S,\nc,P,T,1\n", "gaps.csv")
    loaded = load(table, guess_mapping(table), Scale(1, 5, step=1), missing_judge="mean")
    made = office.workspace.create(office.workspace.local(), "gaps", loaded, Design(seed=1))
    lead = office.enter("lead", made.id)
    office.workspace.go_on(lead, made.id, 0.2)
    office.workspace.stop_at(lead, made.id, above=4.0, budget=2)
    page = office.workspace.certificate_page(lead, made.id, "helpfulness", "answers")
    rows = dict(re.findall(r"<tr><td>(.*?)</td><td>(.*?)</td></tr>", page.split("<h2>Deviations</h2>")[1]))
    assert rows["Judge&#x27;s scores that were missing"] == "1; the mean of the others, 2.5, stands in"
    changed = [(name, value) for name, value in re.findall(r"<td>(Changed .*?)</td><td>(.*?)</td>", page)]
    assert changed == [
        ("Changed 2026-03-01 09:00:00 UTC", "width 0.2 of the scale"),
        ("Changed 2026-03-01 09:00:00 UTC", "stop at: above 4, budget 2"),
    ]
    shown = office.workspace.certificate(lead, made.id, "helpfulness", "answers").deviations
    assert shown[-2:] == changed


def test_an_archived_session_gives_out_nothing_until_it_is_taken_back(office: Office, tmp_path: Path) -> None:
    answer(office, 3)
    office.workspace.archive(office.lead, office.id)
    assert office.workspace.session(office.lead, office.id).archived
    idle = office.workspace.claim(office.ada, office.id)
    assert isinstance(idle, Idle)
    assert idle.reason == "archived"
    path = office.workspace.export(office.lead, office.id, tmp_path / "bundle.zip")
    assert verify(path).status == "VALID"
    office.workspace.archive(office.lead, office.id, False)
    assert isinstance(office.workspace.claim(office.ada, office.id), Task)


def test_the_next_session_begins_with_what_the_last_one_learnt(office: Office) -> None:
    office.workspace.go_on(office.lead, office.id, 0.05)
    assert office.workspace.learnt(office.lead, office.id) is None
    answer(office, 60)
    warm = office.workspace.learnt(office.lead, office.id)
    assert warm is not None
    assert warm["source"] == "helpful"
    design = dataclasses.replace(Design(seed=8), warm_start=warm)
    local = office.workspace.local()
    following = office.workspace.create(local, "next", pool_of(401), design)
    assert following.design.warm_start == warm


def test_thinning_keeps_every_spike() -> None:
    values = np.zeros(50_000)
    values[[17, 31_234]] = 1, -1
    places = kept(values, 2000)
    assert len(places) <= 2000
    assert {0, 17, 31_234, 49_999} <= set(places)
