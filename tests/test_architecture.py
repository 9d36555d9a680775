"""Imports go one way, and every part imports only what its job needs."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# part -> the parts that it may import. A module or folder of celeus_label that is not here fails the test:
# say first where it stands. Only `session` may import `store`, so the two halves meet in one place.
BELOW_UI = {"ledger", "certify", "compare", "ingest", "certificate", "session"}
ALLOWED: dict[str, set[str]] = {
    "__init__": {"certify"},
    "ledger": set(),
    "certify": {"ledger"},
    "compare": {"ledger", "certify", "ingest"},
    "ingest": {"certify"},
    "certificate": {"ledger", "certify"},
    "store": {"ledger"},
    "session": {"ledger", "certify", "ingest", "certificate", "store"},
    "simulation": BELOW_UI,
    "ui": BELOW_UI,
    "app": BELOW_UI | {"ui"},
    "cli": BELOW_UI | {"ui", "simulation"},
    "pages": BELOW_UI | {"ui"},
}
# part -> the libraries that it may import beside the standard one. A part that is not here may use any.
LIBRARIES: dict[str, set[str]] = {
    "__init__": set(),
    "ledger": set(),
    "certify": {"numpy", "scipy"},
    "store": {"sqlite_utils", "psycopg"},
}
# library -> the only parts that may import it.
KEPT_TO: dict[str, set[str]] = {
    "sqlite3": {"store"},
    "sqlite_utils": {"store"},
    "psycopg": {"store"},
    "streamlit": {"ui", "app", "pages", "cli"},
}


def part_of(path: Path, root: Path) -> str:
    """`certify` for celeus_label/certify/pool.py, `session` for celeus_label/session.py, `pages` for one."""
    parts = path.relative_to(root).with_suffix("").parts
    return parts[0] if parts[0] == "pages" else parts[1]


def imported(path: Path, root: Path) -> Iterator[tuple[int, str]]:
    """Line and full dotted name of everything that the file imports, wherever in it the import stands."""
    package = path.relative_to(root).with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)


def faults(root: Path) -> list[str]:
    """One sentence for each import under `root` that goes the wrong way."""
    found = []
    for path in sorted([*root.glob("celeus_label/**/*.py"), *root.glob("pages/**/*.py")]):
        part = part_of(path, root)
        place = path.relative_to(root).as_posix()
        if part not in ALLOWED:
            found.append(f"{place}: tests/test_architecture.py does not say what {part} may import")
            continue
        for line, name in imported(path, root):
            top, *rest = name.split(".")
            if top in ("celeus_label", "pages"):
                target = rest[0] if top == "celeus_label" and rest else top
                if target in ALLOWED and target != part and target not in ALLOWED[part]:
                    found.append(f"{place}:{line}: {part} may not import {target}")
            elif top in KEPT_TO and part not in KEPT_TO[top]:
                found.append(f"{place}:{line}: only {' and '.join(sorted(KEPT_TO[top]))} may import {top}")
            elif part in LIBRARIES and top not in LIBRARIES[part] | sys.stdlib_module_names:
                found.append(f"{place}:{line}: {part} may not import {top}")
    return found


def test_imports_go_one_way() -> None:
    assert faults(ROOT) == []


@pytest.mark.parametrize(
    ("place", "line", "sentence"),
    [
        ("certify/pool.py", "import pandas as pd", "certify may not import pandas"),
        ("certify/pool.py", "from celeus_label.store import sqlite", "certify may not import store"),
        ("certify/pool.py", "from ..store import sqlite", "certify may not import store"),
        ("certify/pool.py", "from .. import session", "certify may not import session"),
        ("certify/pool.py", "def f():\n    from celeus_label import ingest", "certify may not import ingest"),
        ("ingest/load.py", "from celeus_label.compare import study", "ingest may not import compare"),
        ("certificate/bundle.py", "import celeus_label.store", "certificate may not import store"),
        ("store/sqlite.py", "import numpy", "store may not import numpy"),
        ("store/sqlite.py", "from celeus_label.certify import Pool", "store may not import certify"),
        ("session.py", "from celeus_label.ui import theme", "session may not import ui"),
        ("session.py", "import streamlit as st", "only app and cli and pages and ui may import streamlit"),
        ("ui/card.py", "from celeus_label.store import SqliteStore", "ui may not import store"),
        ("ui/card.py", "import sqlite3", "only store may import sqlite3"),
        ("ui/card.py", "import pages.label", "ui may not import pages"),
        ("helpers.py", "import os", "does not say what helpers may import"),
    ],
)
def test_an_import_that_goes_the_wrong_way_is_found(
    tmp_path: Path, place: str, line: str, sentence: str
) -> None:
    path = tmp_path / "celeus_label" / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(line + "\n", "utf-8")
    assert len(faults(tmp_path)) == 1
    assert sentence in faults(tmp_path)[0]


def test_imports_that_go_the_right_way_pass(tmp_path: Path) -> None:
    files = {
        "celeus_label/certify/pool.py": [
            "import math",
            "import numpy",
            "from celeus_label.ledger import Event",
        ],
        "celeus_label/store/sqlite.py": [
            "import sqlite3",
            "import sqlite_utils",
            "from ..ledger import Event",
        ],
        "celeus_label/session.py": ["from celeus_label.store import Store", "from .certify import Pool"],
        "celeus_label/ui/card.py": ["import streamlit", "from celeus_label.session import Workspace"],
        "pages/label.py": ["import streamlit", "from celeus_label.ui import card"],
    }
    for name, lines in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("\n".join(lines), "utf-8")
    assert faults(tmp_path) == []


def test_certify_loads_numpy_and_scipy_alone() -> None:
    """What a library imports in its turn counts too: the core must start fast and run anywhere."""
    program = "import sys, celeus_label.certify; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert loaded >= {"celeus_label", "numpy"}
    assert loaded.isdisjoint(
        {"pandas", "pyarrow", "streamlit", "plotly", "sqlite_utils", "pydantic", "typer"}
    )


def test_the_libraries_declared_are_those_imported() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    optional = [name for extra in project["optional-dependencies"].values() for name in extra]
    declared = {re.split(r"[\[>]", name)[0].lower() for name in [*project["dependencies"], *optional]}
    distributions = packages_distributions()
    used = set()
    for path in [*ROOT.glob("celeus_label/**/*.py"), *ROOT.glob("pages/**/*.py")]:
        for line, name in imported(path, ROOT):
            top = name.partition(".")[0]
            if top in sys.stdlib_module_names or top in ("celeus_label", "pages"):
                continue
            names = {name.lower() for name in distributions.get(top, [top])}
            assert names & declared, f"{path.relative_to(ROOT)}:{line}: {top} is not in pyproject.toml"
            used |= names
    assert declared <= used, "pyproject.toml declares what nothing imports"
