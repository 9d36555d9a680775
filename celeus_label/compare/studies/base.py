"""What the studies share: their settings, the paper's designs, and trials to a width as rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from celeus_label.certify import Certifier, Design
from celeus_label.certify.pool import Floats
from celeus_label.compare.hidden import HiddenPool
from celeus_label.compare.runner import Job, Rows, Tables
from celeus_label.compare.sources import Source
from celeus_label.compare.systems import STATIC, design_of, trials

EPSILON = 0.05
# Seeds that run side by side in one job.
CHUNK = 5


@dataclass(frozen=True)
class Settings:
    """How large a study is and what it runs on.

    Attributes
    ----------
    quick : bool
    seeds : int
    sources : tuple of Source
    """

    quick: bool
    seeds: int
    sources: tuple[Source, ...]

    def chunks(self) -> list[tuple[int, ...]]:
        """The seeds in groups of a job."""
        return [tuple(range(first, min(first + CHUNK, self.seeds))) for first in range(0, self.seeds, CHUNK)]


@dataclass
class Report:
    """What a study has found.

    Attributes
    ----------
    tables : dict of str to DataFrame
        By file name.
    figures : dict of str to Figure
        By file name.
    lines : list of str
        Sentences for the terminal.
    """

    tables: dict[str, pd.DataFrame] = field(default_factory=dict)
    figures: dict[str, go.Figure] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Study:
    """A study of the paper.

    Attributes
    ----------
    about : str
        One line on what it shows and where the paper has it.
    seeds, quick_seeds : int
        How many seeds there are unless others are asked for.
    plan : callable
        Its jobs.
    report : callable
        Its tables and figures, from the rows of all jobs by table.
    alone : bool
        Whether its jobs must run one after the other, as measurements of time must.
    """

    about: str
    seeds: int
    quick_seeds: int
    plan: Callable[[Settings], list[Job]]
    report: Callable[[dict[str, pd.DataFrame], Settings], Report]
    alone: bool = False


def paper_design(system: str, **options: Any) -> Design:
    """A system as the paper ran it (App. D.4): population target, width 0.05, alpha split in half, global scaling.

    The presets of sessions take local bounds instead; `sensitivity` has both.
    """
    if system not in ("evalue", "target-aware"):
        options.setdefault("bounds", "global")
    options.setdefault("target", "population")
    return design_of(system, width=EPSILON, **options)


def key(*parts: object) -> str:
    """Parts of a job's name as one, fit for a file's."""
    text = "-".join(str(part) for part in parts)
    return "".join(letter if letter.isalnum() or letter in "-." else "_" for letter in text)


def seeds_key(seeds: Sequence[int]) -> str:
    """A job's seeds for its name."""
    return f"{seeds[0]:04d}-{seeds[-1]:04d}"


def grid(size: int, first: int = 20, points: int = 240) -> np.ndarray[Any, np.dtype[np.intp]]:
    """Numbers of ratings at which lines are drawn, evenly on a logarithmic axis."""
    return np.unique(np.round(np.geomspace(min(first, size), size, points)).astype(np.intp))


def to_width(
    source: Source, label: str, system: str, options: dict[str, Any], seeds: tuple[int, ...]
) -> Tables:
    """Trials of a system until its width is reached: where each stopped, and its widths on the way.

    Returns
    -------
    Tables
        "stops": pool, system, seed, ratings, lower, upper, covered (whether the interval at the stop has the pool's
        mean in it). "widths": pool, system, seed, ratings, width.
    """
    pool = source.load()
    design = paper_design(system, **options)
    stops: Rows = []
    widths: Rows = []
    for seed, lower, upper, stop in _lines(pool, system, design, seeds):
        at = stop - 1
        low, high = design.widen(float(lower[at]), float(upper[at]), pool.size)
        common = {"pool": source.name, "system": label, "seed": seed}
        covered = lower[at] <= upper[at] and low <= pool.mean <= high
        stops.append({**common, "ratings": stop, "lower": low, "upper": high, "covered": covered})
        for t in grid(pool.size):
            if t <= len(lower) and lower[t - 1] <= upper[t - 1]:
                ends = design.widen(float(lower[t - 1]), float(upper[t - 1]), pool.size)
                widths.append({**common, "ratings": int(t), "width": ends[1] - ends[0]})
    return {"stops": stops, "widths": widths}


def _lines(
    pool: HiddenPool, system: str, design: Design, seeds: tuple[int, ...]
) -> list[tuple[int, Floats, Floats, int]]:
    """Seed, ends after each round, and the round of the stop."""
    if system in STATIC:
        found = trials([pool] * len(seeds), system, design, seeds, until="all").paths
        lines = []
        for row, seed in enumerate(seeds):
            known = ~np.isnan(found.lower[row])
            lower, upper = found.lower[row][known], found.upper[row][known]
            lines.append((seed, lower, upper, int(found.stop[row]) or len(lower)))
        return lines
    return [(seed, *certify(pool, system, design, seed)) for seed in seeds]


def certify(pool: HiddenPool, system: str, design: Design, seed: int) -> tuple[Floats, Floats, int]:
    """A session by the certifier itself, for presets that learn: ends after each round, and the round of the stop."""
    certifier = Certifier(pool.pool(system), dataclasses.replace(design, seed=seed))
    while not certifier.stopped:
        drawn = certifier.ask()
        certifier.tell(drawn, pool.values[drawn.position] * pool.upper)
    line = certifier.trajectory
    return line["lower"], line["upper"], certifier.ratings
