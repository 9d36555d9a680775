"""Inspect logs and promptfoo results."""

from __future__ import annotations

from collections.abc import Iterator

from celeus_label.ingest.presets.base import Preset, chat_prompt, dig, has, message_text, named
from celeus_label.ingest.table import Row

# Inspect's grades: correct, incorrect, partial, no answer
_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}


def _inspect(row: Row) -> Iterator[Row]:
    epoch = row.get("epoch", 1)
    content = dig(row, "output", "choices", 0, "message", "content")
    made: Row = {
        "item_id": f"{row['id']}" if epoch == 1 else f"{row['id']}-epoch-{epoch}",
        "prompt": chat_prompt(row["input"]),
        "response": message_text(content) if content is not None else dig(row, "output", "completion"),
        "system": dig(row, "output", "model"),
    }
    scores = row.get("scores")
    for scorer, score in scores.items() if isinstance(scores, dict) else ():
        value = dig(score, "value")
        if isinstance(value, dict):
            made.update({named("judge", f"{scorer}_{key}"): _grade(inner) for key, inner in value.items()})
        else:
            made[named("judge", scorer)] = _grade(value)
    yield made


def _grade(value: object) -> object:
    return _GRADES.get(value, value) if isinstance(value, str) else value


def _promptfoo(row: Row) -> Iterator[Row]:
    provider = row.get("provider")
    raw = dig(row, "prompt", "raw")
    made: Row = {
        "item_id": row.get("id") or f"test-{row.get('testIdx')}-prompt-{row.get('promptIdx')}",
        "prompt": raw if raw is not None else row.get("prompt"),
        "response": dig(row, "response", "output"),
        "judge_score": row["score"],
        "system": provider
        if not isinstance(provider, dict)
        else dig(provider, "label") or dig(provider, "id"),
    }
    named_scores = row.get("namedScores")
    for name, value in named_scores.items() if isinstance(named_scores, dict) else ():
        made[named("judge", name)] = value
    yield made


def _is_inspect(row: Row) -> bool:
    return has(row, "id", "input", "target", "output") and isinstance(row["output"], dict)


INSPECT = Preset(
    "an Inspect log", _is_inspect, _inspect, note="the grades C, P, I and N are read as 1, 0.5, 0 and 0"
)
PROMPTFOO = Preset(
    "promptfoo results",
    lambda row: has(row, "vars", "prompt", "score", "success"),
    _promptfoo,
    judge_scale=(0, 1),
)
