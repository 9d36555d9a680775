"""Tables of two responses to compare."""

from __future__ import annotations

from dataclasses import replace

import pytest

from celeus_label.certify import pairs
from celeus_label.ingest import (
    IngestError,
    Known,
    Loaded,
    compare,
    content_hash,
    guess_mapping,
    load,
    preview,
    read_table,
)

CSV = """item_id,prompt,response_a,response_b,judge_preference,human
q1,Why?,So.,No.,A,b
q2,How?,Thus.,Like that.,tie (bothbad),0.5
q3,When?,Now.,Then.,model_b,1
q4,Who?,I.,You.,maybe,0
"""


def loaded(text: str = CSV, **more: str) -> Loaded:
    table = read_table(text.encode(), "pairs.csv")
    return load(table, replace(guess_mapping(table), **more), pairs.SCALE)


def test_two_responses_are_recognised_with_the_preference_of_the_judge() -> None:
    mapping = guess_mapping(read_table(CSV.encode(), "pairs.csv"))
    assert (mapping.response, mapping.response_b) == ("response_a", "response_b")
    assert (mapping.judge, mapping.prompt, mapping.item_id) == ("judge_preference", "prompt", "item_id")


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("output_1,output_2", ("output_1", "output_2")),
        ("Answer A,Answer B", ("Answer A", "Answer B")),
        ("answer_1,answer_2,answer_3", (None, None)),  # choices
        ("response,response_b", ("response", None)),
    ],
)
def test_other_names_for_two_responses(header: str, found: tuple[str | None, str | None]) -> None:
    rows = ",".join("xyz"[n] for n in range(header.count(",") + 1))
    mapping = guess_mapping(read_table(f"judge_score,{header}\n0.5,{rows}\n".encode(), "pairs.csv"))
    assert (mapping.response, mapping.response_b) == found


def test_preferences_in_words_are_values_and_others_are_refused() -> None:
    pool = loaded(human="human")
    assert pool.pool.judge.tolist() == [1.0, 0.5, 0.0]
    assert pool.human is not None
    assert pool.human.tolist() == [0.0, 0.5, 1.0]
    assert list(pool.texts) == [("Why?", "So."), ("How?", "Thus."), ("When?", "Now.")]
    assert pool.second is not None
    assert [other for _, other in pool.second] == ["No.", "Like that.", "Then."]
    assert [str(one) for one in pool.report.refused] == [
        'row 5: judge_preference is "maybe", text and not a number'
    ]
    assert preview(read_table(CSV.encode(), "p.csv"), pool.mapping, 1) == [("Why?", "So.", "No.")]


def test_words_are_no_scores_where_there_is_one_response() -> None:
    table = read_table(b"item_id,response,judge_score\na,x,A\nb,y,1\nc,z,0\n", "single.csv")
    found = load(table, guess_mapping(table), pairs.SCALE)
    assert found.pool.item_ids == ("b", "c")
    assert found.second is None


def test_a_gold_pair_keeps_both_responses() -> None:
    pool = loaded(CSV.replace(",b\n", ",\n"), gold="human")
    assert [(one.item_id, one.response_b, one.answer) for one in pool.gold] == [
        ("q2", "Like that.", 0.5),
        ("q3", "Then.", 1.0),
    ]


def test_a_changed_second_response_is_a_changed_item() -> None:
    before, after = loaded(), loaded(CSV.replace("Like that.", "Like this."))
    known = [
        Known(item_id, content, judge)
        for item_id, content, judge in zip(
            before.pool.item_ids, before.content_hashes(), before.pool.judge, strict=True
        )
    ]
    assert compare(after, known).changed == {"q2": "texts"}
    assert content_hash("p", "r", "") != content_hash("p", "r")


def test_one_column_can_not_be_both() -> None:
    with pytest.raises(
        IngestError, match="second of two responses to compare; choose another one as the first"
    ):
        loaded(response="response_b")
