"""The command line, run as its users run it: a process with arguments, files and exit codes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from celeus_label.session import Task, Workspace

COMMANDS = (
    "demo",
    "new",
    "invite",
    "serve",
    "status",
    "export",
    "verify",
    "simulate",
    "backup",
    "restore",
    "doctor",
    "password",
    "people",
    "forget",
)


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "celeus_label.cli", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=180,
    )


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(5)
    path = tmp_path_factory.mktemp("pool") / "pool.csv"
    human = rng.integers(1, 6, 300)
    judge = np.clip(human + rng.normal(0.5, 1, 300), 1, 5)
    rows = ["item_id,prompt,response,judge_score,human_score,system"]
    rows += [f"i{n},What is {n}?,It is {n}.,{judge[n]:.2f},{human[n]},{'ab'[n % 2]}" for n in range(300)]
    path.write_text("\n".join(rows) + "\n", "utf-8")
    return path


SCALE = ("--judge", "judge_score", "--scale", "1", "5")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_an_example(command: str) -> None:
    told = run(command, "--help")
    assert told.returncode == 0
    assert f"Example: celeus-label {command}" in " ".join(told.stdout.split())


def test_simulate_reports_each_seed_and_its_bundle_verifies(pool: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle.zip"
    done = run(
        "simulate",
        pool,
        *SCALE,
        "--human",
        "human_score",
        "--width",
        "0.2",
        "--seeds",
        "2",
        "--json",
        "--out",
        bundle,
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["seed"] for row in rows] == [0, 1]
    for row in rows:
        assert set(row) == {
            "seed",
            "status",
            "ratings",
            "estimate",
            "lower",
            "upper",
            "width",
            "truth",
            "covered",
            "seconds",
        }
        assert row["status"] == "target met"
        assert row["width"] <= 0.2
        assert 0 <= row["lower"] <= row["estimate"] <= row["upper"] <= 1
    checked = run("verify", bundle)
    assert (checked.returncode, checked.stdout.splitlines()[0]) == (0, "VALID")


def test_verify_tells_a_changed_bundle_and_a_file_that_is_none(pool: Path, tmp_path: Path) -> None:
    bundle, forged = tmp_path / "bundle.zip", tmp_path / "forged.zip"
    run("simulate", pool, *SCALE, "--human", "human_score", "--width", "0.3", "--out", bundle)
    with zipfile.ZipFile(bundle) as before, zipfile.ZipFile(forged, "w") as after:
        for name in before.namelist():
            data = before.read(name)
            after.writestr(
                name, data.replace(b'"value":2', b'"value":3', 1) if name == "ledger.jsonl" else data
            )
    told = run("verify", forged)
    assert told.returncode == 1
    assert told.stdout.startswith("INVALID\n")
    assert "ledger" in told.stdout
    assert run("verify", pool).returncode == 2
    assert run("verify", tmp_path / "nothing.zip").returncode == 2


def test_from_a_new_session_to_its_status_and_its_bundle(pool: Path, tmp_path: Path) -> None:
    db = tmp_path / "work.db"
    made = run("new", pool, "--db", db, "--name", "first", *SCALE, "--step", "1", "--seed", "4")
    assert made.returncode == 0, made.stderr
    assert "300 items, target width 0.05 of the scale, 0.2 points" in made.stdout
    assert "any number" not in made.stdout
    assert "human_score" in made.stderr  # looks like human scores, and is left out
    link = run("invite", "--db", db, "--name", "first", "--role", "rater")
    assert link.stdout.startswith("http://localhost:8501/?invite=")
    (row,) = [json.loads(line) for line in run("status", "--db", db, "--json").stdout.splitlines()]
    assert (row["name"], row["status"], row["ratings"], row["items"]) == ("first", "open", 0, 300)
    assert (row["open"], row["held"], row["last_rating"], row["archived"]) == (0, 0, None, False)
    there = run("invite", "--db", db, "--role", "lead", "--url", "https://label.example.org/")
    assert there.stdout.startswith("https://label.example.org/?invite=")
    bundle = tmp_path / "open.zip"
    assert run("export", "--db", db, "--name", "first", "--out", bundle).returncode == 0
    assert run("verify", bundle).returncode == 0


def test_a_missing_judge_score_is_refused_or_the_mean_stands_in(pool: Path, tmp_path: Path) -> None:
    gap, db = tmp_path / "gap.csv", tmp_path / "gap.db"
    gap.write_text(pool.read_text("utf-8") + "i300,What?,That.,,3,a\n", "utf-8")
    arguments = ("new", gap, "--db", db, "--name", "gap", *SCALE)
    assert "row 302: judge_score is blank" in run(*arguments).stderr
    made = run(*arguments, "--missing-judge", "mean")
    assert made.returncode == 0, made.stderr
    assert "judge_score is missing in 1 row: the mean of the others" in made.stderr
    assert "301 items" in made.stdout


def test_a_file_of_outputs_and_one_of_scores_make_a_session_and_what_is_refused_is_a_file(
    tmp_path: Path,
) -> None:
    outputs, scores = tmp_path / "outputs.csv", tmp_path / "scores.txt"
    outputs.write_text(
        "item_id;prompt;response\n" + "".join(f"i{n};Why {n}?;So é.\n" for n in range(40)), "cp1252"
    )
    scores.write_text("item_id;gpt\n" + "".join(f"i{n};{n % 5 + 1}\n" for n in range(1, 41)), "cp1252")
    db, refused = tmp_path / "two.db", tmp_path / "refused.csv"
    made = run(
        "new", outputs, scores, "--db", db, "--name", "two", "--judge", "gpt", "--scale", "1", "5",
        "--encoding", "cp1252", "--delimiter", ";", "--without-refused", "--refused", refused,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    assert "39 items" in made.stdout
    assert "Raters type any number from 1 to 5: --step 1 gives them keys" in made.stdout
    assert refused.read_text("utf-8-sig").splitlines()[1:] == [
        '2 of outputs.csv,gpt,,"is blank, no score; fill it in, or let the mean of the others stand in"',
        '41 of scores.txt,item_id,i40,"is ""i40"", and no row of the outputs has it"',
    ]
    tabbed = run("new", outputs, "--db", db, "--name", "tabs", *SCALE, "--delimiter", "tab")
    assert "item_id;prompt;response" in tabbed.stderr  # taken for the one column's name


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("new", "{pool}", "--db", "{db}", "--name", "x", "--judge", "judg_score", "--scale", "1", "5"), "judg_score"),
        (("new", "{pool}", "--db", "{db}", "--name", "x", "--judge=judge_score", "--scale", "1", "4"), "scale 1 to 4"),
        (("new", "{empty}", "--db", "{db}", "--name", "x", *SCALE), "empty"),
        (("new", "{twice}", "--db", "{db}", "--name", "x", *SCALE), 'row 302: item_id is "i0"'),
        (("new", "{pool}", "--db", "{db}", "--name", "x", *SCALE, "--target", "population"), "out of reach"),
        (("new", "{pool}", "--db", "{db}", "--name", "x", *SCALE, "--width", "1.5"), "width must lie in (0, 1)"),
        (("new", "{pool}", "--db", "{db}", "--name", "x", *SCALE, "--preset", "best"), "preset must be one of"),
        (("new", "{pool}", "--db", "{db}", "--name", "x", *SCALE, "--guidelines={latin}"), "byte 0xe4 at place 2"),
        (("new", "nowhere.csv", "--db", "{db}", "--name", "x", *SCALE), "nowhere.csv"),
        (("status", "--db", "{db}"), "there is no database"),
        (("simulate", "{pool}", *SCALE, "--human", "humans"), "humans"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_said_in_a_sentence_and_stores_nothing(
    pool: Path, tmp_path: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    empty, twice = tmp_path / "empty.csv", tmp_path / "twice.csv"
    empty.write_bytes(b"")
    latin = tmp_path / "latin.txt"
    latin.write_bytes("Käse".encode("cp1252"))
    lines = pool.read_text("utf-8").splitlines()
    twice.write_text("\n".join([*lines, lines[1]]) + "\n", "utf-8")
    names = {"pool": pool, "db": tmp_path / "none.db", "empty": empty, "twice": twice, "latin": latin}
    told = run(*(argument.format(**names) for argument in arguments))
    assert told.returncode == 1
    assert sentence in told.stderr
    assert "Traceback" not in told.stderr
    if names["db"].exists():
        assert run("status", "--db", names["db"]).stdout == ""


@pytest.fixture(scope="module")
def rated_once(pool: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a session of 25 ratings by two raters, gold items and a rule for those who differ."""
    folder = tmp_path_factory.mktemp("rated")
    db, marked = folder / "work.db", folder / "marked.csv"
    header, *rows = pool.read_text("utf-8").splitlines()
    rows = [f"{row},{'4' if n < 9 else ''}" for n, row in enumerate(rows)]
    marked.write_text("\n".join([f"{header},expert", *rows]), "utf-8")
    rules = "--ratings-per-item 2 --aggregate median --disagreement 1 --unratable worst --unratable-after 3"
    controls = "--gold expert --gold-rate 0.2 --repeat-rate 0.1"
    made = run("new", marked, "--db", db, "--name", "first", *SCALE, *rules.split(), *controls.split())
    assert made.returncode == 0, made.stderr
    assert "9 gold items are set apart from the pool" in made.stdout
    assert "291 items" in made.stdout
    workspace = Workspace(db)
    design = workspace.session(workspace.local(), 1).design
    assert (design.ratings_per_item, design.aggregate, design.disagreement) == (2, "median", 1.0)
    assert (design.unratable, design.unratable_after) == ("worst", 3)
    raters = [
        workspace.sign_in(workspace.invite(workspace.local(), "rater", 1, f"rater {n}")) for n in range(2)
    ]
    for n in range(25):
        who = raters[n % 2]
        assert who is not None
        task = workspace.claim(who, 1)
        assert isinstance(task, Task)
        workspace.rate(who, 1, task.lease, 1 + n % 5, 900)
    workspace.store.close()
    return db


@pytest.fixture
def rated(rated_once: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(rated_once, tmp_path / "work.db"))


def test_a_backup_restores_into_a_new_file_that_the_doctor_finds_sound(rated: Path, tmp_path: Path) -> None:
    copy, again = tmp_path / "monday.db", tmp_path / "again.db"
    assert run("backup", "--db", rated, "--out", copy).returncode == 0
    told = run("restore", copy, "--db", again)
    assert told.returncode == 0, told.stderr
    assert "first: " in told.stdout
    sound = run("doctor", "--db", again)
    assert sound.returncode == 0, sound.stdout
    assert "is sound: 1 session with" in sound.stdout
    over = run("restore", copy, "--db", rated)
    assert (over.returncode, "a database is never overwritten" in over.stderr) == (1, True)


def test_the_doctor_ends_with_1_where_anything_is_wrong(rated: Path) -> None:
    workspace = Workspace(rated)
    with workspace.store._writing() as db:
        db.execute("UPDATE rating SET value = 1.25")
    workspace.store.close()
    told = run("doctor", "--db", rated)
    assert told.returncode == 1
    assert "the ledger says" in told.stdout
    assert "restore the last backup" in told.stdout


def test_status_tells_a_monitoring_program_how_the_queue_stands(rated: Path) -> None:
    (row,) = [json.loads(line) for line in run("status", "--db", rated, "--json").stdout.splitlines()]
    workspace = Workspace(rated)
    counts = workspace.store.counts(1, workspace._clock())
    assert (row["open"], row["held"]) == (counts.open, len(counts.held))
    assert row["last_rating"].startswith("20")
    assert row["ratings"] <= 25


def test_a_password_comes_from_a_pipe_and_a_short_one_is_refused(rated: Path) -> None:
    def password(line: str, *options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "celeus_label.cli", "password", "--db", str(rated), *options]
        return subprocess.run(command, input=line, capture_output=True, text=True, timeout=60)

    refused = password("short\n")
    assert (refused.returncode, refused.stderr) == (
        1,
        "error: the password has 5 characters; it must have 12 to 1,000\n",
    )
    done = password("a long password \r\n", "--login", "Lea@example.org", "--role", "admin")
    assert done.returncode == 0, done.stderr
    assert "a long" not in done.stdout
    assert "<'lea@example.org'>  admin by password" in run("people", "--db", rated).stdout
    workspace = Workspace(rated)
    assert workspace.sign_in_by_password("lea@example.org", "a long password ", "::1")


def test_a_person_is_listed_and_deleted_while_the_database_stays_sound(rated: Path, tmp_path: Path) -> None:
    known = run("people", "--db", rated).stdout
    line = next(line for line in known.splitlines() if "'rater 1'" in line)
    assert line.endswith("rater by link")
    bundle = tmp_path / "b.zip"
    assert run("export", "--db", rated, "--name", "first", "--out", bundle, "--names").returncode == 0
    with zipfile.ZipFile(bundle) as members:
        assert "rater 1" in members.read("raters.csv").decode()
    deleted = run("forget", line.split()[0], "--db", rated)
    assert deleted.returncode == 0, deleted.stderr
    known = run("people", "--db", rated).stdout
    assert "rater 1" not in known
    assert "no way in" in known
    assert run("doctor", "--db", rated).returncode == 0
    assert "there is no person 'x'" in run("forget", "x", "--db", rated).stderr


def test_a_rubric_and_a_pair_are_set_up_from_the_command_line(tmp_path: Path) -> None:
    db, file = tmp_path / "work.db", tmp_path / "pairs.csv"
    rows = [f"i{n},prompt,by A {n},by B {n},{n % 2},{1 + n % 5}" for n in range(9)]
    file.write_text("\n".join(["item_id,prompt,response_a,response_b,judge_score,clear", *rows]))
    start = ("new", file, "--db", db, "--judge", "judge_score", "--seed", "1")
    aspects = ("--aspect", "clarity=1:5:1@clear", "--aspect", "length=0:100", "--main-aspect", "help")
    done = run(*start, "--name", "rubric", "--response", "response_a", "--scale", "0", "1", *aspects)
    assert done.returncode == 0, done.stderr
    assert run(*start, "--name", "pairs").returncode == 0
    refused = run(*start, "--name", "x", "--scale", "1", "5")
    assert "raters who compare two responses need no --scale" in refused.stderr
    workspace = Workspace(db)
    rubric, pair = workspace.sessions(workspace.local())
    assert [aspect.judge for aspect in rubric.design.aspects] == ["clear", None]
    assert (rubric.design.main_aspect, rubric.design.task) == ("help", "single")
    assert pair.design.task == "pairwise"
    for wrong in ("clarity", "clarity=1", "clarity=a:b", "=1:5", "clarity=1:5:1:1", "clarity=5:1"):
        done = run(*start, "--name", "x", "--response", "response_a", "--scale", "0", "1", "--aspect", wrong)
        assert done.returncode != 0
        assert "Traceback" not in done.stderr
