"""Whatever the bytes, a file is read or refused with a sentence, never with a fault of ours."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from celeus_label.certify import Scale
from celeus_label.ingest import IngestError, Mapping, guess_mapping, load, read_table
from tests.ingest.test_formats import THREE, WRITERS

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
TOOL_KEYS = [
    "id", "doc_id", "filtered_resps", "resps", "arguments", "metrics", "input", "output", "target", "scores",
    "vars", "prompt", "score", "success", "provider", "question_id", "model", "judge", "judgment", "user_prompt",
    "model_1", "model_2", "g1_winner", "g2_winner", "g1_user_prompt", "model_id", "choices", "instruction",
    "output_1", "output_2", "preference", "generator", "data", "annotations", "predictions", "annotation_id",
    "lead_time", "fields", "responses", "suggestions", "q.suggestion", "q.responses", "q-suggestion",
    "q-suggestion-metadata", "q", "messages", "custom_id", "response", "judge_score",
]  # fmt: skip


signs = st.text(st.sampled_from(list(',;\t|"\n\r1.ab[]{}:\ufeffé')), max_size=60)
records = st.lists(
    st.dictionaries(st.sampled_from(TOOL_KEYS), json_values, max_size=12), min_size=1, max_size=3
)


def go_through(content: bytes, name: str) -> None:
    """All that an upload goes through; any exception but IngestError is a fault."""
    try:
        table = read_table(content, name)
        mapping = guess_mapping(table)
        if mapping.judge:
            load(table, mapping, Scale(1, 5), missing_judge="mean")
        if table.columns:
            load(table, Mapping(table.columns[0], *table.columns[1:4]), Scale(0, 1))
    except IngestError as fault:
        assert str(fault)


@settings(max_examples=100, deadline=None)
@given(
    st.binary(max_size=200),
    st.sampled_from(["x", "x.csv", "x.json", "x.jsonl", "x.xlsx", "x.parquet", "x.gz"]),
)
def test_any_bytes(content: bytes, name: str) -> None:
    go_through(content, name)


@settings(max_examples=100, deadline=None)
@given(
    st.text(st.sampled_from(list(',;\t|"\n\r1.ab[]{}:\ufeffé')), max_size=60),
    st.sampled_from(["x", "x.csv", "x.json", "x.jsonl"]),
)
def test_any_signs(text: str, name: str) -> None:
    go_through(text.encode(), name)


@settings(max_examples=100, deadline=None)
@given(json_values, st.sampled_from(["x.json", "x.jsonl"]))
def test_any_json(value: object, name: str) -> None:
    go_through(json.dumps(value).encode(), name)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.dictionaries(st.sampled_from(TOOL_KEYS), json_values, max_size=12), min_size=1, max_size=3),
    st.data(),
)
def test_any_records_with_the_keys_of_tools(rows: list[dict[str, object]], data: st.DataObject) -> None:
    keys = data.draw(st.lists(st.sampled_from(TOOL_KEYS), max_size=12))
    go_through(json.dumps([{**dict.fromkeys(keys), **row} for row in rows]).encode(), "x.json")


@pytest.mark.parametrize("name", WRITERS)
def test_damaged_files_of_every_format(name: str) -> None:
    content = WRITERS[name](THREE)

    @settings(max_examples=25, deadline=None)
    @given(st.integers(0, len(content) - 1), st.integers(0, 255), st.booleans())
    def damage(place: int, byte: int, cut: bool) -> None:
        go_through(content[:place] if cut else content[:place] + bytes([byte]) + content[place + 1 :], name)

    run: Callable[[], None] = damage
    run()
