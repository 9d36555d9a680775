"""What the documents say is so: their examples run, their commands and links exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.main import get_command

from celeus_label import ledger
from celeus_label.cli import app
from scripts import screenshots

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "data" / "README.md"]


def _deployed() -> list[Path]:
    return [path for path in (ROOT / "deploy").rglob("*") if path.is_file()]


def python_in(name: str) -> str:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / name).read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 1
    return str(blocks[0])


def test_the_readme_example_runs_and_meets_its_target() -> None:
    done = subprocess.run(
        [sys.executable, "-c", python_in("README.md")], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "status='target met'" in done.stdout
    ratings = int(re.findall(r"ratings=(\d+)", done.stdout)[0])
    assert 300 < ratings < 700  # "about 430" where the app uses all columns; here the judge's score alone


def test_the_example_of_a_large_pool_runs_and_meets_its_target(tmp_path: Path) -> None:
    rng, size = np.random.default_rng(0), 1_500
    human = rng.integers(1, 6, size)
    columns = {
        "item_id": [f"i{row}" for row in range(size)],
        "judge_score": np.clip(human + rng.normal(0, 1, size), 1, 5),
        "length": rng.integers(1, 900, size),
        "prompt": [f"What is {row}?" for row in range(size)],
        "response": [f"It is {row}." for row in range(size)],
        "human_score": human,
    }
    pq.write_table(pa.table(columns), tmp_path / "answers.parquet", row_group_size=1_000)
    program = python_in("docs/scale.md")
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "status='target met'" in done.stdout


def test_the_ledger_document_computes_the_hashes_that_the_ledger_has() -> None:
    space: dict[str, object] = {}
    exec(python_in("docs/ledger.md"), space)
    row_hash = space["row_hash"]
    assert callable(row_hash)
    first = ledger.append(None, "design", {"name": "Prüfung", "items": 2}, "2025-03-14T09:26:53+00:00")
    second = ledger.append(first, "rating", {"round": 1, "value": 0}, "2025-03-14T09:27:10+00:00")
    previous = "0" * 64
    for event in (first, second):
        previous = row_hash(previous, event.seq, event.kind, event.body, event.at)
        assert previous == event.hash


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(document: Path) -> None:
    for link in re.findall(r"\]\((?!https?://)([^)#]+)", document.read_text("utf-8")):
        assert (document.parent / link).exists(), link


def test_the_make_targets_that_are_named_exist() -> None:
    targets = set(re.findall(r"(?m)^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8")))
    texts = [path.read_text("utf-8") for path in DOCUMENTS]
    named = {name for text in texts for name in re.findall(r"(?m)(?:^|`)make ([a-z-]+)", text)}
    assert {"demo", "test", "check", "lock"} <= named <= targets


def test_the_continuous_integration_runs_make_test() -> None:
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    assert script.splitlines()[-1] == "make test"
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


LOCKS = ["requirements-bootstrap.txt", "requirements.txt", "requirements-server.txt", "requirements-dev.txt"]


@pytest.mark.parametrize("name", LOCKS)
def test_every_locked_package_has_a_hash_and_no_file_names_an_index(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    packages = re.findall(r"(?m)^[a-z].*(?:\n    --hash.*)+", text)
    assert len(packages) == len(re.findall(r"(?m)^[a-z]", text)) > 0
    assert "://" not in text
    assert "--index" not in text


def test_the_locks_agree() -> None:
    run, sso, dev = (
        dict(re.findall(r"(?m)^([a-z0-9._-]+)==(\S+)", (ROOT / name).read_text("utf-8")))
        for name in ("requirements.txt", "requirements-server.txt", "requirements-dev.txt")
    )
    assert run.items() <= sso.items() <= dev.items()


def test_every_page_has_its_pictures_and_every_picture_is_shown_and_taken_by_the_script() -> None:
    pages = {path.stem for path in (ROOT / "pages").glob("*.py")}
    assert set(screenshots.PICTURES) == pages
    assert {path.stem for path in (ROOT / "docs" / "img").glob("*.png")} == screenshots.names()
    shown = re.findall(r"img/([a-z-]+)\.png", (ROOT / "docs" / "pages.md").read_text("utf-8"))
    assert set(shown) == screenshots.names()
    taken = (ROOT / "scripts" / "screenshots.py").read_text("utf-8").replace("{ending}", "")
    for name in {one for of_page in screenshots.PICTURES.values() for one in of_page}:
        assert taken.count(f'"{name}"') > 1, f"{name} is listed and never saved"


def test_the_commands_and_options_that_are_named_exist() -> None:
    found = set()
    texts = [path.read_text("utf-8") for path in [*DOCUMENTS, *_deployed()]]
    for line in "\n".join(texts).splitlines():
        for command, rest in re.findall(r"celeus-label ([a-z]+)((?: [^`#|&]*)?)", line):
            if rest.startswith(" --") or f"`celeus-label {command}" in line:
                found.add((command, *re.findall(r" (--[a-z-]+)", rest)))
    commands = get_command(app).commands  # type: ignore[attr-defined]
    for command, *options in found:
        assert command in commands, command
        known = {name for option in commands[command].params for name in option.opts}
        assert set(options) <= known, (command, options)
    assert {"serve", "password", "forget", "backup", "status"} <= {command for command, *_ in found}


def test_the_container_copies_what_is_there_and_runs_as_nobody() -> None:
    lines = (ROOT / "deploy" / "Dockerfile").read_text("utf-8").splitlines()
    copied = [
        name
        for line in lines
        if line.startswith("COPY ") and "--from" not in line
        for name in line.split()[1:-1]
    ]
    assert all((ROOT / name).exists() for name in copied)
    taken = (ROOT / "deploy" / "Dockerfile.dockerignore").read_text("utf-8").splitlines()
    for name in copied:  # what is not let in can't be copied
        assert any(
            Path(name).match(one[1:]) or one[1:].startswith(f"{name}/") for one in taken if one[:1] == "!"
        ), name
    assert "USER celeus-label" in lines
    assert "read_only: true" in (ROOT / "deploy" / "compose.yaml").read_text("utf-8")


def test_the_proxy_knows_every_server_that_the_other_files_start() -> None:
    unit = (ROOT / "deploy" / "celeus-label@.service").read_text("utf-8")
    compose = (ROOT / "deploy" / "compose.servers.yaml").read_text("utf-8")
    started = {
        "servers.conf": [f"127.0.0.1:{port}" for port in re.findall(r"celeus-label@(\d+)", unit)],
        "compose/servers.conf": [
            f"{address}:8501" for address in re.findall(r"<<: \*server\n.*ipv4_address: ([\d.]+)", compose)
        ],
    }
    for name, places in started.items():
        text = (ROOT / "deploy" / "nginx" / name).read_text("utf-8")
        assert len(places) == 3
        assert set(re.findall(r"server (\S+:\d+)", text)) == set(places)
        blocks = dict(re.findall(r"upstream celeus_(\w+) {(.*?)}", text, re.DOTALL))
        named = dict(re.findall(r'"~(\S+)\$" (\w);', text))
        assert len(named) == 3
        for (
            pattern,
            letter,
        ) in named.items():  # the name in the cookie is that of the block whose first server it is
            first, *backups = re.findall(r"server (\S+) (.*);", blocks[letter])
            assert re.search(f"{pattern}$", f"127.0.0.1:1234, {first[0]}")
            assert [(place, "backup") for place in places if place != first[0]] == backups
    conf = (ROOT / "deploy" / "nginx" / "celeus-label.conf").read_text("utf-8")
    assert set(re.findall(r"celeus_(\w);", conf)) == {"a", "b", "c"}
    proxy = re.search(r"ipv4_address: (\S+) }\nnetworks:", compose)
    assert proxy is not None
    assert f"FORWARDED_ALLOW_IPS: {proxy[1]} " in compose


def test_the_files_that_compose_mounts_are_there() -> None:
    for name in ("compose.yaml", "compose.servers.yaml"):
        text = (ROOT / "deploy" / name).read_text("utf-8")
        mounted = re.findall(r"[\"\s](\./[^:]+):/", text)
        assert mounted
        for path in mounted:
            assert (ROOT / "deploy" / path).exists(), path
    assert set(
        re.findall(r"include celeus-label/(\S+);", (ROOT / "deploy/nginx/celeus-label.conf").read_text())
    ) == {path.name for path in (ROOT / "deploy" / "nginx").glob("*.conf")} - {"celeus-label.conf"}
