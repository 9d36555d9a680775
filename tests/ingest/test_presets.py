"""What evaluation tools write, each as a small file of our own, and the pool that it becomes unasked."""

from __future__ import annotations

import io
import json
import math
import zipfile
from typing import Any

import pytest

from celeus_label.certify import Scale
from celeus_label.ingest import IngestError, Loaded, Mapping, Reading, Table, guess_mapping, load, read_table


def lines(*rows: object) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


def guessed(table: Table) -> tuple[Mapping, Loaded]:
    mapping = guess_mapping(table)
    return mapping, load(table, mapping, Scale(1, 5), Scale(*(table.judge_scale or (0, 1))))


ALPACA = {"instruction": "Name a bird.", "generator_1": "base", "generator_2": "new", "dataset": "birds"}


def test_alpaca_eval_outputs_have_no_judge() -> None:
    row = {"instruction": "Name a bird.", "output": "A wren.", "generator": "new", "dataset": "birds"}
    table = read_table(json.dumps([row, {**row, "output": "A robin."}]).encode(), "model_outputs.json")
    assert table.preset == "AlpacaEval outputs"
    assert guess_mapping(table) == Mapping(
        "", None, "prompt", "response", groups=("system", "generator", "dataset")
    )
    assert "they hold no judge's scores" in table.notes[0]
    with pytest.raises(IngestError, match="no column is chosen for the judge's scores"):
        load(table, guess_mapping(table), Scale(1, 5))


def test_alpaca_eval_annotations() -> None:
    rows = [
        {**ALPACA, "output_1": "A wren.", "output_2": "A robin.", "annotator": "gpt", "preference": 1.25},
        {**ALPACA, "output_1": "A wren.", "output_2": "Blue.", "annotator": "gpt", "preference": None},
        {**ALPACA, "output_1": "A wren.", "output_2": "An owl.", "annotator": "gpt", "preference": 2.0},
    ]
    table = read_table(json.dumps(rows).encode(), "annotations.json")
    assert (table.preset, table.judge_scale) == ("AlpacaEval annotations", (2, 1))
    mapping, loaded = guessed(table)
    assert mapping.judge == "judge_score"
    assert loaded.pool.surrogate.tolist() == [0.75, 0.0]  # 1 prefers output A
    assert loaded.texts[0] == ("Name a bird.", "A wren.")
    assert loaded.second is not None
    assert [other for _, other in loaded.second] == ["A robin.", "An owl."]
    assert [refusal.line for refusal in loaded.report.refused] == [2]


def test_mt_bench_answers() -> None:
    row = {
        "question_id": 81, "answer_id": "x1", "model_id": "new", "tstamp": 1.5,
        "choices": [{"index": 0, "turns": ["First.", "Second."]}],
    }  # fmt: skip
    table = read_table(lines(row, {**row, "question_id": 82}), "new.jsonl")
    assert table.preset == "MT-Bench answers"
    assert [(line, made["item_id"], made["response"]) for line, made in table.rows()] == [
        (1, "81-new-turn-1", "First."),
        (1, "81-new-turn-2", "Second."),
        (2, "82-new-turn-1", "First."),
        (2, "82-new-turn-2", "Second."),
    ]
    assert guess_mapping(table).judge == ""


SINGLE = "[Instruction]\nJudge.\n\n[Question]\nWhy?\n\n[The Start of Assistant's Answer]\nSo.\nThat's it.\n"
SINGLE += "[The End of Assistant's Answer]"
WITH_REFERENCE = SINGLE.replace(
    "[The Start of Assistant",
    "[The Start of Reference Answer]\nBecause.\n[The End of Reference Answer]\n\n[The Start of Assistant",
)
TURNS = (
    "<|The Start of Assistant A's Conversation with User|>\n\n### User:\nWhy?\n\n### Assistant A:\nSo.\n\n"
    "### User:\nReally?\n\n### Assistant A:\nYes.\n\n<|The End of Assistant A's Conversation with User|>"
)


def test_mt_bench_judgments() -> None:
    row = {"question_id": 81, "model": "new", "judge": ["gpt-4", "single-v1"], "judgment": "Good. [[8]]"}
    rows = [
        {**row, "user_prompt": SINGLE, "score": 8, "turn": 1},
        {**row, "user_prompt": TURNS, "score": 5.5, "turn": 2},
        {**row, "question_id": 82, "user_prompt": WITH_REFERENCE, "score": -1, "turn": 1},
        {**row, "question_id": 83, "user_prompt": "something else", "score": 1, "turn": 1},
    ]
    table = read_table(lines(*rows), "gpt-4_single.jsonl")
    assert (table.preset, table.judge_scale) == ("MT-Bench judgments", (1, 10))
    mapping, loaded = guessed(table)
    assert (mapping.judge, mapping.item_id, mapping.groups) == ("judge_score", "item_id", ("system", "model"))
    assert loaded.pool.item_ids == ("81-new-turn-1", "81-new-turn-2", "83-new-turn-1")
    assert loaded.pool.judge.tolist() == [8.0, 5.5, 1.0]
    assert loaded.texts[0] == ("Why?", "So.\nThat's it.")
    before = [
        {"role": "user", "content": "Why?"},
        {"role": "assistant", "content": "So."},
        {"role": "user", "content": "Really?"},
    ]
    assert json.loads(loaded.texts[1][0]) == before
    assert loaded.texts[1][1] == "Yes."
    assert loaded.texts[2] == ("something else", "")
    assert str(loaded.report.refused[0]) == (
        "row 3: judge_score is -1, outside the scale 1 to 10; -1 often stands for a missing score"
    )
    made = next(made for line, made in table.rows() if line == 3)
    assert (made["prompt"], made["response"]) == ("Why?", "So.\nThat's it.")


def test_mt_bench_pairs() -> None:
    prompt = "[User Question]\nWhy?\n\n"
    prompt += "[The Start of Assistant A's Answer]\nSo.\n[The End of Assistant A's Answer]\n\n"
    prompt += "[The Start of Assistant B's Answer]\nNo.\n[The End of Assistant B's Answer]"
    row = {
        "model_1": "old",
        "model_2": "new",
        "judge": ["gpt-4", "pair-v2"],
        "turn": 1,
        "g1_user_prompt": prompt,
    }
    rows = [
        {**row, "question_id": 81, "g1_winner": "model_1", "g2_winner": "tie"},
        {**row, "question_id": 82, "g1_winner": "model_2", "g2_winner": "model_2"},
        {**row, "question_id": 83, "g1_winner": "error", "g2_winner": "model_2"},
    ]
    table = read_table(lines(*rows), "gpt-4_pair.jsonl")
    assert table.preset == "MT-Bench pairwise judgments"
    _, loaded = guessed(table)
    assert loaded.pool.judge.tolist() == [0.75, 0.0]
    assert loaded.pool.features["judge_score_spread"].tolist() == [0.25, 0.0]
    assert loaded.pool.item_ids[0] == "81-old-vs-new-turn-1"
    assert loaded.texts[0] == ("Why?", "So.")
    assert loaded.second is not None
    assert loaded.second[0] == ("", "No.")
    assert loaded.report.refused[0].rule == 'is a list whose value 1 is "error", not a number'


def harness(doc_id: int, **more: object) -> dict[str, Any]:
    return {
        "doc_id": doc_id, "doc": {"question": "Why?"}, "target": "4", "doc_hash": "d", "prompt_hash": "p",
        "target_hash": "t", **more,
    }  # fmt: skip


@pytest.mark.parametrize("arguments", [[["Why?", {}]], {"gen_args_0": {"arg_0": "Why?", "arg_1": {}}}])
def test_harness_generations(arguments: object) -> None:
    rows = [
        harness(n, arguments=arguments, resps=[["So. #4"]], filtered_resps=["4"], filter=which,
                exact_match=1.0 - n, metrics=["exact_match"])
        for n in (0, 1)
        for which in ("strict", "none")
    ]  # fmt: skip
    table = read_table(lines(*rows), "samples_task_2024.jsonl")
    assert table.preset == "lm-evaluation-harness samples"
    mapping, loaded = guessed(table)
    assert mapping.judge == "judge_exact_match"
    assert loaded.pool.item_ids == ("0-strict", "0", "1-strict", "1")
    assert loaded.texts[0] == ("Why?", "4")
    assert loaded.pool.judge.tolist() == [1.0, 1.0, 0.0, 0.0]


@pytest.mark.parametrize("write", [lambda value: value, str])
def test_harness_label_probabilities(write: Any) -> None:
    """Labels that are numbers give the judge's mean score and spread."""
    chances = [0.1, 0.2, 0.7]
    rows = [
        harness(
            n,
            arguments=[["Rate it.", f" {label}"] for label in (1, 2, 3)],
            resps=[[[write(math.log(p)), write(False)]] for p in chances],
            filtered_resps=[[write(math.log(p)), write(p == 0.7)] for p in chances],
            acc=1.0,
            metrics=["acc"],
        )
        for n in (0, 1)
    ]
    table = read_table(lines(*rows), "samples.jsonl")
    mapping = guess_mapping(table)
    assert mapping.judge == "judge_score"
    assert "judge_probability_3" in mapping.features
    loaded = load(table, mapping, Scale(1, 3))
    assert loaded.pool.judge.tolist() == pytest.approx([2.6, 2.6])
    assert loaded.pool.features["judge_spread"].tolist() == pytest.approx([0.44**0.5] * 2)
    assert loaded.pool.features["judge_probability_3"].tolist() == pytest.approx([0.7, 0.7])
    assert loaded.pool.features["judge_confidence"].tolist() == pytest.approx([0.7, 0.7])
    assert loaded.texts[0] == ("Rate it.", "3")


def test_harness_options_that_are_words() -> None:
    row = harness(
        0,
        arguments={
            f"gen_args_{n}": {"arg_0": "Is it?", "arg_1": f" {word}"} for n, word in enumerate(("yes", "no"))
        },
        filtered_resps=[[-0.5, True], [-2.0, False]],
        acc=0.0,
        metrics=["acc"],
    )
    (_, made), *_ = read_table(lines(row, {**row, "doc_id": 1}), "samples.jsonl").rows()
    assert made["response"] == "yes"
    assert made["judge_acc"] == 0.0
    assert made["judge_probability_yes"] == pytest.approx(1 / (1 + math.exp(-1.5)))
    assert "judge_score" not in made


def test_a_harness_chat_prompt_becomes_messages() -> None:
    chat = [{"role": "user", "content": "Why?"}]
    row = harness(0, arguments={"gen_args_0": {"arg_0": [json.dumps(chat)]}}, filtered_resps=["So."], exact=1)
    (_, made), *_ = read_table(lines(row, row), "samples.jsonl").rows()
    assert json.loads(str(made["prompt"])) == chat


def inspect_sample(name: int, grade: object, epoch: int = 1) -> dict[str, Any]:
    return {
        "id": name, "epoch": epoch, "input": "Why?", "target": "4",
        "messages": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}],
        "output": {"model": "new", "choices": [{"message": {"role": "assistant", "content": "So."}}]},
        "scores": {"model_graded_qa": {"value": grade, "answer": "So."}, "length": {"value": {"words": 1}}},
    }  # fmt: skip


INSPECT = [inspect_sample(1, "C"), inspect_sample(1, "I", 2), inspect_sample(2, "P"), inspect_sample(3, "N")]


def check_inspect(table: Table) -> None:
    assert table.preset == "an Inspect log"
    mapping, loaded = guessed(table)
    assert (mapping.judge, mapping.features) == ("judge_model_graded_qa", ("judge_length_words",))
    assert loaded.pool.judge.tolist() == [1.0, 0.0, 0.5, 0.0]
    assert loaded.pool.item_ids == ("1", "1-epoch-2", "2", "3")
    assert loaded.pool.groups["system"] == ("new",) * 4
    assert loaded.texts[0] == ("Why?", "So.")


def test_an_inspect_log() -> None:
    log = {
        "version": 2,
        "status": "success",
        "eval": {"task": "t"},
        "results": {"scores": []},
        "samples": INSPECT,
    }
    check_inspect(read_table(json.dumps(log).encode(), "log.json"))


def test_an_inspect_log_in_a_zip() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("header.json", "{}")
        for sample in INSPECT:
            parts.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
    check_inspect(read_table(out.getvalue(), "log.eval"))


def test_an_inspect_chat_input() -> None:
    chat = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}]
    parts = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "So."}]
    sample = inspect_sample(1, 0.5)
    sample["input"] = chat
    sample["output"]["choices"][0]["message"]["content"] = parts
    _, loaded = guessed(read_table(json.dumps({"samples": [sample]}).encode(), "log.json"))
    assert json.loads(loaded.texts[0][0]) == chat
    assert loaded.texts[0][1] == "So."


@pytest.mark.parametrize(
    "wrap", [lambda rows: {"results": {"version": 3, "results": rows}}, lambda rows: rows]
)
def test_promptfoo(wrap: Any) -> None:
    rows = [
        {
            "testIdx": n, "promptIdx": 0, "vars": {"topic": "birds"},
            "prompt": {"raw": "Why?", "label": "v1"},
            "provider": {"id": "new", "label": ""}, "response": {"output": "So."}, "success": n == 1,
            "score": n / 2, "namedScores": {"brevity": 1}, "gradingResult": {"pass": True, "score": n / 2},
        }
        for n in (0, 1)
    ]  # fmt: skip
    table = read_table(json.dumps(wrap(rows)).encode(), "results.json")
    assert (table.preset, table.judge_scale) == ("promptfoo results", (0, 1))
    mapping, loaded = guessed(table)
    assert (mapping.judge, mapping.item_id) == ("judge_score", "item_id")
    assert "judge_brevity" in mapping.features
    assert loaded.pool.item_ids == ("test-0-prompt-0", "test-1-prompt-0")
    assert loaded.pool.judge.tolist() == [0.0, 0.5]
    assert loaded.pool.groups["system"] == ("new", "new")
    assert loaded.texts[0] == ("Why?", "So.")


def result(name: str, **value: object) -> dict[str, object]:
    return {"from_name": name, "to_name": "text", "type": next(iter(value)), "value": value}


def test_a_label_studio_export_keeps_people_and_predictions_apart() -> None:
    tasks = [
        {
            "id": n, "data": {"question": "Why?", "answer": "So."},
            "annotations": [
                {"completed_by": 1, "was_cancelled": False, "result": [result("quality", rating=4)]},
                {"completed_by": 2, "was_cancelled": False, "result": [result("quality", rating=5)]},
                {"completed_by": 3, "was_cancelled": True, "result": [result("quality", rating=1)]},
            ],
            "predictions": [{"model_version": "m", "result": [result("quality", rating=n)]}],
        }
        for n in (2, 3)
    ]  # fmt: skip
    table = read_table(json.dumps(tasks).encode(), "project.json")
    assert table.preset == "a Label Studio export"
    mapping = guess_mapping(table)
    assert (mapping.judge, mapping.features, mapping.human) == ("judge_quality", (), None)
    loaded = load(
        table, Mapping("judge_quality", "item_id", "prompt", "response", human="human_quality"), Scale(1, 5)
    )
    assert loaded.pool.judge.tolist() == [2.0, 3.0]
    assert loaded.human is not None
    assert loaded.human.tolist() == [4.5, 4.5]
    assert loaded.texts[0] == ("Why?", "So.")


def test_a_short_label_studio_export() -> None:
    text = "id,text,quality,judge_score,annotator,annotation_id,lead_time\n1,So.,4,3.5,7,11,2.5\n"
    text += "2,No.,5,2.5,7,12,3\n"
    table = read_table(text.encode(), "project.csv")
    assert table.preset == "a short Label Studio export"
    mapping = guess_mapping(table)
    assert (mapping.judge, mapping.features, mapping.response) == ("judge_score", (), "text")
    warnings = load(table, mapping, Scale(1, 5)).report.warnings
    assert "human_quality looks like human scores: it is left out, and no rater sees it" in warnings


ARGILLA = [
    {
        "id": f"r{n}", "status": "completed", "_server_id": "s", "metadata": {"topic": "birds"},
        "vectors": {},
        "fields": {"prompt": "Why?", "response": "So."},
        "suggestions": {"quality": {"value": n, "score": 0.9, "agent": "m"}},
        "responses": {"quality": [{"value": 4, "user_id": "u"}, {"value": 5, "user_id": "v"}]},
    }
    for n in (2, 3)
]  # fmt: skip
ARGILLA_FLAT = [
    {
        "id": f"r{n}", "status": "completed", "_server_id": "s", "prompt": "Why?", "response": "So.",
        "quality.suggestion": n, "quality.suggestion.score": 0.9, "quality.suggestion.agent": "m",
        "quality.responses": [4, 5], "quality.responses.users": ["u", "v"],
        "quality.responses.status": ["submitted", "submitted"],
    }
    for n in (2, 3)
]  # fmt: skip
ARGILLA_OLD = [
    {
        "external_id": f"r{n}", "prompt": "Why?", "response": "So.", "metadata": "{}",
        "quality": [
            {"user_id": "u", "value": 4, "status": "submitted"},
            {"user_id": "v", "value": 5, "status": "submitted"},
            {"user_id": "w", "value": None, "status": "discarded"},
        ],
        "quality-suggestion": n, "quality-suggestion-metadata": {"type": None, "score": 0.9, "agent": None},
    }
    for n in (2, 3)
]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "preset"),
    [
        (ARGILLA, "an Argilla export"),
        (ARGILLA_FLAT, "a flat Argilla export"),
        (ARGILLA_OLD, "an Argilla 1 data set"),
    ],
)
def test_argilla_keeps_responses_and_suggestions_apart(rows: list[object], preset: str) -> None:
    table = read_table(json.dumps(rows).encode(), "records.json")
    assert table.preset == preset
    mapping = guess_mapping(table)
    assert (mapping.judge, mapping.features) == ("judge_quality", ("judge_quality_confidence",))
    assert (mapping.item_id, mapping.prompt, mapping.response) == ("item_id", "prompt", "response")
    loaded = load(
        table,
        Mapping("judge_quality", "item_id", "prompt", "response", human="human_quality"),
        Scale(1, 5),
    )
    assert loaded.pool.item_ids == ("r2", "r3")
    assert loaded.pool.judge.tolist() == [2.0, 3.0]
    assert loaded.human is not None
    assert loaded.human.tolist() == [4.5, 4.5]


def test_chat_messages() -> None:
    one = [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}]
    more = [{"role": "system", "content": "Be brief."}, *one]
    asked = one[:1]
    rows = [{"messages": chat, "judge_score": 0.5} for chat in (one, more, asked)]
    table = read_table(lines(*rows), "chats.jsonl")
    assert table.preset == "chat messages"
    mapping, loaded = guessed(table)
    assert mapping == Mapping("judge_score", None, "prompt", "response")
    assert loaded.texts[0] == ("Why?", "So.")
    assert json.loads(loaded.texts[1][0]) == more[:-1]
    assert loaded.texts[2] == ("Why?", "")


def test_a_batch_of_completions() -> None:
    body = {"model": "new", "choices": [{"message": {"role": "assistant", "content": "So."}}]}
    row = {"id": "b", "custom_id": "q1", "response": {"status_code": 200, "body": body}, "error": None}
    table = read_table(lines(row, {**row, "custom_id": "q2"}), "batch.jsonl")
    assert table.preset == "a batch of chat completions"
    (_, made), *_ = table.rows()
    assert (made["item_id"], made["response"], made["system"]) == ("q1", "So.", "new")


def test_a_record_of_another_shape_is_refused_with_its_line() -> None:
    row = {"question_id": 81, "model_id": "new", "choices": [{"turns": ["So."]}]}
    rows: list[object] = [row] * 20 + [{"question_id": 82, "model_id": "new", "choices": "none"}]
    refused: list[str] = []
    list(read_table(lines(*rows), "x.jsonl").rows(Reading(lambda refusal: refused.append(str(refusal)))))
    rule = "does not have the shape of MT-Bench answers (TypeError: str where a list belongs)"
    assert refused == [f"row 21: {rule}"]


def test_plain_tables_have_no_preset() -> None:
    for text in ("id,input,output,target\n1,a,b,c\n", "prompt,response,score\na,b,1\n"):
        assert read_table(text.encode(), "x.csv").preset is None
