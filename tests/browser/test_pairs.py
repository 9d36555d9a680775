"""Two responses side by side, in a random order that their rater does not see through."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from celeus_label.certify import Design, pairs
from celeus_label.session import SessionInfo
from tests.browser.people import Card, Server
from tests.browser.test_accessible import LOOKS, faults

Rater = Callable[..., Card]
DESIGN = Design(seed=7, task="pairwise")
LONG = "A sentence that is one of many. " * 200


def session(server: Server, name: str, text: str = "") -> SessionInfo:
    texts = [(f"Prompt {i}", f"First {i} {text}", f"Second {i} {text}") for i in range(20)]
    return server.session(texts, pairs.SCALE, name=name, design=DESIGN)


def sides(card: Card) -> list[str]:
    return [str(text) for text in card.response.all_text_contents()]


def test_a_key_for_each_verdict_and_the_ledger_knows_which_stood_where(server: Server, rater: Rater) -> None:
    made = session(server, "pair keys")
    card = rater(made)
    frames: list[bytes] = []
    card.page.on(
        "websocket", lambda socket: socket.on("framereceived", lambda data: frames.append(_bytes(data)))
    )
    card.page.reload()
    Card(card.page).response.first.wait_for()
    card.page.wait_for_timeout(400)
    shown = []
    for key in "1234":
        shown.append(sides(card))
        card.rate(key)
    expect(card.status).to_have_text(re.compile(r"^Saved \d\d:\d\d:\d\d · Both bad$"))
    bodies = [e.body for e in server.workspace.store.events(made.id) if e.kind == "rating"]
    assert [body["answer"]["verdict"] for body in bodies] == ["left", "right", "tie", "both bad"]
    for body, texts in zip(bodies, shown, strict=True):
        first = next(place for place, text in enumerate(texts) if text.startswith("First"))
        assert body["answer"]["left"] == "AB"[first]
        assert body["value"] == pairs.value_of(body["answer"]["verdict"], body["answer"]["left"])
    assert {body["answer"]["left"] for body in bodies} == {"A", "B"}
    card.press("u")
    expect(card.page.locator(".banner")).to_contain_text("It was Both bad.")
    assert sides(card) == shown[-1]
    card.page.wait_for_timeout(350)
    card.press("3", "3")
    expect(card.status).to_contain_text("Corrected")
    expect(card.status).to_contain_text("Equally good")
    card.press("l")
    expect(card.page.locator(".recent .given")).to_have_text(
        ["Equally good", "Equally good", "2 is better", "1 is better"]
    )
    told = b"".join(frames)
    assert b"Second" in told  # it is the right traffic
    for secret in (b"response_b", b'"left": "', b"answer\\", b"judge", b"B wins"):
        assert secret not in told, secret


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: f"{look[0]} {look[2]}")
def test_pairs_stand_side_by_side_or_one_above_the_other(
    server: Server, rater: Rater, look: tuple[int, int, str]
) -> None:
    width, height, scheme = look
    card = rater(
        session(server, f"pair {look}", LONG),
        viewport={"width": width, "height": height},
        color_scheme=scheme,
    )
    one, two = (card.page.get_by_role("region", name=f"Response {n}").bounding_box() for n in (1, 2))
    assert one is not None
    assert two is not None
    if width >= 700:
        assert one["y"] == two["y"]
        assert one["x"] + one["width"] <= two["x"]
        assert one["height"] > 250
    else:
        assert one["x"] == two["x"]
        assert one["y"] + one["height"] <= two["y"]
        assert one["height"] > 90
    assert card.page.evaluate("document.documentElement.scrollWidth") <= width
    submit = card.page.get_by_role("button", name="Submit", exact=True).bounding_box()
    assert submit is not None
    assert submit["y"] + submit["height"] <= height
    assert faults(card.page) == []
    card.press("2")
    assert faults(card.page) == []
    card.page.get_by_label("Language").select_option("de")
    expect(card.page.get_by_role("button", name="2 ist besser")).to_have_attribute("aria-pressed", "true")


def _bytes(data: str | bytes) -> bytes:
    return data.encode() if isinstance(data, str) else data
