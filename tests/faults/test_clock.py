from __future__ import annotations

from collections.abc import Callable

import pytest

from celeus_label.ledger import first_break
from tests.store.desk import Desk


@pytest.fixture
def desk(address: Callable[[], str]) -> Desk:
    return Desk(address())


def test_a_clock_set_back_an_hour_changes_no_order(desk: Desk) -> None:
    for value in range(3):
        desk.pass_time(60)
        desk.rate(desk.claim(desk.ann), desk.ann, value)
    held = desk.claim(desk.bob)
    desk.pass_time(-3600)
    for value in range(3, 6):
        desk.pass_time(60)
        desk.rate(desk.claim(desk.ann), desk.ann, value)
    desk.rate(held, desk.bob, 9)
    events = desk.store.events(desk.session)
    assert first_break(events) is None
    assert [e.body["round"] for e in events if e.kind == "draw"] == [1, 2, 3, 4, 5, 6, 7]
    assert [e.body["value"] for e in events if e.kind == "rating"] == [0, 1, 2, 3, 4, 5, 9]
    # What the clock said is kept as it was said.
    assert events[-1].at < events[5].at
    assert [row.value for row in desk.store.recent(desk.session, desk.ann)] == [5, 4, 3, 2, 1, 0]
    assert desk.store.check() == []
    desk.store.close()


def test_a_lease_from_before_the_clock_was_set_back_does_not_block_its_draw(desk: Desk) -> None:
    left = desk.claim(desk.ann)
    desk.pass_time(-3600)
    assert desk.claim(desk.bob).round == 2
    desk.pass_time(301)
    assert desk.claim(desk.cid).round == left.round
    assert desk.store.check() == []
    desk.store.close()


def test_a_clock_set_forward_loses_no_work(desk: Desk) -> None:
    claim = desk.claim(desk.ann)
    desk.pass_time(86400)
    assert desk.rate(claim, desk.ann, 2).value == 2
    desk.store.close()
