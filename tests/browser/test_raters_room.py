"""What a lead does about raters, in a real browser: relieve one, see how they do, decide where they differ."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from playwright.sync_api import BrowserContext, Locator, Page, expect

from celeus_label.certify import Design
from celeus_label.session import Identity, SessionInfo, Task
from tests.browser.people import Server
from tests.browser.test_accessible import faults
from tests.office import pool_of


def enter(server: Server, session: SessionInfo, name: str) -> Identity:
    workspace = server.workspace
    who = workspace.sign_in(workspace.invite(workspace.local(), "rater", session.id, name))
    assert who is not None
    return who


def rate(server: Server, session: SessionInfo, who: Identity, count: int, chance: random.Random) -> None:
    for _ in range(count):
        task = server.workspace.claim(who, session.id)
        assert isinstance(task, Task)
        own = int(server.workspace.item_id(session.id, task)[1:])
        value = 1 + (own + chance.choice((0, 0, 0, 0, 3))) % 5
        server.workspace.rate(who, session.id, task.lease, value, 900)


def metric(page: Page, name: str) -> Locator:
    return (
        page.get_by_test_id("stMetric")
        .filter(has_text=re.compile(f"^{name}"))
        .get_by_test_id("stMetricValue")
    )


def test_a_lead_relieves_a_rater_and_decides_where_raters_differ(
    server: Server, new_context: Callable[..., BrowserContext]
) -> None:
    workspace, chance = server.workspace, random.Random(4)
    design = Design(seed=3, ratings_per_item=2, disagreement=1.0, width=0.01)
    session = workspace.create(
        workspace.local(), "room", pool_of(60, gold=12), design, gold_rate=0.2, repeat_rate=0.1
    )
    cid, ada, ben = (enter(server, session, name) for name in ("Cid **bold** $1$", "Ada", "Ben"))
    while isinstance(task := workspace.claim(cid, session.id), Task) and task.round < 0:
        rate(server, session, cid, 1, chance)  # a gold item
    assert isinstance(task, Task)
    assert task.round == 1  # Cid takes the first, and goes away
    for _ in range(12):
        for who in (ada, ben):
            rate(server, session, who, 2, chance)

    lead = new_context(viewport={"width": 1280, "height": 1000}).new_page()
    lead.goto(f"{server.link('lead', None, 'Lea')}")
    lead.goto(f"{server.url}/?session={session.id}")
    counts = workspace.monitor(workspace.local(), session.id).counts
    assert counts.first_open == 1
    told = lead.get_by_text(re.compile("^[0-9]+ finished items? waits? for draw 1, which "))
    expect(told).to_contain_text(f"{counts.waiting} finished items wait")
    expect(told).to_contain_text("which Cid **bold** $1$ holds until")
    lead.get_by_role("button", name="Take back", exact=True).click()
    expect(told).to_contain_text("which nobody holds: the next rater is given it.")
    assert not workspace.monitor(workspace.local(), session.id).counts.blocking
    dan = enter(server, session, "Dan")
    while workspace.monitor(workspace.local(), session.id).counts.first_open == 1:
        for who in (ada, ben, dan):  # whoever has not rated it is given it, unless a gold item comes before
            rate(server, session, who, 1, chance)
    expect(told).to_be_hidden()

    lead.get_by_role("link", name="Raters").click()
    expect(lead.get_by_role("heading", name="Work done")).to_be_visible()
    assert faults(lead) == []
    lead.get_by_role("radio", name="Agreement").click()
    overall = workspace.agreement(workspace.local(), session.id)
    assert overall.interval.value is not None
    expect(metric(lead, "Alpha, interval")).to_have_text(f"{overall.interval.value:.3f}")
    assert faults(lead) == []
    lead.get_by_role("radio", name="Gold items").click()
    expect(metric(lead, "Share of gold items")).to_have_text("20 %")
    expect(lead.get_by_role("heading", name="Each test")).to_be_visible()
    assert faults(lead) == []

    lead.get_by_role("radio", name="Differences").click()
    waiting = [one for one in workspace.disputes(workspace.local(), session.id) if one.state == "open"]
    expect(metric(lead, "Waiting for a decision")).to_have_text(str(len(waiting)))
    first = waiting[0]
    expect(lead.get_by_test_id("stCode").filter(has_text=first.item.response)).to_be_visible()
    lead.get_by_role("button", name="Decide", exact=True).click()
    expect(lead.get_by_text("There is no value yet.")).to_be_visible()
    lead.get_by_role("combobox", name="Value").click()
    lead.get_by_role("option", name="2", exact=True).click()
    lead.get_by_role("button", name="Decide", exact=True).click()
    expect(lead.get_by_text(f"Draw {first.round} is decided: 2.")).to_be_visible()
    expect(metric(lead, "Waiting for a decision")).to_have_text(str(len(waiting) - 1))
    last = workspace.store.events(session.id)[-1]
    assert (last.kind, last.body["round"], last.body["new"]) == ("adjudication", first.round, 2)
    lead.set_viewport_size({"width": 360, "height": 800})
    assert lead.evaluate("document.documentElement.scrollWidth <= 360")
    assert faults(lead) == []
    lead.get_by_role("radio", name="Corrections").click()
    expect(lead.get_by_role("heading", name="Correct a rating")).to_be_visible()
    assert faults(lead) == []
    assert workspace.doctor(workspace.local()) == []
