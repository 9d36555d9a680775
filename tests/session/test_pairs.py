"""A pairwise session from the file to the bundle, as rater and lead meet it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from celeus_label.certificate import verify
from celeus_label.certify import Design, pairs
from celeus_label.ingest import guess_mapping, load, read_table
from celeus_label.session import Task, Workspace
from celeus_label.simulation import simulate
from celeus_label.ui import desk
from tests.office import Office, pool_of

SEED = 5


def csv(size: int, gold: int = 0) -> bytes:
    rows = ["item_id,prompt,response_a,response_b,judge_score,expert,human"]
    rows += [f"g{n},gold {n},gold of A {n},gold of B {n},0.5,{n % 2}," for n in range(gold)]
    rows += [f"i{n},question {n},by A {n},by B {n},{n % 5 / 4},,{n % 3 / 2}" for n in range(size)]
    return "\n".join(rows).encode()


class Pairs(Office):
    """The office with a pairwise session instead."""

    def __init__(self, db: Path, gold: int = 0) -> None:
        super().__init__(db, 5)
        table = read_table(csv(40, gold), "pairs.csv")
        mapping = guess_mapping(table)
        if gold:
            mapping = replace(mapping, gold="expert")
        loaded = load(table, mapping, pairs.SCALE)
        design = Design(seed=SEED, width=0.3, task="pairwise")
        self.info = self.workspace.create(self.workspace.local(), "A or B", loaded, design, gold_rate=0.4)
        self.id = self.info.id
        self.lead, self.ada, self.bob = self.enter("lead"), self.enter("rater"), self.enter("rater")

    def bodies(self, kind: str) -> list[dict[str, object]]:
        return [event.body for event in self.workspace.store.events(self.id) if event.kind == kind]

    def left(self, task: Task) -> str:
        return pairs.left_of(SEED, self.workspace.item_id(self.id, task))


@pytest.fixture
def office(tmp_path: Path) -> Pairs:
    return Pairs(tmp_path / "pairs.db")


def test_both_responses_are_shown_in_the_order_of_the_coin(office: Pairs) -> None:
    seen = set()
    for _ in range(12):
        task = office.take(office.ada)
        left = office.left(task)
        number = office.workspace.item_id(office.id, task)[1:]
        shown = [f"by A {number}", f"by B {number}"]
        assert [task.response, task.right] == (shown if left == "A" else shown[::-1])
        office.workspace.rate(office.ada, office.id, task.lease, "left", 900)
        body = office.bodies("rating")[-1]
        assert (body["value"], body["answer"]) == (float(left == "A"), {"left": left, "verdict": "left"})
        seen.add(left)
    assert seen == {"A", "B"}


def test_a_raters_rating_is_a_verdict_and_never_a_vote_for_a(office: Pairs) -> None:
    task = office.take(office.ada)
    for wrong in ("Left", "A", "", 0.25, 1.0, None):
        with pytest.raises(ValueError, match=r"must be one of left|scale 0 to 1"):
            office.workspace.rate(office.ada, office.id, task.lease, wrong, 900)
    assert office.bodies("rating") == []
    verdict = "left" if office.left(task) == "A" else "right"
    saved = office.workspace.rate(office.ada, office.id, task.lease, verdict, 900)
    assert (saved.value, saved.answer) == (1.0, {"left": office.left(task), "verdict": verdict})
    again = office.workspace.rate(office.ada, office.id, task.lease, "both bad", 900)
    assert again == saved  # the first receipt
    office.workspace.correct(office.lead, office.id, 1, 0.0, rater=office.ada.person)  # a lead knows A from B
    (change,) = office.bodies("correction")
    assert change["answer"]["verdict"] == ("right" if verdict == "left" else "left")  # type: ignore[index]


def test_a_tie_becomes_both_bad_by_a_correction_of_the_same_value(office: Pairs) -> None:
    office.workspace.rate(office.ada, office.id, office.take(office.ada).lease, "tie", 900)
    office.workspace.correct(office.ada, office.id, 1, "tie")
    assert office.bodies("correction") == []  # nothing changes
    office.workspace.correct(office.ada, office.id, 1, "both bad")
    (change,) = office.bodies("correction")
    assert (change["old"], change["new"], change["answer"]["verdict"]) == (0.5, 0.5, "both bad")  # type: ignore[index]
    (own,) = office.workspace.recent(office.ada, office.id)
    assert (own.verdict, own.value) == ("both bad", 0.5)
    assert office.workspace.doctor(office.workspace.local()) == []


def test_the_browser_is_never_told_which_is_which(office: Pairs) -> None:
    state: dict[str, object] = {}
    for number in range(6):
        card = desk.view(office.workspace, office.ada, office.id, state)
        assert [one["key"] for one in card["options"]] == ["1", "2", "3", "4"]
        lease, verdict = card["lease"], pairs.VERDICTS[number % 4]
        message = {"do": "rate", "lease": lease, "score": verdict, "dwell_ms": 900, "n": number}
        desk.act(office.workspace, office.ada, office.id, message, state)
        assert state["saved"]["value"] == verdict  # type: ignore[index]
    for message in (
        {"do": "recent"},
        {"do": "fix", "place": 1},
        {"do": "correct", "score": "right"},
        {"do": "look"},
    ):
        desk.act(office.workspace, office.ada, office.id, {**message, "n": 0}, state)
        card = desk.view(office.workspace, office.ada, office.id, state)
        told = json.dumps(
            {key: value for key, value in card.items() if key not in ("prompt", "response", "right")}
        )
        for secret in ('"A"', '"B"', "1.0", "0.5", "A wins", "system", "judge"):
            assert secret not in told.replace('"median_ms": 900.0', ""), (message, secret)


def test_gold_pairs_are_shown_like_any_other_and_their_answer_is_a_value(tmp_path: Path) -> None:
    office = Pairs(tmp_path / "gold.db", gold=6)
    for _ in range(14):
        task = office.take(office.ada)
        assert task.right is not None
        office.workspace.rate(
            office.ada, office.id, task.lease, "left" if office.left(task) == "A" else "right", 900
        )
    controls = office.workspace.controls(office.lead, office.id)
    assert controls
    assert {(one.of, one.value) for one in controls} == {("gold", 1.0)}
    assert office.workspace.doctor(office.workspace.local()) == []


def test_a_simulated_session_certifies_the_win_rate_of_a(tmp_path: Path) -> None:
    table = read_table(csv(60), "pairs.csv")
    loaded = load(table, replace(guess_mapping(table), human="human"), pairs.SCALE)
    (outcome,) = simulate(loaded, Design(width=0.2, task="pairwise"), 1, out=tmp_path / "bundle.zip")
    assert outcome.covered
    verdict = verify(tmp_path / "bundle.zip")
    assert verdict.differences == []
    assert verdict.claim is not None
    assert verdict.claim.task == "pairwise"


def test_the_task_must_fit_the_file(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "x.db")
    table = read_table(csv(9), "pairs.csv")
    loaded = load(table, guess_mapping(table), pairs.SCALE)
    with pytest.raises(ValueError, match="the task is single, but the items have two"):
        workspace.create(workspace.local(), "x", loaded, Design())
    with pytest.raises(ValueError, match="scale 0 to 1 in steps"):
        workspace.create(workspace.local(), "x", pool_of(5), Design(task="pairwise"))
