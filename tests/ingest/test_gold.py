"""Gold items: rows with a known answer, set apart from the pool."""

from __future__ import annotations

from dataclasses import replace

import pytest

from celeus_label.certify import Scale
from celeus_label.ingest import GoldItem, IngestError, Loaded, guess_mapping, load, read_table

ROWS = """item_id,prompt,response,judge_score,expert
a,pa,ra,2,
b,pb,rb,3,4
c,pc,rc,,
d,pd,rd,5,0
e,pe,re,1,n/a
"""


def load_gold(text: str = ROWS, column: str | None = "expert", **options: object) -> Loaded:
    table = read_table(text.encode(), "pool.csv")
    mapping = replace(guess_mapping(table), gold=column, groups=())
    return load(table, mapping, Scale(0, 5, step=1), missing_judge="mean", **options)  # type: ignore[arg-type]


def test_rows_with_an_answer_are_no_part_of_the_pool() -> None:
    loaded = load_gold()
    assert loaded.gold == (GoldItem("b", "pb", "rb", 4.0), GoldItem("d", "pd", "rd", 0.0))
    assert loaded.pool.item_ids == ("a", "c", "e")
    assert list(loaded.texts) == [("pa", "ra"), ("pc", "rc"), ("pe", "re")]
    # the mean that stands in for a missing score is that of the pool, and so are the positions
    assert (loaded.filled, loaded.stand_in) == ((1,), 1.5)
    report = loaded.report
    assert (report.rows, report.taken, report.gold, report.refused) == (5, 3, 2, [])
    assert report.summary() == "5 rows read, 3 taken, 2 set apart as gold items, 0 refused"
    assert not any("expert" in warning for warning in report.warnings)


def test_gold_items_may_be_listed_by_id() -> None:
    loaded = load_gold(column=None, gold={"e": 2, "a": 0})
    assert [(item.item_id, item.answer) for item in loaded.gold] == [("a", 0), ("e", 2)]
    assert loaded.pool.item_ids == ("b", "c", "d")
    both = load_gold(gold={"b": 1, "a": 5})
    assert [(item.item_id, item.answer) for item in both.gold] == [("a", 5), ("b", 1), ("d", 0)]


def test_the_pool_is_the_same_as_that_of_a_file_without_the_gold_rows() -> None:
    lines = ROWS.splitlines(keepends=True)
    without = load_gold("".join(line for line in lines if line[0] not in "bd"))
    assert without.pool.hash == load_gold().pool.hash


def test_an_answer_off_the_scale_is_a_refused_row() -> None:
    loaded = load_gold(ROWS.replace("d,pd,rd,5,0", "d,pd,rd,5,7"))
    assert [str(refusal) for refusal in loaded.report.refused] == [
        "row 5: expert is 7, outside the scale 0 to 5"
    ]
    assert "d" not in loaded.pool.item_ids


@pytest.mark.parametrize(
    ("gold", "sentence"),
    [
        ({"z": 3.0}, 'gold item "z" is no row that pool.csv gives'),
        ({"a": 7.0}, 'gold item "a": its answer is 7, outside the scale 0 to 5'),
        ({"a": float("nan")}, 'gold item "a": its answer is nan, outside the scale'),
        (
            dict.fromkeys("abcde", 1.0),
            "every row that can be taken is a gold item, and none is left for the pool",
        ),
    ],
)
def test_a_list_that_does_not_fit_the_file_is_refused(gold: dict[str, float], sentence: str) -> None:
    with pytest.raises(IngestError, match=sentence):
        load_gold(column=None, gold=gold)


@pytest.mark.parametrize(
    ("column", "sentence"),
    [("judge_score", "holds the answers of the gold items"), ("experts", 'column "experts" is missing')],
)
def test_a_column_that_can_hold_no_answers_is_refused(column: str, sentence: str) -> None:
    with pytest.raises(IngestError, match=sentence):
        load_gold(column=column)
