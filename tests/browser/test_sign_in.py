"""Invite links: one visit signs in for good, until the link is revoked or its holder signs out."""

from __future__ import annotations

import re
import urllib.request
from collections.abc import Callable
from http.client import HTTPMessage
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.people import Card, Server

TEXTS = [(f"Prompt {i}", f"Response {i}") for i in range(12)]
New = Callable[..., BrowserContext]


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: object, **kwargs: object) -> None:
        return None


def answer(url: str) -> tuple[int, HTTPMessage]:
    """Status and headers, without following where they lead."""
    try:
        with urllib.request.build_opener(_Stay).open(url) as response:
            return response.status, response.headers
    except urllib.error.HTTPError as error:
        return error.code, error.headers


def expect_door(page: Page) -> None:
    expect(page.get_by_text("You come in by an invite link.")).to_be_visible()


def test_a_link_becomes_a_cookie_that_scripts_cannot_read(server: Server) -> None:
    session = server.session(TEXTS, name="cookie")
    status, headers = answer(server.link("rater", session.id))
    assert (status, headers["location"]) == (303, "/")
    assert re.match(r"celeus_rater_\w+=\S+; HttpOnly; .*SameSite=lax", headers["set-cookie"])
    assert headers["cache-control"] == "no-store"


def test_a_link_never_leads_to_another_site(server: Server) -> None:
    session = server.session(TEXTS, name="redirect")
    token = server.link("rater", session.id).partition("=")[2]
    for path in ("//evil.example/", "///evil.example", "/%2F/evil.example/"):
        status, headers = answer(f"{server.url}{path}?invite={token}")
        if status == 303:
            assert re.match(r"/[^/\\]", headers["location"]), (path, headers["location"])


def test_without_a_link_there_is_only_the_door(server: Server, new_context: New) -> None:
    page = new_context().new_page()
    page.goto(server.url)
    expect_door(page)
    page.goto(f"{server.url}/?invite=made-up")
    expect(page.get_by_text("This invite link is not valid")).to_be_visible()
    assert "invite" not in page.url


def test_a_lead_of_one_session_sees_no_other(server: Server, new_context: New) -> None:
    own = server.session(TEXTS, name="own session")
    server.session(TEXTS, name="foreign session")
    page = new_context().new_page()
    page.goto(server.link("lead", own.id))
    expect(page.get_by_text("Nobody has rated yet.")).to_be_visible()
    page.get_by_role("combobox", name="Session").click()
    expect(page.get_by_role("option", name="own session")).to_be_visible()
    assert page.get_by_role("option", name="foreign session").count() == 0


def test_a_lead_and_a_rater_in_one_browser_do_not_end_each_other(server: Server, new_context: New) -> None:
    session = server.session(TEXTS, name="both")
    page = new_context().new_page()
    page.goto(server.link("lead", None))
    expect(page.get_by_role("heading", name="Monitor")).to_be_visible()
    page.goto(server.link("rater", session.id))
    expect(page.get_by_role("heading", name="Monitor")).to_be_visible()
    page.get_by_role("link", name="Label").click()
    Card(page).wait().rate("4")
    assert server.ratings(session.id) == [(1, 4)]


def test_signing_out_ends_every_tab_and_gives_back_what_was_held(
    server: Server, rater: Callable[..., Card]
) -> None:
    session = server.session(TEXTS, name="out")
    card = rater(session)
    other = card.page.context.new_page()
    other.goto(server.url)
    second = Card(other).wait()
    assert server.workspace.store.counts(session.id, server.workspace._clock()).held
    second.page.get_by_role("button", name="Sign out").click()
    expect_door(second.page)
    assert server.workspace.store.counts(session.id, server.workspace._clock()).held == ()
    card.page.bring_to_front()
    card.page.wait_for_timeout(400)
    card.press("4", "4")  # this tab still shows an item
    expect_door(card.page)
    assert server.ratings(session.id) == []


def test_a_revoked_link_ends_at_the_next_action(server: Server, rater: Callable[..., Card]) -> None:
    session = server.session(TEXTS, name="revoked")
    card = rater(session)
    workspace = server.workspace
    (invite,) = workspace.invites(workspace.local(), session.id)
    workspace.revoke(workspace.local(), session.id, invite.id)
    card.press("4", "4")
    expect_door(card.page)
    assert server.ratings(session.id) == []


def test_saved_work_and_the_sign_in_survive_a_killed_server(tmp_path: Path, new_context: New) -> None:
    server = Server(tmp_path / "work.db")
    server.start()
    try:
        session = server.session(TEXTS, name="killed")
        page = new_context().new_page()
        page.goto(server.link("rater", session.id))
        card = Card(page).wait()
        card.press("5", "5")
        expect(card.status).to_contain_text("Saved")
        shown = str(card.response.text_content())
        server.kill()
        assert server.ratings(session.id) == [(1, 5)]
        server.start()
        page.reload()
        card.wait()
        expect(card.response).to_have_text(shown)
        expect(card.today).to_have_text("1 today")
        card.rate("2")
        assert server.ratings(session.id) == [(1, 5), (2, 2)]

        # a rating that is given while the server is away arrives when it is back, once
        server.kill()
        card.press("3", "3")
        page.wait_for_timeout(1000)
        server.start()
        expect(card.today).to_have_text("3 today", timeout=60_000)
        assert server.ratings(session.id) == [(1, 5), (2, 2), (3, 3)]
        assert server.workspace.store.check() == []
    finally:
        server.stop()


def test_a_correction_under_way_survives_a_killed_server(tmp_path: Path, new_context: New) -> None:
    server = Server(tmp_path / "work.db")
    server.start()
    try:
        session = server.session([(f"Prompt {i}", f"Response {i}") for i in range(9)])
        page = new_context().new_page()
        page.goto(server.link("rater", session.id))
        card = Card(page).wait()
        card.rate("2")
        card.press("u")
        expect(page.locator(".banner")).to_be_visible()
        page.wait_for_timeout(350)
        server.kill()
        card.press("5", "5")
        server.start()
        expect(card.status).to_contain_text("Corrected", timeout=60_000)
        (own,) = [e.body for e in server.workspace.store.events(session.id) if e.kind == "correction"]
        assert (own["old"], own["new"]) == (2, 5)
    finally:
        server.stop()
