"""Setting up: which Python is picked, and which browser is found or installed, on machines of all kinds.

A machine is a PATH with a few programs in it; those that would change the real one are small shell scripts.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Nothing but the PATH counts: no installed application, no browser that playwright got earlier, no download.
ENSURE = "from scripts import browser; browser.APPLICATIONS = (); print(browser.ensure())"


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    return folder


def program(folder: Path, name: str, script: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    path.chmod(0o755)
    return path


def ensure(programs: Path) -> subprocess.CompletedProcess[str]:
    machine = {
        "PATH": str(programs),
        "PLAYWRIGHT_BROWSERS_PATH": str(programs / "none"),
        "PLAYWRIGHT_DOWNLOAD_HOST": "http://127.0.0.1:9",
    }
    return subprocess.run(
        [sys.executable, "-c", ENSURE], cwd=ROOT, env=machine, capture_output=True, text=True
    )


def test_a_browser_on_the_path_is_used(programs: Path) -> None:
    chrome = program(programs, "google-chrome", "echo 1")
    assert ensure(programs).stdout.splitlines()[-1] == str(chrome)


def test_a_wrapper_that_starts_no_browser_is_passed_over(programs: Path) -> None:
    program(programs, "chromium-browser", "echo install the snap >&2; exit 1")
    chrome = program(programs, "google-chrome", "echo 1")
    assert ensure(programs).stdout.splitlines()[-1] == str(chrome)


def test_a_machine_without_any_browser_fails_with_one_sentence(programs: Path) -> None:
    done = ensure(programs)
    assert done.returncode == 1
    assert "The browser tests need Chromium or Google Chrome" in done.stderr
    assert "Traceback" not in done.stderr


def package_manager(programs: Path) -> Path:
    """An apt-get that installs a chromium, and a sudo that asks for nothing, for those who aren't root."""
    chromium = programs / "chromium"
    install = (
        f'[ "$1" = update ] || {{ echo "#!/bin/sh" > {chromium}; {shutil.which("chmod")} +x {chromium}; }}'
    )
    program(programs, "apt-get", install)
    program(programs, "sudo", 'shift; exec "$@"')
    program(programs, "true", "")
    return chromium


def test_the_package_manager_is_the_last_resort(programs: Path) -> None:
    chromium = package_manager(programs)
    done = ensure(programs)
    assert "installing chromium with apt-get" in done.stdout
    assert done.stdout.splitlines()[-1] == str(chromium)


def test_a_package_manager_that_fails_is_not_believed(programs: Path) -> None:
    package_manager(programs)
    program(programs, "apt-get", "exit 100")
    done = ensure(programs)
    assert done.returncode == 1
    assert "the system's package manager gave none" in done.stderr


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    folder.mkdir()
    for name in ("Makefile", "pyproject.toml", *(path.name for path in ROOT.glob("requirements*.txt"))):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "scripts", folder / "scripts")
    return folder


def make(checkout: Path, *words: str) -> subprocess.CompletedProcess[str]:
    # Without this, a make that runs the tests would hand its own flags on.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(["make", *words], cwd=checkout, env=environment, capture_output=True, text=True)


def test_a_machine_without_a_new_python_is_told_so(checkout: Path, programs: Path) -> None:
    old = program(programs, "python3.9", "exit 1")
    done = make(checkout, "demo", f"PYTHON={old} no-such-python")
    assert done.returncode != 0
    assert "celeus-label needs Python 3.11 or newer, and none of these is one:" in done.stderr
    assert not (checkout / ".venv").exists()


def test_the_first_python_that_is_new_enough_sets_up(checkout: Path, programs: Path) -> None:
    old = program(programs, "python3.9", "exit 1")
    new = program(programs, "python3.14", f'[ "$1" = -c ] || echo "$@" > {checkout}/asked')
    make(checkout, ".venv/.run", f"PYTHON={old} {new} no-such-python")
    assert (checkout / "asked").read_text("utf-8").split() == [
        "-m",
        "scripts.environment",
        ".venv",
        "requirements.txt",
    ]


def test_a_second_run_sets_nothing_up(checkout: Path, programs: Path) -> None:
    venv = checkout / ".venv"
    program_folder = venv / "bin"
    program_folder.mkdir(parents=True)
    program(program_folder, "celeus-label", 'echo "$@"')
    (venv / ".run").touch()
    done = make(checkout, "demo", "PYTHON=no-such-python")
    assert (done.returncode, done.stdout) == (0, "demo\n")
    os.utime(checkout / "requirements.txt", (2e9, 2e9))  # a newer lock
    assert make(checkout, "demo", "PYTHON=no-such-python").returncode != 0


def test_a_python_that_can_make_no_environment_is_named(checkout: Path, programs: Path) -> None:
    """As on a Debian without python3-venv, here: a file where the folder should be."""
    place = checkout / "file"
    place.touch()
    done = subprocess.run(
        [sys.executable, "-m", "scripts.environment", str(place / ".venv"), "requirements.txt"],
        cwd=checkout, env={"PATH": str(programs)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1
    assert f"{sys.executable} can't make a virtual environment." in done.stderr
    assert "Traceback" not in done.stderr
