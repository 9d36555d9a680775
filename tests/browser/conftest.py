"""A server, and raters who enter by their links."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, expect

from celeus_label.session import SessionInfo
from tests.browser.people import Card, Server

expect.set_options(timeout=20_000)  # a busy machine is no fault


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests; each makes a session of its own."""
    one = Server(tmp_path_factory.mktemp("served") / "work.db")
    one.start()
    yield one
    one.stop()


@pytest.fixture
def rater(new_context: Callable[..., BrowserContext], server: Server) -> Callable[..., Card]:
    """Open a rater's link in a context of its own; the page must throw no error."""
    errors: list[str] = []

    def enter(session: SessionInfo, name: str = "Ada", **options: object) -> Card:
        page = new_context(**options).new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(server.link("rater", session.id, name))
        return Card(page).wait()

    yield enter  # type: ignore[misc]
    assert errors == []
