"""Whole sessions without a browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

from celeus_label.certify import Design
from celeus_label.cli.options import (
    Alpha,
    AsJson,
    ItemId,
    JudgeColumn,
    JudgeScale,
    MissingJudge,
    PerItem,
    PoolFiles,
    Preset,
    Prompt,
    Response,
    ResponseB,
    ScaleEnds,
    Seed,
    Step,
    Target,
    Weights,
    Width,
    WithoutRefused,
)
from celeus_label.cli.reading import load_pool, report, task_of
from celeus_label.compare.command import Dask


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
    dask: Dask = None,
    without_refused: WithoutRefused = False,
    missing_judge: MissingJudge = None,
    as_json: AsJson = False,
) -> None:
    """Run whole sessions without a browser, the human column answering."""
    from celeus_label.simulation import Outcome
    from celeus_label.simulation import simulate as run

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
        human=human,
        missing_judge=missing_judge,
    )
    report(loaded, without_refused)
    design = Design(
        width=width,
        alpha=alpha,
        target=target,
        preset=preset,
        seed=seed,
        ratings_per_item=ratings_per_item,
        weights=weights,
        task=task_of(loaded),
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

        run(loaded, design, seeds, out=out, dask=dask, progress=progress)
