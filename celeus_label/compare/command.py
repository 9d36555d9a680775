"""`celeus-label study`: the paper's studies from the command line."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeRemainingColumn,
)

from celeus_label.compare.losses import LOSSES, STRATEGIES

# What a study imports takes a second to load, so it is loaded when one is run.
STUDY_NAMES = ("coverage", "efficiency", "bias", "signal", "variance", "sampling", "sensitivity", "runtime")

Dask = Annotated[
    str | None, typer.Option("--dask", metavar="ADDRESS", help="Run on this Dask scheduler's workers.")
]


def study(
    name: Annotated[str, typer.Argument(metavar="NAME", help=f"One of {', '.join(STUDY_NAMES)}.")],
    out: Annotated[
        Path, typer.Option("--out", help="Folder for results; finished trials in it are not run again.")
    ],
    quick: Annotated[bool, typer.Option("--quick", help="Few seeds: minutes, and rough numbers.")] = False,
    seeds: Annotated[
        int | None, typer.Option("--seeds", min=1, help="Number of seeds; the paper's if not given.")
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", help="Processes on this machine; -1 is one for each core.")
    ] = -1,
    dask: Dask = None,
    pool: Annotated[
        Path | None,
        typer.Option(
            "--pool", help="Label probabilities (CSV, Parquet, NPZ) instead of the synthetic pools."
        ),
    ] = None,
    loss: Annotated[str, typer.Option("--loss", help=f"{' or '.join(LOSSES)}.")] = "zero-one",
    strategy: Annotated[
        str, typer.Option("--strategy", help=f"One of {', '.join(STRATEGIES)}; A is the paper's.")
    ] = "A",
    upper: Annotated[
        float | None,
        typer.Option("--upper", help="Upper end of the cross-entropy in nats; log K + 2 if not given."),
    ] = None,
    items: Annotated[
        int | None,
        typer.Option("--items", min=100, help="Items of each synthetic pool, fewer than the paper's."),
    ] = None,
) -> None:
    """Run a study of the paper and write its tables (CSV) and figures (HTML, PNG)."""
    if name not in STUDY_NAMES:
        raise ValueError(f"no study is called {name!r}; there are {', '.join(STUDY_NAMES)}")
    from celeus_label.compare import runner
    from celeus_label.compare.figures import write
    from celeus_label.compare.sources import Source, regimes
    from celeus_label.compare.studies import STUDIES, Settings

    chosen = STUDIES[name]
    if chosen.alone and dask is not None:
        raise ValueError(
            f"{name} measures times on this machine, one session after the other; leave out --dask"
        )
    count = seeds or (chosen.quick_seeds if quick else chosen.seeds)
    sources = regimes(items) if pool is None else [Source(pool.stem, str(pool.resolve()))]
    sources = [dataclasses.replace(source, loss=loss, strategy=strategy, upper=upper) for source in sources]
    if pool is not None and name != "coverage":
        known = sources[0].load()  # what is wrong with the file is said before any work
        print(
            f"{known.name}: {known.size:,} items, {_clipped(known.clipped, known.clipped_scores, known.upper)}"
        )
    settings = Settings(quick, count, tuple(sources))
    runner.claim_folder(
        out, {"study": name, "quick": quick, "sources": [dataclasses.asdict(s) for s in sources]}
    )
    started = time.perf_counter()
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn(name), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bars:
        task = bars.add_task(name)
        found = runner.run(
            chosen.plan(settings),
            out,
            processes=1 if chosen.alone else jobs,
            dask=dask,
            progress=lambda done, total: bars.update(task, completed=done, total=total),
        )
    report = chosen.report(found, settings)
    for title, table in report.tables.items():
        table.to_csv(out / f"{title}.csv", index=False)
    missing = write(report.figures, out)
    for line in report.lines:
        print(line)
    if missing:
        print(missing)
    print(f"{name}: {count} seeds, {time.perf_counter() - started:.0f} s, results in {out}")


def _clipped(values: int, scores: int, upper: float) -> str:
    if not values and not scores:
        return "none clipped"
    return f"{values:,} losses and {scores:,} scores above {upper:g} were clipped to it"
