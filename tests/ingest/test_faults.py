"""Every kind of fault that files have, as a small file, with the very sentence that it gets."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable

import pytest

from celeus_label.certify import Scale
from celeus_label.ingest import IngestError, Loaded, Mapping, Table, load

Load = Callable[..., Loaded]
Read = Callable[..., Table]

HEAD = "item_id,prompt,response,judge_score\n"
GOOD = "a,p,r,3\n"


@pytest.mark.parametrize(
    ("cell", "rule"),
    [
        ("7.2", "is 7.2, outside the scale 1 to 5"),
        ("0", "is 0, outside the scale 1 to 5"),
        ("5.0000001", "is 5.0000001, outside the scale 1 to 5"),
        ("-1", "is -1, outside the scale 1 to 5; -1 often stands for a missing score"),
        ("999", "is 999, outside the scale 1 to 5; 999 often stands for a missing score"),
        (
            "45417",
            "is 45417, outside the scale 1 to 5; it may be a date that Excel made from a score such as 4/5",
        ),
        ("", "is blank, no score; fill it in, or let the mean of the others stand in"),
        ("  ", "is blank, no score; fill it in, or let the mean of the others stand in"),
        ("NaN", 'is "NaN", no score; fill it in, or let the mean of the others stand in'),
        ("None", 'is "None", no score; fill it in, or let the mean of the others stand in'),
        ("n/a", 'is "n/a", no score; fill it in, or let the mean of the others stand in'),
        ("good", 'is "good", text and not a number'),
        ("[[4]]", "is a list whose value 1 is [4], not a number"),
        ("4_0", 'is "4_0", text and not a number'),
        ("inf", 'is "inf", not a finite number'),
        ("-Infinity", 'is "-Infinity", not a finite number'),
        ("1e999", 'is "1e999", not a finite number'),
        ('"4,5"', 'is "4,5", with a comma; write 4.5, or [4, 5] for a list of scores'),
        ("4/5", 'is "4/5", a fraction; write it as one number'),
        ("85%", 'is "85%", a percentage; write it as a number on the scale'),
        ("05-Apr", 'is "05-Apr", a date; Excel may have made it from a score such as 4/5'),
        ("Apr-05", 'is "Apr-05", a date; Excel may have made it from a score such as 4/5'),
        ("2024-04-05", 'is "2024-04-05", a date; Excel may have made it from a score such as 4/5'),
        ("4/5/2024", 'is "4/5/2024", a date; Excel may have made it from a score such as 4/5'),
        ("#REF!", 'is the spreadsheet error "#REF!", not a number'),
        ("=1+3", 'is "=1+3", text and not a number'),
        ('"{""score"": 4}"', 'holds JSON ("{"score": 4}"), not a number; give one of its keys a column'),
        ('"[4, 6]"', "has 6 as value 2, outside the scale 1 to 5"),
        ('"[4, -1]"', "has -1 as value 2, outside the scale 1 to 5; -1 often stands for a missing score"),
        ('"[4, null]"', "is a list whose value 2 is None, not a number"),
        ("[]", "is an empty list, no score; fill it in, or let the mean of the others stand in"),
        ("4;x", 'is "4;x", text and not a number'),
    ],
)
def test_a_judge_score_that_is_none(take: Load, cell: str, rule: str) -> None:
    loaded = take(f"{HEAD}{GOOD}b,p,r,{cell}\nc,p,r,5\n")
    assert loaded.pool.item_ids == ("a", "c")
    (refusal,) = loaded.report.refused
    assert (refusal.line, refusal.column, refusal.rule) == (3, "judge_score", rule)
    assert str(refusal) == f"row 3: judge_score {rule}"
    assert (loaded.report.rows, loaded.report.taken) == (3, 2)


def test_the_line_is_the_one_a_text_editor_shows(take: Load) -> None:
    text = HEAD + 'a,"two\nlines",r,3\r\n' + "\n" + "b,p,r,7.2\n"
    (refusal,) = take(text).report.refused
    assert str(refusal) == "row 5: judge_score is 7.2, outside the scale 1 to 5"


def test_a_duplicate_id_names_the_earlier_line(take: Load) -> None:
    loaded = take(HEAD + "a,p,r,3\nb,p,r,3\na,other,other,4\n")
    assert [str(refusal) for refusal in loaded.report.refused] == [
        'row 4: item_id is "a", the id of row 2 already; ids must be unique'
    ]
    assert list(loaded.texts) == [("p", "r"), ("p", "r")]


@pytest.mark.parametrize(
    ("item_id", "rule"),
    [
        ("", "is blank; fill it in, or choose no id column to number the rows"),
        ('"a\nb"', r"is 'a\nb', with a line break or control character"),
        ("a\0", r"is 'a\x00', with a line break or control character"),
        ("x" * 1001, "has 1,001 characters, an id at most 1,000"),
    ],
)
def test_an_id_that_is_none(take: Load, item_id: str, rule: str) -> None:
    (refusal,) = take(f"{HEAD}{item_id},p,r,3\nz,p,r,3\n").report.refused
    assert str(refusal) == f"row 2: item_id {rule}"


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        ("b,p,r", "has 3 cells, the header has 4"),
        ("b", "has 1 cell, the header has 4"),
        ("b,p,r,3,", "has 5 cells, the header has 4"),
        (
            'b,"p"x,r,3',
            "the quotes are wrong (',' expected after '\"'); quotes inside a quoted cell must be doubled",
        ),
    ],
)
def test_a_row_of_another_shape(take: Load, row: str, rule: str) -> None:
    loaded = take(HEAD + GOOD + row + "\nc,p,r,4\n")
    assert [str(refusal) for refusal in loaded.report.refused] == [f"row 3: {rule}"]
    assert loaded.pool.item_ids == ("a", "c")


def test_an_open_quote_says_how_much_it_swallows(take: Load) -> None:
    loaded = take(HEAD + GOOD + 'b,"p,r,3\nc,p,r,4\nd,p,r,4\n')
    assert [str(refusal) for refusal in loaded.report.refused] == [
        "row 3: a quote opened here is never closed; it holds everything to the end, line 5;"
        " close it, or double quotes inside cells"
    ]
    assert loaded.pool.item_ids == ("a",)


def test_a_missing_column(take: Load) -> None:
    with pytest.raises(IngestError) as fault:
        take(HEAD + GOOD, judge="judge_scores")
    assert str(fault.value) == (
        'column "judge_scores" is missing; did you mean "judge_score"?'
        " the columns are item_id, prompt, response, judge_score"
    )


def test_no_judge_chosen(take: Load) -> None:
    with pytest.raises(IngestError) as fault:
        take(HEAD + GOOD, judge="")
    assert str(fault.value) == (
        "no column is chosen for the judge's scores; the columns are item_id, prompt, response, judge_score"
    )


def test_human_scores_are_no_surrogate(take: Load) -> None:
    with pytest.raises(IngestError, match="it can be neither judge nor feature"):
        take("judge_score,human_score\n3,4\n", human="human_score", features=("human_score",))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "pool.csv is empty"),
        ("\n \n", "pool.csv is empty"),
        ("\ufeff", "pool.csv is empty"),
        (HEAD, "pool.csv has no rows, only a header"),
        ("a,a,judge_score\n1,2,3\n", 'the header names the column "a" more than once; rename one of them'),
    ],
)
def test_a_file_with_nothing_to_take(take: Load, content: str, sentence: str) -> None:
    with pytest.raises(IngestError) as fault:
        take(content)
    assert str(fault.value) == sentence


def test_no_row_to_take_names_the_first_and_the_likely_scale(take: Load) -> None:
    with pytest.raises(IngestError) as fault:
        take(HEAD + "a,p,r,0.2\nb,p,r,0.9\n")
    assert str(fault.value) == (
        "pool.csv: none of its 2 rows can be taken; the first: row 2: judge_score is 0.2,"
        " outside the scale 1 to 5. judge_score runs from 0.2 to 0.9, the scale given is 1 to 5;"
        " if the judge uses another scale, give it as the judge's scale"
    )


def test_scores_partly_outside_ask_for_the_judge_scale(take: Load) -> None:
    loaded = take(HEAD + "a,p,r,1\nb,p,r,80\nc,p,r,2\n")
    assert loaded.report.warnings[0].startswith("judge_score runs from 1 to 80, the scale given is 1 to 5;")


def test_scores_in_a_corner_of_the_scale(take: Load) -> None:
    rows = "".join(f"i{place},p{place},r,{place / 30:.2f}\n" for place in range(30))
    loaded = take(HEAD + rows, scale=Scale(0, 100))
    assert loaded.report.warnings == [
        "judge_score runs only from 0 to 0.97 of the scale 0 to 100; is this the judge's scale?"
    ]


def test_a_constant_judge(take: Load) -> None:
    loaded = take(HEAD + "a,p,r,3\nb,q,r,3\n")
    assert loaded.report.warnings == ["judge_score is 3 in every row: a constant judge saves no ratings"]


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("", "response is empty in 1 row, first in row 3"),
        (" ", "response is empty in 1 row, first in row 3"),
        ("=SUM(A1)", "response begins like a spreadsheet formula, kept as text, in 1 row, first in row 3"),
        ("@import", "response begins like a spreadsheet formula, kept as text, in 1 row, first in row 3"),
        (
            "+cmd|' /C calc'!A0",
            "response begins like a spreadsheet formula, kept as text, in 1 row, first in row 3",
        ),
        ('"{""a"": 1}"', "response holds JSON, shown as it stands, in 1 row, first in row 3"),
        ("\x1b[31mred", "response holds control characters, kept as they are, in 1 row, first in row 3"),
        ("caf\ufffd", "response holds the sign for a damaged character (U+FFFD) in 1 row, first in row 3"),
    ],
)
def test_odd_texts_are_taken_verbatim_with_a_warning(take: Load, text: str, warning: str) -> None:
    loaded = take(f"{HEAD}a,p,r,3\nb,q,{text},4\n")
    assert loaded.report.warnings == [warning]
    assert loaded.report.refused == []
    verbatim = next(csv.reader([text]), [""])
    assert loaded.texts[1] == ("q", (verbatim or [""])[0])


@pytest.mark.parametrize("text", ["- a bullet", "-1 is odd", "+1", "[draft] text", "1 = 1", "a\tb", "a@b.c"])
def test_plain_texts_get_no_warning(take: Load, text: str) -> None:
    assert take(f"{HEAD}a,p,r,3\nb,q,{text},4\n").report.warnings == []


def test_the_same_content_twice_is_taken_and_told(take: Load) -> None:
    loaded = take(HEAD + "a,p,r,3\nb,q,r,3.5\nc,p,r,4\nd,p,r,5\n")
    assert loaded.report.taken == 4
    assert loaded.report.warnings == [
        "prompt and response are those of an earlier row in 2 rows, first in row 4 (those of row 2);"
        " they are kept, as their ids differ"
    ]


def test_human_scores_left_in_the_file(take: Load) -> None:
    text = "item_id,prompt,response,judge_score,human_score,n_raters\na,p,r,3,4,2\nb,q,r,4,5,2\n"
    assert take(text).report.warnings == [
        "human_score looks like human scores: it is left out, and no rater sees it",
        "n_raters looks like human scores: it is left out, and no rater sees it",
    ]
    assert take(text, judge="human_score").report.warnings[0] == (
        "human_score, chosen as the judge, looks like human scores; is that meant?"
    )
    assert take(text, features=("human_score",)).report.warnings[0] == (
        "human_score, chosen as a feature, looks like human scores; is that meant?"
    )
    assert not any("human_score" in warning for warning in take(text, human="human_score").report.warnings)


def test_no_texts(take: Load) -> None:
    assert take("item_id,judge_score\na,1\nb,2\n").report.warnings == [
        "no column is chosen for prompt or response: raters will see nothing to rate"
    ]


def test_a_missing_header_is_suspected(take: Load) -> None:
    loaded = take("x,3.5\ny,4\n", judge="3.5")
    assert loaded.report.warnings[0] == "the first line holds a number: is it a row, and the header missing?"


def test_a_feature_that_is_no_number_refuses_and_a_missing_one_is_told(take: Load) -> None:
    text = "item_id,prompt,judge_score,length\na,p,3,10\nb,q,4,\nc,s,4,long\n"
    loaded = take(text, features=("length",))
    assert [str(refusal) for refusal in loaded.report.refused] == [
        'row 4: length is "long", text and not a number'
    ]
    assert loaded.report.warnings == ["length is missing in 1 row, first in row 3"]
    assert str(loaded.pool.features["length"]) == "[10. nan]"


def test_a_human_score_may_be_missing_but_not_outside(take: Load) -> None:
    text = "item_id,prompt,judge_score,human_score\na,p,3,4\nb,q,4,\nc,s,4,9\n"
    loaded = take(text, human="human_score")
    assert [str(refusal) for refusal in loaded.report.refused] == [
        "row 4: human_score is 9, outside the scale 1 to 5; 9 often stands for a missing score"
    ]
    assert loaded.human is not None
    assert str(loaded.human) == "[ 4. nan]"
    assert loaded.report.warnings == ["human_score is missing in 1 row, first in row 3"]


def test_refused_rows_are_not_counted_among_the_odd_ones(take: Load) -> None:
    rows = ["a,p,,3;3,1", "b,=SUM(),,3;3,x", "a,=SUM(),,3;3,1", "c,q,r,3,"]
    loaded = take("item_id,prompt,response,judge_score,length\n" + "\n".join(rows), features=("length",))
    assert [refusal.line for refusal in loaded.report.refused] == [3, 4]
    assert [change.rows for change in loaded.report.changed] == [1]
    assert loaded.report.warnings == [
        "judge_score is 3 in every row: a constant judge saves no ratings",
        "response is empty in 1 row, first in row 2",
        "length is missing in 1 row, first in row 5",
    ]


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("{oops}", "is not JSON: Expecting property name enclosed in double quotes at character 2"),
        ("[1, 2]", "is no JSON object ({…})"),
        (
            '{"item_id": "b", "item_id": "c", "judge_score": 3}',
            'the key "item_id" stands twice in one object',
        ),
        (
            '{"item_id": "b", "judge_score": NaN}',
            "judge_score is nan, no score; fill it in, or let the mean of",
        ),
        ('{"item_id": "b", "judge_score": 1e999}', "judge_score is inf, not a finite number"),
        ('{"item_id": "b", "judge_score": {"a": 1}}', "judge_score is {'a': 1}, not a number"),
        (
            '{"item_id": "b"}',
            "judge_score is blank, no score; fill it in, or let the mean of the others stand in",
        ),
        (
            '{"item_id": "b", "prompt": "\\ud800", "judge_score": 3}',
            "prompt holds half a character (U+D800), which no text file can store",
        ),
        ("[" * 100_000, "can't be read: maximum recursion depth exceeded"),
        ('{"item_id": "b", "judge_score": ' + "9" * 5000 + "}", "can't be read: Exceeds the limit"),
    ],
)
def test_a_line_of_jsonl_that_is_none(take: Load, line: str, rule: str) -> None:
    good = json.dumps({"item_id": "a", "prompt": "p", "judge_score": 3})
    loaded = take(f"{good}\n\n{line}\n" + good.replace('"a"', '"z"'), "pool.jsonl")
    (refusal,) = loaded.report.refused
    assert str(refusal).startswith(f"row 3: {rule}")
    assert loaded.pool.item_ids == ("a", "z")


def test_a_missing_judge_score_stands_in_only_if_the_caller_says_so(take: Load) -> None:
    text = HEAD + "a,p,r,2\nb,q,r,\nc,s,r,None\nd,t,r,4\n"
    refused = take(text)
    assert refused.pool.item_ids == ("a", "d")
    assert (refused.filled, refused.stand_in) == ((), None)
    loaded = take(text, missing_judge="mean")
    assert loaded.pool.judge.tolist() == [2.0, 3.0, 3.0, 4.0]
    assert (loaded.filled, loaded.stand_in) == ((1, 2), 3.0)
    assert loaded.report.warnings == [
        "judge_score is missing in 2 rows: the mean of the others, 3, stands in"
    ]
    assert loaded.report.refused == []


def test_a_wrong_score_is_never_taken_for_a_missing_one(take: Load) -> None:
    loaded = take(HEAD + "a,p,r,2\nb,q,r,-1\nc,s,r,bad\n", missing_judge="mean")
    assert loaded.pool.item_ids == ("a",)


def test_no_mean_without_a_score(take: Load) -> None:
    with pytest.raises(IngestError, match="judge_score is missing in every row: there is no mean"):
        take(HEAD + "a,p,r,\nb,q,r,\n", missing_judge="mean")
    with pytest.raises(IngestError, match='missing_judge is "median"'):
        take(HEAD + GOOD, missing_judge="median")


def test_a_reversed_scale_keeps_the_raw_scores(take: Load) -> None:
    loaded = take(HEAD + "a,p,r,1\nb,q,r,6\nc,s,r,7\n", judge_scale=Scale(6, 1))
    assert loaded.pool.judge.tolist() == [1.0, 6.0]
    assert loaded.pool.surrogate.tolist() == [1.0, 0.0]
    assert str(loaded.report.refused[0]) == "row 4: judge_score is 7, outside the scale 6 to 1"


def test_a_judge_on_another_scale_and_several_judges(take: Load) -> None:
    text = "item_id,prompt,judge_score,judge_2,system\na,p,0.25,10,x\nb,q,1,90,y\n"
    loaded = take(text, judge_scale=Scale(0, 1), features=("judge_2",), groups=("system",))
    assert loaded.pool.surrogate.tolist() == [0.25, 1.0]
    assert loaded.pool.features["judge_2"].tolist() == [10.0, 90.0]
    assert loaded.pool.groups == {"system": ("x", "y")}


@pytest.mark.parametrize("cell", ['"[2, 4, 5, 5]"', "2;4;5;5", "2 | 4 | 5 | 5"])
def test_samples_become_a_mean_and_a_spread(take: Load, cell: str) -> None:
    loaded = take(f"{HEAD}a,p,r,{cell}\nb,q,r,3\n")
    assert loaded.pool.judge.tolist() == [4.0, 3.0]
    spread = loaded.pool.features["judge_score_spread"]
    assert spread[0] == pytest.approx(1.5**0.5)
    assert spread[1] != spread[1]
    (change,) = loaded.report.changed
    assert (change.column, change.rule, change.rows, change.line, change.taken) == (
        "judge_score", "list of scores read as its mean", 1, 2, "4.0",
    )  # fmt: skip


def test_the_spread_does_not_overwrite_a_column(take: Load) -> None:
    text = "item_id,prompt,judge_score,judge_score_spread\na,p,2;4,9\nb,q,3;3,8\n"
    features = take(text, features=("judge_score_spread",)).pool.features
    assert features["judge_score_spread"].tolist() == [9.0, 8.0]
    assert features["judge_score_spread_of_samples"].tolist() == [1.0, 0.0]


def test_every_change_is_told(take: Load) -> None:
    text = "item_id;prompt;judge_score\na;p;4,5\nb;q;3,5\nc;s;true\n"
    loaded = take(text, scale=Scale(1, 5))
    assert loaded.pool.judge.tolist() == [4.5, 3.5, 1.0]
    assert [str(change) for change in loaded.report.changed] == [
        "judge_score: decimal comma read as a point in 2 rows, first in row 2: 4,5 read as 4.5",
        "judge_score: true or false read as 1 or 0 in 1 row, first in row 4: true read as 1.0",
    ]


def test_zero_is_a_value(take: Load) -> None:
    loaded = take("item_id,prompt,judge_score\n0,0,0\n1,1,1\n", scale=Scale(0, 1))
    assert loaded.pool.item_ids == ("0", "1")
    assert loaded.pool.judge.tolist() == [0.0, 1.0]
    assert list(loaded.texts) == [("0", ""), ("1", "")]


def test_rows_without_an_id_column_are_numbered_as_in_the_file(take: Load) -> None:
    loaded = take("prompt,judge_score\np,1\nq,9\ns,2\n")
    assert loaded.pool.item_ids == ("row-1", "row-3")


def test_a_chat_stays_as_json(take: Load) -> None:
    chat = [{"role": "user", "content": "Hi é"}, {"role": "assistant", "content": "Yes?"}]
    row = {"item_id": "a", "prompt": chat, "response": ["x", 1], "judge_score": 3}
    loaded = take(json.dumps([row]), "pool.json")
    prompt, response = loaded.texts[0]
    assert json.loads(prompt) == chat
    assert response == '["x", 1]'
    assert [change.column for change in loaded.report.changed] == ["response"]


def test_the_refused_rows_as_a_file_that_no_spreadsheet_runs(take: Load) -> None:
    loaded = take(HEAD + GOOD + 'b,p,r,"=HYPERLINK(""x"")"\nc,p,r,-1\n')
    content = loaded.report.refused_csv()
    assert content.startswith(b"\xef\xbb\xbf")
    assert list(csv.reader(io.StringIO(content.decode("utf-8-sig")))) == [
        ["line", "column", "value", "rule"],
        ["3", "judge_score", '\'=HYPERLINK("x")', 'is "=HYPERLINK("x")", text and not a number'],
        ["4", "judge_score", "-1", "is -1, outside the scale 1 to 5; -1 often stands for a missing score"],
    ]


def test_one_pass_over_a_table_without_a_report_stops_at_the_first_bad_row(read: Read) -> None:
    table = read(HEAD + "b,p\n")
    with pytest.raises(IngestError, match="row 2: has 2 cells, the header has 4"):
        list(table.rows())


def test_progress_is_told(read: Read) -> None:
    table = read(HEAD + "".join(f"i{place},p,r,3\n" for place in range(12_000)))
    calls: list[tuple[int, float]] = []
    load(
        table,
        Mapping("judge_score", "item_id", "prompt", "response"),
        Scale(1, 5),
        progress=lambda rows, share: calls.append((rows, share)),
    )
    assert [rows for rows, _ in calls] == [5_000, 10_000, 12_000]
    assert calls[-1][1] == 1.0
    assert all(0 < share <= 1 for _, share in calls)
