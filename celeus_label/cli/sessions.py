"""Make a session, invite people to it, see how far it is, and certify it."""

from __future__ import annotations

import json
import secrets
import shlex
from pathlib import Path
from typing import Annotated

import typer

from celeus_label.certify import Aspect, Design
from celeus_label.cli.options import (
    Alpha,
    AsJson,
    Db,
    Delimiter,
    Encoding,
    ItemId,
    JudgeColumn,
    JudgeScale,
    MissingJudge,
    PerItem,
    PoolFiles,
    Port,
    Preset,
    Prompt,
    Refused,
    Response,
    ResponseB,
    ScaleEnds,
    Sheet,
    Step,
    Target,
    Weights,
    Width,
    WithoutRefused,
)
from celeus_label.cli.reading import load_pool, report, task_of
from celeus_label.cli.serving import link
from celeus_label.ingest import IngestError
from celeus_label.session import SessionInfo, Workspace, file_of


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
    loaded = load_pool(
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
    report(loaded, without_refused, refused)
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
        task=task_of(loaded),
        aspects=aspects,
        main_aspect=main_aspect,
        aspects_alpha=aspects_alpha,
    )
    workspace = Workspace(db)
    text = _text_of(guidelines) if guidelines else ""
    info = workspace.create(
        workspace.local(), name, loaded, design, text, gold_rate=gold_rate, repeat_rate=repeat_rate
    )
    if loaded.gold:
        print(f"{len(loaded.gold):,} gold items are set apart from the pool")
    where = workspace.store.name
    print(f"Session {info.name!r}: {info.items:,} items, target width {width_of(info)}, frozen in {where}")
    if info.scale.step is None:
        print(
            f"Raters type any number from {info.scale.lower:g} to {info.scale.upper:g}: --step 1 gives them keys"
        )
    at = f"--db {shlex.quote(where)}"
    print(
        f"Next: celeus-label invite {at} --name {shlex.quote(info.name)} --role rater, then celeus-label serve {at}"
    )


def _text_of(file: Path) -> str:
    """The guidelines in a file, which the message names where they can't be read."""
    try:
        return file.read_text("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise ValueError(
            f"{file} holds the byte 0x{fault.object[fault.start]:02x} at place {fault.start + 1}, which is not UTF-8; "
            "save it as UTF-8"
        ) from None


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
    workspace = existing(db)
    session = None if name is None else workspace.store.session_by_name(name).id
    token = workspace.invite(workspace.local(), role, session, person, days)
    print(link(port, token) if url is None else f"{url.rstrip('/')}/?invite={token}")


def status(
    db: Db,
    name: Annotated[str | None, typer.Option("--name", help="One session; all of them if not given.")] = None,
    as_json: AsJson = False,
) -> None:
    """Say how far each session is."""
    workspace = existing(db)
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
                f"width {seen.interval.width:.4f} of the scale (target {width_of(info)})"
            )


def export(
    db: Db,
    name: Annotated[str, typer.Option("--name", help="The session.")],
    out: Annotated[Path, typer.Option("--out", help="The bundle to write.")],
    names: Annotated[
        bool, typer.Option("--names", help="Raters' names as well; otherwise opaque ids alone.")
    ] = False,
) -> None:
    """Write a session's certificate bundle."""
    workspace = existing(db)
    path = workspace.export(workspace.local(), workspace.store.session_by_name(name).id, out, names)
    print(f"Wrote {path}; anyone can check it with: celeus-label verify {path}")


def existing(db: str) -> Workspace:
    """Open a database that has to be there."""
    file = file_of(db)
    if file is not None and not file.is_file():
        raise IngestError(f"there is no database {db}; make one with celeus-label new")
    return Workspace(db)


def width_of(info: SessionInfo) -> str:
    """A session's target width in words."""
    return f"{info.design.width:g} of the scale, {info.design.width * info.scale.range:g} points"
