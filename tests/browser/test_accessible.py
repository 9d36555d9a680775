"""The rater's screen by axe-core's rules at WCAG 2.2 AA, in every state, dark and light, narrow to wide."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from celeus_label.certify import Scale
from celeus_label.session import Example
from tests.browser.people import Card, Server

AXE = (Path(__file__).parent / "axe" / "axe.min.js").read_text("utf-8")
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
CHAT = json.dumps([{"role": "user", "content": "Write code."}, {"role": "assistant", "content": "`x = 1`"}])
MARKUP = "# Title\n**Bold**, `code`.\n\n- one\n1. two\n\n```\nx = 1\n```\n" + "More and more text.\n" * 60
WORDS = Scale(1, 5, 1, ("useless", "poor", "fair", "good", "perfect"))
LOOKS = [
    (360, 640, "light"),
    (360, 640, "dark"),
    (1280, 800, "light"),
    (1280, 800, "dark"),
    (2200, 1200, "light"),
]


def faults(page: Page) -> list[str]:
    """What axe finds wrong on the page as it is now, shadow roots included."""
    page.mouse.move(1, 1)
    page.wait_for_timeout(300)  # colours that fade in
    if not page.evaluate("typeof window.axe === 'object'"):
        page.evaluate(AXE)
    result: dict[str, Any] = page.evaluate(
        "levels => axe.run(document, {runOnly: {type: 'tag', values: levels},"
        " rules: {'target-size': {enabled: true}}})",
        LEVELS,
    )
    assert result["passes"], "axe looked at nothing"
    return [
        f"{one['id']}: {node['target']} {node['failureSummary']}"
        for one in result["violations"]
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: f"{look[0]} {look[2]}")
def test_every_state_of_the_card(
    server: Server, rater: Callable[..., Card], look: tuple[int, int, str]
) -> None:
    width, height, scheme = look
    session = server.session(
        [(CHAT, MARKUP)] * 3,
        WORDS,
        name=f"axe {look}",
        guidelines="Read it all.",
        examples=[Example("Prompt", "Response", "5", "Because.")],
    )
    card = rater(session, viewport={"width": width, "height": height}, color_scheme=scheme)
    found = {}

    def look_at(state: str) -> None:
        found[state] = faults(card.page)
        assert card.page.evaluate("document.documentElement.scrollWidth") <= width, state

    look_at("guidelines")
    card.press("Escape")
    look_at("item")
    card.press("v", "n")
    card.page.keyboard.type("a comment")
    card.press("Escape", "f", "4")
    look_at("formatted, with a comment, flagged, chosen")
    for key, state in (("?", "keys"), ("s", "skip")):
        card.press(key)
        look_at(state)
        card.press("Escape")
    card.press("Control+Enter")
    expect(card.status).to_contain_text("Saved")
    card.page.wait_for_timeout(350)
    look_at("saved")
    card.press("l")
    expect(card.page.locator(".recent button")).to_have_count(1)
    look_at("last ten")
    card.press("1")
    expect(card.page.locator(".banner")).to_be_visible()
    card.page.wait_for_timeout(350)
    look_at("correction")
    card.press("Escape")
    expect(card.page.locator(".banner")).to_be_hidden()
    card.page.wait_for_timeout(350)
    card.rate("5")
    card.press("1", "1")
    expect(card.page.locator(".idle")).to_contain_text("Thank you!")
    look_at("end")
    assert {state: wrong for state, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("scale", [Scale(0, 100), Scale(0, 10, 0.5), Scale(0, 1, 1, ("no", "yes"))], ids=str)
def test_every_kind_of_scale(server: Server, rater: Callable[..., Card], scale: Scale, scheme: str) -> None:
    session = server.session([("Prompt", "Response")] * 3, scale, name=f"axe {scale} {scheme}")
    card = rater(session, viewport={"width": 360, "height": 640}, color_scheme=scheme)
    assert faults(card.page) == []
    if scale.step != 1:
        card.press("7")
        assert faults(card.page) == []
        card.page.locator(".field").fill("700")
    else:
        card.press("0")
    assert faults(card.page) == []
