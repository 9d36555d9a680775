"""A full disk, a file that may not be written, a clock set back: what people at their pages see, and lose."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from celeus_label.certify import Design
from celeus_label.session import SessionInfo, Workspace
from tests.browser.people import Card
from tests.faults.serving import Servers, servers
from tests.office import pool_of


class Place:
    """A server of this module's own, and the database that it serves."""

    def __init__(self, served: Servers, db: Path) -> None:
        self.served, self.db, self.workspace = served, db, Workspace(db)
        self.local = self.workspace.local()

    def session(self, name: str) -> SessionInfo:
        return self.workspace.create(self.local, name, pool_of(60), Design(seed=2))

    def link(self, role: str, session: SessionInfo, name: str) -> str:
        token = self.workspace.invite(self.local, role, session.id, name)
        return f"{self.served.url}/?invite={token}"

    def rater(self, page: Page, session: SessionInfo, name: str = "Ada") -> Card:
        page.goto(self.link("rater", session, name))
        return Card(page).wait()

    def lead(self, page: Page, session: SessionInfo) -> Page:
        page.goto(self.link("lead", session, "Lea"))
        page.get_by_role("link", name="Raters").click()
        page.get_by_role("heading", name="Raters").wait_for()
        return page

    def values(self, session: SessionInfo) -> list[float]:
        events = self.workspace.store.events(session.id)
        return [event.body["value"] for event in events if event.kind == "rating"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    db = tmp_path_factory.mktemp("trouble") / "work.db"
    with servers(db) as served:
        made = Place(served, db)
        served.start()
        yield made
        made.workspace.store.close()


def invite(lead: Page, name: str) -> None:
    lead.get_by_role("textbox", name="Name").fill(name)
    lead.get_by_role("button", name="Make the link").click()


def test_on_a_full_disk_people_are_told_and_go_on_when_there_is_room(
    place: Place, new_context: Callable[..., BrowserContext]
) -> None:
    session = place.session("full")
    card = place.rater(new_context().new_page(), session)
    lead = place.lead(new_context().new_page(), session)
    card.rate("3")
    with place.served.full_disk():
        card.press("4", "4")
        expect(card.status).to_contain_text("Nothing can be saved: the server can't use its disk")
        assert card.pressed() == ["4"]  # what was chosen is still chosen
        card.page.get_by_role("combobox").select_option("de")
        expect(card.status).to_contain_text("Sagen Sie es Ihrer Leitung")
        card.page.get_by_role("combobox").select_option("en")
        assert str(place.db) not in str(card.page.content())
        invite(lead, "Ben")
        expect(lead.get_by_text("That was not done.")).to_be_visible()
        expect(lead.get_by_text(f"{place.db} can't be read or written")).to_be_visible()
        expect(lead.get_by_text("check the disk and its free space")).to_be_visible()
        assert place.values(session) == [3]
    card.page.get_by_role("button", name="Submit", exact=True).click()
    expect(card.today).to_have_text("2 today")
    expect(card.status).to_contain_text("Saved")
    lead.reload()
    invite(lead, "Ben")
    expect(lead.get_by_text("Copy the link now")).to_be_visible()
    assert place.values(session) == [3, 4]
    assert place.workspace.doctor(place.local) == []


def test_a_full_disk_keeps_nobody_signed_in(place: Place, new_context: Callable[..., BrowserContext]) -> None:
    card = place.rater(new_context().new_page(), place.session("out"))
    with place.served.full_disk():
        card.page.get_by_role("button", name="Sign out").click()
        expect(card.page.get_by_text("You come in by an invite link.")).to_be_visible()


def test_a_clock_set_back_an_hour_changes_no_order_and_holds_nobody_up(
    place: Place, new_context: Callable[..., BrowserContext]
) -> None:
    session = place.session("clock")
    ada = place.rater(new_context().new_page(), session)
    ben = place.rater(new_context().new_page(), session, "Ben")
    ada.rate("1")
    ben.rate("2")
    place.served.set_clock(-3600)
    try:
        ada.rate("3")
        ben.rate("4")
        ada.rate("5")
        ada.press("u")
        expect(ada.page.locator(".banner")).to_contain_text("It was 5")  # the last one is still the last one
        ada.press("Escape")
        expect(ada.page.locator(".banner")).to_be_hidden()
        ada.wait().rate("2")
    finally:
        place.served.set_clock(0)
    assert place.values(session) == [1, 2, 3, 4, 5, 2]
    events = place.workspace.store.events(session.id)
    assert [event.body["round"] for event in events if event.kind == "draw"] == list(range(1, 9))
    ratings = [event for event in events if event.kind == "rating"]
    assert ratings[2].at < ratings[1].at  # what the clock said is kept
    counts = place.workspace.monitor(place.local, session.id).counts
    assert (counts.ratings, counts.first_open, counts.waiting) == (6, 6, 1)  # Ben has the sixth
    assert place.workspace.doctor(place.local) == []


def test_where_the_file_may_not_be_written_people_are_told_and_go_on_when_it_may(
    place: Place, new_context: Callable[..., BrowserContext]
) -> None:
    session = place.session("read only")
    card = place.rater(new_context().new_page(), session)
    lead = place.lead(new_context().new_page(), session)
    card.rate("3")
    files = [file for file in place.db.parent.iterdir() if file.name.startswith(place.db.name)]
    place.served.kill()
    for file in files:
        file.chmod(0o444)
    try:
        place.served.start()
        card.page.reload()
        trouble = card.page.locator(".idle")
        expect(trouble).to_contain_text("The server has a problem. Nothing that was saved is lost.")
        expect(trouble).to_contain_text("Nothing can be saved: the server may not write to its database.")
        lead.reload()
        invite(lead, "Ben")
        expect(lead.get_by_text(f"{place.db} may not be written")).to_be_visible()
        expect(
            lead.get_by_text("give the server write permission on the file and its folder")
        ).to_be_visible()
        lead.get_by_role("link", name="Monitor").click()
        expect(lead.get_by_test_id("stMetric").filter(has_text=re.compile("^Ratings"))).to_contain_text("1")
    finally:
        for file in files:
            file.chmod(0o644)
    card.page.reload()  # without a new start of the server
    card.wait()
    card.rate("5")
    assert place.values(session) == [3, 5]
    assert place.workspace.doctor(place.local) == []
