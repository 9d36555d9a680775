from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from celeus_label.store import NotFound, Nothing, open_store
from tests.store.desk import Desk, draw_after


def test_a_claim_makes_the_next_draw_and_leases_it(desk: Desk) -> None:
    claim = desk.claim(desk.ann)
    assert (claim.session, claim.round, claim.position, claim.draft) == (desk.session, 1, 0, None)
    assert claim.expires == desk.now + timedelta(seconds=300)
    assert desk.kinds() == ["design", "draw"]


def test_two_raters_get_two_draws(desk: Desk) -> None:
    assert desk.claim(desk.ann).round == 1
    assert desk.claim(desk.bob).round == 2


def test_a_reload_gets_the_same_lease_and_a_fresh_end(desk: Desk) -> None:
    first = desk.claim(desk.ann)
    desk.pass_time(200)
    again = desk.claim(desk.ann)
    assert (again.lease, again.round) == (first.lease, first.round)
    assert again.expires == first.expires + timedelta(seconds=200)
    assert desk.kinds() == ["design", "draw"]


def test_an_expired_lease_offers_the_draw_to_the_next(desk: Desk) -> None:
    desk.claim(desk.ann)
    desk.pass_time(299)
    assert desk.claim(desk.bob).round == 2
    desk.pass_time(1)
    assert desk.claim(desk.cid).round == 1


def test_who_comes_back_late_gets_their_own_draw_and_draft_back(desk: Desk) -> None:
    other = desk.claim(desk.bob)
    own = desk.claim(desk.ann)
    desk.store.save_draft(own.lease, desk.ann, "half a thought")
    desk.store.release(other.lease, desk.bob, desk.now)
    desk.pass_time(86400)
    again = desk.claim(desk.ann)
    assert (again.lease, again.round, again.draft) == (own.lease, 2, "half a thought")


def test_a_rated_draw_never_comes_back_to_its_rater(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(ratings_per_item=2)
    desk.rate(desk.claim(desk.ann), desk.ann)
    assert desk.claim(desk.ann).round == 2
    assert desk.claim(desk.bob).round == 1


def test_no_more_raters_than_places_at_once(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(ratings_per_item=2)
    rounds = [desk.claim(rater).round for rater in (desk.ann, desk.bob, desk.cid, desk.dan)]
    assert rounds == [1, 1, 2, 2]


def test_a_rating_and_a_lease_together_fill_the_places(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(ratings_per_item=2)
    desk.rate(desk.claim(desk.ann), desk.ann)
    assert desk.claim(desk.bob).round == 1
    assert desk.claim(desk.cid).round == 2


def test_put_off_goes_to_others_and_comes_back_after_ten_further_draws(desk: Desk) -> None:
    first = desk.claim(desk.ann)
    desk.store.later(first.lease, desk.ann, desk.now)
    for expected in range(2, 12):
        claim = desk.claim(desk.ann)
        assert claim.round == expected
        desk.rate(claim, desk.ann)
    back = desk.claim(desk.ann)
    assert (back.round, back.lease) == (1, first.lease)
    desk.store.later(back.lease, desk.ann, desk.now)
    assert desk.kinds().count("later") == 2
    assert desk.claim(desk.bob).round == 1


def test_put_off_comes_back_at_once_when_nothing_else_is_left(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(size=2)
    desk.store.later(desk.claim(desk.ann).lease, desk.ann, desk.now)
    desk.rate(desk.claim(desk.ann), desk.ann)
    assert desk.claim(desk.ann).round == 1


def test_nothing_says_who_is_waited_for(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(size=3)
    desk.rate(desk.claim(desk.ann), desk.ann)
    bobs = desk.claim(desk.bob)
    desk.pass_time(100)
    desk.claim(desk.cid)
    nothing = desk.ask(desk.ann)
    assert nothing == Nothing(2, bobs.expires, {"open": 2, "done": 1, "unratable": 0})


def test_nothing_at_the_end(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk(size=1)
    desk.rate(desk.claim(desk.ann), desk.ann)
    assert desk.ask(desk.ann) == Nothing(0, None, {"open": 0, "done": 1, "unratable": 0})


def test_next_draw_may_write_a_fit_before_its_draw(desk: Desk) -> None:
    desk.store.claim(
        desk.session, desk.ann, desk.now, lambda: [("fit", {"fit": 1, "committed": 0}), *desk.next_draw()]
    )
    assert desk.kinds() == ["design", "fit", "draw"]


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        ([("fit", {})], "the last one, and no other, must be the draw"),
        ([("rating", {}), ("draw", {})], "the last one, and no other, must be the draw"),
        ([("draw", {"round": 2, "item": "item-0", "position": 0})], "made round 2; the next one is 1"),
        ([("draw", {"round": 1, "item": "item-7", "position": 0})], "'item-7' at position 0"),
        ([("draw", {"round": 1, "item": "item-0", "position": 99})], "'item-0' at position 99"),
        ([("draw", {"round": 1, "item": "item-0", "position": 0, "q": float("nan")})], "not JSON compliant"),
    ],
)
def test_a_wrong_draw_is_refused_whole(
    desk: Desk, made: list[tuple[str, dict[str, object]]], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        desk.store.claim(desk.session, desk.ann, desk.now, lambda: made)
    assert desk.kinds() == ["design"]
    assert desk.claim(desk.ann).round == 1


def test_an_error_in_next_draw_leaves_no_trace(desk: Desk) -> None:
    def broken() -> list[tuple[str, dict[str, object]]]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        desk.store.claim(desk.session, desk.ann, desk.now, broken)
    assert desk.claim(desk.ann).round == 1


def test_next_draw_must_not_write(desk: Desk) -> None:
    def writes() -> list[tuple[str, dict[str, object]]]:
        desk.store.append(desk.session, "width", {"width": 0.1}, desk.now)
        return []

    with pytest.raises(RuntimeError, match="must not write"):
        desk.store.claim(desk.session, desk.ann, desk.now, writes)
    assert desk.kinds() == ["design"]


def test_an_unknown_rater_or_session_is_named(desk: Desk) -> None:
    with pytest.raises(NotFound, match="no person 'nobody'"):
        desk.ask("nobody")
    with pytest.raises(NotFound, match="no session 99"):
        desk.store.claim(99, desk.ann, desk.now, desk.next_draw)


def test_a_time_without_zone_is_refused(desk: Desk) -> None:
    with pytest.raises(ValueError, match="no time zone"):
        desk.store.claim(desk.session, desk.ann, desk.now.replace(tzinfo=None), desk.next_draw)


def test_sessions_in_one_database_do_not_touch_each_other(desk: Desk) -> None:
    second = desk.new_session("second")
    mine = desk.claim(desk.ann)
    other = desk.store.claim(second, desk.ann, desk.now, draw_after(desk.store, second, desk.size))
    assert not isinstance(other, Nothing)
    assert (mine.round, other.round) == (1, 1)
    assert mine.lease != other.lease
    desk.rate(mine, desk.ann)
    assert desk.store.counts(second, desk.now).done == 0
    assert desk.store.release_all(desk.ann, desk.now) == 1


def test_two_servers_share_one_queue(desk: Desk) -> None:
    server = open_store(desk.address)
    desk.claim(desk.ann)
    draw = draw_after(server, desk.session, desk.size)
    claim = server.claim(desk.session, desk.bob, desk.now, draw)
    assert not isinstance(claim, Nothing)
    assert claim.round == 2
    # A lease of one server is rated through the other.
    assert desk.store.rate(claim.lease, desk.bob, 1, 10, desk.now).round == 2
    server.close()
