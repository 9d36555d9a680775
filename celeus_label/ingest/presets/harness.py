"""Sample logs of lm-evaluation-harness: generated text, or the probabilities of labels."""

from __future__ import annotations

import math
from collections.abc import Iterator

from celeus_label.ingest.cells import read_number
from celeus_label.ingest.presets.base import Preset, dig, has, named
from celeus_label.ingest.table import Row
from celeus_label.ingest.watch import is_chat, is_messages

_OWN_KEYS = frozenset(
    {
        "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
        "doc_hash", "prompt_hash", "target_hash",
    }
)  # fmt: skip


def _sample(row: Row) -> Iterator[Row]:
    requests = _requests(row.get("arguments"))
    made: Row = {"item_id": _item_id(row), "prompt": _prompt(requests[0][0]) if requests else ""}
    likelihoods = _likelihoods(row["filtered_resps"])
    if likelihoods and len(likelihoods) == len(requests):
        labels = [str(request[1]).strip() for request in requests]
        made.update(_labels(labels, likelihoods))
    else:
        made["response"] = _first_text(row["filtered_resps"])
    metrics = row.get("metrics")
    names = metrics if isinstance(metrics, list) else [key for key in row if key not in _OWN_KEYS]
    made.update({named("judge", name): row.get(str(name)) for name in names})
    yield made


def _item_id(row: Row) -> str:
    wanted = row.get("filter")
    return f"{row['doc_id']}" if wanted in (None, "none") else f"{row['doc_id']}-{wanted}"


def _requests(arguments: object) -> list[list[object]]:
    """The arguments of each request: a list of lists, or an object of objects in newer logs."""
    if isinstance(arguments, dict):
        arguments = [
            list(request.values()) if isinstance(request, dict) else request for request in arguments.values()
        ]
    if not isinstance(arguments, list):
        return []
    return [request if isinstance(request, list) else [request] for request in arguments]


def _prompt(context: object) -> object:
    """The prompt; a chat is logged as JSON in a list of one text."""
    while isinstance(context, list) and len(context) == 1 and not is_messages(context):
        context = context[0]
    return context if not isinstance(context, str) or not is_chat(context) else context.strip()


def _first_text(responses: object) -> str:
    """The generated text, however deep the lists around it."""
    while isinstance(responses, list) and responses:
        responses = responses[0]
    return responses if isinstance(responses, str) else ""


def _likelihoods(responses: object) -> list[float]:
    """The log-likelihood of each label from [[value, is_greedy], …]; newer logs write them as text."""
    found = []
    for response in responses if isinstance(responses, list) else []:
        pair = dig(response, 0) if isinstance(dig(response, 0), list) else response
        greedy = dig(pair, 1)
        value = read_number(dig(pair, 0))
        if value is None or str(greedy) not in ("True", "False"):
            return []
        found.append(value)
    return found


def _labels(labels: list[str], likelihoods: list[float]) -> Row:
    """The most likely label, its probability, and each label's; the mean label where labels are numbers."""
    top = max(likelihoods)
    weights = [math.exp(value - top) for value in likelihoods]
    probabilities = [weight / math.fsum(weights) for weight in weights]
    made: Row = {"response": labels[likelihoods.index(top)], "judge_confidence": max(probabilities)}
    numbers = [read_number(label) for label in labels]
    points = [number for number in numbers if number is not None]
    if len(points) == len(numbers):
        pairs = list(zip(points, probabilities, strict=True))
        mean = math.fsum(point * share for point, share in pairs)
        made["judge_score"] = min(max(mean, min(points)), max(points))
        made["judge_spread"] = math.sqrt(math.fsum(share * (point - mean) ** 2 for point, share in pairs))
    for label, probability in zip(labels, probabilities, strict=True):
        # long options are texts of their own and differ by item: no columns
        if len(label) <= 20:
            made[f"judge_probability_{label}"] = probability
    return made


HARNESS = Preset("lm-evaluation-harness samples", lambda row: has(row, "doc_id", "filtered_resps"), _sample)
