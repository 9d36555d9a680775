"""docs/paper.md names studies, options and systems that there are."""

from __future__ import annotations

import re
from pathlib import Path

from typer.testing import CliRunner

from celeus_label.cli import app
from celeus_label.compare import SYSTEMS
from celeus_label.compare.command import STUDY_NAMES

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "paper.md").read_text("utf-8")


def test_every_study_has_its_place_and_every_named_one_exists() -> None:
    named = set(re.findall(r"(?:celeus-label |`)study ([a-z]+)", TEXT))
    assert named == set(STUDY_NAMES)


def test_every_option_that_is_named_exists() -> None:
    shown = CliRunner().invoke(app, ["study", "--help"]).output
    options = set(re.findall(r"--[a-z]+", TEXT))
    assert options
    assert all(option in shown for option in options)


def test_every_system_is_described() -> None:
    for system in SYSTEMS:
        assert f"| `{system}` |" in TEXT
