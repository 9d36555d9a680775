"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from celeus_label.certify import PRESETS

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
Db = Annotated[
    str,
    typer.Option(
        "--db",
        metavar="ADDRESS",
        help="The database: a file, made if there is none, or postgresql://USER@HOST/DATABASE.",
    ),
]
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
Port = Annotated[int, typer.Option("--port", min=1, max=65_535, help="Port on this machine.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object a line, for other programs.")]
