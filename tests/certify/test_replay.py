"""A ledger rebuilds a session to the last bit, and a broken one is named by its row."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from celeus_label import ledger
from celeus_label.certify import Certifier, Design, replay
from celeus_label.ledger import Event
from tests.certify.recorded import Recorded, likert_pool, same_state

DESIGNS = {
    "target-aware": Design(width=0.1, seed=4),
    "celeus": Design(preset="celeus", width=0.1, seed=4, weights="w"),
    "no surrogate": Design(preset="celeus-no-surrogate", width=0.1, alpha=0.2),
    "population": Design(target="population", width=0.6, alpha=0.2, seed=1),
    "two ratings": Design(ratings_per_item=2, aggregate="median", seed=9, unratable="worst"),
    "threshold": Design(above=3.0, below=2.0, budget=70, seed=2),
}


def _busy_session(design: Design, rounds: int = 90) -> Recorded:
    """Raters in parallel: late ratings, items put off or unratable, corrections, two smaller widths."""
    rng = np.random.default_rng(12)
    pool, values = likert_pool(120, seed=3)
    session = Recorded(pool, design)
    raters = [f"rater {k}" for k in range(design.ratings_per_item)]
    waiting, told = [], []
    for _ in range(rounds):
        waiting.append(session.ask())
        if len(waiting) > 3 or rng.random() < 0.5:
            draw = waiting.pop(rng.integers(len(waiting)))
            if rng.random() < 0.1:
                session.later(draw, "ann")
            if rng.random() < 0.08:
                for rater in ("ann", "ben"):
                    session.cannot_rate(draw, rater)
                continue
            for rater in raters:
                session.tell(draw, float(values[draw.position]), rater)
            told.append(draw)
        if told and rng.random() < 0.05:
            draw = told[rng.integers(len(told))]
            old = float(values[draw.position])
            session.correct(draw, old, float(rng.integers(1, 6)), raters[0])
        if rng.random() < 0.03:
            session.go_on(session.certifier.design.width / 2)
    return session


@pytest.mark.parametrize("name", DESIGNS)
def test_replay_gives_the_live_session_to_the_last_bit(name: str) -> None:
    session = _busy_session(DESIGNS[name])
    kinds = {event.kind for event in session.events}
    assert kinds >= {"design", "draw", "rating", "unratable", "correction", "width", "later"}
    assert ("fit" in kinds) == (session.certifier.design.surrogate == "fitted")
    text = list(ledger.to_jsonl(session.events))
    rebuilt = replay(session.certifier.pool, DESIGNS[name], ledger.from_jsonl(text))
    same_state(session.certifier, rebuilt)


@pytest.mark.parametrize("name", ["target-aware", "celeus"])
def test_every_prefix_of_a_ledger_is_the_state_at_that_time(name: str) -> None:
    whole = _busy_session(DESIGNS[name], rounds=40)
    pool = whole.certifier.pool
    lengths = [0]
    for count in range(1, len(whole.events) + 1, 7):
        part = replay(pool, DESIGNS[name], whole.events[:count])
        lengths.append(part.ratings)
        # without corrections in between, what was once reported stays in the trajectory
        if not any(event.kind == "correction" for event in whole.events[count:]):
            for key, path in part.trajectory.items():
                np.testing.assert_array_equal(path, whole.certifier.trajectory[key][: len(path)])
    assert lengths[-1] > 20


def test_a_design_goes_through_json() -> None:
    for design in DESIGNS.values():
        assert Design.from_dict(json.loads(json.dumps(design.to_dict()))) == design


# --- ledgers that break a rule -----------------------------------------------------------------------------------


def _changed(events: list[Event], kind: str, number: int, **fields: object) -> tuple[list[Event], int]:
    """The events with some fields of the number-th one of its kind changed, and that row."""
    rows = [row for row, event in enumerate(events) if event.kind == kind]
    row = rows[number]
    body = {**events[row].body, **fields}
    return [*events[:row], dataclasses.replace(events[row], body=body), *events[row + 1 :]], row + 1


@pytest.mark.parametrize(
    ("kind", "fields", "told"),
    [
        ("design", {"pool_hash": "0" * 64}, "not on this one"),
        ("draw", {"position": 7, "item": "item-7"}, "but the rule gives"),
        ("draw", {"q": 0.5}, "its q is 0.5, but the rule gives"),
        ("draw", {"u": 0.123}, "its u is 0.123, but the rule gives"),
        ("draw", {"committed": 99}, "its committed is 99, but the rule gives"),
        ("draw", {"round": 2}, "its round is 2, but the rule gives"),
        ("draw", {"fits": 8}, "its fits is 8, but the rule gives"),
        ("fit", {"beta": 0.123}, "but the rule gives"),
        ("fit", {"committed": 9}, "but the rule gives"),
        ("rating", {"value": 7}, "is 7, outside the scale 1 to 5"),
        ("rating", {"round": 400}, "no such draw"),
        ("correction", {"rater": "nobody"}, "has no rating there to correct"),
        ("width", {"width": 0}, "width must lie in"),
    ],
)
def test_a_ledger_that_breaks_a_rule_is_refused_at_its_row(
    kind: str, fields: dict[str, object], told: str
) -> None:
    session = _busy_session(DESIGNS["target-aware"], rounds=60)
    events, row = _changed(session.events, kind, 0 if kind == "design" else -1, **fields)
    with pytest.raises(ValueError, match=f"ledger row {row} .{kind}.: .*{told}"):
        replay(session.certifier.pool, DESIGNS["target-aware"], events)


def test_a_missing_field_and_an_unknown_kind_are_named() -> None:
    pool, _ = likert_pool(20)
    certifier = Certifier(pool, Design())
    draw = Event(1, "draw", {"round": 1}, "2026-01-02T03:04:05+00:00", "")
    with pytest.raises(ValueError, match=r"ledger row 1 .draw.: the field 'item' is missing"):
        replay(pool, Design(), [draw])
    with pytest.raises(ValueError, match=r"ledger row 1 .party.: no such kind of event"):
        replay(pool, Design(), [dataclasses.replace(draw, kind="party")])
    assert certifier.draws == 0


def test_a_fit_that_is_left_out_is_missed() -> None:
    session = _busy_session(DESIGNS["target-aware"], rounds=60)
    events = [event for event in session.events if event.kind != "fit"]
    with pytest.raises(ValueError, match="a fit is due before it"):
        replay(session.certifier.pool, DESIGNS["target-aware"], events)
