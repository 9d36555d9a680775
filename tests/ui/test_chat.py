"""Which texts are shown as conversations: only those of which nothing would be left out."""

from __future__ import annotations

import json

import pytest

from celeus_label.ui.chat import shown


def test_messages_become_turns_and_keep_every_letter() -> None:
    content = "  $a$ **b** <b>\n\n\tdef f(): ...  "
    parts = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
    text = json.dumps([{"role": "user", "content": content}, {"content": parts, "role": "tool"}])
    assert shown(text) == [{"role": "user", "text": content}, {"role": "tool", "text": "one\ntwo"}]
    assert shown(f"\n {text}\n") == shown(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hello",
        "[see above]",
        "[]",
        "[1, 2]",
        '{"role": "user", "content": "one message is no list"}',
        '[{"role": "user"}]',
        '[{"role": 1, "content": "a"}]',
        '[{"role": "user", "content": null}]',
        '[{"role": "assistant", "content": "a", "tool_calls": [{"id": "x"}]}]',
        '[{"role": "user", "content": [{"type": "image_url", "image_url": "http://x"}]}]',
        '[{"role": "user", "content": "a", "content": "b"}]',
        '[{"role": "user", "content": "\\ud800"}]',
        "[" * 100_000,
    ],
)
def test_anything_else_is_shown_as_it_is(text: str) -> None:
    assert shown(text) == text
