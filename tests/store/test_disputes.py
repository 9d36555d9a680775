"""Draws whose first ratings differ, and what a lead decides of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from celeus_label.store import LeaseExpired, NotDisputed, NotFound
from tests.store.desk import Desk


@pytest.fixture
def disputed(make_desk: Callable[..., Desk]) -> Desk:
    """Two ratings an item; those of the first draw are 1 and 5, those of the second 3 and 4."""
    desk = make_desk(ratings_per_item=2, disagreement=1)
    for rater, values in ((desk.ann, (1, 3)), (desk.bob, (5, 4))):
        for value in values:
            desk.rate(desk.claim(rater), rater, value)
    return desk


def test_a_dispute_shows_the_ratings_and_the_item(disputed: Desk) -> None:
    desk = disputed
    (dispute,) = desk.store.disputes(desk.session)
    assert (dispute.round, dispute.state, dispute.wanted, dispute.decided) == (1, "open", 3, None)
    assert dispute.item.item_id == "item-0"
    assert dispute.ratings == ((desk.ann, "Ann", 1, None), (desk.bob, "Bob", 5, None))
    assert desk.counts().contested == 1


def test_a_decision_closes_the_draw_and_frees_who_holds_it(disputed: Desk) -> None:
    desk = disputed
    held = desk.claim(desk.cid)
    assert held.round == 1
    event = desk.store.adjudicate(desk.session, 1, 4, "lead", desk.now)
    assert (event.kind, event.body) == ("adjudication", {"round": 1, "old": None, "new": 4, "by": "lead"})
    (dispute,) = desk.store.disputes(desk.session)
    assert (dispute.state, dispute.decided) == ("done", 4)
    with pytest.raises(LeaseExpired, match="finished by others"):
        desk.rate(held, desk.cid)
    assert desk.claim(desk.cid).round != 1
    assert desk.counts().first_open == 3


def test_a_decision_may_come_after_the_further_rating_and_again(disputed: Desk) -> None:
    desk = disputed
    desk.rate(desk.claim(desk.cid), desk.cid, 2)
    desk.store.adjudicate(desk.session, 1, 4, "lead", desk.now)
    event = desk.store.adjudicate(desk.session, 1, 0, "other lead", desk.now)
    assert event.body == {"round": 1, "old": 4, "new": 0, "by": "other lead"}
    (dispute,) = desk.store.disputes(desk.session)
    assert (dispute.decided, len(dispute.ratings)) == (0, 3)


def test_a_decision_helps_where_nobody_can_give_the_further_rating(disputed: Desk) -> None:
    desk = disputed
    for rater in (desk.cid, desk.dan):
        claim = desk.claim(rater)
        desk.store.unratable(claim.lease, rater, "unsafe", "", desk.now)
    assert desk.counts().unratable == 1
    desk.store.adjudicate(desk.session, 1, 3, "lead", desk.now)
    assert (desk.counts().unratable, desk.counts().done) == (0, 2)


def test_what_is_not_disputed_is_not_decided(disputed: Desk) -> None:
    desk = disputed
    before = desk.kinds()
    with pytest.raises(NotDisputed, match="draw 2: its ratings don't differ by more than the session allows"):
        desk.store.adjudicate(desk.session, 2, 3, "lead", desk.now)
    with pytest.raises(NotFound, match="there is no draw 7"):
        desk.store.adjudicate(desk.session, 7, 3, "lead", desk.now)
    with pytest.raises(ValueError, match="finite"):
        desk.store.adjudicate(desk.session, 1, float("nan"), "lead", desk.now)
    assert desk.kinds() == before
