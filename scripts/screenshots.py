"""Take the pictures of docs/img from the running demo: `python -m scripts.screenshots`.

With `rater` or `lead` behind it only the pictures of those pages are taken.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from scripts import system
from scripts.browser import ensure

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "img"
RATINGS_SHOWN = 150
DESK: dict[str, object] = {"viewport": {"width": 1280, "height": 800}}
PHONE: dict[str, object] = {
    "viewport": {"width": 360, "height": 640},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}
DARK = "-dark"
# The pictures of each page; those of a desk are taken in the dark, too.
PICTURES = {
    "door": ("sign-in",),
    "label": ("guidelines", "label", "label-phone"),
    "monitor": ("monitor", "judge", "slices", "stopping", "monitor-phone"),
    "certificate": ("certificate",),
    "raters": ("raters",),
    "compare": ("compare",),
    "setup": ("setup", "setup-design", "setup-plan"),
    "people": ("people",),
}
ONCE = ("guidelines", "label-phone", "monitor-phone")


def names() -> set[str]:
    """The names of all pictures."""
    every = {name for page in PICTURES.values() for name in page}
    return every | {name + DARK for name in every.difference(ONCE)}


def main() -> None:
    """Start the demo with its scripted rater, visit each page, and save what it looks like."""
    wanted = sys.argv[1:] or ["rater", "lead"]
    IMAGES.mkdir(parents=True, exist_ok=True)
    path = ensure()
    with _demo() as (lead, rater, admin), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        if "rater" in wanted:
            _rater_pages(browser, rater)
        if "lead" in wanted:
            page = _visit(browser, lead, DESK)
            ratings = page.get_by_test_id("stMetric").filter(has_text=re.compile("^Ratings"))
            ratings.wait_for()
            while int(ratings.get_by_test_id("stMetricValue").inner_text().replace(",", "")) < RATINGS_SHOWN:
                page.wait_for_timeout(1000)
            for ending, scheme in (("", "light"), (DARK, "dark")):
                _lead_pages(browser, lead, admin, DESK | {"color_scheme": scheme}, ending)
            phone = _visit(browser, lead, PHONE)
            phone.locator(".celeus-chart .main-svg").first.wait_for()
            _save(phone, "monitor-phone")
        browser.close()


@contextmanager
def _demo() -> Iterator[tuple[str, str, str]]:
    """The links of a lead, a rater and an admin, while the demo runs."""
    port = str(system.free_port())
    command = [sys.executable, "-m", "celeus_label.cli"]
    with tempfile.TemporaryDirectory() as folder:
        db = f"{folder}/demo.db"
        demo = subprocess.Popen(
            [*command, "demo", "--simulate", "--no-browser", "--port", port, "--db", db],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # its log
            text=True,
            cwd=ROOT,
        )
        try:
            lead, rater = _links(demo)
            invite = [*command, "invite", "--db", db, "--role", "admin", "--person", "Ada L.", "--port", port]
            yield lead, rater, subprocess.check_output(invite, text=True, cwd=ROOT).strip()
        finally:
            demo.terminate()
            demo.wait()


def _links(demo: subprocess.Popen[str]) -> tuple[str, str]:
    assert demo.stdout is not None
    links: list[str] = []
    for line in demo.stdout:
        links += re.findall(r"https?://\S+\?invite=\S+", line)
        if len(links) == 2:
            return links[0], links[1]
    raise SystemExit("the demo printed no links")


def _visit(browser: Browser, link: str, options: dict[str, object]) -> Page:
    page = browser.new_context(**options).new_page()  # type: ignore[arg-type]
    page.set_default_timeout(60_000)
    for _ in range(100):
        try:
            page.goto(link)
            return page
        except Exception:  # the server is not up yet
            page.wait_for_timeout(200)
    raise SystemExit(f"no answer from {link}")


def _save(page: Page, name: str) -> None:
    page.mouse.move(0, 0)
    page.wait_for_timeout(600)
    page.screenshot(path=IMAGES / f"{name}.png")
    print(IMAGES / f"{name}.png", flush=True)


def _rater_pages(browser: Browser, link: str) -> None:
    looks: dict[str, dict[str, object]] = {
        "label": DESK,
        "label-dark": DESK | {"color_scheme": "dark"},
        "label-phone": PHONE,
    }
    for name, options in looks.items():
        page = _visit(browser, link, options)
        page.get_by_role("dialog", name="Guidelines").wait_for()
        if name == "label":
            _save(page, "guidelines")
        page.keyboard.press("Escape")
        page.wait_for_timeout(500)
        page.keyboard.press("4")
        page.keyboard.press("4")
        expect(page.locator(".status")).to_contain_text("Saved")
        page.wait_for_timeout(500)
        if name != "label-phone":
            page.keyboard.press("3")
        _save(page, name)
        # An item that a closed tab holds would make the interval wait until its lease ends.
        page.get_by_role("button", name="Sign out").click()
        page.get_by_text("You come in by an invite link.").wait_for()
        page.context.close()


def _lead_pages(browser: Browser, link: str, admin: str, look: dict[str, object], ending: str) -> None:
    page = _visit(browser, link, look)
    chart = page.locator(".celeus-chart .main-svg").first
    chart.wait_for()
    _save(page, f"monitor{ending}")
    for name in ("judge", "slices", "stopping"):
        page.get_by_role("radio", name=name.capitalize()).click()
        page.wait_for_timeout(2500)
        _save(page, f"{name}{ending}")
    for name in ("certificate", "raters"):
        page.get_by_role("link", name=name.capitalize()).click()
        page.get_by_role("heading", name=name.capitalize(), exact=True).wait_for()
        page.wait_for_timeout(1500)
        _save(page, f"{name}{ending}")
    page.get_by_role("link", name="Compare").click()
    page.get_by_role("button", name="Compare").click()
    chart.wait_for()
    page.wait_for_timeout(1500)
    chart.evaluate("chart => chart.scrollIntoView({block: 'center'})")
    _save(page, f"compare{ending}")
    _set_up(page, ending)
    page.get_by_role("button", name="Sign out").click()
    page.get_by_text("You come in by an invite link.").wait_for()
    _save(page, f"sign-in{ending}")
    page.context.close()
    page = _visit(browser, admin, look)
    page.get_by_role("link", name="People").click()
    page.get_by_role("heading", name="Everybody").wait_for()
    page.wait_for_timeout(1500)
    _save(page, f"people{ending}")
    page.context.close()


def _set_up(page: Page, ending: str) -> None:
    page.get_by_role("link", name="Set up").click()
    page.locator("input[type=file]").set_input_files(ROOT / "data" / "answers.csv")
    page.get_by_role("button", name="Check every row").wait_for()
    _save(page, f"setup{ending}")
    page.get_by_role("button", name="Check every row").click()
    page.get_by_role("button", name="Freeze the design").wait_for()
    page.locator(".celeus-chart .main-svg").first.wait_for()
    page.wait_for_timeout(1500)
    for name, heading in {"setup-design": "3 · The design", "setup-plan": "4 · The plan"}.items():
        page.get_by_role("heading", name=heading).evaluate("e => e.scrollIntoView()")
        _save(page, f"{name}{ending}")


if __name__ == "__main__":
    main()
