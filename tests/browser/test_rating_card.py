"""The rating card under a rater's hands: every key once, and nothing that was not seen."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from celeus_label.certify import Design, Scale
from tests.browser.people import Card, Server

TEXTS = [(f"Prompt {i}", f"Response {i}") for i in range(30)]
Rater = Callable[..., Card]


def test_a_key_chooses_and_the_same_key_submits(server: Server, rater: Rater) -> None:
    session = server.session(TEXTS, name="keys")
    card = rater(session)
    assert card.pressed() == []  # nothing is preselected
    first = card.response.text_content()
    card.press("4")
    assert card.pressed() == ["4"]
    assert server.ratings(session.id) == []
    card.press("2", "2")
    expect(card.status).to_have_text(re.compile(r"^Saved \d\d:\d\d:\d\d · 2$"))
    assert server.ratings(session.id) == [(1, 2)]
    assert card.response.text_content() != first
    assert card.pressed() == []
    expect(card.today).to_have_text("1 today")


def test_control_enter_submits_and_without_a_choice_says_what_is_missing(
    server: Server, rater: Rater
) -> None:
    session = server.session(TEXTS, name="control enter")
    card = rater(session)
    card.press("Control+Enter")
    expect(card.status).to_have_text("Choose a rating first.")
    card.press("5", "Control+Enter")
    expect(card.status).to_contain_text("Saved")
    assert server.ratings(session.id) == [(1, 5)]


def test_a_held_key_rates_nothing(server: Server, rater: Rater) -> None:
    session = server.session(TEXTS, name="held")
    card = rater(session)
    for _ in range(40):  # the same key down again without coming up: the browser marks it as repeated
        card.page.keyboard.down("3")
        card.page.wait_for_timeout(30)
    card.page.keyboard.up("3")
    assert card.pressed() == ["3"]
    assert server.ratings(session.id) == []


def test_enter_held_on_a_score_rates_nothing(server: Server, rater: Rater) -> None:
    session = server.session(TEXTS, name="held enter")
    card = rater(session)
    card.page.locator(".score").nth(1).focus()
    for _ in range(30):
        card.page.keyboard.down("Enter")
        card.page.wait_for_timeout(30)
    card.page.keyboard.up("Enter")
    assert card.pressed() == ["2"]
    assert server.ratings(session.id) == []


def test_keys_hammered_faster_than_one_can_read_rate_one_item(server: Server, rater: Rater) -> None:
    session = server.session(TEXTS, name="hammered")
    card = rater(session)
    for _ in range(12):
        card.press("3")
        card.page.wait_for_timeout(20)
    card.page.wait_for_timeout(600)
    assert server.ratings(session.id) == [(1, 3)]


@pytest.mark.parametrize("pause", [0, 120, 400])
def test_with_submit_at_once_a_double_click_rates_one_item(server: Server, rater: Rater, pause: int) -> None:
    session = server.session(TEXTS, name=f"double {pause}")
    card = rater(session)
    card.page.get_by_label("Submit at once").check()
    box = card.page.locator(".score").nth(2).bounding_box()
    assert box is not None
    card.page.mouse.move(box["x"] + 9, box["y"] + 9)
    for clicks in (1, 2):
        card.page.mouse.down(click_count=clicks)
        card.page.mouse.up(click_count=clicks)
        card.page.wait_for_timeout(pause)
    card.page.wait_for_timeout(700)
    assert server.ratings(session.id) == [(1, 3)]
    card.press("5")  # and one key is enough
    expect(card.today).to_have_text("2 today")
    assert server.ratings(session.id) == [(1, 3), (2, 5)]


def test_a_message_sent_twice_rates_once(server: Server, rater: Rater) -> None:
    """What the card does on a bad line, where it can't know whether its message arrived."""
    session = server.session(TEXTS, name="twice")
    card = rater(session)
    lease = server.workspace.store.counts(session.id, server.workspace._clock()).held
    assert len(lease) == 1
    who = server.workspace.sign_in(server.link("rater", session.id, "Ben").partition("=")[2])
    assert who is not None
    task = server.workspace.claim(who, session.id)
    first = server.workspace.rate(who, session.id, task.lease, 4, 900)  # type: ignore[union-attr]
    again = server.workspace.rate(who, session.id, task.lease, 1, 900)  # type: ignore[union-attr]
    assert (first.round, first.value) == (again.round, again.value)
    card.rate("2")
    assert sorted(server.ratings(session.id)) == [(1, 2), (2, 4)]


def test_undo_corrects_the_last_rating_and_the_ledger_keeps_both(server: Server, rater: Rater) -> None:
    session = server.session(TEXTS, name="undo")
    card = rater(session)
    card.press("u")
    expect(card.status).to_have_text("You have nothing to undo yet.")
    first = card.response.text_content()
    card.page.wait_for_timeout(350)
    card.rate("4")
    second = card.response.text_content()
    card.press("u")
    expect(card.page.locator(".banner")).to_contain_text("It was 4.")
    expect(card.response).to_have_text(str(first))
    assert card.pressed() == []
    card.page.wait_for_timeout(350)
    card.press("Escape")
    expect(card.response).to_have_text(str(second))
    card.press("u")
    expect(card.response).to_have_text(str(first))
    card.page.wait_for_timeout(350)
    card.press("1", "1")
    expect(card.status).to_contain_text("Corrected")
    expect(card.response).to_have_text(str(second))
    events = [e for e in server.workspace.store.events(session.id) if e.kind == "correction"]
    assert [(e.body["round"], e.body["old"], e.body["new"]) for e in events] == [(1, 4, 1)]
    expect(card.today).to_have_text("1 today")


def test_skip_puts_off_or_says_why_an_item_cannot_be_rated(server: Server, rater: Rater) -> None:
    session = server.session(TEXTS, name="skip")
    card = rater(session)
    card.press("s", "Escape")  # changed their mind
    card.press("s", "l")
    expect(card.status).to_have_text("Skipped. Nothing was rated.")
    card.page.wait_for_timeout(350)
    card.press("s", "2")
    expect(card.today).to_have_text("0 today")
    card.page.wait_for_timeout(700)
    card.press("s", "5")
    card.page.keyboard.type("3 lines s u g ? are missing")  # keys are dead while typing
    card.press("Enter")
    card.page.wait_for_timeout(700)
    events = [e for e in server.workspace.store.events(session.id) if e.kind in ("later", "unratable")]
    assert events[0].kind == "later"
    assert [(e.body["reason"], e.body["text"]) for e in events[1:]] == [
        ("language", ""),
        ("other", "3 lines s u g ? are missing"),
    ]
    assert server.ratings(session.id) == []


def test_zero_is_a_value(server: Server, rater: Rater) -> None:
    session = server.session(TEXTS, Scale(0, 1, 1, ("no", "yes")), name="zero")
    card = rater(session)
    card.rate("0")
    card.rate("1")
    assert server.ratings(session.id) == [(1, 0), (2, 1)]
    card.press("u")
    expect(card.page.locator(".banner")).to_contain_text("It was 1.")


def test_a_number_is_typed_without_a_default(server: Server, rater: Rater) -> None:
    session = server.session(TEXTS, Scale(0, 100, 5), name="numbers")
    card = rater(session)
    field = card.page.locator(".field")
    expect(field).to_have_value("")
    card.press("7", "2")  # the first digit moves to the field
    expect(field).to_have_value("72")
    card.press("Enter")
    expect(card.status).to_have_text("A number from 0 to 100 in steps of 5")
    field.fill("0")
    card.press("Enter")
    expect(card.today).to_have_text("1 today")
    expect(field).to_have_value("")
    card.page.wait_for_timeout(350)
    field.fill("140")
    card.press("Enter")
    expect(card.status).to_have_text("A number from 0 to 100 in steps of 5")
    slider = card.page.locator(".slider")
    slider.focus()
    card.press("End")
    expect(field).to_have_value("100")
    card.press("Control+Enter")
    expect(card.today).to_have_text("2 today")
    assert server.ratings(session.id) == [(1, 0), (2, 100)]


HOSTILE = (
    "Is $100 more than $99 :smile: 1:100: **bold** :red[red] -> <b>x</b>\n\n    indented\ttab\n"
    "<img src=x onerror='window.hacked=1'> ![](http://127.0.0.1:9/x.png) <script>window.hacked=1</script>\n"
    "שלום عربي \u202eevil"
)


def test_text_is_verbatim(server: Server, rater: Rater) -> None:
    session = server.session([(HOSTILE, HOSTILE + "!")] * 5, name=HOSTILE[:60], guidelines=HOSTILE)
    card = rater(session, name="Eve <b>:smile:</b>")
    asked: list[str] = []
    card.page.on("request", lambda request: asked.append(request.url))
    expect(card.page.get_by_role("dialog")).to_be_visible()  # guidelines are shown once
    assert card.page.locator("dialog[open] .text").text_content() == HOSTILE
    card.press("Escape")
    assert card.prompt.text_content() == HOSTILE
    assert card.response.text_content() == HOSTILE + "!"
    assert card.prompt.evaluate("e => e.children.length") == 0
    assert card.page.evaluate("window.hacked") is None
    expect(card.page.locator(".who")).to_have_text("Eve <b>:smile:</b>")
    assert [url for url in asked if ":9/" in url] == []
    card.page.reload()
    card.wait()
    expect(card.page.get_by_role("dialog")).to_have_count(0)  # but not again
    card.press("g")
    expect(card.page.get_by_role("dialog")).to_be_visible()


@pytest.mark.parametrize("size", [(360, 640), (1280, 720)])
def test_buttons_stay_in_sight_and_in_place(server: Server, rater: Rater, size: tuple[int, int]) -> None:
    long = "A long line of words that goes on and on.\n" * 5000  # 210 kB
    texts = [("Short", "Short"), (long, long), ("x" * 3000, "y" * 3000), ("", "no prompt")]
    scale = Scale(1, 5, 1, ("useless", "poor", "fair", "good", "perfect"))
    session = server.session(texts * 5, scale, name=f"long {size}")
    card = rater(session, viewport={"width": size[0], "height": size[1]})
    places = []
    for _ in range(8):
        box = card.page.locator(".score").first.bounding_box()
        submit = card.page.get_by_role("button", name="Submit", exact=True).bounding_box()
        assert box is not None
        assert submit is not None
        assert submit["y"] + submit["height"] <= size[1]
        places.append((box["x"], box["y"]))
        assert card.page.evaluate("document.documentElement.scrollWidth") <= size[0]
        card.rate("3")
    assert len(set(places)) == 1


def test_the_same_item_is_in_a_second_tab_and_after_a_reload(server: Server, rater: Rater) -> None:
    session = server.session(TEXTS, name="tabs")
    card = rater(session)
    card.rate("4")
    shown = str(card.response.text_content())
    other = card.page.context.new_page()
    other.goto(server.url)
    second = Card(other).wait()
    expect(second.response).to_have_text(shown)
    card.page.reload()
    card.wait()
    expect(card.response).to_have_text(shown)
    second.rate("5")
    card.page.bring_to_front()
    card.page.wait_for_timeout(400)
    card.press("1", "1")  # the first tab still shows the item that the second one has rated
    expect(card.response).not_to_have_text(shown)
    expect(card.status).to_contain_text("That item has your rating already. Nothing was changed")
    assert server.ratings(session.id) == [(1, 4), (2, 5)]


def test_the_idle_page_says_why_and_goes_on_by_itself(server: Server, rater: Rater) -> None:
    session = server.session(TEXTS[:2], name="idle")
    first = rater(session, "Ada")
    second = rater(session, "Ben")
    third = server.workspace
    page = first.page.context.browser.new_context().new_page()  # type: ignore[union-attr]
    page.goto(server.link("rater", session.id, "Cleo"))
    expect(page.locator(".idle")).to_contain_text("Nothing is free at the moment.")
    expect(page.locator(".idle")).to_contain_text(
        re.compile(r"2 held by others; the next frees in [45]:\d\d\.")
    )
    for held in third.store.counts(session.id, third._clock()).held:
        third.take_back(third.local(), session.id, held.round)
        break
    expect(page.get_by_role("region", name="Response")).to_be_visible()
    page.context.close()
    second.press("3", "3")
    expect(second.page.locator(".idle, .status").first).to_be_visible()


def test_a_session_that_met_its_target_says_thank_you(server: Server, rater: Rater) -> None:
    session = server.session(TEXTS[:3], name="thanks")
    card = rater(session)
    for _ in range(3):
        card.press("3", "3")
        card.page.wait_for_timeout(800)
    expect(card.page.locator(".idle")).to_contain_text("Thank you!")
    expect(card.page.locator(".idle")).to_contain_text("You rated 3 today.")


def test_a_session_that_ended_short_of_its_target_does_not_claim_it(server: Server, rater: Rater) -> None:
    session = server.session(TEXTS, name="budget", design=Design(seed=7, budget=1))
    card = rater(session)
    card.press("3", "3")
    expect(card.page.locator(".idle")).to_contain_text("This session is finished. Thank you!")
    expect(card.page.locator(".idle")).to_contain_text("You may close this page.")


def test_short_lease_time_is_shown(server: Server, rater: Rater) -> None:
    session = server.session(TEXTS, name="short", lease_seconds=50)
    card = rater(session)
    expect(card.page.locator(".lease")).to_have_text(re.compile(r"held for you for 0:[1-4]\d more"))


def test_the_keys_are_listed_and_everything_has_a_name(server: Server, rater: Rater) -> None:
    session = server.session(TEXTS, name="names")
    card = rater(session)
    card.press("?")
    expect(card.page.get_by_role("dialog", name="Keys")).to_contain_text("correct the last rating")
    card.press("Escape")
    for name in ("1", "5", "Submit", "Undo", "Skip", "Guidelines", "Keys", "Sign out"):
        expect(card.page.get_by_role("button", name=name, exact=True)).to_be_visible()
    # by the keyboard alone, with the focus in sight
    card.page.get_by_role("button", name="3", exact=True).focus()
    card.press("Tab")
    outline = card.page.evaluate(
        "() => { let e = document.activeElement;"
        " while (e.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;"
        " return [e.textContent, getComputedStyle(e).outlineStyle]; }"
    )
    assert outline == ["4", "solid"]
    card.press("Enter", "Enter")
    expect(card.today).to_have_text("1 today")


def test_a_locked_database_delays_a_rating_and_neither_loses_nor_doubles_it(
    server: Server, rater: Rater
) -> None:
    session = server.session(TEXTS, name="locked")
    card = rater(session)
    other = sqlite3.connect(server.db, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    card.press("4", "4")
    expect(card.status).to_have_text("Not saved yet. Trying again…", timeout=12_000)
    assert card.pressed() == ["4"]
    other.execute("ROLLBACK")
    other.close()
    expect(card.status).to_contain_text("Saved", timeout=12_000)
    card.page.wait_for_timeout(1500)
    assert server.ratings(session.id) == [(1, 4)]
