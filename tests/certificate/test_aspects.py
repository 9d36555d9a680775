"""The certificate of a rubric: an interval for each further aspect, which verify computes again."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from celeus_label.certificate import certificate_html, claim_of, claim_sentence, verify
from celeus_label.certificate.words import aspect_sentences
from celeus_label.certify import Aspect, Design, Pool, Scale
from celeus_label.certify.aspects import aspect_intervals
from celeus_label.ledger import Event, to_jsonl
from tests.certificate.driver import Session, make_pool, members, rechained, resealed, rewrite, rows_of

ASPECTS = (
    Aspect('clarity, "=1"', Scale(1, 5, 1, ("murky", "clear")), "clear"),
    Aspect("length", Scale(0, 100)),
)
NAMES = [aspect.name for aspect in ASPECTS]


@pytest.fixture(scope="module")
def session() -> Session:
    rng = np.random.default_rng(8)
    truth = rng.integers(1, 6, 40).astype(float)
    pool = Pool(
        [f"i{n}" for n in range(40)],
        truth,
        Scale(1, 5, 1),
        features={"clear": rng.integers(1, 6, 40).astype(float)},
    )
    design = Design(width=0.3, alpha=0.1, seed=2, aspects=ASPECTS, main_aspect="help", target="pool")
    made = Session(pool, design, "a rubric")
    while not made.certifier.stopped:
        round_ = made.draw()
        place = made.events[-1].body["position"]
        given = dict(zip(NAMES, (1 + place % 5, place * 2.5), strict=True))
        made.rate(round_, truth[place], answer={"aspects": given})
    first = next(event.body for event in made.events if event.kind == "rating")
    body = {"round": 1, "rater": "p1", "old": first["value"], "new": first["value"], "by": "p1"}
    made.add("correction", {**body, "answer": {"aspects": {**first["answer"]["aspects"], "length": 99}}})
    return made


def test_each_aspect_is_certified_from_the_same_draws(session: Session, tmp_path: Path) -> None:
    path = session.export(tmp_path / "bundle.zip")
    verdict = verify(path, session.events[-1].hash)
    assert verdict.differences == []
    claim = verdict.claim
    assert claim is not None
    assert list(claim.aspects) == aspect_intervals(session.certifier, session.design)
    header, *rows = rows_of(members(path)["aspects.csv"])
    assert [row[header.index("aspect")] for row in rows] == NAMES
    assert [float(row[header.index("alpha")]) for row in rows] == [0.05, 0.05]
    for row, one in zip(rows, claim.aspects, strict=True):
        assert float(row[header.index("lower")]) == one.lower
    header, *rows = rows_of(members(path)["ratings.csv"])
    assert header[-2:] == [f"aspect:{name}" for name in NAMES]
    assert rows[0][-1] == "99"
    assert rows[0][header.index("corrections")] == "1"


def test_it_says_so_in_sentences_with_each_ones_confidence(session: Session) -> None:
    claim = claim_of(session.certifier, session.events)
    assert claim_sentence(claim).startswith("The mean help of this pool of 40 answers, rated 1 to 5")
    clear, length, together = aspect_sentences(claim)
    assert clear.startswith('The mean clarity, "=1", rated 1 (murky) to 5 (clear), is between')
    assert "with 95 % confidence at any stopping time" in length
    assert "at most a share of 0.1 ever misses the mean of the 2 further aspects together" in together
    assert "at most 0.2 that or the mean of help" in together
    page = certificate_html(session.certifier, session.events)
    assert "Further aspects" in page
    assert "clarity, &quot;=1&quot;" in page
    plain = claim_of(*_plain())
    assert aspect_sentences(plain) == []


def _plain() -> tuple[Any, list[Event]]:
    pool, truth = make_pool(12)
    made = Session(pool, Design(width=0.5)).run(truth, 3)
    return made.certifier, made.events


def test_a_changed_value_of_an_aspect_is_found_though_every_hash_is_right(
    session: Session, tmp_path: Path
) -> None:
    texts = members(session.export(tmp_path / "bundle.zip"))

    def changed(event: Event) -> Event:
        if event.kind != "rating" or event.body["round"] != 2:
            return event
        aspects = {**event.body["answer"]["aspects"], "length": 0}
        return dataclasses.replace(event, body={**event.body, "answer": {"aspects": aspects}})

    ledger = "".join(to_jsonl(rechained(map(changed, session.events))))
    verdict = verify(rewrite(tmp_path / "x.zip", resealed({**texts, "ledger.jsonl": ledger})))
    assert verdict.status == "INVALID"
    assert any("ratings.csv row 2, column aspect:length" in one for one in verdict.differences)
    assert any(one.startswith("aspects.csv row 2, column") for one in verdict.differences)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"aspects": {NAMES[0]: 2}}, "the value of the aspect length is missing"),
        ({"aspects": {NAMES[0]: 2, "length": 101}}, "length is 101, outside the scale"),
        ({"aspects": {NAMES[0]: 2, "length": "1"}}, "its aspect length is '1', not a number"),
        ({"aspects": [1]}, "its aspects are [1], not an object"),
        (7, "its answer is 7, not an object"),
        (None, "the values of the aspects are missing"),
    ],
)
def test_a_rating_without_sound_aspects_is_named(
    session: Session, answer: object, told: str, tmp_path: Path
) -> None:
    texts = members(session.export(tmp_path / "bundle.zip"))
    place = next(n for n, event in enumerate(session.events) if event.kind == "rating")
    events = list(session.events)
    events[place] = dataclasses.replace(events[place], body={**events[place].body, "answer": answer})
    ledger = "".join(to_jsonl(rechained(events)))
    verdict = verify(rewrite(tmp_path / "x.zip", resealed({**texts, "ledger.jsonl": ledger})))
    assert any(told in one for one in verdict.differences), verdict.differences


def test_the_file_is_there_if_and_only_if_the_design_has_aspects(session: Session, tmp_path: Path) -> None:
    texts = members(session.export(tmp_path / "bundle.zip"))
    without = {name: text for name, text in texts.items() if name != "aspects.csv"}
    found = verify(rewrite(tmp_path / "x.zip", resealed(without))).differences
    assert "aspects.csv: the design has further aspects, and the file is missing" in found
    pool, truth = make_pool(12)
    plain = members(Session(pool, Design(width=0.5)).run(truth, 3).export(tmp_path / "plain.zip"))
    header = texts["aspects.csv"].splitlines(keepends=True)[0]
    found = verify(rewrite(tmp_path / "x.zip", resealed({**plain, "aspects.csv": header}))).differences
    assert "aspects.csv: the design has no further aspects, and the file is there" in found


def test_an_interval_made_narrower_in_the_table_is_named(session: Session, tmp_path: Path) -> None:
    texts = members(session.export(tmp_path / "bundle.zip"))
    header, *rows = rows_of(texts["aspects.csv"])
    place = header.index("upper_unit")
    lines = texts["aspects.csv"].splitlines(keepends=True)
    lines[2] = lines[2].replace(rows[1][place], "0.5000001")
    verdict = verify(rewrite(tmp_path / "x.zip", resealed({**texts, "aspects.csv": "".join(lines)})))
    assert verdict.differences[0].startswith("aspects.csv row 2, column upper_unit: 0.5000001, but computed")


def test_other_shares_of_the_error_and_other_targets_verify(tmp_path: Path) -> None:
    pool, truth = make_pool(60)
    for more in ({"aspects_alpha": "each"}, {"target": "population", "alpha": 0.2, "width": 0.6}):
        made = Session(pool, Design(**{"width": 0.4, "aspects": ASPECTS[1:], **more}))  # type: ignore[arg-type]
        while not made.certifier.stopped:
            round_ = made.draw()
            made.rate(
                round_, float(truth[made.events[-1].body["position"]]), answer={"aspects": {"length": 0}}
            )
        path = made.export(tmp_path / "bundle.zip")
        assert verify(path).differences == []
        design = json.loads(members(path)["design.json"])["session"]["design"]
        assert design["main_aspect"] == "overall"
