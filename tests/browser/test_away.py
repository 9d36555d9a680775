"""The database's server is started again under the hands of people: a sentence, and on they go, without a reload."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import BrowserContext, Locator, Page, expect

from celeus_label.certify import Design
from celeus_label.session import Workspace
from scripts import postgres
from tests.browser.people import Card
from tests.faults.serving import servers
from tests.office import pool_of

AWAY = "The server can't reach its database just now, so this may not be saved."
PAGE = "The server can't use its database just now."


def ratings(lead: Page) -> Locator:
    return lead.get_by_test_id("stMetric").filter(has_text=re.compile("^Ratings"))


def test_a_rater_a_lead_and_who_comes_in_go_on_after_a_restart_of_the_database(
    postgres_server: postgres.Server, new_context: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    database = postgres_server.new_database()
    workspace = Workspace(database)
    local = workspace.local()
    session = workspace.create(local, "away", pool_of(60), Design(seed=2))
    with servers(database, tmp_path / "served") as served:
        served.start()

        def link(role: str, name: str) -> str:
            return f"{served.url}/?invite={workspace.invite(local, role, session.id, name)}"

        card_page, lead, late = (new_context().new_page() for _ in range(3))
        card_page.goto(link("rater", "Ada"))
        card = Card(card_page).wait()
        lead.goto(link("lead", "Lea"))
        expect(ratings(lead)).to_contain_text("0")
        card.rate("3")
        card.page.get_by_role("button", name="Comment").click()
        card.page.locator("textarea").first.fill("half a thought")
        item = card.response.first.text_content()
        latecomer = link("rater", "Ben")
        workspace.store.close()

        postgres_server.stop("QUIT")
        try:
            card.page.keyboard.press("Escape")
            card.press("4", "4")
            expect(card.status).to_contain_text(AWAY)
            assert card.pressed() == ["4"]
            assert card.response.first.text_content() == item
            assert "postgresql" not in str(card.page.content())
            expect(lead.get_by_text("That was not done.").first).to_be_visible()
            expect(lead.get_by_text("can't be reached or does not answer").first).to_be_visible()
            late.goto(latecomer)
            expect(late.get_by_text(PAGE)).to_be_visible()
            second_tab = lead.context.new_page()
            second_tab.goto(served.url)
            expect(second_tab.get_by_text(PAGE)).to_be_visible()
        finally:
            postgres_server.start()

        Card(late).wait()
        expect(second_tab.get_by_role("heading", name="Monitor")).to_be_visible()
        card.page.get_by_role("button", name="Submit", exact=True).click()
        expect(card.today).to_have_text("2 today")
        expect(ratings(lead)).to_contain_text("2")
        expect(lead.get_by_text("That was not done.")).to_have_count(0)
    remarks = workspace.remarks(local, session.id)
    assert [(one.value, one.comment) for one in remarks] == [(4, "half a thought")]
    assert workspace.doctor(local) == []
    workspace.store.close()
