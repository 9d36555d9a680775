"""Chats as OpenAI writes them: a list of messages, or the responses of a batch."""

from __future__ import annotations

from collections.abc import Iterator

from celeus_label.ingest.presets.base import Preset, as_list, chat_prompt, dig, has, message_text
from celeus_label.ingest.table import Row
from celeus_label.ingest.watch import is_messages


def _chat(row: Row) -> Iterator[Row]:
    """What came before is the prompt, the assistant's last words are the response."""
    messages = as_list(row["messages"])
    if dig(messages, -1, "role") == "assistant":
        yield {"prompt": chat_prompt(messages[:-1]), "response": message_text(dig(messages, -1, "content"))}
    else:
        yield {"prompt": chat_prompt(messages)}


def _request(row: Row) -> Iterator[Row]:
    yield {"item_id": row["custom_id"], "prompt": chat_prompt(dig(row, "body", "messages"))}


def _batch(row: Row) -> Iterator[Row]:
    yield {
        "item_id": row["custom_id"],
        "response": message_text(dig(row, "response", "body", "choices", 0, "message", "content")),
        "system": dig(row, "response", "body", "model"),
    }


CHAT = Preset("chat messages", lambda row: is_messages(row.get("messages")), _chat)
CHAT_BATCH = Preset(
    "a batch of chat completions",
    lambda row: (
        has(row, "custom_id", "response") and isinstance(dig(row, "response", "body", "choices"), list)
    ),
    _batch,
    note="it holds neither the prompts nor a judge's scores; give the file of the requests too, and one of scores",
)
CHAT_REQUESTS = Preset(
    "a batch of chat requests",
    lambda row: has(row, "custom_id", "body") and is_messages(dig(row, "body", "messages")),
    _request,
    note="it holds no responses; give the file of the responses too",
)
