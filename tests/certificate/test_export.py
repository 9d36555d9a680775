from __future__ import annotations

import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

from celeus_label.certificate import export_bundle, verify
from celeus_label.certificate.archive import ASPECTS, OPTIONAL, REQUIRED
from celeus_label.certificate.cells import read_text
from celeus_label.certify import Design, Pool, Scale
from celeus_label.ledger import first_break, from_jsonl
from tests.certificate.driver import (
    Session,
    busy_session,
    contradicted_session,
    make_pool,
    members,
    rows_of,
)


@pytest.fixture(scope="module")
def busy() -> Session:
    return busy_session()


def certificate(path: Path) -> dict[str, str]:
    header, row = rows_of(members(path)["certificate.csv"])
    return dict(zip(header, row, strict=True))


def test_a_bundle_has_its_members_and_nothing_else(busy: Session, tmp_path: Path) -> None:
    path = busy.export(tmp_path / "bundle.zip")
    assert path == tmp_path / "bundle.zip"
    assert tuple(members(path)) == REQUIRED
    assert list(tmp_path.iterdir()) == [path]


def test_texts_and_names_go_along_only_if_they_are_given(busy: Session, tmp_path: Path) -> None:
    texts = [(f"=prompt {n}", "'response\n") for n in range(busy.pool.size)]
    path = busy.export(tmp_path / "bundle.zip", texts=iter(texts), names={"p1": "Ann", "nobody": "Bo"})
    found = members(path)
    assert set(found) == {*REQUIRED, *OPTIONAL} - {ASPECTS}  # the design has none
    cells = [[read_text(cell) for cell in row[1:]] for row in rows_of(found["texts.csv"])[1:]]
    assert cells == [[i, *pair] for i, pair in zip(busy.pool.item_ids, texts, strict=True)]
    assert rows_of(found["raters.csv"]) == [
        ["rater", "name"],
        ["p1", "Ann"],
        ["p2", ""],
        ["p3", ""],
        ["lead", ""],
    ]
    assert not any("prompt" in text or "Ann" in text for name, text in found.items() if name not in OPTIONAL)


def test_the_same_session_gives_the_same_bytes(busy: Session, tmp_path: Path) -> None:
    first = busy.export(tmp_path / "first.zip").read_bytes()
    time.sleep(2.1)  # a zip file's own times have steps of two seconds
    again = busy.export(tmp_path / "again.zip", certifier=busy.certifier)
    assert again.read_bytes() == first


def test_every_float_of_the_pool_comes_back_bit_for_bit(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    judge = np.concatenate([rng.random(200), [0.1 + 0.2, 5e-324, 1.0, 0.0, -0.0, 1 / 3]])
    feature = np.concatenate([rng.normal(size=204) * 1e300, [np.nan, -1e-310]])
    pool = Pool([f"i{n}" for n in range(206)], judge, Scale(0, 1), features={"x": feature})
    session = Session(pool, Design(width=0.1, surrogate="judge"))
    _, *rows = rows_of(members(session.export(tmp_path / "bundle.zip"))["pool.csv"])
    assert np.array([float(row[2]) for row in rows]).tobytes() == pool.judge.tobytes()
    back = np.array([float(row[3]) if row[3] else np.nan for row in rows])
    assert np.where(np.isnan(back), 0, back).tobytes() == np.where(np.isnan(feature), 0, feature).tobytes()


def test_no_cell_of_text_begins_like_a_formula(busy: Session, tmp_path: Path) -> None:
    found = members(busy.export(tmp_path / "bundle.zip"))
    for name, places in {"pool.csv": [1, 5], "ratings.csv": [2, 3, 10]}.items():
        cells = [row[place] for row in rows_of(found[name])[1:] for place in places]
        assert any(cell.startswith("'") for cell in cells)
        assert not any(cell.startswith(tuple("=+-@\t\r")) for cell in cells)
    numbers = [row[3] for row in rows_of(found["pool.csv"])[1:]]
    assert any(cell.startswith("-") for cell in numbers)


def test_ratings_are_the_current_ones_with_who_and_when(busy: Session, tmp_path: Path) -> None:
    header, *rows = rows_of(members(busy.export(tmp_path / "bundle.zip"))["ratings.csv"])
    first = dict(zip(header, rows[0], strict=True))
    assert (first["round"], first["rater"], first["corrections"]) == ("1", "p1", "1")
    assert float(first["value"]) == 6 - float(first["first_value"]) != float(first["first_value"])
    assert first["rated_at"] == busy.events[2].at < first["corrected_at"]
    assert len(rows) == sum(event.kind == "rating" for event in busy.events)
    assert [int(row[1]) for row in rows] == sorted(int(row[1]) for row in rows)


def test_the_certificate_counts_what_happened(busy: Session, tmp_path: Path) -> None:
    fields = certificate(busy.export(tmp_path / "bundle.zip"))
    lower, upper = busy.certifier.unit_interval
    interval = busy.certifier.interval
    assert fields["status"] == "target met"
    assert fields["stopping_rule"] == "width at most 0.2 of the scale"
    assert (fields["eps_design"], fields["eps"]) == ("0.3", "0.2")
    assert (fields["unratable"], fields["corrections"], fields["raters"]) == ("1", "1", "2")
    assert (float(fields["lower_unit"]), float(fields["upper_unit"])) == (lower, upper)
    assert (float(fields["lower"]), float(fields["upper"])) == (interval.lower, interval.upper)
    assert float(fields["estimate"]) == interval.estimate
    assert fields["ledger_hash"] == busy.events[-1].hash
    assert fields["pool_hash"] == busy.pool.hash


def test_the_ledger_goes_along_whole(busy: Session, tmp_path: Path) -> None:
    text = members(busy.export(tmp_path / "bundle.zip"))["ledger.jsonl"]
    events = list(from_jsonl(text.splitlines()))
    assert events == busy.events
    assert first_break(events) is None


def test_the_trajectory_has_a_row_for_each_round(busy: Session, tmp_path: Path) -> None:
    header, *rows = rows_of(members(busy.export(tmp_path / "bundle.zip"))["trajectory.csv"])
    assert [row[0] for row in rows] == [str(t) for t in range(1, busy.certifier.ratings + 1)]
    assert float(rows[-1][header.index("lower")]) == busy.certifier.interval.lower
    assert [float(row[header.index("pool_lower_unit")]) for row in rows] == busy.certifier.trajectory[
        "lower"
    ].tolist()


def test_an_open_session_says_that_it_is_open(tmp_path: Path) -> None:
    pool, truth = make_pool()
    session = Session(pool, Design(width=0.05)).run(truth, 5)
    fields = certificate(session.export(tmp_path / "bundle.zip"))
    assert (fields["status"], fields["stopping_rule"]) == ("open", "none")
    assert float(fields["lower"]) < float(fields["upper"])


def test_a_contradicted_session_claims_no_interval(tmp_path: Path) -> None:
    fields = certificate(contradicted_session().export(tmp_path / "bundle.zip"))
    assert (fields["status"], fields["stopping_rule"]) == ("contradicted", "none")
    for name in ("estimate", "lower", "upper", "width"):
        assert fields[name] == fields[f"{name}_unit"] == ""


@pytest.mark.parametrize(
    ("design", "rules"),
    [
        (Design(width=0.01, above=1.5), "above 1.5"),
        (Design(width=0.01, below=4.5, seed=2), "below 4.5"),
        (Design(width=0.01, budget=7), "budget of 7 items"),
        (Design(width=0.001, preset="celeus"), "width at most 0.001 of the scale; every item drawn"),
        (Design(width=0.4, target="population", alpha=0.2), "width at most 0.4 of the scale"),
    ],
)
def test_the_rule_that_fired_is_named(design: Design, rules: str, tmp_path: Path) -> None:
    pool, truth = make_pool(60)
    fields = certificate(Session(pool, design).run(truth).export(tmp_path / "bundle.zip"))
    assert fields["stopping_rule"] == rules
    assert fields["status"] == ("budget spent" if "budget" in rules else "target met")


def test_a_broken_ledger_is_not_certified(busy: Session, tmp_path: Path) -> None:
    target = tmp_path / "bundle.zip"
    target.write_text("what was there before")
    with pytest.raises(ValueError, match="ledger row 5"):
        events = [*busy.events[:4], *busy.events[5:]]
        export_bundle(target, pool=busy.pool, design=busy.design, events=events)
    assert target.read_text() == "what was there before"
    assert list(tmp_path.iterdir()) == [target]


def test_what_is_not_the_ledgers_is_refused(busy: Session, tmp_path: Path) -> None:
    target = tmp_path / "bundle.zip"
    other, _ = make_pool(seed=2)
    with pytest.raises(ValueError, match="pool"):
        export_bundle(target, pool=other, design=busy.design, events=busy.events)
    with pytest.raises(ValueError, match="design is not the one in the ledger's first row"):
        export_bundle(target, pool=busy.pool, design=busy.certifier.design, events=busy.events)
    with pytest.raises(ValueError, match="ledger is empty"):
        export_bundle(target, pool=busy.pool, design=busy.design, events=[])
    with pytest.raises(ValueError, match="fold all of them in"):
        busy.export(target, certifier=Session(busy.pool, busy.design).certifier)
    with pytest.raises(ValueError, match="texts: 3 for a pool of 40 items"):
        busy.export(target, texts=[("p", "r")] * 3)
    with pytest.raises(ValueError, match="texts: more than the 40 items"):
        busy.export(target, texts=[("p", "r")] * 41)
    assert list(tmp_path.iterdir()) == []


def test_a_text_that_verify_would_take_for_a_bomb_is_refused_at_once(busy: Session, tmp_path: Path) -> None:
    texts = [("", " " * 1_000_000)] * busy.pool.size
    with pytest.raises(ValueError, match=r"texts\.csv .* zip bomb"):
        busy.export(tmp_path / "bundle.zip", texts=texts)
    assert list(tmp_path.iterdir()) == []


def test_fifty_thousand_ratings_are_exported_and_verified_in_time(tmp_path: Path) -> None:
    pool, _ = make_pool(5000)
    truth = np.random.default_rng(5).integers(1, 6, 5000).astype(float)
    session = Session(pool, Design(width=0.001, ratings_per_item=100, surrogate="judge")).run(truth, 500)
    start = time.perf_counter()
    path = session.export(tmp_path / "bundle.zip")
    assert time.perf_counter() - start < 20
    with zipfile.ZipFile(path) as bundle, bundle.open("ratings.csv") as ratings:
        assert sum(1 for _ in ratings) == 50_001
    assert verify(path).differences == []
