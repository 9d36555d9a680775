"""Gold and repeated items: shuffled into a rater's work, told from nothing else, and never part of the draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import pytest

from celeus_label.store import Claim, LeaseExpired, Nothing
from celeus_label.store.controls import REPEAT_AFTER
from tests.store.desk import Desk

MakeDesk = Callable[..., Desk]


def rate_everything(desk: Desk, rater: str, most: int = 1000) -> list[Claim]:
    """A rater's whole stream, in its order."""
    stream = []
    while len(stream) < most and isinstance(claim := desk.ask(rater), Claim):
        stream.append(claim)
        desk.rate(claim, rater, len(stream) % 5)
    return stream


def test_gold_items_come_at_about_their_rate_each_once_for_a_rater(make_desk: MakeDesk) -> None:
    desk = make_desk(size=400, gold=200, gold_rate=0.2)
    stream = rate_everything(desk, desk.ann)
    gold = [claim for claim in stream if claim.round < 0]
    assert 0.12 < len(gold) / len(stream) < 0.28  # by chance outside once in 100,000
    items = [desk.store.shown(desk.session, claim.round).item_id for claim in gold]
    assert max(Counter(items).values()) == 1
    assert all(item.startswith("gold-") for item in items)
    assert items != sorted(items, key=lambda item: int(item[5:]))
    # no fixed rhythm that a rater could learn
    places = [place for place, claim in enumerate(stream) if claim.round < 0]
    assert len({after - before for before, after in pairwise(places)}) > 3
    # the draws go on in their order, as if there were no gold
    assert [claim.round for claim in stream if claim.round > 0] == list(range(1, 401))


def test_every_gold_item_comes_once_and_then_no_more(make_desk: MakeDesk) -> None:
    desk = make_desk(size=60, gold=3, gold_rate=0.4)
    stream = rate_everything(desk, desk.ann)
    assert sorted(desk.store.shown(desk.session, c.round).item_id for c in stream if c.round < 0) == [
        "gold-0",
        "gold-1",
        "gold-2",
    ]


def test_raters_get_the_gold_items_in_different_orders(make_desk: MakeDesk) -> None:
    desk = make_desk(size=300, gold=40, gold_rate=0.3)
    orders = []
    for rater in (desk.ann, desk.bob):
        stream = rate_everything(desk, rater, 100)
        orders.append([desk.store.shown(desk.session, c.round).item_id for c in stream if c.round < 0])
    assert min(map(len, orders)) > 10
    assert orders[0][:10] != orders[1][:10]


def test_own_items_come_again_after_a_while_and_once_only(make_desk: MakeDesk) -> None:
    desk = make_desk(size=200, repeat_rate=0.2)
    seen: list[str] = []
    again = []
    for claim in rate_everything(desk, desk.ann):
        item = desk.store.shown(desk.session, claim.round).item_id
        if claim.round < 0:
            # at least so many others came in between
            assert seen.index(item) < len(seen) - REPEAT_AFTER
            again.append(item)
        else:
            assert item not in seen
            seen.append(item)
    assert len(again) > 10
    assert max(Counter(again).values()) == 1
    # nobody else gets them as a test of their own
    assert all(claim.round > 0 for claim in rate_everything(desk, desk.bob, 5))


def next_control(desk: Desk, rater: str) -> Claim:
    """Rate until a control comes."""
    while (claim := desk.claim(rater)).round > 0:
        desk.rate(claim, rater)
    return claim


@pytest.fixture
def golden(make_desk: MakeDesk) -> Desk:
    return make_desk(size=50, gold=20, gold_rate=0.3)


def test_a_control_is_like_any_draw_to_its_rater(golden: Desk) -> None:
    desk = golden
    claim = next_control(desk, desk.ann)
    assert (claim.expires - desk.now).total_seconds() == 300
    # a reload shows the same again, with the draft
    desk.store.save_draft(claim.lease, desk.ann, "half a thought")
    again = desk.claim(desk.ann)
    assert (again.lease, again.round, again.draft) == (claim.lease, claim.round, "half a thought")
    # so does coming back after signing out, and after the lease has ended
    desk.store.release_all(desk.ann, desk.now)
    assert desk.claim(desk.ann).lease == claim.lease
    desk.pass_time(4000)
    assert desk.claim(desk.ann).lease == claim.lease
    desk.store.renew(claim.lease, desk.ann, desk.now)
    before = desk.store.ratings_since(desk.session, desk.ann, desk.now)
    saved = desk.rate(claim, desk.ann, 4)
    assert desk.rate(claim, desk.ann, 1) == saved
    assert desk.store.ratings_since(desk.session, desk.ann, desk.now) == before + 1
    assert desk.store.recent(desk.session, desk.ann)[0].round == claim.round
    desk.store.correct(desk.session, claim.round, desk.ann, 2, desk.ann, desk.now)
    assert desk.store.recent(desk.session, desk.ann)[0].value == 2


def test_a_control_put_off_comes_back(golden: Desk) -> None:
    desk = golden
    claim = next_control(desk, desk.ann)
    desk.store.later(claim.lease, desk.ann, desk.now)
    assert desk.claim(desk.ann).round != claim.round
    stream = rate_everything(desk, desk.ann)
    assert claim.round in [later.round for later in stream]


def test_a_control_that_cannot_be_rated_is_closed_by_its_rater_alone(golden: Desk) -> None:
    desk = golden
    claim = next_control(desk, desk.ann)
    desk.store.unratable(claim.lease, desk.ann, "context", "", desk.now)
    assert claim.round not in [later.round for later in rate_everything(desk, desk.ann)]
    assert desk.counts().unratable == 0
    with pytest.raises(LeaseExpired):
        desk.rate(claim, desk.ann)


def test_nobody_is_given_anothers_control_nor_waits_for_it(golden: Desk) -> None:
    desk = golden
    claim = next_control(desk, desk.ann)
    streamed = rate_everything(desk, desk.bob)
    assert claim.round not in [c.round for c in streamed]
    nothing = desk.ask(desk.bob)
    assert isinstance(nothing, Nothing)
    assert (nothing.held_by_others, nothing.next_free_at) == (0, None)
    counts = desk.counts()
    assert (counts.open, counts.done, counts.first_open, counts.held) == (0, 50, None, ())
    assert nothing.counts == {"open": 0, "done": 50, "unratable": 0}


def test_leads_numbers_leave_controls_out_and_their_own_report_has_them(golden: Desk) -> None:
    desk = golden
    stream = rate_everything(desk, desk.ann)
    own = [claim for claim in stream if claim.round < 0]
    assert own
    assert desk.counts().ratings == 50
    assert [row.ratings for row in desk.store.rater_stats(desk.session)] == [50]
    assert {row.round for row in desk.store.ratings(desk.session)} == set(range(1, 51))
    rows = desk.store.controls(desk.session)
    assert [row.round for row in rows] == [claim.round for claim in own]
    for row in rows:
        assert (row.of, row.name, row.expected) == ("gold", "Ann", int(row.item_id[5:]) % 5)


def test_the_report_of_repeats_has_both_ratings_as_they_stand(make_desk: MakeDesk) -> None:
    desk = make_desk(size=60, repeat_rate=0.4)
    rate_everything(desk, desk.ann)
    row = desk.store.controls(desk.session)[0]
    first = next(r for r in desk.store.ratings(desk.session) if f"item-{r.position}" == row.item_id)
    assert (row.of, row.expected) == ("repeat", first.value)
    desk.store.correct(desk.session, first.round, desk.ann, 9, desk.ann, desk.now)
    desk.store.correct(desk.session, row.round, desk.ann, 8, desk.ann, desk.now)
    now = desk.store.controls(desk.session)[0]
    assert (now.expected, now.value) == (9, 8)


def test_the_ledger_keeps_controls_in_a_kind_of_their_own(golden: Desk) -> None:
    desk = golden
    claim = next_control(desk, desk.ann)
    desk.rate(claim, desk.ann, 4)
    desk.store.correct(desk.session, claim.round, desk.ann, 3, desk.ann, desk.now)
    events = [event for event in desk.store.events(desk.session) if event.body.get("round") == claim.round]
    assert [(event.kind, event.body["what"]) for event in events] == [
        ("control", "given"),
        ("control", "rating"),
        ("control", "correction"),
    ]
    item = desk.store.shown(desk.session, claim.round)
    assert events[0].body == {
        "what": "given",
        "round": claim.round,
        "rater": desk.ann,
        "of": "gold",
        "item": item.item_id,
        "position": item.position,
    }
    assert "answer" not in str(events)


def test_a_session_without_controls_has_none(desk: Desk) -> None:
    assert all(claim.round > 0 for claim in rate_everything(desk, desk.ann))
    assert desk.store.controls(desk.session) == []
