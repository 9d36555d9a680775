from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from celeus_label.store import AlreadyRated, Claim, LeaseExpired, LeaseUnknown
from tests.store.desk import Desk, draw_after


def test_renewing_keeps_the_draw(desk: Desk) -> None:
    claim = desk.claim(desk.ann)
    for _ in range(5):
        desk.pass_time(200)
        assert desk.store.renew(claim.lease, desk.ann, desk.now) == desk.now + timedelta(seconds=300)
    assert desk.claim(desk.bob).round == 2


def test_renewing_late_takes_the_draw_up_again(desk: Desk) -> None:
    claim = desk.claim(desk.ann)
    desk.pass_time(1000)
    desk.store.renew(claim.lease, desk.ann, desk.now)
    assert desk.claim(desk.bob).round == 2


def test_renewing_is_refused_when_another_has_the_draw(desk: Desk) -> None:
    claim = desk.claim(desk.ann)
    desk.pass_time(1000)
    desk.claim(desk.bob)
    with pytest.raises(LeaseExpired, match="somebody else has taken the draw"):
        desk.store.renew(claim.lease, desk.ann, desk.now)


def test_renewing_is_refused_when_the_rater_went_on_to_another_draw(desk: Desk) -> None:
    left = desk.claim(desk.ann)
    desk.pass_time(1000)
    desk.claim(desk.bob)
    assert desk.claim(desk.ann).round == 2
    desk.store.release_all(desk.bob, desk.now)
    with pytest.raises(LeaseExpired, match="draw 1 was left for draw 2"):
        desk.store.renew(left.lease, desk.ann, desk.now)


@pytest.mark.parametrize("k", [1, 2])
def test_renewing_after_the_rating_is_refused(make_desk: Callable[..., Desk], k: int) -> None:
    desk = make_desk(ratings_per_item=k)
    claim = desk.claim(desk.ann)
    desk.rate(claim, desk.ann)
    with pytest.raises(AlreadyRated, match="draw 1 has this rater's rating already"):
        desk.store.renew(claim.lease, desk.ann, desk.now)


def test_sign_out_frees_the_draw_at_once(desk: Desk) -> None:
    desk.claim(desk.ann)
    assert desk.store.release_all(desk.ann, desk.now) == 1
    assert desk.store.release_all(desk.ann, desk.now) == 0
    assert desk.claim(desk.bob).round == 1


def test_releasing_is_for_the_holder_and_for_a_held_lease(desk: Desk) -> None:
    claim = desk.claim(desk.ann)
    with pytest.raises(LeaseUnknown):
        desk.store.release(claim.lease, desk.bob, desk.now)
    desk.rate(claim, desk.ann)
    desk.store.release(claim.lease, desk.ann, desk.now)
    assert desk.counts().done == 1
    assert desk.claim(desk.bob).round == 2


def test_a_lead_takes_a_lease_back(desk: Desk) -> None:
    desk.claim(desk.ann)
    assert desk.store.take_back(desk.session, 1, desk.now) == 1
    assert desk.claim(desk.bob).round == 1
    assert desk.store.take_back(desk.session, 2, desk.now) == 0


def test_a_draft_stays_with_the_draw_and_goes_with_the_rating(desk: Desk) -> None:
    claim = desk.claim(desk.ann)
    assert desk.store.draft(claim.lease, desk.ann) is None
    desk.store.save_draft(claim.lease, desk.ann, "first")
    desk.store.save_draft(claim.lease, desk.ann, "second")
    assert desk.claim(desk.ann).draft == "second"
    with pytest.raises(LeaseUnknown):
        desk.store.draft(claim.lease, desk.bob)
    with pytest.raises(LeaseUnknown):
        desk.store.save_draft(claim.lease, desk.bob, "mine now")
    desk.rate(claim, desk.ann)
    assert desk.store.draft(claim.lease, desk.ann) is None
    desk.store.save_draft(claim.lease, desk.ann, "too late")
    assert desk.store.draft(claim.lease, desk.ann) is None


def test_giving_back_in_one_session_leaves_the_other_as_it_is(desk: Desk) -> None:
    first, other = desk.claim(desk.ann), desk.new_session("other")
    second = desk.store.claim(other, desk.ann, desk.now, draw_after(desk.store, other, desk.size))
    assert isinstance(second, Claim)
    assert desk.store.release_all(desk.ann, desk.now, other) == 1
    assert [held.round for held in desk.counts().held] == [first.round]
    assert desk.store.counts(other, desk.now).held == ()
