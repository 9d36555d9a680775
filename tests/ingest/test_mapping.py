"""What is guessed of a table's columns, and what must never be."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from celeus_label.ingest import Mapping, Table, guess_mapping, human_columns, looks_human, read_table

Read = Callable[..., Table]


@pytest.mark.parametrize(
    ("header", "row", "mapping"),
    [
        (
            "item_id,prompt,response,judge_score,human_score,judge_score_2,judge_spread,system,aspect,raters",
            "a,p,r,3,4,0.2,0.1,s,x,4;5;3",
            Mapping(
                "judge_score", "item_id", "prompt", "response", ("judge_score_2", "judge_spread"),
                ("system", "aspect"),
            ),
        ),
        ("id,question,answer,gpt4_score,rating", "a,p,r,3,4",
         Mapping("gpt4_score", "id", "question", "answer")),
        ("instruction,output,score", "p,r,3", Mapping("score", None, "instruction", "output")),
        ("ID,Source,MT,BLEU,DA", "a,p,r,0.3,80", Mapping("BLEU", "ID", "Source", "MT")),
        ("text,quality", "r,3", Mapping("quality", None, None, "text")),
        ("text,quality,style", "r,3,4", Mapping("", None, None, "text")),
        ("text,human_score", "r,3", Mapping("", None, None, "text")),
        ("prompt,response,judgeScore", "p,42,3", Mapping("judgeScore", None, "prompt", "response")),
        ("prompt,response,judge_raw_logprob,judge_score", "p,r,-2,3",
         Mapping("judge_score", None, "prompt", "response", ("judge_raw_logprob",))),
    ],
)  # fmt: skip
def test_a_guess(read: Read, header: str, row: str, mapping: Mapping) -> None:
    assert guess_mapping(read(f"{header}\n{row}\n")) == mapping


def test_ids_that_repeat_are_no_ids(read: Read) -> None:
    assert guess_mapping(read("id,uid,judge_score\n1,a,3\n1,b,3\n")).item_id == "uid"
    assert guess_mapping(read("id,judge_score\n1,3\n,3\n")).item_id is None


def test_sentinels_and_blanks_don_t_hide_a_judge(read: Read) -> None:
    assert guess_mapping(read("judge_score,text\n-1,a\n,b\nNone,c\n4,d\n")).judge == "judge_score"


@pytest.mark.parametrize(
    "name",
    [
        "human_score", "Human", "humanScore", "annotator_2", "expert.rating", "gold", "label", "mturk-mean",
        "raters", "n_raters", "MOS", "ground_truth", "stars", "target",
    ],
)  # fmt: skip
def test_names_of_human_scores(name: str) -> None:
    assert looks_human(name)


@pytest.mark.parametrize(
    "name",
    ["judge_score", "judge_label", "gpt4_rating", "llm_rating", "rouge", "score", "goldfish", "modality"],
)
def test_names_of_other_scores(name: str) -> None:
    assert not looks_human(name)


def test_human_columns_hold_numbers(read: Read) -> None:
    table = read("human_score,rater_kind,raters,judge_score\n4,expert,4;5,3\n")
    assert human_columns(table) == ("human_score", "raters")


names = st.sampled_from(
    [
        "human_score",
        "gold",
        "rating",
        "judge_score",
        "score",
        "bleu",
        "prompt",
        "response",
        "id",
        "system",
        "x",
        "label",
    ]
)


@settings(max_examples=100, deadline=None)
@given(st.lists(names, min_size=1, max_size=8, unique=True), st.data())
def test_a_guess_never_offers_human_scores_and_always_names_columns(
    columns: list[str], data: st.DataObject
) -> None:
    cells = st.sampled_from(["1", "2.5", "word", ""])
    rows = data.draw(st.lists(st.tuples(*[cells] * len(columns)), min_size=1, max_size=4))
    text = "\n".join(",".join(f'"{value}"' for value in row) for row in [tuple(columns), *rows]) + "\n"
    mapping = guess_mapping(read_table(text.encode(), "x.csv"))
    assert set(mapping.used()) <= set(columns)
    assert not any(map(looks_human, (mapping.judge, *mapping.features)))
    single = [
        mapping.judge,
        mapping.item_id,
        mapping.prompt,
        mapping.response,
        *mapping.features,
        *mapping.groups,
    ]
    given_roles = [name for name in single if name]
    assert len(given_roles) == len(set(given_roles))
    assert mapping.human is None
