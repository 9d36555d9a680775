from __future__ import annotations

from collections.abc import Callable

import pytest

from celeus_label.store import AlreadyRated, LeaseExpired, LeaseUnknown, NotFound
from tests.store.desk import Desk, Refused, behind_its_back


def test_a_rating_is_stored_and_its_draw_done(desk: Desk) -> None:
    claim = desk.claim(desk.ann)
    saved = desk.store.rate(claim.lease, desk.ann, 4, 2100, desk.now, comment="clear")
    assert (saved.session, saved.round, saved.value, saved.at) == (desk.session, 1, 4.0, desk.now)
    event = desk.store.events(desk.session)[-1]
    assert (event.kind, event.at) == ("rating", "2026-11-29T12:00:00.000000+00:00")
    assert event.body == {
        "round": 1,
        "rater": desk.ann,
        "value": 4.0,
        "duration_ms": 2100,
        "comment": "clear",
    }
    assert desk.counts().done == 1


def test_zero_is_a_value(desk: Desk) -> None:
    assert desk.rate(desk.claim(desk.ann), desk.ann, 0).value == 0
    assert desk.store.recent(desk.session, desk.ann)[0].value == 0


def test_a_double_submit_changes_nothing_and_returns_the_first_receipt(desk: Desk) -> None:
    claim = desk.claim(desk.ann)
    first = desk.rate(claim, desk.ann, 2)
    desk.pass_time(1)
    assert desk.rate(claim, desk.ann, 5) == first
    desk.store.correct(desk.session, 1, desk.ann, 4, by=desk.ann, now=desk.now)
    assert desk.rate(claim, desk.ann, 5) == first
    assert desk.kinds() == ["design", "draw", "rating", "correction"]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_value_that_is_no_number_is_refused(desk: Desk, value: float) -> None:
    claim = desk.claim(desk.ann)
    with pytest.raises(ValueError, match="must be a finite number"):
        desk.rate(claim, desk.ann, value)
    with pytest.raises(ValueError, match="duration_ms is -1"):
        desk.store.rate(claim.lease, desk.ann, 3, -1, desk.now)
    assert desk.kinds() == ["design", "draw"]


def test_an_unknown_lease_and_another_persons_lease(desk: Desk) -> None:
    claim = desk.claim(desk.ann)
    with pytest.raises(LeaseUnknown, match="never given out"):
        desk.store.rate("made-up", desk.ann, 3, 10, desk.now)
    with pytest.raises(LeaseUnknown, match="draw 1 was given to somebody else"):
        desk.rate(claim, desk.bob)
    assert desk.kinds() == ["design", "draw"]


def test_a_late_rating_counts_if_nobody_else_took_the_draw(desk: Desk) -> None:
    claim = desk.claim(desk.ann)
    desk.pass_time(3600)
    assert desk.rate(claim, desk.ann, 5).value == 5
    assert desk.counts().done == 1


def test_a_late_rating_is_refused_once_another_took_the_draw(desk: Desk) -> None:
    claim = desk.claim(desk.ann)
    desk.pass_time(300)
    taken = desk.claim(desk.bob)
    assert taken.round == claim.round
    with pytest.raises(LeaseExpired, match="somebody else has taken the draw"):
        desk.rate(claim, desk.ann)
    desk.rate(taken, desk.bob, 1)
    with pytest.raises(LeaseExpired, match="finished by others"):
        desk.rate(claim, desk.ann)
    assert desk.kinds().count("rating") == 1


def test_a_late_rating_counts_again_when_the_other_lets_go(desk: Desk) -> None:
    claim = desk.claim(desk.ann)
    desk.pass_time(300)
    desk.claim(desk.bob)
    desk.store.release_all(desk.bob, desk.now)
    assert desk.rate(claim, desk.ann, 2).value == 2


def test_a_late_rating_counts_while_another_place_is_free(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(ratings_per_item=2)
    late = desk.claim(desk.ann)
    desk.pass_time(300)
    other = desk.claim(desk.bob)
    assert (late.round, other.round) == (1, 1)
    desk.rate(late, desk.ann)
    desk.rate(other, desk.bob)
    assert desk.counts().done == 1


def test_k_ratings_finish_a_draw(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(ratings_per_item=3)
    for done, rater in enumerate((desk.ann, desk.bob, desk.cid)):
        assert desk.counts().done == 0, done
        claim = desk.claim(rater)
        assert claim.round == 1
        desk.rate(claim, rater)
    assert desk.counts().done == 1
    assert desk.claim(desk.dan).round == 2


def test_a_difference_asks_for_one_rating_more_and_says_so_first(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(ratings_per_item=2, disagreement=1)
    for rater, value in ((desk.ann, 1), (desk.bob, 5)):
        desk.rate(desk.claim(rater), rater, value)
    assert desk.kinds() == ["design", "draw", "rating", "further", "rating"]
    assert desk.store.events(desk.session)[3].body == {"round": 1, "wanted": 3}
    assert (desk.counts().open, desk.counts().contested) == (1, 1)
    third = desk.claim(desk.cid)
    assert third.round == 1
    desk.rate(third, desk.cid, 3)
    # Whatever the further rating is, the draw is done with it.
    assert (desk.counts().done, desk.counts().contested) == (1, 1)


@pytest.mark.parametrize(("low", "high", "step"), [(2, 3, 1), (0.6, 0.8, 0.2), (3, 3, 0)])
def test_a_difference_of_the_step_itself_is_agreement(
    make_desk: Callable[..., Desk], low: float, high: float, step: float
) -> None:
    desk = make_desk(ratings_per_item=2, disagreement=step)
    for rater, value in ((desk.ann, low), (desk.bob, high)):
        desk.rate(desk.claim(rater), rater, value)
    assert (desk.counts().done, desk.counts().contested) == (1, 0)


def test_the_database_itself_refuses_a_rating_too_many(desk: Desk) -> None:
    first, second = desk.claim(desk.ann), desk.claim(desk.bob)
    desk.rate(first, desk.ann)
    row = """INSERT INTO rating
        SELECT session, round, ?, ?, value, duration_ms, comment, at, seq, set_by FROM rating"""
    with behind_its_back(desk.address) as sql:
        with pytest.raises(Refused, match="the draw has all its ratings"):
            sql(row, desk.bob, second.lease)
        sql("UPDATE draw SET wanted = 5")
        with pytest.raises(Refused, match=r"UNIQUE constraint failed: rating.session|\"rating_pkey\""):
            sql(row, desk.ann, second.lease)
        with pytest.raises(Refused, match=r"UNIQUE constraint failed: rating.lease|\"rating_lease_key\""):
            sql(row, desk.bob, first.lease)
        sql("UPDATE draw SET wanted = 1")


def test_later_is_once_for_a_lease_and_not_after_a_rating(desk: Desk) -> None:
    claim = desk.claim(desk.ann)
    desk.store.later(claim.lease, desk.ann, desk.now)
    desk.store.later(claim.lease, desk.ann, desk.now)
    assert desk.kinds() == ["design", "draw", "later"]
    with pytest.raises(LeaseExpired, match="draw 1 was put off with this lease"):
        desk.rate(claim, desk.ann)
    rated = desk.claim(desk.ann)
    desk.rate(rated, desk.ann)
    with pytest.raises(AlreadyRated, match="draw 2 has this rater's rating already; correct it instead"):
        desk.store.later(rated.lease, desk.ann, desk.now)
    with pytest.raises(AlreadyRated):
        desk.store.unratable(rated.lease, desk.ann, "empty", "", desk.now)


def test_unratable_needs_two_raters_and_never_comes_back(desk: Desk) -> None:
    for rater in (desk.ann, desk.bob):
        claim = desk.claim(rater)
        assert claim.round == 1
        desk.store.unratable(claim.lease, rater, "language", "", desk.now)
        desk.store.unratable(claim.lease, rater, "language", "", desk.now)
        if rater == desk.ann:
            assert (desk.counts().open, desk.counts().reported) == (1, 1)
            assert desk.claim(desk.ann).round == 2
    counts = desk.counts()
    assert (counts.open, counts.unratable, counts.reported) == (1, 1, 0)
    assert desk.kinds().count("unratable") == 2
    event = next(event for event in desk.store.events(desk.session) if event.kind == "unratable")
    assert event.body == {"round": 1, "rater": desk.ann, "reason": "language", "text": ""}
    assert desk.claim(desk.cid).round == 3


def test_one_report_does_not_stop_another_from_rating(desk: Desk) -> None:
    claim = desk.claim(desk.ann)
    desk.store.unratable(claim.lease, desk.ann, "context", "which table?", desk.now)
    with pytest.raises(LeaseExpired, match="reported as not ratable"):
        desk.rate(claim, desk.ann)
    desk.rate(desk.claim(desk.bob), desk.bob)
    assert (desk.counts().done, desk.counts().unratable) == (1, 0)


def test_closing_as_unratable_ends_what_others_hold(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(ratings_per_item=2, unratable_after=1)
    first, second = desk.claim(desk.ann), desk.claim(desk.bob)
    desk.store.unratable(first.lease, desk.ann, "unsafe", "", desk.now)
    with pytest.raises(LeaseExpired, match=r"finished by others \(unratable\)"):
        desk.rate(second, desk.bob)
    assert desk.claim(desk.bob).round == 2


def test_reasons_are_coded(desk: Desk) -> None:
    claim = desk.claim(desk.ann)
    with pytest.raises(ValueError, match="'boring' is none of empty, language, context, unsafe, other"):
        desk.store.unratable(claim.lease, desk.ann, "boring", "", desk.now)
    with pytest.raises(ValueError, match="needs a text"):
        desk.store.unratable(claim.lease, desk.ann, "other", " ", desk.now)
    desk.store.unratable(claim.lease, desk.ann, "other", "cut off", desk.now)
    assert desk.kinds() == ["design", "draw", "unratable"]


def test_a_correction_is_an_event_with_both_values(desk: Desk) -> None:
    desk.rate(desk.claim(desk.ann), desk.ann, 2)
    desk.pass_time(60)
    event = desk.store.correct(desk.session, 1, desk.ann, 0, by=desk.bob, now=desk.now)
    assert event.body == {"round": 1, "rater": desk.ann, "old": 2.0, "new": 0.0, "by": desk.bob}
    row = desk.store.recent(desk.session, desk.ann)[0]
    assert (row.value, row.corrected) == (0, True)
    # The same again is the double click of an undo.
    assert desk.store.correct(desk.session, 1, desk.ann, 0, by=desk.bob, now=desk.now) == event
    assert desk.kinds().count("correction") == 1
    assert desk.store.correct(desk.session, 1, desk.ann, 2, by=desk.ann, now=desk.now).body["old"] == 0


def test_a_correction_to_the_same_value_returns_the_rating(desk: Desk) -> None:
    desk.rate(desk.claim(desk.ann), desk.ann, 2)
    event = desk.store.correct(desk.session, 1, desk.ann, 2, by=desk.ann, now=desk.now)
    assert event.kind == "rating"
    assert desk.kinds() == ["design", "draw", "rating"]


def test_there_must_be_a_rating_to_correct(desk: Desk) -> None:
    desk.claim(desk.ann)
    with pytest.raises(NotFound, match="no rating of draw 1"):
        desk.store.correct(desk.session, 1, desk.ann, 2, by=desk.ann, now=desk.now)
    desk.rate(desk.claim(desk.ann), desk.ann, 2)
    with pytest.raises(ValueError, match="must be a finite number"):
        desk.store.correct(desk.session, 1, desk.ann, float("nan"), by=desk.ann, now=desk.now)
