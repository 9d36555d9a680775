"""The certificate of a pairwise session: a win rate that follows from verdicts, orders and the seed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from celeus_label.certificate import certificate_html, claim_sentence, not_claimed, verify
from celeus_label.certify import Design, Pool, pairs
from celeus_label.ledger import Event, to_jsonl
from tests.certificate.driver import Session, members, rechained, resealed, rewrite, rows_of

SEED = 11
VERDICTS = ("left", "right", "tie", "both bad")


class Pairs(Session):
    def verdict(self, round_: int, verdict: str, rater: str = "p1", **more: Any) -> None:
        left = pairs.left_of(SEED, self.certifier.item_id(round_))
        answer = {"left": left, "verdict": verdict}
        self.rate(round_, pairs.value_of(verdict, left), rater, answer=answer, **more)


@pytest.fixture(scope="module")
def session() -> Pairs:
    rng = np.random.default_rng(3)
    pool = Pool([f"q{n}" for n in range(30)], rng.random(30).round(2), pairs.SCALE)
    made = Pairs(pool, Design(width=0.4, seed=SEED, task="pairwise"), "A or B")
    while not made.certifier.stopped:
        round_ = made.draw()
        made.verdict(round_, VERDICTS[(round_ * 7) % 4], flag=round_ == 2)
    # a tie that becomes "both bad": the value stays
    tie = next(e.body for e in made.events if e.kind == "rating" and e.body["answer"]["verdict"] == "tie")
    body = {"round": tie["round"], "rater": "p1", "old": 0.5, "new": 0.5, "by": "p1"}
    made.add("correction", {**body, "answer": {**tie["answer"], "verdict": "both bad"}})
    return made


def judged(session: Pairs, path: Path, change: Callable[[Event], dict[str, Any]]) -> list[str]:
    """What verify finds where somebody changed events and then made every hash right."""
    events = [dataclasses.replace(event, body=change(event)) for event in session.events]
    texts = members(session.export(path))
    ledger = "".join(to_jsonl(rechained(events)))
    verdict = verify(rewrite(path, resealed({**texts, "ledger.jsonl": ledger})))
    assert verdict.status == "INVALID"
    return verdict.differences


def test_it_verifies_and_speaks_of_a_win_rate(session: Pairs, tmp_path: Path) -> None:
    verdict = verify(session.export(tmp_path / "bundle.zip"))
    assert verdict.differences == []
    claim = verdict.claim
    assert claim is not None
    said = [row.verdict for row in _ratings(session)]
    assert (claim.task, claim.ties, claim.both_bad) == ("pairwise", said.count("tie"), said.count("both bad"))
    sentence = claim_sentence(claim, items="answers")
    assert sentence.startswith(
        "The win rate of A over B in this pool of 30 pairs of answers, where a verdict for"
    )
    assert "95 % confidence at any stopping time" in sentence
    assert any(
        f"{claim.ties} verdicts are ties and {claim.both_bad} call both" in one for one in not_claimed(claim)
    )
    assert "win rate of A over B" in certificate_html(session.certifier, session.events)


def test_each_rating_says_what_was_shown_and_said(session: Pairs, tmp_path: Path) -> None:
    header, *rows = rows_of(members(session.export(tmp_path / "bundle.zip"))["ratings.csv"])
    assert header[-3:] == ["flag", "verdict", "left"]
    for row in rows:
        cells = dict(zip(header, row, strict=True))
        left = pairs.left_of(SEED, cells["item_id"])
        assert cells["left"] == left
        assert float(cells["value"]) == pairs.value_of(cells["verdict"], left)
        assert cells["flag"] == str(int(cells["round"] == "2"))
    assert sum(row[header.index("corrections")] == "1" for row in rows) == 1


def test_a_swapped_order_is_found_though_every_hash_is_right(session: Pairs, tmp_path: Path) -> None:
    def swap(event: Event) -> dict[str, Any]:
        body = event.body
        if event.kind != "rating" or body["round"] != 1:
            return body
        other = "B" if body["answer"]["left"] == "A" else "A"
        return {**body, "value": 1 - body["value"], "answer": {**body["answer"], "left": other}}

    assert "is said to have stood on the left" in judged(session, tmp_path / "x.zip", swap)[0]


def test_a_value_that_is_not_the_verdicts_is_found(session: Pairs, tmp_path: Path) -> None:
    def win(event: Event) -> dict[str, Any]:
        wanted = event.kind == "rating" and event.body["answer"]["verdict"] == "tie"
        return {**event.body, "value": 1.0} if wanted else event.body

    assert "is worth 0.5, not 1.0" in judged(session, tmp_path / "x.zip", win)[0]


def test_a_correction_without_its_verdict_is_found(session: Pairs, tmp_path: Path) -> None:
    def bare(event: Event) -> dict[str, Any]:
        return {k: v for k, v in event.body.items() if event.kind != "correction" or k != "answer"}

    assert "must say which response" in judged(session, tmp_path / "x.zip", bare)[0]


def test_a_verdict_changed_in_the_table_alone_is_named(session: Pairs, tmp_path: Path) -> None:
    texts = members(session.export(tmp_path / "bundle.zip"))
    changed = texts["ratings.csv"].replace(",tie,", ",both bad,", 1)
    assert changed != texts["ratings.csv"]
    verdict = verify(rewrite(tmp_path / "x.zip", resealed({**texts, "ratings.csv": changed})))
    assert "column verdict: both bad, but the ledger says tie" in verdict.differences[0]


def _ratings(session: Pairs) -> list[Any]:
    from celeus_label.certificate.history import read_history

    return read_history(session.events).current()
