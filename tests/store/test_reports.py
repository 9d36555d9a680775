from __future__ import annotations

from collections.abc import Callable

from celeus_label.store import OwnWork
from tests.store.desk import Desk


def test_recent_is_newest_first_and_ones_own(desk: Desk) -> None:
    for value in range(4):
        desk.pass_time(1)
        desk.rate(desk.claim(desk.ann), desk.ann, value)
        desk.rate(desk.claim(desk.bob), desk.bob, 5)
    rows = desk.store.recent(desk.session, desk.ann, limit=3)
    assert [(row.round, row.position, row.value) for row in rows] == [(7, 6, 3), (5, 4, 2), (3, 2, 1)]
    assert {row.rater for row in rows} == {desk.ann}
    assert rows[0].at == desk.now
    assert (rows[0].duration_ms, rows[0].comment, rows[0].corrected) == (1500, None, False)


def test_counts_name_the_draw_that_others_wait_for_and_its_holder(desk: Desk) -> None:
    slow = desk.claim(desk.ann)
    for _ in range(3):
        desk.rate(desk.claim(desk.bob), desk.bob)
    held = desk.claim(desk.cid)
    counts = desk.counts()
    assert (counts.open, counts.done, counts.ratings) == (2, 3, 3)
    assert (counts.first_open, counts.waiting) == (slow.round, 3)
    assert [(h.round, h.name, h.expires) for h in counts.held] == [
        (1, "Ann", slow.expires),
        (5, "Cid", held.expires),
    ]
    desk.pass_time(300)
    assert desk.counts().held == ()
    assert desk.counts().first_open == 1


def test_counts_of_a_fresh_session(desk: Desk) -> None:
    counts = desk.counts()
    assert (counts.open, counts.done, counts.held, counts.first_open, counts.waiting) == (0, 0, (), None, 0)


def test_rater_stats(desk: Desk) -> None:
    for duration in (1000, 9000, 2000):
        desk.pass_time(1)
        desk.store.rate(desk.claim(desk.bob).lease, desk.bob, 0, duration, desk.now)
    desk.store.later(desk.claim(desk.ann).lease, desk.ann, desk.now)
    desk.store.unratable(desk.claim(desk.ann).lease, desk.ann, "empty", "", desk.now)
    ann, bob = desk.store.rater_stats(desk.session)
    assert (ann.name, ann.ratings, ann.put_off, ann.unratable) == ("Ann", 0, 1, 1)
    assert (ann.median_ms, ann.last_at) == (None, None)
    assert (bob.rater, bob.ratings, bob.put_off, bob.unratable) == (desk.bob, 3, 0, 0)
    assert (bob.median_ms, bob.last_at) == (2000, desk.now)


def test_own_work_counts_today_and_all_and_takes_the_median_of_the_last_fifty(
    make_desk: Callable[..., Desk],
) -> None:
    desk = make_desk(size=60)
    assert desk.store.own_work(desk.session, desk.ann, desk.now) == OwnWork(0, 0, None, 0)
    for duration in (9000, *[1000] * 25, *[3000] * 25):
        desk.pass_time(1)
        midnight = desk.now
        desk.store.rate(desk.claim(desk.ann).lease, desk.ann, 0, duration, desk.now)
    desk.rate(desk.claim(desk.bob), desk.bob, 1)
    assert desk.store.own_work(desk.session, desk.ann, midnight) == OwnWork(1, 51, 2000, 109_000)


def test_remarks_are_the_comments_and_the_flags(desk: Desk) -> None:
    desk.rate(desk.claim(desk.ann), desk.ann, 1)
    for comment, flag in (("odd", False), (None, True), ("'; DROP", True)):
        desk.pass_time(1)
        desk.store.rate(desk.claim(desk.bob).lease, desk.bob, 0, 10, desk.now, comment, flag)
    rows = desk.store.remarks(desk.session)
    assert [(row.round, row.name, row.comment, row.flag, row.value) for row in rows] == [
        (4, "Bob", "'; DROP", True, 0),
        (3, "Bob", "", True, 0),
        (2, "Bob", "odd", False, 0),
    ]
    assert rows[0].at == desk.now
    desk.store.correct(desk.session, 2, desk.bob, 5, desk.bob, desk.now)
    assert [(row.comment, row.value) for row in desk.store.remarks(desk.session)][-1] == ("odd", 5)
