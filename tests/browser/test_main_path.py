"""From a file to a verified certificate, by people at browsers; what a rater's browser is told meanwhile."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, WebSocket, expect

from celeus_label.certificate import verify
from tests.browser.people import Card, Server

SYSTEMS = ("zeppelin-large", "quokka-mini")


def write_pool(path: Path) -> Path:
    """A small pool whose judge scores and systems are easy to find in any traffic."""
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["item_id", "prompt", "response", "judge_score", "judge_spread", "system"])
        for i in range(24):
            rows.writerow(
                [
                    f"{SYSTEMS[i % 2]}-{i}",
                    f"Question {i}: is $100 more than $99?",
                    f"Answer {i} :smile:",
                    f"{1 + i % 5 * 0.7 + 0.013579 * (i + 1):.6f}",
                    f"{0.2468 + i / 1000:.4f}",
                    SYSTEMS[i % 2],
                ]
            )
    return path


def listen(page: Page) -> list[bytes]:
    """All that the page's websockets bring it from now on."""
    frames: list[bytes] = []

    def opened(socket: WebSocket) -> None:
        socket.on(
            "framereceived", lambda data: frames.append(data if isinstance(data, bytes) else data.encode())
        )

    page.on("websocket", opened)
    return frames


def set_up(page: Page, pool: Path) -> tuple[str, str]:
    """Upload, check, freeze; the links for a rater and another lead."""
    page.get_by_role("link", name="Set up").click()
    page.locator("input[type=file]").set_input_files(pool)
    expect(page.get_by_role("combobox", name=re.compile("Judge's score"))).to_be_visible()
    page.get_by_role("button", name="Check every row").click()
    expect(page.get_by_text("24 rows read, 24 taken, 0 refused")).to_be_visible()
    page.get_by_role("button", name="Freeze the design").click()
    expect(page.get_by_text("The session was not made. Nothing that you entered is lost.")).to_be_visible()
    page.get_by_label("Name of the session").fill("Answers **to** $questions$ :smile:")
    page.get_by_role("textbox", name="Guidelines for raters").fill("Is it right? <b>Say</b> so.")
    page.get_by_label("Target width, % of the scale").fill("60")
    page.keyboard.press("Tab")
    expect(page.get_by_text("= 2.4 points (60 % of the scale)")).to_be_visible()
    page.get_by_role("button", name="Freeze the design").click()
    expect(page.get_by_text("The design is frozen.")).to_be_visible()
    links = page.get_by_test_id("stCode").locator("code")
    expect(links).to_have_count(2)
    return str(links.nth(0).text_content()), str(links.nth(1).text_content())


def test_a_file_becomes_a_certificate(
    server: Server, browser: Browser, new_context: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    lead = new_context(accept_downloads=True).new_page()
    lead.goto(server.link("lead", None, "Lea"))
    first_link, _ = set_up(lead, write_pool(tmp_path / "answers.csv"))
    session = server.workspace.sessions(server.workspace.local())[-1]
    assert (session.name, session.guidelines) == (
        "Answers **to** $questions$ :smile:",
        "Is it right? <b>Say</b> so.",
    )

    lead.get_by_role("link", name="Monitor").click()
    expect(lead.get_by_text("Nobody has rated yet.")).to_be_visible()
    shown = (
        lead.get_by_test_id("stMetric")
        .filter(has_text=re.compile("^Ratings"))
        .get_by_test_id("stMetricValue")
    )
    expect(shown).to_have_text("0")

    ada, ben = new_context().new_page(), new_context().new_page()
    heard = [listen(ada), listen(ben)]
    ada.goto(first_link)
    ben.goto(server.link("rater", session.id, "Ben"))
    cards = [Card(ada).wait(), Card(ben).wait()]
    for card in cards:
        expect(card.page.get_by_role("dialog", name="Guidelines")).to_be_visible()
        card.press("Escape")
    assert cards[0].response.text_content() != cards[1].response.text_content()
    for key in "435":
        for card in cards:
            card.rate(key)
    expect(shown).to_have_text("6", timeout=15_000)  # nobody touched the lead's page

    held = str(cards[0].response.text_content())
    cards[0].press("2")  # chosen, not submitted
    ada.reload()
    cards[0].wait()
    expect(cards[0].response).to_have_text(held)
    assert cards[0].pressed() == []
    expect(cards[0].today).to_have_text("3 today")
    assert len(server.ratings(session.id)) == 6

    for _ in range(24):
        for card in cards:
            if not card.page.locator(".idle").is_visible():
                card.press("4", "4")
                card.page.wait_for_timeout(500)
        if server.workspace.monitor(server.workspace.local(), session.id).interval.status != "open":
            break
    state = server.workspace.monitor(server.workspace.local(), session.id)
    assert state.interval.status == "target met"
    for card in cards:
        card.page.keyboard.press("4")
        card.page.keyboard.press("4")
        expect(card.page.locator(".idle")).to_contain_text("The target is met. Thank you!", timeout=20_000)
    expect(lead.get_by_text("target met")).to_be_visible(timeout=15_000)

    # Nothing that a rater's browser was told names a judge score, a system, an id or the interval.
    told = b"".join(heard[0] + heard[1])
    assert b"Answer" in told  # it is the right traffic
    pool = server.workspace._loaded(session.id).pool
    secrets = [f"{score:.6f}" for score in pool.judge] + [repr(float(score)) for score in pool.judge]
    secrets += [f"{spread:.4f}" for spread in pool.features["judge_spread"]]
    secrets += [*SYSTEMS, "judge", "system", "interval", "estimate", "lower_unit", "target_met"]
    secrets += [f"{end:.3f}" for end in (state.interval.lower, state.interval.upper, state.interval.estimate)]
    assert [word for word in secrets if word.encode() in told] == []

    lead.get_by_role("link", name="Certificate").click()
    expect(lead.get_by_text("he mean rating of this pool of 24 answers")).to_be_visible()
    with lead.expect_download() as download:
        lead.get_by_role("button", name="Download the bundle").click()
    bundle = tmp_path / "bundle.zip"
    download.value.save_as(bundle)
    assert verify(bundle).status == "VALID"
    lead.locator("input[type=file]").set_input_files(bundle)
    expect(lead.get_by_text("VALID: every hash, draw and interval")).to_be_visible()


def test_a_live_chart_keeps_the_zoom_of_its_viewer(
    server: Server, new_context: Callable[..., BrowserContext], rater: Callable[..., Card]
) -> None:
    session = server.session([(f"Prompt {i}", f"Response {i}") for i in range(40)], name="zoom")
    card = rater(session)
    card.rate("3")
    card.rate("4")
    lead = new_context().new_page()
    lead.goto(server.link("lead", session.id))
    chart = lead.locator(".celeus-chart").first
    expect(chart).to_have_attribute("data-ratings", "2")
    box = chart.locator(".nsewdrag").first.bounding_box()
    assert box is not None
    lead.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + box["height"] * 0.3)
    lead.mouse.down()
    lead.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.7, steps=6)
    lead.mouse.up()
    ranges = "e => JSON.stringify([e.layout.xaxis.range, e.layout.yaxis.range, e.layout.xaxis.autorange])"
    zoomed = chart.evaluate(ranges)
    assert '"false"' not in zoomed
    card.page.bring_to_front()
    card.rate("5")
    lead.bring_to_front()
    expect(chart).to_have_attribute("data-ratings", "3", timeout=15_000)
    assert chart.evaluate(ranges) == zoomed
    assert "[1,5]" not in zoomed
