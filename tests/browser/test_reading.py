"""How texts are shown: conversations as turns, right-to-left text right, the formatted view harmless."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from celeus_label.session import Example
from tests.browser.people import Card, Server

Rater = Callable[..., Card]
CODE = "def f(x):\n\treturn x ** 2  # $x$ :smile:\n"
CHAT = json.dumps(
    [
        {"role": "user", "content": f"Is $100 more than $99?\n\n{CODE}"},
        {"role": "assistant", "content": "שלום עולם, <b>זה</b> טקסט"},
    ],
    ensure_ascii=False,
)
MARKUP = (
    "# Title\n"
    "Some **bold**, *italic* and `a*b*c` with snake_case_name and 2 * 3 * 4.\n"
    "- one\n"
    "- two\n"
    "  - deeper\n"
    "3. third\n"
    "\n"
    f"```python\n{CODE}```\n"
    "It costs $5 or $6 :smile: 1:100: -> ![](http://127.0.0.1:9/x.png) [link](http://127.0.0.1:9/)\n"
    "<img src=x onerror='window.hacked=1'> **<script>window.hacked=1</script>** \\*as it is\\*\n"
)


def side(text: Locator) -> str:
    """On which side of its box the first line of a text stands."""
    return str(
        text.evaluate(
            "e => { const r = document.createRange(); r.selectNodeContents(e);"
            " const line = r.getClientRects()[0], box = e.getBoundingClientRect();"
            " return line.left - box.left > box.right - line.right ? 'right' : 'left'; }"
        )
    )


def test_a_list_of_messages_is_shown_as_turns_letter_by_letter(server: Server, rater: Rater) -> None:
    session = server.session([(CHAT, CHAT)] * 4, name="chat")
    card = rater(session)
    turns = card.prompt.locator(".turn")
    expect(turns).to_have_count(2)
    assert turns.locator(".role").all_text_contents() == ["user", "assistant"]
    texts = turns.locator(".said-text")
    assert texts.nth(0).text_content() == f"Is $100 more than $99?\n\n{CODE}"
    assert texts.nth(1).text_content() == "שלום עולם, <b>זה</b> טקסט"
    assert [side(texts.nth(0)), side(texts.nth(1))] == ["left", "right"]
    expect(card.response.locator(".turn")).to_have_count(2)


def test_right_to_left_text_stands_right_paragraph_by_paragraph(server: Server, rater: Rater) -> None:
    session = server.session([("מה השעה?", "עכשיו שלוש.")] * 4, name="right to left")
    card = rater(session)
    assert [side(card.prompt), side(card.response)] == ["right", "right"]


def test_the_formatted_view_is_off_at_first_and_formats_only_what_is_harmless(
    server: Server, rater: Rater
) -> None:
    session = server.session([("Format it.", MARKUP)] * 6, name="formatted")
    card = rater(session)
    asked: list[str] = []
    card.page.on("request", lambda request: asked.append(request.url))
    assert card.response.text_content() == MARKUP
    card.press("v")
    box = card.response
    expect(box.locator("h3")).to_have_text("Title")
    assert box.locator("strong").all_text_contents() == ["bold", "<script>window.hacked=1</script>"]
    assert box.locator("em").all_text_contents() == ["italic"]
    assert box.locator("p code").all_text_contents() == ["a*b*c"]
    assert box.locator("pre code").text_content() == CODE
    assert box.locator("ul > li").all_text_contents() == ["one", "two", "deeper"]
    assert box.locator("ol > li").evaluate("e => e.value") == 3
    text = str(box.text_content())
    for kept in (
        "snake_case_name and 2 * 3 * 4.",
        "It costs $5 or $6 :smile: 1:100: -> ![](http://127.0.0.1:9/x.png) [link](http://127.0.0.1:9/)",
        "<img src=x onerror='window.hacked=1'>",
        "\\*as it is\\*",
    ):
        assert kept in text
    made = box.evaluate("e => [...new Set([...e.querySelectorAll('*')].map(x => x.tagName))].sort()")
    assert made == ["CODE", "EM", "H3", "LI", "OL", "P", "PRE", "STRONG", "UL"]
    assert card.page.evaluate("window.hacked") is None
    assert [url for url in asked if ":9/" in url] == []
    card.rate("3")  # the choice of the view stays
    expect(box.locator("h3")).to_have_text("Title")
    card.press("v")
    assert box.text_content() == MARKUP


@pytest.mark.parametrize(
    "hostile",
    ["*a " * 70_000, "`" * 200_000, "**_" * 70_000, "- a\n" * 50_000, "[" * 200_000, "_a `" * 50_000],
    ids=["stars", "ticks", "mixed", "list", "brackets", "unclosed"],
)
def test_a_long_hostile_text_is_formatted_in_no_time(server: Server, rater: Rater, hostile: str) -> None:
    session = server.session([("", hostile)] * 3, name=f"hostile {hostile[:8]!r}")
    card = rater(session)
    before = time.monotonic()
    card.press("v")
    expect(card.page.get_by_role("button", name="Formatted")).to_have_attribute("aria-pressed", "true")
    card.response.evaluate("e => e.getBoundingClientRect().height")
    assert time.monotonic() - before < 5
    card.rate("3")


def test_guidelines_have_examples_and_are_shown_first_and_once(server: Server, rater: Rater) -> None:
    examples = [
        Example("Is 7 prime?", "Yes, <b>it</b> is.", "5", "Right, and says no more than needed."),
        Example("", "No idea :smile:", "1", ""),
    ]
    session = server.session([("P", "R")] * 4, name="examples", guidelines="Is it right?", examples=examples)
    card = rater(session)
    opened = card.page.get_by_role("dialog", name="Guidelines")
    expect(opened).to_be_visible()
    shown = opened.locator(".example")
    expect(shown).to_have_count(2)
    assert shown.nth(0).locator(".text").all_text_contents() == ["Is 7 prime?", "Yes, <b>it</b> is."]
    expect(shown.nth(0).locator(".verdict")).to_have_text("5Right, and says no more than needed.")
    assert shown.nth(1).locator(".text").all_text_contents() == ["No idea :smile:"]
    card.press("Escape")
    card.page.reload()
    card.wait()
    expect(opened).to_have_count(0)
    card.press("g")
    expect(opened).to_be_visible()
