"""A preset, and the small steps that all of them take."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from celeus_label.ingest.table import Row


@dataclass(frozen=True)
class Preset:
    """The shape of one tool's records.

    Attributes
    ----------
    name : str
        As people call it.
    fits : callable
        Whether a record has the shape.
    spread : callable
        The record's rows, in columns with the names that `guess_mapping` knows: ``item_id``, ``prompt``,
        ``response`` (or ``response_a`` and ``response_b``), ``judge_…`` for scores by machines, ``human_…`` for
        scores by people, ``system``.
    judge_scale : (float, float) or None
        The scale on which the tool's judge scores, where the format fixes it.
    note : str
        What a person should know; "" for nothing.
    """

    name: str
    fits: Callable[[Row], bool]
    spread: Callable[[Row], Iterable[Row]]
    judge_scale: tuple[float, float] | None = None
    note: str = ""


def has(row: Row, *keys: str) -> bool:
    """Whether the record has all these keys."""
    return all(key in row for key in keys)


def dig(value: object, *path: str | int) -> object:
    """What stands at a path of keys and places, or None where the path breaks off.

    >>> dig({"choices": [{"text": "hi"}]}, "choices", 0, "text")
    'hi'
    """
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and -len(value) <= step < len(value):
            value = value[step]
        else:
            return None
    return value


def as_list(value: object) -> list[object]:
    """The value, which must be a list; raises TypeError where it is none."""
    if not isinstance(value, list):
        raise TypeError(f"{type(value).__name__} where a list belongs")
    return value


def message_text(content: object) -> object:
    """A message's content: the words of its text parts where it is a list of parts, else as it stands."""
    if isinstance(content, list) and all(isinstance(part, (dict, str)) for part in content):
        words = [part if isinstance(part, str) else dig(part, "text") for part in content]
        return "\n".join(word for word in words if isinstance(word, str))
    return content


def chat_prompt(messages: object) -> object:
    """A chat as a prompt: the words alone where one user says one thing, else the messages."""
    if isinstance(messages, list) and len(messages) == 1 and dig(messages, 0, "role") == "user":
        return message_text(dig(messages, 0, "content"))
    return messages


def named(prefix: str, name: object) -> str:
    """A column's name from a prefix and a tool's own name, without the prefix twice.

    >>> named("judge", "quality"), named("judge", "judge_quality")
    ('judge_quality', 'judge_quality')
    """
    text = str(name)
    return text if text.startswith(prefix) else f"{prefix}_{text}"
