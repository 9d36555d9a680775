"""A pool's files, read as a command's options say."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn

from celeus_label.certify import Scale, pairs
from celeus_label.ingest import IngestError, Loaded, guess_mapping, load, read_tables


def load_pool(
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
    human: str | None = None,
    missing_judge: str | None = None,
    gold: str | None = None,
    further: tuple[str, ...] = (),
    encoding: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
) -> Loaded:
    """Read the files of a pool, as the options say."""
    between = "\t" if delimiter == "tab" else delimiter
    table = read_tables(
        [(path, path.name) for path in paths], encoding=encoding, delimiter=between, sheet=sheet
    )
    guess = guess_mapping(table)
    mapping = replace(
        guess,
        judge=judge,
        item_id=item_id or guess.item_id,
        prompt=prompt or guess.prompt,
        response=response or guess.response,
        response_b=response_b or (guess.response_b if response is None else None),
        features=tuple(
            dict.fromkeys([*(n for n in guess.features if n not in (judge, human, gold)), *further])
        ),
        human=human,
        gold=gold,
    )
    if judge_scale is None:
        judge_scale = table.judge_scale  # of a tool whose format fixes it
    with _reading(table.name) as progress:
        return load(
            table,
            mapping,
            _scale(mapping.response_b is not None, scale, step),
            None if judge_scale is None else Scale(*judge_scale),
            missing_judge=missing_judge,
            progress=progress,
        )


def task_of(loaded: Loaded) -> str:
    """What a rater does with an item of this pool."""
    return "single" if loaded.second is None else "pairwise"


def report(loaded: Loaded, without_refused: bool, file: Path | None = None) -> None:
    """Say what is wrong with a file; raises `IngestError` where rows were refused and that was not expected."""
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
