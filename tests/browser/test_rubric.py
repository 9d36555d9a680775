"""Several aspects an item, by the keyboard first."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from celeus_label.certify import Aspect, Design, Scale
from celeus_label.session import SessionInfo
from tests.browser.people import Card, Server
from tests.browser.test_accessible import faults

Rater = Callable[..., Card]
DESIGN = Design(
    seed=7,
    main_aspect="helpfulness",
    aspects=(
        Aspect("tone <b>", Scale(1, 3, 1, ("rude", "plain", "kind"))),
        Aspect("length", Scale(0, 100)),
        Aspect("is true", Scale(0, 1, 1, ("no", "yes"))),
    ),
)


def session(server: Server, name: str) -> SessionInfo:
    return server.session(
        [(f"Prompt {i}", f"Response {i}\n" * 40) for i in range(12)], name=name, design=DESIGN
    )


def given(server: Server, made: SessionInfo) -> list[list[float]]:
    events = [event for event in server.workspace.store.events(made.id) if event.kind == "rating"]
    names = [aspect.name for aspect in DESIGN.aspects]
    return [[e.body["value"], *(e.body["answer"]["aspects"][name] for name in names)] for e in events]


def test_number_keys_fill_the_aspect_in_turn_and_enter_submits(server: Server, rater: Rater) -> None:
    made = session(server, "rubric keys")
    card = rater(made)
    turn = card.page.locator(".turn-now .aspect-name")
    expect(turn).to_have_text("helpfulness")
    card.press("4")
    expect(turn).to_have_text("tone <b>")
    card.press("Control+Enter")
    expect(card.status).to_have_text("Still to rate: tone <b>, length, is true")
    card.press("?")  # the same key again goes to the next aspect, so that it submits nothing here
    expect(card.page.locator("dialog[open]")).to_contain_text("submit (or Enter, once every aspect is rated)")
    card.press("Escape")
    card.press("9")  # no key of this aspect
    card.press("3")
    expect(turn).to_have_text("length")
    card.press("5", "0")  # digits go into the field
    expect(card.page.locator(".field")).to_have_value("50")
    card.press("Enter")
    expect(turn).to_have_text("is true")
    card.press("Backspace", "Backspace")
    expect(turn).to_have_text("length")  # with a number in its field it is edited, not left
    card.page.get_by_role("button", name="2 plain").click()  # a mouse may go anywhere
    expect(turn).to_have_text("is true")
    card.press("0")
    expect(turn).to_have_count(0)
    assert given(server, made) == []
    expect(card.page.get_by_role("button", name="Submit", exact=True)).to_be_focused()
    card.press("Enter")
    expect(card.status).to_have_text(re.compile(r"^Saved \d\d:\d\d:\d\d · 4 · 2 · 5 · 0$"))
    assert given(server, made) == [[4, 2, 5, 0]]
    expect(turn).to_have_text("helpfulness")
    card.page.wait_for_timeout(350)
    card.page.get_by_label("Submit at once").check()
    card.response.focus()
    card.press("1", "1", "7", "Enter", "1")
    expect(card.today).to_have_text("2 today")
    assert given(server, made)[1] == [1, 1, 7, 1]
    card.press("u")
    expect(card.page.locator(".banner")).to_contain_text("It was 1 · 1 · 7 · 1.")
    expect(card.page.locator(".score.was")).to_have_count(3)


def test_what_is_given_so_far_comes_back_after_a_reload_and_in_another_language(
    server: Server, rater: Rater
) -> None:
    card = rater(session(server, "rubric draft"))
    card.press("5", "1", "3")
    expect(card.page.locator(".field")).to_have_value("3")
    card.page.wait_for_timeout(1500)
    card.page.reload()
    card.wait()
    assert card.pressed() == ["5", "1"]
    expect(card.page.locator(".field")).to_have_value("3")
    expect(card.page.locator(".turn-now .aspect-name")).to_have_text("is true")
    card.page.get_by_label("Language").select_option("de")
    assert card.pressed() == ["5", "1"]
    expect(card.page.locator(".field")).to_have_value("3")
    card.press("Tab")
    card.response.focus()
    card.press("1")
    card.page.get_by_role("button", name="Absenden").click()
    expect(card.status).to_contain_text("5 · 1 · 3 · 1")


def test_what_is_given_so_far_comes_back_after_an_undo(server: Server, rater: Rater) -> None:
    card = rater(session(server, "rubric undo"))
    card.press("1", "1", "7", "Enter", "1", "Enter")
    expect(card.today).to_have_text("1 today")
    card.page.wait_for_timeout(350)
    card.press("5", "2", "u")  # at once, before the draft would have been kept by itself
    expect(card.page.locator(".banner")).to_contain_text("It was 1 · 1 · 7 · 1.")
    card.press("Escape")
    expect(card.page.locator(".banner")).to_be_hidden()
    assert card.pressed() == ["5", "2"]


@pytest.mark.parametrize("size", [(360, 640), (640, 360)], ids=str)
def test_in_a_low_window_no_text_lies_over_another(
    server: Server, rater: Rater, size: tuple[int, int]
) -> None:
    width, height = size
    card = rater(session(server, f"rubric low {size}"), viewport={"width": width, "height": height})
    card.press("1", "1", "7", "Enter", "1", "Enter")
    expect(card.today).to_have_text("1 today")
    card.press("u")
    expect(card.page.locator(".banner")).to_be_visible()
    prompt = card.prompt.bounding_box()
    response = card.page.locator("section.response").bounding_box()
    assert prompt is not None
    assert response is not None
    assert prompt["height"] > 40
    assert prompt["y"] + prompt["height"] <= response["y"]
    submit = card.page.get_by_role("button", name="Submit", exact=True).bounding_box()
    assert submit is not None
    assert submit["y"] + submit["height"] <= height
    card.response.scroll_into_view_if_needed()
    expect(card.response).to_be_in_viewport()


@pytest.mark.parametrize("look", [(360, 640, "dark"), (1280, 720, "light")], ids=str)
def test_every_aspect_can_be_reached_and_has_a_name(
    server: Server, rater: Rater, look: tuple[int, int, str]
) -> None:
    width, height, scheme = look
    card = rater(
        session(server, f"rubric {look}"), viewport={"width": width, "height": height}, color_scheme=scheme
    )
    for name in ("helpfulness", "tone <b>", "is true"):
        expect(card.page.get_by_role("group", name=name)).to_have_count(1)
    assert faults(card.page) == []
    card.press("2", "2", "8", "Enter")
    assert faults(card.page) == []
    assert card.page.evaluate("document.documentElement.scrollWidth") <= width
    submit = card.page.get_by_role("button", name="Submit", exact=True).bounding_box()
    box = card.response.bounding_box()
    assert submit is not None
    assert box is not None
    assert submit["y"] + submit["height"] <= height
    assert box["height"] > 80
