"""The lead's room in a real browser: plan, watch, stop, certify, and begin the next session."""

from __future__ import annotations

import csv
import json
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from celeus_label.certify import Design, Scale, pairs
from celeus_label.ingest import guess_mapping, load, read_table
from celeus_label.session import SessionInfo, Task
from tests.browser.people import Server

HOSTILE = "<b>bold</b> $a$ and $b$ **c** ![](http://evil.example/x.png)"


def pool_file(path: Path, size: int = 400, shift: int = 0) -> Path:
    rng = random.Random(size)
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["item_id", "prompt", "response", "judge_score", "system"])
        for n in range(size):
            system = HOSTILE if n % 3 == 0 else f"system {n % 3}"
            rows.writerow([f"i{n + shift}", f"Question {n + shift}", "Answer", rng.randint(1, 5), system])
    return path


def rated_session(server: Server, folder: Path, name: str, count: int, **design: object) -> SessionInfo:
    """A session with ratings near the judge's scores."""
    table = read_table(pool_file(folder / f"{name}.csv"))
    loaded = load(table, guess_mapping(table), Scale(1, 5, 1))
    workspace = server.workspace
    info = workspace.create(workspace.local(), name, loaded, Design(seed=5, **design))  # type: ignore[arg-type]
    who = workspace.sign_in(workspace.invite(workspace.local(), "rater", info.id, "Ada"))
    assert who is not None
    rng = random.Random(1)
    judge = dict(zip(loaded.pool.item_ids, loaded.pool.judge, strict=True))
    for _ in range(count):
        task = workspace.claim(who, info.id)
        if not isinstance(task, Task):
            break  # the target is met
        value = min(max(judge[workspace.item_id(info.id, task)] + rng.choice((-1, 0, 0, 0, 1)), 1), 5)
        workspace.rate(who, info.id, task.lease, value, 900)
    return info


@pytest.fixture
def lead(new_context: Callable[..., BrowserContext], server: Server) -> Page:
    page = new_context(accept_downloads=True, viewport={"width": 1280, "height": 900}).new_page()
    page.goto(server.link("lead", None, "Lea"))
    page.get_by_role("heading", name="Monitor").wait_for()
    return page


def open_session(page: Page, server: Server, info: SessionInfo, name: str) -> None:
    page.goto(
        f"{server.url}/?session={info.id}"
        if name == "Monitor"
        else f"{server.url}/{name.lower()}?session={info.id}"
    )
    expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()


def test_the_monitor_forecasts_and_its_figures_can_be_taken_away(
    server: Server, lead: Page, tmp_path: Path
) -> None:
    info = rated_session(server, tmp_path, "forecast", 60)
    open_session(lead, server, info, "Monitor")
    told = re.compile(r"^About [\d,]+ more ratings \([\d,]+–[\d,]+\), .+ at the present pace\.$")
    expect(lead.get_by_text(told)).to_be_visible()
    expect(lead.get_by_text(re.compile("^Without the judge the target would take about"))).to_be_visible()
    width = lead.locator(".celeus-chart").nth(1)
    expect(width).to_have_attribute("data-ratings", "60")
    names = width.evaluate("e => e.data.map(trace => trace.name)")
    assert names == ["Forecast, 80 %", "Forecast", "Without the judge", "Width"]
    with lead.expect_download() as download:
        lead.get_by_role("button", name="Data as CSV").first.click()
    rows = list(csv.DictReader(Path(download.value.path()).read_text("utf-8").splitlines()))
    assert list(rows[0]) == ["ratings", "lower", "upper", "estimate"]
    assert len(rows) == 60
    interval = server.workspace.monitor(server.workspace.local(), info.id).interval
    assert float(rows[-1]["lower"]) == pytest.approx(interval.lower)
    chart = lead.locator(".celeus-chart").first
    chart.hover()
    with lead.expect_download() as download:
        chart.locator(".modebar-btn").first.click()
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")


def test_judge_and_slices_are_shown_with_valid_intervals(server: Server, lead: Page, tmp_path: Path) -> None:
    info = rated_session(server, tmp_path, "slices", 120)
    asked: list[str] = []
    lead.on("request", lambda request: asked.append(request.url))
    open_session(lead, server, info, "Monitor")
    lead.get_by_role("radio", name="Judge").click()
    expect(lead.get_by_text("Correlation, estimated")).to_be_visible()
    chart = lead.locator(".celeus-chart").first
    expect(chart).to_have_attribute("aria-label", "Mean rating against the judge's score")
    expect(chart.locator(".yerror")).to_have_count(5)
    lead.get_by_role("radio", name="Slices").click()
    expect(lead.get_by_text("0.05 / 3 = 0.0167")).to_be_visible()
    # a hostile name is drawn as it stands
    expect(lead.locator(".ytick text", has_text="<b>bold</b> $a$")).to_be_visible()
    with lead.expect_download() as download:
        lead.get_by_role("button", name="Data as CSV").click()
    rows = list(csv.DictReader(Path(download.value.path()).read_text("utf-8").splitlines()))
    assert {row["slice"] for row in rows} == {HOSTILE, "system 1", "system 2"}
    assert sum(int(row["rated"]) for row in rows) == 120
    assert not [url for url in asked if "evil.example" in url]


def test_of_pairs_judge_and_slices_speak_of_preference(server: Server, lead: Page) -> None:
    rows = "\n".join(
        f"p{n},Question,One,Two,{n % 3 / 2},{'xy'[n % 2]}" for n in range(24)
    )  # fmt: skip
    table = read_table(f"item_id,prompt,response_a,response_b,judge,topic\n{rows}".encode(), "pairs.csv")
    workspace = server.workspace
    loaded = load(table, guess_mapping(table), pairs.SCALE, Scale(0, 1))
    info = workspace.create(workspace.local(), "preference", loaded, Design(seed=5, task="pairwise"))
    who = workspace.sign_in(workspace.invite(workspace.local(), "rater", info.id, "Ada"))
    assert who is not None
    for verdict in ("left", "right", "tie"):
        task = workspace.claim(who, info.id)
        assert isinstance(task, Task)
        workspace.rate(who, info.id, task.lease, verdict, 900)
    open_session(lead, server, info, "Monitor")
    lead.get_by_role("radio", name="Judge").click()
    chart = lead.locator(".celeus-chart").first
    expect(chart).to_have_attribute("aria-label", "Win rate of A over B against the judge's preference")
    expect(chart.locator(".xtitle")).to_have_text("Judge's preference")
    expect(chart.locator(".ytitle")).to_have_text("Win rate of A over B")
    expect(lead.get_by_text("Judge's mean less the win rate of A over B")).to_be_visible()
    expect(lead.get_by_text("Each point stands for the pairs of the pool")).to_be_visible()
    lead.get_by_role("radio", name="Slices").click()
    expect(lead.locator(".celeus-chart .ytick text")).to_have_count(2)
    expect(lead.locator(".celeus-chart .xtitle")).to_have_text("Win rate of A over B")
    expect(lead.get_by_test_id("stMain")).not_to_contain_text("ean rating")


def test_a_session_stops_by_a_later_rule_and_goes_on_to_a_smaller_width(
    server: Server, lead: Page, tmp_path: Path
) -> None:
    info = rated_session(server, tmp_path, "stopping", 40, width=0.9)
    open_session(lead, server, info, "Monitor")
    status = lead.get_by_test_id("stMetric").filter(has_text=re.compile("^Status"))
    expect(status).to_contain_text("target met")
    lead.get_by_role("radio", name="Stopping").click()
    lead.get_by_role("spinbutton", name="Target width, % of the scale").fill("10")
    lead.get_by_role("button", name="Go on to this width").click()
    expect(status).to_contain_text("open")
    lead.get_by_role("spinbutton", name="Also stop after so many items").fill("5")
    lead.get_by_role("button", name="Stop by these rules").click()
    expect(status).to_contain_text("budget spent")
    expect(lead.get_by_text("No further items are given out.")).to_be_visible()
    design = server.workspace.monitor(server.workspace.local(), info.id).design
    assert (design.width, design.budget) == (0.1, 5)


def test_the_certificate_is_taken_away_archived_and_the_next_session_begins_from_it(
    server: Server, lead: Page, tmp_path: Path
) -> None:
    info = rated_session(server, tmp_path, "finished", 80)
    server.workspace.stop_at(server.workspace.local(), info.id, budget=80)
    open_session(lead, server, info, "Certificate")
    lead.get_by_role("textbox", name="What is rated").fill("helpfulness")
    lead.keyboard.press("Enter")
    expect(
        lead.get_by_text("The mean helpfulness of this pool of 400 answers, rated 1 to 5, is between")
    ).to_be_visible()
    files = {}
    for name in ("Page (HTML)", "Numbers (CSV)", "Numbers (JSON)"):
        with lead.expect_download() as download:
            lead.get_by_role("button", name=name).click()
        files[name] = Path(download.value.path()).read_text("utf-8")
    assert "The mean helpfulness" in files["Page (HTML)"]
    assert "<svg" in files["Page (HTML)"]
    numbers = json.loads(files["Numbers (JSON)"])
    (row,) = csv.DictReader(files["Numbers (CSV)"].splitlines())
    assert float(row["lower"]) == numbers["lower"]
    assert numbers["stopping_rule"].endswith("budget of 80 items")
    lead.get_by_role("button", name="Archive this session").click()
    expect(lead.get_by_role("button", name="Take it back from the archive")).to_be_visible()
    assert server.workspace.session(server.workspace.local(), info.id).archived

    lead.get_by_role("button", name="Start the next session from this one").click()
    expect(
        lead.get_by_text("Scale, guidelines and design are those of finished to begin with.")
    ).to_be_visible()
    lead.locator("input[type=file]").set_input_files(pool_file(tmp_path / "next.csv", 300, shift=350))
    expect(
        lead.get_by_test_id("stCode").get_by_text("Question 350")
    ).to_be_visible()  # as a rater would see it
    lead.get_by_role("button", name="Check every row").click()
    expect(lead.get_by_text("300 rows read, 300 taken, 0 refused")).to_be_visible()
    expect(lead.get_by_text(re.compile("^Against that pool: "))).to_be_visible()
    expect(lead.get_by_text("Begin with what that session learnt of its judge")).to_be_visible()
    expect(lead.get_by_role("spinbutton", name="Target width, % of the scale")).to_have_value("5")
    expect(lead.get_by_text(re.compile(r"^About [\d,]+ ratings to a width of 0.2 points"))).to_be_visible()
    lead.get_by_label("Name of the session").fill("following")
    lead.keyboard.press("Tab")
    lead.get_by_role("button", name="Freeze the design").click()
    expect(lead.get_by_text("The design is frozen.")).to_be_visible()
    made = server.workspace.sessions(server.workspace.local())[-1]
    assert made.name == "following"
    assert made.design.warm_start is not None
    assert made.design.warm_start["source"] == "finished"
    assert made.follows == info.id
    open_session(lead, server, made, "Monitor")
    for place in (0, 1):  # both charts show the one that it began from beside it
        chart = lead.locator(".celeus-chart").nth(place)
        expect(chart.locator(".main-svg").first).to_be_visible()
        assert "Other session" in chart.evaluate("e => e.data.map(trace => trace.name)")
