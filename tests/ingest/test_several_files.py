"""Several files that become one pool, and the sheet of a workbook."""

from __future__ import annotations

import io
import json

import openpyxl
import pytest

from celeus_label.certify import Scale
from celeus_label.ingest import (
    IngestError,
    Loaded,
    Table,
    guess_mapping,
    load,
    read_table,
    read_tables,
    together,
)


def lines(*rows: object) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def files(**contents: bytes) -> list[Table]:
    return [read_table(content, name.replace("_", ".", 1)) for name, content in contents.items()]


def guessed(table: Table) -> Loaded:
    return load(table, guess_mapping(table), Scale(1, 5), Scale(*(table.judge_scale or (1, 5))))


def told(loaded: Loaded) -> list[str]:
    return [str(refusal) for refusal in loaded.report.refused]


def test_alpaca_eval_outputs_with_their_annotations() -> None:
    outputs = [
        {"instruction": f"Name bird {n}.", "output": f"Bird {n}.", "generator": "new", "dataset": "birds"}
        for n in range(3)
    ]
    annotations = [
        {
            "instruction": f"Name bird {n}.", "output_1": "A wren.", "generator_1": "base",
            "output_2": f"Bird {n}.", "generator_2": "new", "annotator": "gpt", "preference": 1.25,
        }
        for n in (1, 0, 7)
    ]  # fmt: skip
    parts = files(
        annotations_json=json.dumps(annotations).encode(), outputs_json=json.dumps(outputs).encode()
    )
    table = together(parts)
    assert (table.name, table.judge_scale) == ("annotations.json + outputs.json", (1, 2))
    assert table.notes == (
        "annotations.json: AlpacaEval annotations",
        "outputs.json: AlpacaEval outputs",
    )
    loaded = guessed(table)
    assert list(loaded.texts) == [("Name bird 0.", "Bird 0."), ("Name bird 1.", "Bird 1.")]
    assert loaded.pool.judge.tolist() == [1.25, 1.25]
    assert told(loaded) == [
        "row 3 of outputs.json: judge_score is blank, no score; fill it in, or let the mean of the others stand in",
        'row 3 of annotations.json: output_2 is "Bird 7.", and no row of the outputs has it',
    ]


def test_mt_bench_questions_answers_and_judgments() -> None:
    question = {"question_id": 81, "category": "writing", "turns": ["Why?", "Really?"]}
    answer = {
        "question_id": 81,
        "answer_id": "x",
        "choices": [{"index": 0, "turns": ["So.", "Yes."]}],
        "tstamp": 1,
    }
    judged = {"question_id": 81, "model": "old", "judge": ["gpt-4", "single-v1"], "judgment": "[[8]]"}
    prompt = "[Question]\nWhy?\n\n[The Start of Assistant's Answer]\nSo.\n[The End of Assistant's Answer]"
    table = together(
        files(
            question_jsonl=lines(question),
            old_jsonl=lines({**answer, "model_id": "old"}),
            new_jsonl=lines({**answer, "model_id": "new"}),
            gpt_jsonl=lines(
                {**judged, "user_prompt": prompt, "score": 8, "turn": 1},
                {**judged, "model": "new", "user_prompt": prompt, "score": 6, "turn": 1},
                {**judged, "model": "new", "user_prompt": prompt, "score": 7, "turn": 1},
            ),
        )
    )
    assert table.judge_scale == (1, 10)
    loaded = guessed(table)
    assert loaded.pool.item_ids == ("81-old-turn-1", "81-new-turn-1")
    assert loaded.pool.judge.tolist() == [8.0, 6.0]
    assert loaded.texts[0] == ("Why?", "So.")
    assert loaded.pool.groups["category"] == ("writing", "writing")
    blank = "judge_score is blank, no score; fill it in, or let the mean of the others stand in"
    assert told(loaded) == [
        f"row 1 of old.jsonl: {blank}",
        f"row 1 of new.jsonl: {blank}",
        "row 3 of gpt.jsonl: item_id is that of row 2 of gpt.jsonl already",
    ]


def test_a_file_of_outputs_and_one_of_scores_share_a_column_of_ids() -> None:
    outputs = b"id,prompt,response,score_source\n1,Why?,So.,x\n2,When?,Now.,y\n"
    scores = json.dumps([{"id": n, "judge_score": n, "prompt": "Why?"} for n in (2, 1, 3)]).encode()
    table = together(files(scores_json=scores, outputs_csv=outputs))
    assert table.notes == ("scores.json: prompt is left out, as another file has a column of that name",)
    loaded = guessed(table)
    assert loaded.pool.item_ids == ("1", "2")
    assert loaded.pool.judge.tolist() == [1.0, 2.0]
    assert told(loaded) == ['row 3 of scores.json: id is "3", and no row of the outputs has it']


def test_requests_of_a_batch_give_its_responses_their_prompts() -> None:
    asked = {"custom_id": "a", "method": "POST", "body": {"messages": [{"role": "user", "content": "Why?"}]}}
    said = {"body": {"model": "new", "choices": [{"message": {"role": "assistant", "content": "So."}}]}}
    table = together(
        files(
            asked_jsonl=lines(asked),
            said_jsonl=lines({"custom_id": "a", "response": said}),
            scores_csv=b"item_id,judge_score\na,4\n",
        )
    )
    assert list(guessed(table).texts) == [("Why?", "So.")]


def test_parts_of_one_shape_follow_each_other_and_every_place_names_its_file() -> None:
    head = b"item_id,prompt,response,judge_score\n"
    table = together(files(a_csv=head + b"1,p,r,3\n2,p,r,9\n", b_csv=head + b"1,p,r,3\n3,p,r,4\n4,p\n"))
    loaded = guessed(table)
    assert loaded.pool.item_ids == ("1", "3")
    assert told(loaded) == [
        "row 3 of a.csv: judge_score is 9, outside the scale 1 to 5; 9 often stands for a missing score",
        'row 2 of b.csv: item_id is "1", the id of row 2 of a.csv already; ids must be unique',
        "row 4 of b.csv: has 2 cells, the header has 4",
    ]
    assert any("first in row 3 of b.csv (those of row 2 of a.csv)" in line for line in loaded.report.warnings)
    assert "\r\n3 of a.csv,judge_score,9," in loaded.report.refused_csv().decode("utf-8-sig")


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        (b"who,score\nx,3\n", "a.csv and b.csv do not belong together: their columns differ, and none holds"),
        (b"item_id\n1\n", "b.csv adds no column to a.csv: it has item_id"),
    ],
)
def test_files_that_do_not_belong_together_are_named(other: bytes, sentence: str) -> None:
    with pytest.raises(IngestError) as fault:
        together(files(a_csv=b"item_id,prompt,response,judge_score\n1,p,r,3\n", b_csv=other))
    assert sentence in str(fault.value)


def test_two_files_of_one_name_are_refused() -> None:
    table = read_table(b"item_id,judge_score\n1,3\n", "a.csv")
    with pytest.raises(IngestError, match="two of the files have the same name"):
        together([table, table])


def test_a_fault_within_one_of_several_files_names_it() -> None:
    good, cut = b'[{"item_id": 1, "judge_score": 2}]', b'[{"item_id": 1, "judge_score": 2}, {"item_id": 2'
    with pytest.raises(IngestError) as fault:
        read_tables([(good, "a.json"), (cut, "b.json")])
    assert str(fault.value).startswith("b.json: row 1: ")


def workbook() -> bytes:
    book = openpyxl.Workbook()
    book.active.title = "read me"
    book.active.append(["What this is"])
    for name, score in (("June", 2), ("July", 4)):
        sheet = book.create_sheet(name)
        sheet.append(["item_id", "judge_score"])
        sheet.append(["a", score])
    book.create_sheet("old").sheet_state = "hidden"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def test_the_sheet_of_a_workbook_may_be_said() -> None:
    table = read_table(workbook(), "pool.xlsx", sheet="July")
    assert table.sheets == ("read me", "June", "July")
    assert table.notes == ("read from the sheet July; these are left out: read me, June, old",)
    assert guessed(table).pool.judge.tolist() == [4.0]


def test_a_sheet_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(IngestError) as fault:
        read_table(workbook(), "pool.xlsx", sheet="old")
    assert str(fault.value) == 'pool.xlsx has no visible sheet "old"; the sheets are read me, June, July'


def test_sheets_without_a_row_are_passed_over_where_none_is_said() -> None:
    book = openpyxl.Workbook()
    book.active.title = "cover"
    sheet = book.create_sheet("pool")
    sheet.append(["item_id", "judge_score"])
    sheet.append(["a", 3])
    out = io.BytesIO()
    book.save(out)
    table = read_table(out.getvalue(), "pool.xlsx")
    assert guessed(table).pool.item_ids == ("a",)
    assert table.notes == ("read from the sheet pool; these are left out: cover",)
    assert (table.sheets, table.sheet) == (("cover", "pool"), "pool")
    with pytest.raises(IngestError, match="its sheet cover has no header row"):
        read_table(out.getvalue(), "pool.xlsx", sheet="cover")
