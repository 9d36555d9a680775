"""What a rater writes and sees of their own: comments, flags, drafts, the last ten, the numbers at the end."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import BrowserContext, expect

from celeus_label.certify import Scale
from tests.browser.people import Card, Server

TEXTS = [(f"Prompt {i}", f"Response {i}") for i in range(30)]
Rater = Callable[..., Card]


def bodies(server: Server, session: int, kind: str) -> list[dict[str, object]]:
    return [event.body for event in server.workspace.store.events(session) if event.kind == kind]


def kept(server: Server, session: int) -> list[str]:
    """The drafts that lie on the server."""
    with server.workspace.store._reading() as db:
        return [
            text
            for (text,) in db.execute(
                "SELECT draft FROM lease WHERE session = ? AND draft IS NOT NULL", (session,)
            )
        ]


def test_a_comment_and_a_flag_go_with_the_rating_and_to_the_lead(
    server: Server, rater: Rater, new_context: Callable[..., BrowserContext]
) -> None:
    session = server.session(TEXTS, name="comment")
    card = rater(session)
    note = card.page.get_by_label("Comment on this item")
    expect(note).to_be_hidden()
    card.press("n")
    expect(note).to_be_focused()
    card.page.keyboard.type("5 usf 'quoted' :smile:\nsecond line")  # keys are dead while typing
    assert card.pressed() == []
    card.press("Escape", "f", "4")
    card.press("n")
    card.press("Control+Enter")
    expect(card.status).to_contain_text("Saved")
    (first,) = bodies(server, session.id, "rating")
    assert (first["value"], first["comment"], first["flag"]) == (
        4,
        "5 usf 'quoted' :smile:\nsecond line",
        True,
    )
    card.page.wait_for_timeout(350)
    expect(note).to_be_hidden()  # the next item has none
    expect(card.page.get_by_role("button", name="Flag")).to_have_attribute("aria-pressed", "false")
    card.rate("2")
    second = bodies(server, session.id, "rating")[1]
    assert "comment" not in second
    assert "flag" not in second
    (remark,) = server.workspace.remarks(server.workspace.local(), session.id)
    assert (remark.name, remark.value, remark.flag) == ("Ada", 4, True)
    lead = new_context().new_page()
    lead.goto(server.link("lead", session.id))
    lead.get_by_role("link", name="Raters").click()
    expect(lead.get_by_role("heading", name="Comments and flags")).to_be_visible()


def test_a_draft_is_on_the_server_before_anything_is_submitted(server: Server, rater: Rater) -> None:
    session = server.session(TEXTS, name="draft")
    card = rater(session)
    shown = str(card.response.text_content())
    card.press("n")
    card.page.keyboard.type("half a thou")
    expect(card.page.get_by_label("Comment on this item")).to_have_value("half a thou")
    card.page.wait_for_timeout(1500)
    assert [("half a thou" in text) for text in kept(server, session.id)] == [True]
    card.page.keyboard.type("ght")  # typing on while the answer comes changes nothing
    card.press("Escape", "f")
    card.page.wait_for_timeout(1200)
    card.page.reload()
    card.wait()
    note = card.page.get_by_label("Comment on this item")
    expect(card.response).to_have_text(shown)
    expect(note).to_have_value("half a thought")
    expect(card.page.get_by_role("button", name="Flag")).to_have_attribute("aria-pressed", "true")
    second = Card(card.page.context.new_page())
    second.page.goto(server.url)
    second.wait()
    expect(second.page.get_by_label("Comment on this item")).to_have_value("half a thought")
    second.rate("3")
    (saved,) = bodies(server, session.id, "rating")
    assert (saved["comment"], saved["flag"]) == ("half a thought", True)
    assert kept(server, session.id) == []


def test_one_of_the_last_ten_is_corrected_by_one_click(server: Server, rater: Rater) -> None:
    session = server.session(TEXTS, name="last ten")
    card = rater(session)
    card.press("l")
    expect(card.page.get_by_role("dialog", name="Last ten")).to_contain_text("nothing to undo")
    card.press("Escape")
    seen = []
    for key in "1234":
        seen.append(str(card.response.text_content()))
        card.rate(key)
    card.press("l")
    rows = card.page.locator(".recent button")
    expect(rows).to_have_count(4)
    assert card.page.locator(".recent .given").all_text_contents() == ["4", "3", "2", "1"]
    assert card.page.locator(".recent .start").all_text_contents() == seen[::-1]
    rows.nth(2).click()
    expect(card.response).to_have_text(seen[1])
    expect(card.page.locator(".banner")).to_contain_text("It was 2.")
    card.page.wait_for_timeout(350)
    card.press("l")  # and from one to another
    expect(rows).to_have_count(4)
    card.press("4")
    expect(card.response).to_have_text(seen[0])
    card.page.wait_for_timeout(350)
    card.press("5", "5")
    expect(card.status).to_contain_text("Corrected")
    (change,) = bodies(server, session.id, "correction")
    assert (change["round"], change["old"], change["new"]) == (1, 1, 5)


def test_own_numbers_while_rating_and_at_the_end(server: Server, rater: Rater) -> None:
    session = server.session(TEXTS[:3], name="numbers of one's own")
    card = rater(session)
    pace = card.page.locator(".pace")
    expect(pace).to_have_text("")
    card.rate("3")
    expect(pace).to_have_text(re.compile(r"^1 in all, \d+\.\d s each$"))
    card.rate("4")
    card.press("5", "5")
    idle = card.page.locator(".idle")
    expect(idle).to_contain_text("Thank you!")
    expect(idle).to_contain_text(re.compile(r"3 in all: [\d.]+ s each, [\d.]+ s of reading and rating\."))
    expect(idle).to_contain_text(re.compile(r"Saved \d\d:\d\d:\d\d · 5"))
    card.press("u")  # the last one can still be corrected
    expect(card.page.locator(".banner")).to_contain_text("It was 5.")
    card.page.wait_for_timeout(350)
    card.press("1", "1")
    expect(idle).to_contain_text(re.compile(r"Corrected \d\d:\d\d:\d\d · 1"))
    assert len(bodies(server, session.id, "correction")) == 1


def test_the_language_is_the_raters_and_changing_it_loses_nothing(server: Server, rater: Rater) -> None:
    session = server.session(TEXTS, name="language")
    card = rater(session)
    card.press("n")
    card.page.keyboard.type("Zwischenstand")
    card.press("Escape", "f", "4")
    card.page.get_by_label("Language").select_option("de")
    expect(card.page.get_by_role("button", name="Absenden")).to_be_visible()
    assert card.pressed() == ["4"]
    note = card.page.get_by_label("Kommentar zu diesem Text")
    expect(note).to_have_value("Zwischenstand")
    assert card.page.locator(".card").get_attribute("lang") == "de"
    card.press("Tab")
    card.page.get_by_role("button", name="Absenden").click()
    expect(card.status).to_contain_text("Gespeichert")
    (saved,) = bodies(server, session.id, "rating")
    assert (saved["value"], saved["comment"], saved["flag"]) == (4, "Zwischenstand", True)
    card.page.reload()
    card.page.get_by_role("button", name="Absenden").wait_for()
    german = rater(server.session(TEXTS, Scale(0, 100), name="deutsch"), locale="de-AT")
    expect(german.page.get_by_role("button", name="Anleitung")).to_be_visible()
