from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from celeus_label.certificate import verify
from celeus_label.certify import Design
from celeus_label.ledger import to_jsonl
from tests.certificate.driver import (
    Session,
    busy_session,
    contradicted_session,
    make_pool,
    members,
    rechained,
    resealed,
    rewrite,
    rows_of,
)

PRESETS = ["target-aware", "celeus", "celeus-no-surrogate"]
COMPUTED = ["lower", "upper", "estimate", "width", "lower_unit", "upper_unit", "estimate_unit", "width_unit"]


@pytest.fixture(scope="module")
def busy() -> Session:
    return busy_session()


@pytest.fixture(scope="module")
def texts(busy: Session, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The members of a bundle with everything in it."""
    path = tmp_path_factory.mktemp("bundle") / "bundle.zip"
    pairs = [(f"prompt {n}", f"response {n}") for n in range(busy.pool.size)]
    return members(busy.export(path, texts=pairs, names={"p1": "Ann", "p2": "Bo"}))


@pytest.fixture
def judge_bundle(tmp_path: Path) -> Callable[[dict[str, str]], list[str]]:
    """The differences that verify finds in a bundle of these members, which is not valid."""

    def judge(changed: dict[str, str]) -> list[str]:
        verdict = verify(rewrite(tmp_path / "changed.zip", changed))
        assert verdict.status == "INVALID"
        assert not verdict.valid
        return verdict.differences

    return judge


def lines_of(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def set_cell(text: str, row: int, column: str, change: Callable[[str], str]) -> str:
    """A table with one cell changed; rows are counted from 1 after the header, and have no quotes."""
    lines = lines_of(text)
    place = lines[0].rstrip("\n").split(",").index(column)
    cells = lines[row].rstrip("\n").split(",")
    cells[place] = change(cells[place])
    lines[row] = ",".join(cells) + "\n"
    return "".join(lines)


def other_digit(cell: str, place: int = -1) -> str:
    """The cell with one digit changed, counted as in a list of its digits."""
    digits = [found.start() for found in re.finditer(r"\d", cell)]
    at = digits[place]
    return cell[:at] + str((int(cell[at]) + 1) % 10) + cell[at + 1 :]


# --- what is valid --------------------------------------------------------------------------------------


def test_a_busy_session_verifies_and_its_claim_is_recomputed(busy: Session, tmp_path: Path) -> None:
    verdict = verify(str(busy.export(tmp_path / "bundle.zip")), busy.events[-1].hash.upper())
    assert (verdict.status, verdict.differences, verdict.valid) == ("VALID", [], True)
    assert verdict.claim is not None
    assert verdict.claim.lower == busy.certifier.interval.lower
    assert verdict.claim.ledger_hash == busy.events[-1].hash


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("target", ["pool", "population"])
def test_sessions_of_every_kind_verify(preset: str, target: str, tmp_path: Path) -> None:
    pool, truth = make_pool(60)
    design = Design(width=0.4, alpha=0.2, preset=preset, target=target, ratings_per_item=2, weights=None)
    session = Session(pool, design).run(truth)
    assert verify(session.export(tmp_path / "bundle.zip")).differences == []


def test_a_session_verifies_at_every_stage(tmp_path: Path) -> None:
    pool, truth = make_pool()
    session = Session(pool, Design(width=0.05))
    for rounds in (0, 1, 5, None):
        session.run(truth, rounds)
        verdict = verify(session.export(tmp_path / "bundle.zip"))
        assert verdict.differences == []
        assert verdict.claim is not None
        assert verdict.claim.status == session.certifier.status
    session.add("width", {"width": 0.01})
    assert verify(session.export(tmp_path / "bundle.zip")).valid


def test_a_contradicted_session_verifies_as_such(tmp_path: Path) -> None:
    verdict = verify(contradicted_session().export(tmp_path / "bundle.zip"))
    assert verdict.valid
    assert verdict.claim is not None
    assert (verdict.claim.status, verdict.claim.lower, verdict.claim.certified) == (
        "contradicted",
        None,
        False,
    )


def test_a_bundle_that_was_packed_anew_verifies(texts: dict[str, str], tmp_path: Path) -> None:
    backwards = dict(reversed(texts.items()))
    assert verify(rewrite(tmp_path / "again.zip", backwards)).differences == []


# --- one change ------------------------------------------------------------------------------------------

Judge = Callable[[dict[str, str]], list[str]]


def test_a_changed_rating_is_named_in_the_ledger_and_in_the_table(
    texts: dict[str, str], judge_bundle: Judge
) -> None:
    lines = lines_of(texts["ledger.jsonl"])
    lines[4] = re.sub(r'"value":(\d)', lambda found: f'"value":{6 - int(found[1])}', lines[4])
    told = judge_bundle({**texts, "ledger.jsonl": "".join(lines)})
    assert told[0].startswith("ledger.jsonl: ledger row 5 (rating): its hash does not follow")
    assert any(sentence.startswith("ratings.csv row 2, column value: ") for sentence in told)


def test_every_digit_of_the_ledger_counts(texts: dict[str, str], judge_bundle: Judge) -> None:
    lines = lines_of(texts["ledger.jsonl"])
    for row in (1, 2, 10, len(lines)):
        digits = len(re.findall(r"\d", lines[row - 1]))
        for place in range(0, digits, 1 + digits // 8):
            changed = [*lines]
            changed[row - 1] = other_digit(lines[row - 1], place)
            told = judge_bundle({**texts, "ledger.jsonl": "".join(changed)})
            assert re.match(rf"ledger\.jsonl: (ledger row|line) ({row}|{row + 1})\b", told[0])


@pytest.mark.parametrize("name", ["lower", "upper", "estimate_unit", "pool_lower_unit", "t"])
def test_a_changed_cell_of_the_trajectory_is_named(
    name: str, texts: dict[str, str], judge_bundle: Judge
) -> None:
    changed = set_cell(texts["trajectory.csv"], 4, name, lambda cell: other_digit(cell, 0))
    told = judge_bundle({**texts, "trajectory.csv": changed})
    old, new = (rows_of(text)[4] for text in (texts["trajectory.csv"], changed))
    at = rows_of(changed)[0].index(name)
    assert told[0] == f"trajectory.csv row 4, column {name}: {new[at]}, but computed again it is {old[at]}"


def test_a_last_digit_that_rounding_could_have_changed_is_named_too(
    texts: dict[str, str], judge_bundle: Judge
) -> None:
    changed = set_cell(texts["trajectory.csv"], 9, "estimate", lambda cell: other_digit(cell, -1))
    told = judge_bundle({**texts, "trajectory.csv": changed})
    assert len(told) == 1
    assert told[0].startswith("certificate.csv row 1, column sha256:trajectory.csv: ")
    assert "trajectory.csv row 9, column estimate: " in told[0]


def test_rounding_of_another_machine_is_no_difference(texts: dict[str, str], tmp_path: Path) -> None:
    changed = {**texts}
    for row in (1, 9, 20):
        for name in COMPUTED:
            text = changed["trajectory.csv"]
            changed["trajectory.csv"] = set_cell(text, row, name, lambda cell: repr(float(cell) + 4e-10))
    for name in COMPUTED:
        text = changed["certificate.csv"]
        changed["certificate.csv"] = set_cell(text, 1, name, lambda cell: repr(float(cell) - 4e-10))
    assert verify(rewrite(tmp_path / "other.zip", resealed(changed))).differences == []


def test_more_than_rounding_is_a_difference_even_where_all_hashes_are_right(
    texts: dict[str, str], judge_bundle: Judge
) -> None:
    for file in ("trajectory.csv", "certificate.csv"):
        for name in COMPUTED:
            points = 4 if not name.endswith("_unit") else 1
            change = lambda cell, by=2e-9 * points: repr(float(cell) + by)  # noqa: E731
            changed = resealed({**texts, file: set_cell(texts[file], 1, name, change)})
            told = judge_bundle(changed)
            assert told[0].startswith(f"{file} row 1, column {name}: ")


@pytest.mark.parametrize(
    ("file", "row", "column", "place"),
    [
        ("ratings.csv", 2, "value", 0),
        ("ratings.csv", 2, "first_value", 1),
        ("ratings.csv", 5, "duration_ms", 0),
        ("ratings.csv", 5, "ledger_row", 0),
        ("ratings.csv", 6, "rated_at", -1),
        ("ratings.csv", 1, "corrected_at", -1),
        ("ratings.csv", 1, "rater", 0),
        ("certificate.csv", 1, "items", 0),
        ("certificate.csv", 1, "alpha", -1),
        ("certificate.csv", 1, "eps", -1),
        ("certificate.csv", 1, "eps_design", -1),
        ("certificate.csv", 1, "draws", 0),
        ("certificate.csv", 1, "unratable", 0),
        ("certificate.csv", 1, "first_rating", 2),
        ("certificate.csv", 1, "pool_hash", 5),
        ("certificate.csv", 1, "ledger_hash", 5),
        ("certificate.csv", 1, "scale_upper", 0),
        ("certificate.csv", 1, "bundle_version", 0),
    ],
)
def test_a_changed_field_is_named_even_where_all_hashes_are_right(
    file: str, row: int, column: str, place: int, texts: dict[str, str], judge_bundle: Judge
) -> None:
    changed = set_cell(texts[file], row, column, lambda cell: other_digit(cell, place))
    told = judge_bundle(resealed({**texts, file: changed}))
    assert told[0].startswith(f"{file} row {row}, column {column}: ")


@pytest.mark.parametrize("column", ["package_version", "sha256:ratings.csv", "sha256:this row"])
def test_a_field_that_nothing_else_tells_is_protected_by_the_rows_own_hash(
    column: str, texts: dict[str, str], judge_bundle: Judge
) -> None:
    changed = set_cell(texts["certificate.csv"], 1, column, lambda cell: other_digit(cell, 1))
    told = judge_bundle({**texts, "certificate.csv": changed})
    assert "certificate.csv row 1, column sha256:" in told[0]


@pytest.mark.parametrize("file", ["pool.csv", "ratings.csv", "trajectory.csv", "texts.csv", "raters.csv"])
@pytest.mark.parametrize("reseal", [False, True])
def test_a_deleted_an_added_and_two_swapped_rows_are_named(
    file: str, reseal: bool, texts: dict[str, str], judge_bundle: Judge
) -> None:
    *lines, last = lines_of(texts[file])
    # the rows of items whose ids have line breaks stay out of it
    rows = len(lines) - 1
    at = 2 if file == "raters.csv" else len(lines) - 6
    changes = {
        "deleted": [*lines[:at], *lines[at + 1 :], last],
        "doubled": [*lines[: at + 1], *lines[at:], last],
        "swapped": [*lines[: at - 1], lines[at], lines[at - 1], *lines[at + 1 :], last],
        "last deleted": lines,
        "last doubled": [*lines, last, last],
    }
    assert rows > at
    for told_of, changed in changes.items():
        bundle = {**texts, file: "".join(changed)}
        told = judge_bundle(resealed(bundle) if reseal else bundle)
        if file == "pool.csv" and told_of.startswith("last d"):
            assert told[0].startswith("pool.csv: ")
        else:
            assert re.match(rf"{file}( row |: row )\d+", told[0]), (told_of, told)


def test_deleted_swapped_and_added_ledger_rows_are_named(texts: dict[str, str], judge_bundle: Judge) -> None:
    lines = lines_of(texts["ledger.jsonl"])
    for changed in (
        [*lines[:4], *lines[5:]],
        [*lines[:4], lines[5], lines[4], *lines[6:]],
        [*lines[:5], lines[4], *lines[5:]],
    ):
        told = judge_bundle(resealed({**texts, "ledger.jsonl": "".join(changed)}))
        assert re.match(r"ledger\.jsonl: ledger row [56]:", told[0])
    told = judge_bundle(resealed({**texts, "ledger.jsonl": "".join(lines[:-1])}))
    assert told[0].startswith(f"ratings.csv row {len(rows_of(texts['ratings.csv'])) - 1}: a row too many")


def test_a_changed_value_of_the_pool_is_found_by_its_hash(texts: dict[str, str], judge_bundle: Judge) -> None:
    at = len(lines_of(texts["pool.csv"])) - 8
    for column, value in (("judge_score", "2.5"), ("feature:item_id", "0.125"), ("item_id", "item-x")):
        pool = set_cell(texts["pool.csv"], at, column, lambda cell, value=value: value)
        told = judge_bundle(resealed({**texts, "pool.csv": pool}))
        assert any(sentence.startswith("pool.csv: a value in it") for sentence in told[:2])
    pool = set_cell(texts["pool.csv"], at, "judge_score", lambda cell: "2.50")
    told = judge_bundle(resealed({**texts, "pool.csv": pool}))
    assert told[0].startswith(f"pool.csv: row {at - 1}, column judge_score: '2.50' is not a number as")
    renamed = texts["pool.csv"].replace("group:system", "group:sistem", 1)
    assert "its hash is" in judge_bundle(resealed({**texts, "pool.csv": renamed}))[0]


def test_a_changed_id_of_a_drawn_item_is_named_by_its_row(texts: dict[str, str], judge_bundle: Judge) -> None:
    pool = texts["pool.csv"].replace(",item-24,", ",item-99,")
    told = judge_bundle(resealed({**texts, "pool.csv": pool}))
    assert told[0] == "pool.csv row 34, column item_id: item-99, but draw 4 of the ledger drew item-24 there"


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (
            ("session", "design", "width"),
            0.31,
            "design.json, session.design.width: 0.31, but the ledger says 0.3",
        ),
        (("session", "design", "seed"), 6, "design.json, session.design.seed: 6, but the ledger says 5"),
        (
            ("session", "name"),
            "second",
            'design.json, session.name: "second", but the ledger says "first session"',
        ),
        (("session", "new"), 1, "design.json, session.new: 1, but the ledger says nothing of it"),
        (
            ("judge_scale", "upper"),
            6.0,
            "pool.csv: a value in it, or the judge's scale in design.json, was changed",
        ),
    ],
)
def test_a_changed_design_is_named(
    path: tuple[str, ...], value: object, told: str, texts: dict[str, str], judge_bundle: Judge
) -> None:
    document = json.loads(texts["design.json"])
    inner = document
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    changed = resealed({**texts, "design.json": json.dumps(document, indent=2, sort_keys=True) + "\n"})
    assert judge_bundle(changed)[0].startswith(told)


def test_changed_texts_and_names_are_found_by_their_hash(texts: dict[str, str], judge_bundle: Judge) -> None:
    for file, old, new in (("texts.csv", "response 7", "response 8"), ("raters.csv", "Ann", "Bob")):
        told = judge_bundle({**texts, file: texts[file].replace(old, new)})
        assert told[0].startswith(f"certificate.csv row 1, column sha256:{file}: ")


def test_members_that_were_taken_away_or_added_are_named(texts: dict[str, str], judge_bundle: Judge) -> None:
    without = {name: text for name, text in texts.items() if name != "texts.csv"}
    assert "texts.csv is not in the bundle" in judge_bundle(without)[0]
    plain = resealed(without)
    assert "texts.csv was added to the bundle" in judge_bundle({**plain, "texts.csv": texts["texts.csv"]})[0]


# --- forgers ---------------------------------------------------------------------------------------------


def test_a_ledger_that_was_invented_whole_is_found_by_the_published_hash_alone(
    busy: Session, tmp_path: Path
) -> None:
    """Nothing in such a bundle contradicts itself, so only a hash from elsewhere can show it."""
    published = busy.events[-1].hash
    forged = Session(busy.pool, busy.design)
    for event in busy.events[1:]:
        body = dict(event.body)
        if event.kind == "rating" and body["round"] == 3:
            body["value"] = 5.0 if body["value"] != 5.0 else 4.0
        if event.kind == "fit":
            break
        forged.add(event.kind, body)
    path = forged.export(tmp_path / "forged.zip")
    assert verify(path).valid
    verdict = verify(path, published)
    assert verdict.status == "INVALID"
    assert "taken from another ledger" in verdict.differences[0]


def test_a_hash_of_an_earlier_moment_is_told_from_a_strangers(busy: Session, tmp_path: Path) -> None:
    verdict = verify(busy.export(tmp_path / "bundle.zip"), busy.events[9].hash)
    assert verdict.status == "INVALID"
    assert f"the hash of its row 10, and {len(busy.events) - 10} rows follow" in verdict.differences[0]


@pytest.mark.parametrize(
    ("kind", "change", "told"),
    [
        ("draw", {"u": 0.5}, "its u is 0.5"),
        ("draw", {"q": 0.5}, "its q is 0.5"),
        ("draw", {"item": "item-1"}, "its item_id is 'item-1'"),
        ("draw", {"position": 10}, "its position is 10"),
        ("draw", {"round": 7}, "its round is 7"),
        ("rating", {"value": 2.5}, "is 2.5, between two steps of the scale"),
        ("rating", {"value": 9}, "is 9, outside the scale"),
        ("rating", {"value": True}, "its value is True, not a number"),
        ("rating", {"round": 39}, "there is no draw 39 before it"),
        ("rating", {"duration_ms": "long"}, "its duration_ms is 'long', not a whole number"),
        ("correction", {"old": 1.5}, "its old value is 1.5, but the rating was"),
        ("correction", {"rater": "p9"}, "rater p9 has no rating of draw 1 to correct"),
        ("width", {"width": 2}, "width must lie in (0, 1)"),
        ("design", {"items": 41}, "it has 40 rows, but the ledger says 41"),
        ("design", {"pool_hash": "0" * 64}, "its hash is"),
    ],
)
def test_a_forged_event_in_a_right_chain_is_named(
    kind: str,
    change: dict[str, object],
    told: str,
    busy: Session,
    texts: dict[str, str],
    judge_bundle: Judge,
) -> None:
    at = next(place for place, event in enumerate(busy.events) if event.kind == kind)
    events = [*busy.events]
    events[at] = dataclasses.replace(events[at], body={**events[at].body, **change})
    ledger = "".join(to_jsonl(rechained(events)))
    differences = judge_bundle(resealed({**texts, "ledger.jsonl": ledger}))
    assert any(told in sentence for sentence in differences), differences
    if kind not in ("design", "width"):
        assert differences[0].startswith(f"ledger.jsonl: ledger row {at + 1} ({kind})")


def test_a_second_design_and_an_unknown_event_are_named(
    busy: Session, texts: dict[str, str], judge_bundle: Judge
) -> None:
    for kind, told in (("design", "a second design"), ("gift", "no such kind of event")):
        extra = dataclasses.replace(busy.events[0], kind=kind)
        ledger = "".join(to_jsonl(rechained([*busy.events[:6], extra, *busy.events[6:]])))
        differences = judge_bundle(resealed({**texts, "ledger.jsonl": ledger}))
        assert told in differences[0]
        assert "ledger row 7" in differences[0]


def test_a_bundle_of_another_version_is_told_as_such(texts: dict[str, str], judge_bundle: Judge) -> None:
    changed = set_cell(texts["certificate.csv"], 1, "package_version", lambda cell: "9.9")
    changed = set_cell(changed, 1, "estimate_unit", lambda cell: "0.25")
    told = judge_bundle(resealed({**texts, "certificate.csv": changed}))
    assert "column estimate_unit: 0.25" in told[0]
    assert "celeus-label 9.9 made it" in told[-1]


def test_many_differences_are_counted_and_few_are_told(texts: dict[str, str], judge_bundle: Judge) -> None:
    header, *rows = lines_of(texts["trajectory.csv"])
    changed = header + "".join(row.replace("0.", "1.") for row in rows)
    told = judge_bundle({**texts, "trajectory.csv": changed})
    assert sum(sentence.startswith("trajectory.csv row") for sentence in told) == 5
    assert re.match(r"trajectory\.csv: \d+ more differences", told[-1])
