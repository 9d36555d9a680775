"""App. I: what a round costs in each system."""

from __future__ import annotations

import dataclasses
import time

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from celeus_label.certify import Certifier
from celeus_label.compare.cereval import cer_eval
from celeus_label.compare.figures import colour, rows_of
from celeus_label.compare.runner import Job, Rows, Tables
from celeus_label.compare.sidebyside import embedding_of
from celeus_label.compare.sources import Source
from celeus_label.compare.studies.base import Report, Settings, Study, key, paper_design
from celeus_label.compare.systems import NAMES, SYSTEMS

_ROUNDS, _QUICK_ROUNDS = 500, 120


def plan(settings: Settings) -> list[Job]:
    """A job for each pool, system and seed."""
    rounds = _QUICK_ROUNDS if settings.quick else _ROUNDS
    return [
        Job(key(source.name, system, f"{seed:04d}"), measure, (source, system, seed, rounds))
        for source in settings.sources
        for system in SYSTEMS
        for seed in range(settings.seeds)
    ]


def measure(source: Source, system: str, seed: int, rounds: int) -> Tables:
    """Mean time of a round of a session as it runs: the draw, the rating, the bets, the interval."""
    pool = source.load()
    if system == "cer-eval":
        embedding = embedding_of(pool)
        started = time.perf_counter()
        # a width that no number of ratings reaches, so that every round is run
        path = cer_eval(
            pool.values, embedding, width=1e-9, rng=np.random.default_rng(seed), rounds=rounds + 50
        )
        seconds, done = time.perf_counter() - started, len(path.ratings)
    else:
        # the time of a round has nothing to do with the target's width; this one is out of reach
        design = dataclasses.replace(paper_design(system), seed=seed)
        certifier = Certifier(pool.pool(system), design)
        started = time.perf_counter()
        for _ in range(rounds):
            drawn = certifier.ask()
            certifier.tell(drawn, pool.values[drawn.position] * pool.upper)
        seconds, done = time.perf_counter() - started, rounds
    row = {
        "pool": source.name,
        "system": system,
        "seed": seed,
        "items": pool.size,
        "ms": 1000 * seconds / done,
    }
    return {"rounds": [row]}


def report(found: dict[str, pd.DataFrame], settings: Settings) -> Report:
    """Milliseconds a round by system and pool."""
    result = Report()
    times = found["rounds"]
    table = times.groupby(["pool", "items", "system"])["ms"].agg(["median", "min", "max"]).reset_index()
    result.tables["appendix_i"] = table.rename(
        columns={"median": "median_ms", "min": "least_ms", "max": "most_ms"}
    )
    figure = go.Figure(
        layout={"template": "simple_white", "yaxis_title": "Milliseconds a round", "barmode": "group"}
    )
    for system in SYSTEMS:
        of_system = rows_of(table, system=system)
        figure.add_bar(
            x=of_system["pool"], y=of_system["median"], name=NAMES[system], marker={"color": colour(system)}
        )
    figure.update_yaxes(type="log")
    result.figures["appendix_i"] = figure
    rows: Rows = table.to_dict("records")  # type: ignore[assignment]
    result.lines += [f"{row['pool']}, {NAMES[row['system']]}: {row['median']:.2f} ms a round" for row in rows]
    return result


STUDY = Study(
    about="time of a round by system (App. I)",
    seeds=5,
    quick_seeds=1,
    plan=plan,
    report=report,
    alone=True,
)
