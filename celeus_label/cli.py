"""The `celeus-label` command."""

from __future__ import annotations

import json
import secrets
import sys
import tempfile
import threading
import time
import urllib.request
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

from celeus_label.certify import PRESETS, Aspect, Design, Scale, pairs
from celeus_label.compare.command import study
from celeus_label.ingest import IngestError, Loaded, guess_mapping, load, read_tables
from celeus_label.keeping import forget, password, people
from celeus_label.session import NotAllowed, SessionInfo, StoreError, Workspace
from celeus_label.session import restore as restore_database

app = typer.Typer(
    help="Certify how good a pool of LLM outputs is, by human ratings and with as few of them as possible.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

DATA = Path(__file__).resolve().parents[1] / "data"
DEMO = "Bundled pool"

# --- options that several commands share ---------------------------------------------------------------------

PoolFiles = Annotated[
    list[Path],
    typer.Argument(
        metavar="POOL...",
        help="A table of outputs: CSV, JSONL, Parquet, …; or several files that belong together.",
    ),
]
Encoding = Annotated[str | None, typer.Option("--encoding", help="Of a text file, if the guess is wrong.")]
Delimiter = Annotated[
    str | None, typer.Option("--delimiter", help="Between cells, as ; or tab, if the guess is wrong.")
]
Sheet = Annotated[str | None, typer.Option("--sheet", help="Of an Excel workbook; its first if not given.")]
Refused = Annotated[
    Path | None,
    typer.Option(
        "--refused", metavar="FILE", help="Write the rows that can't be taken here, as CSV, with reasons."
    ),
]
Db = Annotated[Path, typer.Option("--db", help="The database file; made if there is none.")]
JudgeColumn = Annotated[str, typer.Option("--judge", help="Column of the judge's scores.")]
ScaleEnds = Annotated[
    tuple[float, float] | None,
    typer.Option("--scale", metavar="LO HI", help="Ends of the raters' scale; of pairs it is fixed."),
]
JudgeScale = Annotated[
    tuple[float, float] | None,
    typer.Option(
        "--judge-scale",
        metavar="LO HI",
        help="Ends of the judge's scale, if it is another; HI first where low is good.",
    ),
]
Step = Annotated[
    float | None, typer.Option("--step", help="Distance between the raters' points, as 1 of 1-5.")
]
Width = Annotated[float, typer.Option("--width", help="Target width, a fraction of the scale's range.")]
Alpha = Annotated[float, typer.Option("--alpha", help="Miscoverage allowed; 0.05 is 95 % confidence.")]
Target = Annotated[str, typer.Option("--target", help="pool, or the population that it was sampled from.")]
Preset = Annotated[str, typer.Option("--preset", help=f"One of {', '.join(PRESETS)}.")]
Seed = Annotated[int, typer.Option("--seed", help="Of the draws.")]
PerItem = Annotated[int, typer.Option("--ratings-per-item", help="Ratings that make an item's value.")]
Weights = Annotated[str | None, typer.Option("--weights", help="Feature column to sample by.")]
ItemId = Annotated[
    str | None, typer.Option("--item-id", help="Column of the ids; guessed, else row numbers.")
]
Prompt = Annotated[str | None, typer.Option("--prompt", help="Column of the prompts; guessed if not given.")]
Response = Annotated[
    str | None, typer.Option("--response", help="Column of the responses; guessed if not given.")
]
ResponseB = Annotated[
    str | None,
    typer.Option(
        "--response-b",
        help="Column of second responses: raters compare the two, for the win rate of the first (A) over this (B).",
    ),
]
WithoutRefused = Annotated[
    bool, typer.Option("--without-refused", help="Go on without the rows that can't be taken.")
]
MissingJudge = Annotated[
    str | None,
    typer.Option(
        "--missing-judge", help="mean: the mean of the others stands in for a missing judge's score."
    ),
]
Port = Annotated[int, typer.Option("--port", help="Port on this machine.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object a line, for other programs.")]


@app.command(epilog="Example: celeus-label demo --simulate")
def demo(
    simulate: Annotated[
        bool, typer.Option("--simulate", help="A scripted rater answers with the hidden scores.")
    ] = False,
    db: Annotated[
        Path | None, typer.Option("--db", help="The database file; a temporary one if not given.")
    ] = None,
    port: Port = 8501,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the links and open nothing.")
    ] = False,
) -> None:
    """Open the app on the bundled pool: one link for a lead, one for a rater."""
    db = db or Path(tempfile.mkdtemp(prefix="celeus-label-")) / "demo.db"
    workspace = Workspace(db)
    local = workspace.local()
    known = [info for info in workspace.sessions(local) if info.name == DEMO]
    loaded = _load([DATA / "answers.csv"], "judge_score", (1, 5), None, 1, human=DATA / "answers_human.csv")
    info = known[0] if known else workspace.create(local, DEMO, loaded, Design(seed=1), _guidelines())
    lead = _link(port, workspace.invite(local, "lead", None, "Lead"))
    print(f"Database     {db}")
    print(f"Lead's link  {lead}")
    print(f"Rater's link {_link(port, workspace.invite(local, 'rater', info.id, 'Rater'))}")
    if simulate:
        threading.Thread(target=_answer, args=(db, info, loaded), daemon=True).start()
        print("A scripted rater answers from now on; watch the Monitor.")
    if not no_browser:
        threading.Thread(target=_open_when_up, args=(port, lead), daemon=True).start()
    print("Press Ctrl+C to stop.", flush=True)
    _serve(db, port)


@app.command(
    epilog="Example: celeus-label new answers.csv --db work.db --name helpfulness --judge gpt4 --scale 1 5 --step 1"
)
def new(
    pool: PoolFiles,
    db: Db,
    name: Annotated[str, typer.Option("--name", help="Name of the session, not used before.")],
    judge: JudgeColumn,
    scale: ScaleEnds = None,
    judge_scale: JudgeScale = None,
    step: Step = None,
    width: Width = 0.05,
    alpha: Alpha = 0.05,
    target: Target = "pool",
    preset: Preset = "target-aware",
    seed: Annotated[
        int | None, typer.Option("--seed", help="Of the draws; chosen at random if not given.")
    ] = None,
    ratings_per_item: PerItem = 1,
    weights: Weights = None,
    item_id: ItemId = None,
    prompt: Prompt = None,
    response: Response = None,
    response_b: ResponseB = None,
    guidelines: Annotated[
        Path | None, typer.Option("--guidelines", help="A text file that raters are shown.")
    ] = None,
    without_refused: WithoutRefused = False,
    missing_judge: MissingJudge = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    sheet: Sheet = None,
    refused: Refused = None,
    aggregate: Annotated[
        str, typer.Option("--aggregate", help="mean or median: how an item's ratings make its value.")
    ] = "mean",
    disagreement: Annotated[
        float | None,
        typer.Option(
            "--disagreement",
            metavar="POINTS",
            help="One more rating where an item's ratings differ by more than this; a lead may decide its value.",
        ),
    ] = None,
    unratable_after: Annotated[
        int,
        typer.Option("--unratable-after", help="Raters who can't rate an item before it is given up."),
    ] = 2,
    unratable: Annotated[
        str,
        typer.Option(
            "--unratable",
            help="Value of such an item: bound (the interval holds whatever it is), worst or best of the scale.",
        ),
    ] = "bound",
    gold: Annotated[
        str | None,
        typer.Option(
            "--gold",
            metavar="COLUMN",
            help="Column of known answers: rows that have one test the raters, and are not part of the pool.",
        ),
    ] = None,
    gold_rate: Annotated[
        float, typer.Option("--gold-rate", help="Share of gold items in what a rater gets.")
    ] = 0.1,
    repeat_rate: Annotated[
        float, typer.Option("--repeat-rate", help="Share of items that a rater gets a second time.")
    ] = 0.0,
    aspect: Annotated[
        list[str] | None,
        typer.Option(
            "--aspect",
            metavar="NAME=LO:HI[:STEP][@COLUMN]",
            help="Rated as well, with an interval of its own and perhaps a judge's column; may be given several times.",
        ),
    ] = None,
    main_aspect: Annotated[
        str | None,
        typer.Option("--main-aspect", help="Name of the main aspect, on --scale, where there are others."),
    ] = None,
    aspects_alpha: Annotated[
        str,
        typer.Option(
            "--aspects-alpha", help="shared: further aspects share one more alpha; each: one for each."
        ),
    ] = "shared",
) -> None:
    """Load a pool and freeze a design on it."""
    aspects = tuple(map(Aspect.parse, aspect or ()))
    loaded = _load(
        pool,
        judge,
        scale,
        judge_scale,
        step,
        item_id=item_id,
        prompt=prompt,
        response=response,
        response_b=response_b,
        missing_judge=missing_judge,
        gold=gold,
        further=tuple(one.judge for one in aspects if one.judge is not None),
        encoding=encoding,
        delimiter=delimiter,
        sheet=sheet,
    )
    _report(loaded, without_refused, refused)
    design = Design(
        width=width,
        alpha=alpha,
        target=target,
        preset=preset,
        seed=secrets.randbits(62) if seed is None else seed,
        ratings_per_item=ratings_per_item,
        weights=weights,
        aggregate=aggregate,
        disagreement=disagreement,
        unratable=unratable,
        unratable_after=unratable_after,
        task=_task(loaded),
        aspects=aspects,
        main_aspect=main_aspect,
        aspects_alpha=aspects_alpha,
    )
    workspace = Workspace(db)
    text = guidelines.read_text("utf-8") if guidelines else ""
    info = workspace.create(
        workspace.local(), name, loaded, design, text, gold_rate=gold_rate, repeat_rate=repeat_rate
    )
    if loaded.gold:
        print(f"{len(loaded.gold):,} gold items are set apart from the pool")
    print(f"Session {info.name!r}: {info.items:,} items, target width {_width(info)}, frozen in {db}")
    print(
        f"Next: celeus-label invite --db {db} --name {name!r} --role rater, then celeus-label serve --db {db}"
    )


@app.command(
    epilog="Example: celeus-label invite --db work.db --name helpfulness --role rater --person 'Ada L.'"
)
def invite(
    db: Db,
    role: Annotated[str, typer.Option("--role", help="rater, lead or admin.")] = "rater",
    name: Annotated[
        str | None, typer.Option("--name", help="Session; a lead or admin may do without.")
    ] = None,
    person: Annotated[str, typer.Option("--person", help="Name shown to leads.")] = "",
    days: Annotated[float, typer.Option("--days", help="Days until the link ends.")] = 30,
    port: Port = 8501,
    url: Annotated[
        str | None, typer.Option("--url", help="Address of the app, where it is not on this machine.")
    ] = None,
) -> None:
    """Make an invite link; it is shown once."""
    workspace = _existing(db)
    session = None if name is None else workspace.store.session_by_name(name).id
    token = workspace.invite(workspace.local(), role, session, person, days)
    print(_link(port, token) if url is None else f"{url.rstrip('/')}/?invite={token}")


@app.command(epilog="Example: celeus-label serve --db work.db --port 8501")
def serve(
    db: Db,
    port: Port = 8501,
    address: Annotated[
        str,
        typer.Option("--address", help="Where to listen; beyond this machine only behind a proxy with TLS."),
    ] = "127.0.0.1",
    secrets_file: Annotated[
        Path | None,
        typer.Option("--secrets", help="A TOML file with [auth] and [[roles]]: sign-in by OpenID Connect."),
    ] = None,
) -> None:
    """Serve the app on a database."""
    workspace = Workspace(db)
    if not workspace.store.invites() and not workspace.has_passwords():
        if sys.stdout.isatty():
            print(f"Lead's link  {_link(port, workspace.invite(workspace.local(), 'lead', None, 'Lead'))}")
        else:  # a log, where no link belongs
            print(
                f"Nobody can come in yet: celeus-label password --db {db}, or invite --role lead, lets you in."
            )
    print(f"Serving {db} on http://localhost:{port}; press Ctrl+C to stop.", flush=True)
    workspace.store.close()  # the server has connections of its own, and opens them anew after trouble with the file
    _serve(db, port, address, secrets_file)


@app.command(epilog="Example: celeus-label status --db work.db --name helpfulness --json")
def status(
    db: Db,
    name: Annotated[str | None, typer.Option("--name", help="One session; all of them if not given.")] = None,
    as_json: AsJson = False,
) -> None:
    """Say how far each session is."""
    workspace = _existing(db)
    local = workspace.local()
    wanted = None if name is None else workspace.store.session_by_name(name).id
    for info in workspace.sessions(local):
        if wanted not in (None, info.id):
            continue
        seen = workspace.monitor(local, info.id)
        row = {
            "name": info.name,
            "status": seen.interval.status,
            "items": info.items,
            "draws": seen.draws,
            "ratings": seen.interval.ratings,
            "estimate": seen.interval.estimate,
            "lower": seen.interval.lower,
            "upper": seen.interval.upper,
            "width": seen.interval.width,
            "target_width": seen.design.width,
            "scale": [info.scale.lower, info.scale.upper],
            "waiting": seen.counts.waiting,
            "unratable": seen.counts.unratable,
            "open": seen.counts.open,
            "held": len(seen.counts.held),
            "last_rating": max((one.last_at for one in seen.raters if one.last_at), default=None),
            "archived": info.archived,
        }
        if as_json:
            print(json.dumps(row, default=str))
        else:
            print(
                f"{info.name}: {seen.interval.status}, {seen.interval.ratings:,} ratings, mean in "
                f"[{seen.interval.lower:.4g}, {seen.interval.upper:.4g}], estimate {seen.interval.estimate:.4g}, "
                f"width {seen.interval.width:.4f} of the scale (target {_width(info)})"
            )


@app.command(epilog="Example: celeus-label export --db work.db --name helpfulness --out bundle.zip")
def export(
    db: Db,
    name: Annotated[str, typer.Option("--name", help="The session.")],
    out: Annotated[Path, typer.Option("--out", help="The bundle to write.")],
    names: Annotated[
        bool, typer.Option("--names", help="Raters' names as well; otherwise opaque ids alone.")
    ] = False,
) -> None:
    """Write a session's certificate bundle."""
    workspace = _existing(db)
    path = workspace.export(workspace.local(), workspace.store.session_by_name(name).id, out, names)
    print(f"Wrote {path}; anyone can check it with: celeus-label verify {path}")


@app.command(epilog="Example: celeus-label backup --db work.db --out monday.db")
def backup(
    db: Db,
    out: Annotated[Path, typer.Option("--out", help="The file to write; it must not exist.")],
) -> None:
    """Copy a database into one file while people go on rating."""
    workspace = _existing(db)
    workspace.backup(workspace.local(), out)
    print(f"Wrote {out}; to go back to it: celeus-label restore {out} --db NEW.db")


@app.command(epilog="Example: celeus-label restore monday.db --db work2.db")
def restore(
    backup: Annotated[Path, typer.Argument(metavar="BACKUP", help="A file written by backup.")],
    db: Annotated[Path, typer.Option("--db", help="The new database file; it must not exist.")],
) -> None:
    """Make a new database from a backup, which is checked first."""
    restore_database(backup, db)
    workspace = Workspace(db)
    for info in workspace.sessions(workspace.local()):
        last = workspace.store.events(info.id)[-1]
        print(f"{info.name}: {info.ratings:,} items in the interval; the last event is of {last.at}")
    print(
        f"Restored into {db}; nothing that came after the backup is in it. Next: celeus-label serve --db {db}"
    )


@app.command(epilog="Example: celeus-label doctor --db work.db")
def doctor(db: Db) -> None:
    """Check a database: the file, its references, every hash chain, and each session replayed. Exit code 0 or 1."""
    workspace = _existing(db)
    faults = workspace.doctor(workspace.local())
    for fault in faults:
        print(fault)
    if faults:
        print(
            f"Faults of {db}: {len(faults):,}. Stop the server, keep the file, and restore the last backup."
        )
        raise typer.Exit(1)
    sessions = workspace.sessions(workspace.local())
    events = sum(len(workspace.store.events(info.id)) for info in sessions)
    many = f"{len(sessions):,} session{'' if len(sessions) == 1 else 's'}"
    print(f"{db} is sound: {many} with {events:,} events; each replays from its ledger")


@app.command(epilog="Example: celeus-label verify bundle.zip")
def verify(
    bundle: Annotated[Path, typer.Argument(metavar="BUNDLE", help="A bundle written by export.")],
    ledger_hash: Annotated[
        str | None, typer.Option("--ledger-hash", help="The hash that you were given when the session ended.")
    ] = None,
) -> None:
    """Re-compute a bundle. Exit code 0: VALID, 1: INVALID, 2: UNREADABLE."""
    from celeus_label.certificate import verify as check

    verdict = check(bundle, ledger_hash=ledger_hash)
    print(verdict.status)
    for difference in verdict.differences:
        print(difference)
    raise typer.Exit({"VALID": 0, "INVALID": 1}.get(verdict.status, 2))


@app.command(
    epilog="Example: celeus-label simulate pool.csv --judge judge_score --human human_score --scale 1 5 --seeds 20"
)
def simulate(
    pool: PoolFiles,
    judge: JudgeColumn,
    human: Annotated[str, typer.Option("--human", help="Column of the hidden human scores.")],
    scale: ScaleEnds = None,
    judge_scale: JudgeScale = None,
    step: Step = None,
    width: Width = 0.05,
    alpha: Alpha = 0.05,
    target: Target = "pool",
    preset: Preset = "target-aware",
    seed: Seed = 0,
    ratings_per_item: PerItem = 1,
    weights: Weights = None,
    item_id: ItemId = None,
    prompt: Prompt = None,
    response: Response = None,
    response_b: ResponseB = None,
    seeds: Annotated[
        int, typer.Option("--seeds", min=1, help="Sessions, with the seeds from --seed on.")
    ] = 1,
    out: Annotated[Path | None, typer.Option("--out", help="Write the first session's bundle here.")] = None,
    without_refused: WithoutRefused = False,
    missing_judge: MissingJudge = None,
    as_json: AsJson = False,
) -> None:
    """Run whole sessions without a browser, the human column answering."""
    from celeus_label.simulation import Outcome
    from celeus_label.simulation import simulate as run

    loaded = _load(
        pool,
        judge,
        scale,
        judge_scale,
        step,
        item_id=item_id,
        prompt=prompt,
        response=response,
        response_b=response_b,
        human=human,
        missing_judge=missing_judge,
    )
    _report(loaded, without_refused)
    design = Design(
        width=width,
        alpha=alpha,
        target=target,
        preset=preset,
        seed=seed,
        ratings_per_item=ratings_per_item,
        weights=weights,
        task=_task(loaded),
    )
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bars:
        task = bars.add_task("sessions", total=seeds)

        def progress(seed: int, outcome: Outcome | None, ratings: int) -> None:
            bars.update(task, description=f"seed {seed}: {ratings} ratings")
            if outcome is None:
                return
            bars.advance(task)
            if as_json:
                print(json.dumps(outcome.to_dict()), flush=True)
            else:
                print(
                    f"seed {seed}: {outcome.status} after {outcome.ratings} ratings, "
                    f"[{outcome.lower:.4f}, {outcome.upper:.4f}], truth {outcome.truth:.4f}"
                    f"{'' if outcome.covered else ' (missed)'}",
                    flush=True,
                )

        run(loaded, design, seeds, out=out, progress=progress)


app.command(epilog="Example: celeus-label password --db work.db --login lea@example.org --role admin")(
    password
)
app.command(epilog="Example: celeus-label people --db work.db")(people)
app.command(epilog="Example: celeus-label forget 3fa29c01d2e4b586 --db work.db")(forget)
app.command(epilog="Example: celeus-label study efficiency --quick --out results/efficiency")(study)


def main() -> None:
    """Run the command; what goes wrong is said in one sentence."""
    try:
        app()
    except (ValueError, StoreError, NotAllowed, OSError) as fault:
        print(f"error: {fault}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


def _load(
    paths: list[Path],
    judge: str,
    scale: tuple[float, float] | None,
    judge_scale: tuple[float, float] | None,
    step: float | None,
    *,
    item_id: str | None = None,
    prompt: str | None = None,
    response: str | None = None,
    response_b: str | None = None,
    human: str | Path | None = None,
    missing_judge: str | None = None,
    gold: str | None = None,
    further: tuple[str, ...] = (),
    encoding: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
) -> Loaded:
    between = "\t" if delimiter == "tab" else delimiter
    table = read_tables(
        [(path, path.name) for path in paths], encoding=encoding, delimiter=between, sheet=sheet
    )
    guess = guess_mapping(table)
    column = human if isinstance(human, str) else None
    mapping = replace(
        guess,
        judge=judge,
        item_id=item_id or guess.item_id,
        prompt=prompt or guess.prompt,
        response=response or guess.response,
        response_b=response_b or (guess.response_b if response is None else None),
        features=tuple(
            dict.fromkeys([*(n for n in guess.features if n not in (judge, column, gold)), *further])
        ),
        human=column,
        gold=gold,
    )
    if judge_scale is None:
        judge_scale = table.judge_scale  # of a tool whose format fixes it
    with _reading(table.name) as progress:
        loaded = load(
            table,
            mapping,
            _scale(mapping.response_b is not None, scale, step),
            None if judge_scale is None else Scale(*judge_scale),
            missing_judge=missing_judge,
            progress=progress,
        )
    return replace(loaded, human=_answers(human, loaded)) if isinstance(human, Path) else loaded


def _task(loaded: Loaded) -> str:
    return "single" if loaded.second is None else "pairwise"


def _scale(pair: bool, ends: tuple[float, float] | None, step: float | None) -> Scale:
    if pair and ends is None:
        return pairs.SCALE
    if pair:
        raise ValueError(
            "raters who compare two responses need no --scale: B wins is 0, A wins is 1; "
            "if they are to rate one of the two, name its column by --response"
        )
    if ends is None:
        raise ValueError("--scale is missing: give the two ends of the raters' scale, as --scale 1 5")
    return Scale(*ends, step=step)


@contextmanager
def _reading(name: str) -> Iterator[Callable[[int, float], None]]:
    """A bar on a terminal while a file is read; it goes away by itself."""
    console = Console(stderr=True)
    columns = (
        TextColumn("reading {task.fields[name]}"),
        BarColumn(),
        TextColumn("{task.fields[rows]:,} rows"),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bars:
        task = bars.add_task("", total=1.0, name=escape(name), rows=0)
        yield lambda rows, share: bars.update(task, completed=share, rows=rows)


def _answers(path: Path, loaded: Loaded) -> Any:
    """The human scores of a file of their own, in the order of the pool."""
    import pandas as pd

    scores = pd.read_csv(path).set_index("item_id")["human_score"]
    return scores.loc[list(loaded.pool.item_ids)].to_numpy(dtype=float)


def _report(loaded: Loaded, without_refused: bool, file: Path | None = None) -> None:
    for warning in [*map(str, loaded.report.changed), *loaded.report.warnings]:
        print(f"warning: {warning}", file=sys.stderr)
    refused = loaded.report.refused
    if file is not None:
        file.write_bytes(loaded.report.refused_csv())
    if refused and not without_refused:
        for refusal in refused[:20]:
            print(f"  {refusal}", file=sys.stderr)
        raise IngestError(
            f"{len(refused):,} of {loaded.report.rows:,} rows can't be taken (the first ones above), and nothing was "
            f"stored; mend them, or say --without-refused to make the pool of the other {loaded.report.taken:,}"
        )


def _existing(db: Path) -> Workspace:
    if not db.is_file():
        raise IngestError(f"there is no database {db}; make one with celeus-label new")
    return Workspace(db)


def _width(info: SessionInfo) -> str:
    return f"{info.design.width:g} of the scale, {info.design.width * info.scale.range:g} points"


def _link(port: int, token: str) -> str:
    return f"http://localhost:{port}/?invite={token}"


def _guidelines() -> str:
    return (
        "How helpful is the response to the person who wrote the prompt?\n\n"
        "5  Right, complete and to the point\n4  Right, with small gaps or padding\n3  Of some use\n"
        "2  Mostly wrong, vague or beside the point\n1  Useless, harmful, or no answer"
    )


def _serve(db: Path, port: int, address: str = "127.0.0.1", secrets_file: Path | None = None) -> None:
    from celeus_label.ui.server import serve as run

    run(db, port, address, secrets_file)


def _answer(db: Path, info: SessionInfo, loaded: Loaded) -> None:
    from celeus_label.simulation import hidden_scores, rate_all

    time.sleep(6)  # time to open the page
    rate_all(Workspace(db), info, hidden_scores(loaded), pause=0.1)


def _open_when_up(port: int, address: str) -> None:
    for _ in range(100):
        time.sleep(0.2)
        try:
            urllib.request.urlopen(f"http://localhost:{port}/_stcore/health", timeout=1).close()
        except OSError:
            continue
        webbrowser.open(address)
        return


if __name__ == "__main__":
    main()
