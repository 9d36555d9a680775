"""Find a Chromium for the tests, or install one; run as a program it prints where it is.

Tests call `find`, `make test` runs `ensure` first, so a missing browser stops the run with a sentence
and never skips a test.
"""

from __future__ import annotations

import os
import shutil
import sys

from scripts import system

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
PACKAGES = {name: ["chromium"] for name in system.MANAGERS}


def find() -> str | None:
    """Path of a browser that starts: one on the PATH, an application, or playwright's own; else None."""
    candidates = [*filter(None, map(shutil.which, NAMES)), *APPLICATIONS, playwright_own()]
    return next((path for path in candidates if starts(path)), None)


def ensure() -> str:
    """Path of a browser that starts, installed now if there is none.

    Raises
    ------
    SystemExit
        None is there and none could be installed.
    """
    path = find()
    if path is not None:
        return path
    print("no Chromium here yet: playwright downloads one …", flush=True)
    playwright = [sys.executable, "-m", "playwright"]
    if system.run([*playwright, "install", "chromium"]) and find() is None and system.privilege() is not None:
        system.run([*playwright, "install-deps", "chromium"])  # it is there, but libraries it needs are not
    return system.ensured(
        find,
        PACKAGES,
        "The browser tests need Chromium or Google Chrome: none that starts is on the PATH, "
        "`playwright install chromium` brought none, and the system's package manager gave none. "
        "Install one, then run `make test` again.",
    )


def playwright_own() -> str:
    """Where playwright keeps its own Chromium, whether or not it is there."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return playwright.chromium.executable_path


def starts(path: str) -> bool:
    """Whether the program is there and runs; a wrapper without its browser does not."""
    return os.path.exists(path) and system.run([path, "--version"])


if __name__ == "__main__":
    print(f"browser for the tests: {ensure()}", flush=True)
