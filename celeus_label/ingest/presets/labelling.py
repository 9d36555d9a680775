"""Exports of Label Studio and Argilla: predictions are the judge's, annotations are people's."""

from __future__ import annotations

from collections.abc import Iterator

from celeus_label.ingest.cells import read_number
from celeus_label.ingest.mapping import PROMPTS, RESPONSES, name_likeness
from celeus_label.ingest.presets.base import Preset, chat_prompt, dig, has, named
from celeus_label.ingest.table import Row
from celeus_label.ingest.watch import is_messages

_BOOKKEEPING = frozenset({"id", "annotator", "annotation_id", "lead_time", "created_at", "updated_at"})
# How Label Studio's controls name the value that they hold
_VALUES = ("rating", "number", "choices", "text")


def _texts(fields: object) -> Row:
    """Prompt and response among a record's fields, by their names; a lone text is what is rated."""
    found = {str(name).lower(): value for name, value in fields.items()} if isinstance(fields, dict) else {}
    made: Row = {}
    prompt = next((name for name in PROMPTS if name in found), None)
    response = next((name for name in RESPONSES if name in found and name != prompt), None)
    if prompt is not None:
        made["prompt"] = _text(found[prompt])
    if response is not None:
        made["response"] = found[response]
    if prompt is None and response is None and len(found) == 1:
        made["response"] = next(iter(found.values()))
    return made


def _text(value: object) -> object:
    return chat_prompt(value) if is_messages(value) else value


def _label_studio(row: Row) -> Iterator[Row]:
    yield {
        "item_id": row["id"],
        **_texts(row["data"]),
        **_results("judge", row.get("predictions")),
        **_results("human", row.get("annotations")),
    }


def _results(prefix: str, sources: object) -> Row:
    """The values of each control, one for every prediction or annotation."""
    found: dict[str, list[object]] = {}
    for source in sources if isinstance(sources, list) else []:
        results = dig(source, "result")
        if dig(source, "was_cancelled") is True or not isinstance(results, list):
            continue
        for result in results:
            value = next(
                (dig(result, "value", key) for key in _VALUES if dig(result, "value", key) is not None), None
            )
            if isinstance(value, list) and len(value) == 1:
                value = value[0]
            if value is not None:
                found.setdefault(named(prefix, dig(result, "from_name")), []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def _label_studio_short(row: Row) -> Iterator[Row]:
    """The short export and the CSV: a control's value stands beside the data, under the control's name."""
    made: Row = {"item_id": row["id"]}
    for name, value in row.items():
        if name not in _BOOKKEEPING and name_likeness(name) < 2 and read_number(value) is not None:
            made[named("human", name)] = value
    yield made


def _argilla(row: Row) -> Iterator[Row]:
    made: Row = {"item_id": row["id"], **_texts(row["fields"])}
    for question, suggestion in _items(row["suggestions"]):
        made[named("judge", question)] = dig(suggestion, "value")
        made[f"{named('judge', question)}_confidence"] = dig(suggestion, "score")
    for question, responses in _items(row["responses"]):
        made[named("human", question)] = _values(responses)
    yield made


def _argilla_flat(row: Row) -> Iterator[Row]:
    """The keys' endings tell a question's parts: quality.suggestion, quality.suggestion.score."""
    made: Row = {"item_id": row["id"], **_texts({key: value for key, value in row.items() if "." not in key})}
    for key, value in row.items():
        if key.endswith(".suggestion"):
            made[named("judge", key.removesuffix(".suggestion"))] = value
        elif key.endswith(".suggestion.score"):
            made[f"{named('judge', key.removesuffix('.suggestion.score'))}_confidence"] = value
        elif key.endswith(".responses"):
            made[named("human", key.removesuffix(".responses"))] = value
    yield made


def _argilla_old(row: Row) -> Iterator[Row]:
    """The feedback data sets of Argilla 1: quality-suggestion, and quality as a list of responses."""
    questions = [key.removesuffix("-suggestion") for key in row if key.endswith("-suggestion")]
    made: Row = _texts({key: value for key, value in row.items() if key not in questions and "-" not in key})
    if row.get("external_id") is not None:
        made["item_id"] = row["external_id"]
    for question in questions:
        made[named("judge", question)] = row[f"{question}-suggestion"]
        made[f"{named('judge', question)}_confidence"] = dig(row, f"{question}-suggestion-metadata", "score")
        made[named("human", question)] = _values(row.get(question))
    yield made


def _items(questions: object) -> list[tuple[str, object]]:
    return list(questions.items()) if isinstance(questions, dict) else []


def _values(responses: object) -> object:
    """The values that people gave and did not discard."""
    if not isinstance(responses, list):
        return responses
    values = [
        dig(response, "value") if isinstance(response, dict) else response
        for response in responses
        if dig(response, "status") != "discarded"
    ]
    return values[0] if len(values) == 1 else values or None


def _is_old_argilla(row: Row) -> bool:
    return any(key.endswith("-suggestion-metadata") for key in row)


def _is_flat_argilla(row: Row) -> bool:
    return "id" in row and any(key.endswith((".suggestion", ".responses")) for key in row)


LABEL_STUDIO = Preset(
    "a Label Studio export",
    lambda row: has(row, "id", "data", "annotations") and isinstance(row["data"], dict),
    _label_studio,
    note="predictions are the judge's, annotations are people's",
)
LABEL_STUDIO_SHORT = Preset(
    "a short Label Studio export",
    lambda row: has(row, "id", "annotation_id", "lead_time"),
    _label_studio_short,
    note="numbers are taken for people's, except in columns that are named as a judge's",
)
_ARGILLA_NOTE = "suggestions are the judge's, responses are people's"
ARGILLA = Preset(
    "an Argilla export",
    lambda row: has(row, "id", "fields", "responses", "suggestions"),
    _argilla,
    None,
    _ARGILLA_NOTE,
)
ARGILLA_FLAT = Preset("a flat Argilla export", _is_flat_argilla, _argilla_flat, None, _ARGILLA_NOTE)
ARGILLA_OLD = Preset("an Argilla 1 data set", _is_old_argilla, _argilla_old, None, _ARGILLA_NOTE)
