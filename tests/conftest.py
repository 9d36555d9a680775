"""What tests of every folder may use: a real browser, and a real database of each kind."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from celeus_label.session import live
from scripts import postgres
from scripts.browser import ensure


@pytest.fixture(autouse=True)
def own_main() -> Iterator[None]:
    """Streamlit's AppTest leaves the page that it ran as the main module, which a new process would run first."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture(autouse=True)
def always_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a lead looks at is made anew with every event, however busy the machine of the tests is."""
    monkeypatch.setattr(live, "_LONG_SECONDS", math.inf)


# A module's tests share one browser. It closes with them, since playwright keeps an event loop running in the
# main thread for as long as it is open, and a later test that starts a loop of its own would fail.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless Chromium."""
    flags = ["--disable-gpu", "--disable-background-networking", "--no-first-run"]
    if os.geteuid() == 0:
        flags.append("--no-sandbox")
    path = ensure()  # before the block below: it starts a playwright of its own, and two can't nest
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=flags)
        yield chromium
        chromium.close()


@pytest.fixture
def new_context(browser: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """Make a browser context, a person with cookies of their own; takes what `Browser.new_context` takes."""
    contexts: list[BrowserContext] = []

    def make(**options: object) -> BrowserContext:
        context = browser.new_context(**options)  # type: ignore[arg-type]
        context.set_default_timeout(20_000)
        contexts.append(context)
        return context

    yield make
    for context in contexts:
        context.close()


@pytest.fixture
def page(new_context: Callable[..., BrowserContext]) -> Page:
    """One empty page in a context of its own."""
    return new_context().new_page()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgres.Server]:
    """A throw-away PostgreSQL."""
    with postgres.running() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """Make the address of a new database; a test that asks for it runs on each kind."""
    if request.param == "postgresql":
        server: postgres.Server = request.getfixturevalue("postgres_server")
        return server.new_database
    number = count()
    return lambda: f"sqlite:///{tmp_path / f'desk-{next(number)}.db'}"
