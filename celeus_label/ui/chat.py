"""A text that is a conversation: a JSON list of messages, each with its role and content."""

from __future__ import annotations

import json
from typing import Any


def shown(text: str) -> str | list[dict[str, str]]:
    """The turns of a conversation, or the text itself where it is none.

    A list is a conversation only if every message is fully told by its role and its text: one with tool calls,
    images or anything else is left as it is, because a rater must see all of it.

    >>> shown('[{"role": "user", "content": "Hi"}]')
    [{'role': 'user', 'text': 'Hi'}]
    >>> shown('[1, 2]')
    '[1, 2]'
    """
    if not text.lstrip().startswith("["):
        return text
    try:
        messages = json.loads(text, object_pairs_hook=_once_each)
    except (ValueError, RecursionError):
        return text
    if not isinstance(messages, list) or not messages:
        return text
    turns = []
    for message in messages:
        content = _content(message)
        if content is None:
            return text
        turns.append({"role": message["role"], "text": content})
    return turns if _can_be_sent(turns) else text


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice: one of its values would not be seen")
    return found


def _can_be_sent(turns: list[dict[str, str]]) -> bool:
    """Whether every letter is one of Unicode's: JSON can also spell halves of letters."""
    try:
        "".join(turn["role"] + turn["text"] for turn in turns).encode()
    except UnicodeEncodeError:
        return False
    return True


def _content(message: Any) -> str | None:
    """A message's text; None where the message is more than a role and a text."""
    if not isinstance(message, dict) or set(message) != {"role", "content"}:
        return None
    content = message["content"]
    if not isinstance(message["role"], str):
        return None
    if isinstance(content, list):
        return "\n".join(part["text"] for part in content) if all(map(_is_text, content)) else None
    return content if isinstance(content, str) else None


def _is_text(part: Any) -> bool:
    return (
        isinstance(part, dict)
        and set(part) == {"type", "text"}
        and part["type"] == "text"
        and isinstance(part["text"], str)
    )
