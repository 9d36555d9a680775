"""The lead's room in a real browser: files of every kind, a pilot, pictures, long work, bundles, and legible pages."""

from __future__ import annotations

import csv
import json
import random
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.people import Server
from tests.browser.test_accessible import faults
from tests.browser.test_lead_room import open_session, rated_session

Enter = Callable[..., Page]


@pytest.fixture
def enter(new_context: Callable[..., BrowserContext], server: Server) -> Enter:
    """A lead of all sessions, in a browser of their own."""

    def page_of(**options: object) -> Page:
        page = new_context(
            accept_downloads=True, viewport={"width": 1280, "height": 900}, **options
        ).new_page()
        page.goto(server.link("lead", None, "Lea"))
        page.get_by_role("heading", name="Monitor").wait_for()
        return page

    return page_of


def set_up(page: Page, *files: Path) -> None:
    page.get_by_role("link", name="Set up").click()
    page.locator("input[type=file]").set_input_files(files)
    expect(page.get_by_role("button", name="Check every row")).to_be_visible()


def choose(page: Page, label: str, wanted: str) -> None:
    box = page.get_by_role("combobox", name=label)
    box.click()
    box.press_sequentially(wanted)
    box.press("Enter")


def check(page: Page, summary: str) -> None:
    page.get_by_role("button", name="Check every row").click()
    expect(page.get_by_text(summary)).to_be_visible()


def test_files_that_a_tool_writes_apart_become_one_pool(server: Server, enter: Enter, tmp_path: Path) -> None:
    outputs = [
        {"instruction": f"Name bird {n}.", "output": f"Bird {n}.", "generator": "new"} for n in range(30)
    ]
    annotations = [
        {"instruction": row["instruction"], "output_1": "A wren.", "generator_1": "base", "output_2": row["output"],
         "generator_2": "new", "annotator": "gpt", "preference": 1 + n / 30}
        for n, row in enumerate(outputs[:28])
    ]  # fmt: skip
    for name, rows in (("model_outputs", outputs), ("annotations", annotations)):
        (tmp_path / f"{name}.json").write_text(json.dumps(rows), "utf-8")
    page = enter()
    set_up(page, tmp_path / "model_outputs.json", tmp_path / "annotations.json")
    expect(page.get_by_test_id("stCode").get_by_text("Bird 0.", exact=True)).to_be_visible()
    check(page, "30 rows read, 28 taken, 2 refused")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the refused rows").click()
    text = Path(download.value.path()).read_text("utf-8-sig")
    assert [row["line"] for row in csv.DictReader(text.splitlines())] == [
        "29 of model_outputs.json",
        "30 of model_outputs.json",
    ]


def test_a_sheet_of_a_workbook_is_chosen_and_one_that_is_empty_can_be_left_again(
    enter: Enter, tmp_path: Path
) -> None:
    book = openpyxl.Workbook()
    book.active.title = "empty"
    for name in ("June", "July"):
        sheet = book.create_sheet(name)
        sheet.append(["item_id", "prompt", "response", "judge_score"])
        for n in range(25):
            sheet.append([f"{name} {n}", "Why?", f"{name}, so.", n % 5 + 1])
    book.save(tmp_path / "book.xlsx")
    page = enter()
    page.get_by_role("link", name="Set up").click()
    page.locator("input[type=file]").set_input_files(tmp_path / "book.xlsx")
    expect(page.get_by_test_id("stCode").get_by_text("June, so.")).to_be_visible()
    choose(page, "Sheet of the workbook", "empty")
    expect(page.get_by_text("its sheet empty has no header row")).to_be_visible()
    choose(page, "Sheet of the workbook", "July")
    expect(page.get_by_test_id("stCode").get_by_text("July, so.")).to_be_visible()
    check(page, "25 rows read, 25 taken, 0 refused")


def test_the_plan_learns_from_a_pilot_and_shows_the_figure_to_take_away(enter: Enter, tmp_path: Path) -> None:
    rng = random.Random(3)
    path = tmp_path / "pilot.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["item_id", "prompt", "response", "judge_score", "human_score"])
        for n in range(1500):
            judge = rng.randint(1, 5)
            human = min(max(judge + rng.choice((-1, 0, 0, 1)), 1), 5)
            rows.writerow([f"p{n}", f"Question {n}", "Answer", judge, human if n < 60 else ""])
    page = enter()
    set_up(page, path)
    choose(page, "Ratings of a pilot", "human_score")
    check(page, "1,500 rows read, 1,500 taken, 0 refused")
    expect(
        page.get_by_text(re.compile(r"^60 ratings of the pilot: the correlation lies between 0\.8"))
    ).to_be_visible()
    value = float(page.get_by_role("spinbutton", name="Correlation of judge and ratings").input_value())
    assert 0.85 < value < 0.95
    expect(page.get_by_text(re.compile(r"^About [\d,]+ ratings to a width of 0.2 points"))).to_be_visible()
    expect(page.locator(".celeus-chart .main-svg").first).to_be_visible()
    button = page.get_by_role("button", name="Picture as PNG")
    button.focus()
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.suggested_filename == "Expected ratings against the width of the interval.png"
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")


def test_the_reading_of_a_large_file_can_be_cancelled(enter: Enter, tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    with path.open("w", encoding="utf-8") as file:
        file.write("item_id,prompt,response,judge_score\n")
        file.writelines(f"i{n},Why is that so?,Because of {n}.,{n % 5 + 1}\n" for n in range(400_000))
    page = enter()
    set_up(page, path)
    page.get_by_role("button", name="Check every row").click()
    page.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.get_by_role("button", name="Cancel", exact=True)).to_have_count(0)
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    expect(page.get_by_text("rows read")).to_have_count(0)
    expect(page.get_by_role("heading", name="3 · The design")).to_have_count(0)


def test_a_bundle_that_was_changed_is_refused_with_the_reason(
    server: Server, enter: Enter, tmp_path: Path
) -> None:
    info = rated_session(server, tmp_path, "bundled", 30, width=0.5)
    page = enter()
    open_session(page, server, info, "Certificate")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the bundle").click()
    good = Path(download.value.path())
    changed = tmp_path / "changed.zip"
    with zipfile.ZipFile(good) as before, zipfile.ZipFile(changed, "w") as after:
        for name in before.namelist():
            data = before.read(name)
            if name == "ratings.csv":
                lines = data.decode().splitlines(keepends=True)
                data = "".join([*lines[:-1], lines[-1].replace("i", "j", 1)]).encode()
            after.writestr(name, data)
    page.locator("input[type=file]").set_input_files(
        {"name": "good.zip", "mimeType": "application/zip", "buffer": good.read_bytes()}
    )
    expect(
        page.get_by_text("VALID: every hash, draw and interval was computed again and agrees.")
    ).to_be_visible()
    page.locator("input[type=file]").set_input_files(changed)
    expect(page.get_by_text("INVALID: this bundle is not what it says.")).to_be_visible()
    expect(page.get_by_text(re.compile(r"^• ratings\.csv row \d+, column "))).to_be_visible()


def test_what_was_rated_is_compared_under_other_systems(server: Server, enter: Enter, tmp_path: Path) -> None:
    info = rated_session(server, tmp_path, "compared", 40, width=0.05)
    page = enter()
    open_session(page, server, info, "Compare")
    page.get_by_role("button", name="Compare", exact=True).click()
    chart = page.locator(".celeus-chart")
    expect(chart).to_have_attribute("aria-label", "Width against items rated, under each system")
    expect(chart.locator(".main-svg").first).to_be_visible()
    names = chart.evaluate("e => e.data.map(trace => trace.name).filter(Boolean)")
    assert names == ["EValue", "Celeus (w/o surrogate)", "Celeus", "Oracle", "Cer-Eval", "target-aware"]
    with page.expect_download() as download:
        page.get_by_role("button", name="Data as CSV").click()
    rows = list(csv.DictReader(Path(download.value.path()).read_text("utf-8").splitlines()))
    assert {row["system"] for row in rows} >= {"celeus", "target-aware"}


def test_a_rater_of_an_archived_session_is_told_that_it_is_closed(
    server: Server, page: Page, tmp_path: Path
) -> None:
    info = rated_session(server, tmp_path, "closed", 3)
    server.workspace.archive(server.workspace.local(), info.id)
    page.goto(server.link("rater", info.id, "Bob"))
    expect(page.locator(".idle")).to_contain_text("This session is closed. Thank you for your work!")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_of_the_lead_is_legible_and_works_without_a_mouse(
    server: Server, enter: Enter, tmp_path: Path, scheme: str
) -> None:
    info = rated_session(server, tmp_path, f"legible {scheme}", 40)
    page = enter(color_scheme=scheme)
    open_session(page, server, info, "Monitor")
    expect(page.locator(".celeus-chart .main-svg").first).to_be_visible()
    assert faults(page) == []
    for view in ("Judge", "Slices", "Stopping"):
        page.get_by_role("radio", name=view).click()
        expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
        assert faults(page) == [], view
    for name in ("Certificate", "Compare"):
        page.get_by_role("link", name=name).click()
        expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()
        expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
        assert faults(page) == [], name
