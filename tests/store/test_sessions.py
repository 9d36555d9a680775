from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from celeus_label.ledger import canonical, first_break
from celeus_label.store import DuplicateName, ItemRow, NotFound, SqliteStore
from tests.store.desk import START, Desk, items


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path / "store.db")
    yield store
    assert store.check() == []
    store.close()


def test_a_pool_comes_back_as_it_went_in(store: SqliteStore) -> None:
    given = [
        ItemRow(0, "a", "tab\there\r\nnew line", "", {"judge": 0, "features": {"len": None}}),
        ItemRow(1, "b", "żółć 漢字 🙂", "x" * 1_000_000, {"judge": -0.1}),
    ]
    pool_id = store.add_pool("h", "name", {"scale": {"lower": 0}}, iter(given), START)
    assert list(store.pool_items(pool_id)) == given
    assert store.item(pool_id, 1) == given[1]
    pool = store.pool(pool_id)
    assert (pool.hash, pool.name, pool.meta, pool.items, pool.at) == (
        "h",
        "name",
        {"scale": {"lower": 0}},
        2,
        START,
    )


def test_many_items_come_back_in_order(store: SqliteStore) -> None:
    given = items(1700)
    pool_id = store.add_pool("h", "name", {}, given, START)
    reader = store.pool_items(pool_id)
    first = next(reader)
    # A reader half way keeps nobody, itself included, from writing.
    store.add_person("Ann", START)
    assert [first, *reader] == given


def test_the_same_pool_again_is_the_same_pool(store: SqliteStore) -> None:
    first = store.add_pool("h", "name", {}, items(10), START)
    assert store.add_pool("h", "another name", {}, items(10), START) == first
    assert len(list(store.pool_items(first))) == 10


def test_the_same_scores_with_other_texts_are_another_pool(store: SqliteStore) -> None:
    first = store.add_pool("h", "name", {}, [ItemRow(0, "a", "p", "r")], START)
    second = store.add_pool("h", "name", {}, [ItemRow(0, "a", "p", "r, corrected")], START)
    assert second != first
    assert store.item(first, 0).response == "r"


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([], "the pool has no item"),
        ([ItemRow(1, "a", "p", "r")], "item 'a' has position 1; the next one is 0"),
        (
            [ItemRow(0, "a", "p", "r"), ItemRow(1, "a", "p", "r")],
            "item 'a' at position 1 can't be stored: that id came",
        ),
        (
            [ItemRow(0, "a", "p", "r", {"judge": float("nan")})],
            "item 'a' at position 0 has content that can't be",
        ),
        ([ItemRow(0, "a", "p", "\ud800")], "item 'a' at position 0 has content that can't be stored"),
    ],
)
def test_a_pool_is_stored_whole_or_not_at_all(store: SqliteStore, rows: list[ItemRow], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        store.add_pool("h", "name", {}, rows, START)
    with pytest.raises(NotFound, match="there is no pool 1"):
        store.pool(1)
    with pytest.raises(NotFound, match="pool 1 has no item at position 0"):
        store.item(1, 0)


def test_a_session_begins_with_its_design(desk: Desk) -> None:
    (event,) = desk.store.events(desk.session)
    assert (event.seq, event.kind, event.body) == (1, "design", {"name": "first", "items": 20})
    row = desk.store.session(desk.session)
    assert row == desk.store.session_by_name(" first ") == desk.store.sessions()[0]
    assert (row.name, row.pool, row.at) == ("first", desk.pool, START)
    assert row.settings == {
        "ratings_per_item": 1,
        "lease_seconds": 300,
        "unratable_after": 2,
        "disagreement": None,
        "gold_pool": None,
        "gold_rate": 0.0,
        "repeat_rate": 0.0,
    }


def test_settings_of_others_are_kept(desk: Desk) -> None:
    session = desk.new_session("second", guidelines="Be kind.", lease_seconds=0.5)
    assert desk.store.session(session).settings["guidelines"] == "Be kind."
    assert desk.store.session(session).settings["lease_seconds"] == 0.5


def test_a_name_is_taken_once(desk: Desk) -> None:
    with pytest.raises(DuplicateName, match="there is a session named 'first' already; choose another name"):
        desk.new_session(" first")
    assert len(desk.store.sessions()) == 1
    with pytest.raises(ValueError, match="not blank"):
        desk.new_session(" ")


def test_what_is_not_there_is_named(desk: Desk) -> None:
    with pytest.raises(NotFound, match="there is no session 9"):
        desk.store.session(9)
    with pytest.raises(NotFound, match=r"no session named 'second' in .*; there is: 'first'"):
        desk.store.session_by_name("second")
    with pytest.raises(NotFound, match="there is no pool 9"):
        desk.store.add_session("x", 9, {}, {}, START)
    assert desk.store.events(9) == []


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"ratings_per_item": 0}, "ratings_per_item is 0; it must be a whole number, 1 or more"),
        ({"ratings_per_item": True}, "ratings_per_item is True"),
        ({"unratable_after": 1.5}, "unratable_after is 1.5"),
        ({"lease_seconds": 0}, "lease_seconds is 0; it must be above 0"),
        ({"lease_seconds": float("nan")}, "lease_seconds is nan"),
        ({"disagreement": -1}, "disagreement is -1"),
        ({"gold_rate": 0.1}, "gold_rate is 0.1, but there is no gold item"),
        ({"gold_rate": 0.5, "gold_pool": 1}, r"gold_rate is 0.5; it must lie in \[0, 0.4\]"),
        ({"repeat_rate": -0.1}, "repeat_rate is -0.1; it must lie in"),
        ({"repeat_rate": float("nan")}, "repeat_rate is nan; it must lie in"),
        ({"disagreement": float("nan")}, "disagreement is nan"),
    ],
)
def test_a_setting_out_of_range_is_named(desk: Desk, settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        desk.new_session("second", **settings)
    assert len(desk.store.sessions()) == 1


def test_appending_chains_the_events(desk: Desk) -> None:
    desk.claim(desk.ann)
    event = desk.store.append(
        desk.session, "width", {"width": (0.02, 0.2), "notes": {10: "ten", 9: "nine"}}, desk.now
    )
    assert (event.seq, event.body) == (3, {"width": [0.02, 0.2], "notes": {"10": "ten", "9": "nine"}})
    events = desk.store.events(desk.session)
    assert events[-1] == event
    assert first_break(events) is None
    assert desk.store.events(desk.session, after=2) == [event]
    assert desk.store.events(desk.session, after=3) == []


def test_append_leaves_the_queues_events_to_the_queue(desk: Desk) -> None:
    for kind in (
        "design",
        "draw",
        "rating",
        "later",
        "unratable",
        "further",
        "correction",
        "adjudication",
        "control",
    ):
        with pytest.raises(ValueError, match=f"an event '{kind}' is written by the store's own operation"):
            desk.store.append(desk.session, kind, {}, desk.now)
    with pytest.raises(NotFound, match="there is no session 9"):
        desk.store.append(9, "width", {}, desk.now)


def test_the_ledger_keeps_every_digit(desk: Desk) -> None:
    body = {"q": 0.1 + 0.2, "u": 5e-324, "large": 1.7976931348623157e308, "n": 2**53}
    desk.store.append(desk.session, "note", body, desk.now)
    assert canonical(desk.store.events(desk.session)[-1].body) == canonical(body)
