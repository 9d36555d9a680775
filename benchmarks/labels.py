"""How many ratings each preset needs, on real pools: `make bench-labels POOLS=folder`.

Every seed is a session of its own on a pool whose human scores are known; they answer. Finished runs are kept in
the CSV file and not run again, so that a long benchmark can be cut and pushed on.
"""

from __future__ import annotations

import argparse
import csv
import math
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from joblib import Parallel, delayed
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from benchmarks.pools import Measured, measured, read, without_judge
from celeus_label.certify import Certifier, Design, Pool, Scale
from celeus_label.certify.signals import conditional_variance
from celeus_label.compare.studies.coverage import wilson

FIELDS = (
    "pool", "preset", "seed", "alpha", "ratings", "status", "missed", "limit", "forecast_at", "forecast",
    "forecast_low", "forecast_high", "seconds",
)  # fmt: skip

_PRECISION_EVERY = 8  # rounds


def misled(subject: Measured, judge: str) -> Measured:
    """The pool with another judge and nothing else known: one that misleads, or knows nothing."""
    if judge == "real":
        return subject
    rng, y = np.random.default_rng(0), subject.values
    scores = {
        "reversed": 1 - y,
        "noisy": np.clip(y + rng.normal(0, 1, len(y)), 0, 1),
        "constant": np.full(len(y), 0.5),
        "shuffled": rng.permutation(y),
        "extreme": (rng.random(len(y)) < y).astype(float),
    }[judge]
    pool = Pool(subject.pool.item_ids, scores, subject.pool.scale, Scale(0, 1))
    return replace(subject, name=f"{subject.name}, {judge} judge", pool=pool, spread=None)


def presets(subject: Measured) -> dict[str, tuple[Any, dict[str, Any]]]:
    """What is compared on a pool: the pool as each preset may know it, and the design's options."""
    pool, oracle = subject.pool, np.abs(subject.values - subject.pool.surrogate)
    hidden = Pool(pool.item_ids, pool.judge, pool.scale, pool.judge_scale, {"hidden": oracle})
    found: dict[str, tuple[Any, dict[str, Any]]] = {
        "celeus-no-surrogate": (pool, {"preset": "celeus-no-surrogate"}),
        "celeus": (pool, {"preset": "celeus"}),
        "oracle": (hidden, {"preset": "celeus", "weights": "hidden"}),
        "target-aware": (pool, {"preset": "target-aware"}),
        "target-aware without judge": (without_judge(pool), {"preset": "target-aware"}),
    }
    if subject.target == "population":
        found["evalue"] = (pool, {"preset": "evalue"})  # raw ratings say nothing of the pool's own mean
    if subject.spread is not None:
        found["celeus, spread-weighted"] = (pool, {"preset": "celeus", "weights": subject.spread})
    return found


def one(subject: Measured, preset: str, seed: int, alpha: float) -> dict[str, Any]:
    """One session: the ratings it took, whether it missed, and the forecast made after 100 ratings."""
    pool, options = presets(subject)[preset]
    design = Design(width=subject.width, target=subject.target, alpha=alpha, seed=seed, **options)
    answers, started = subject.ratings, time.perf_counter()
    certifier = Certifier(pool, design)
    precision, forecast = [], None
    while not certifier.stopped:
        draw = certifier.ask()
        if subject.target == "pool":
            # a pass over the pool, for a number that changes slowly
            fresh = len(precision) % _PRECISION_EVERY == 0
            precision.append(_precision(certifier, subject) if fresh else precision[-1])
        certifier.tell(draw, float(answers[draw.position]))
        if certifier.ratings == 100 and not certifier.stopped:
            forecast = certifier.forecast()
    interval, truth = certifier.interval, pool.scale.from_unit(subject.truth)
    return {
        "pool": subject.name,
        "preset": preset,
        "seed": seed,
        "alpha": alpha,
        "ratings": interval.ratings,
        "status": interval.status,
        "missed": int(not interval.lower - 1e-9 <= truth <= interval.upper + 1e-9),
        "limit": _limit(np.array(precision), alpha, subject.width) if subject.target == "pool" else "",
        "forecast_at": 100 if forecast else "",
        "forecast": forecast.ratings if forecast else "",
        "forecast_low": forecast.low if forecast else "",
        "forecast_high": forecast.high if forecast else "",
        "seconds": round(time.perf_counter() - started, 2),
    }


def _precision(certifier: Certifier, subject: Measured) -> float:
    """1 / Var[S_t] of the round just drawn, which only a benchmark can know."""
    surrogate, q, remaining = certifier.last_round
    return 1 / max(conditional_variance(subject.values, surrogate, q, remaining), 1e-12)


def _limit(precision: np.ndarray, alpha: float, width: float) -> float:
    """Ratings until sum 1/V_t reaches 2 log(2/alpha) / h^2 (METHOD 7), for the signals of this session.

    Beyond the session's end the last round's precision goes on.
    """
    needed = 2 * math.log(2 / alpha) / (width / 2) ** 2
    sums = np.cumsum(precision)
    if sums[-1] >= needed:
        return float(np.searchsorted(sums, needed) + 1)
    return float(len(precision) + (needed - sums[-1]) / precision[-1])


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """A line for each pool and preset."""
    lines = []
    for (pool, preset, alpha), part in rows.groupby(["pool", "preset", "alpha"], sort=False):
        low, high = wilson(int(part.missed.sum()), len(part))
        told = part[part.forecast.notna()]
        actual = told.ratings - told.forecast_at
        lines.append(
            {
                "pool": pool,
                "preset": preset,
                "alpha": alpha,
                "runs": len(part),
                "median": part.ratings.median(),
                "10 %": part.ratings.quantile(0.1),
                "90 %": part.ratings.quantile(0.9),
                "missed": part.missed.mean(),
                "Wilson low": low,
                "Wilson high": high,
                "ratio to limit": (part.ratings / part.limit).median(),
                "in forecast band": ((actual >= told.forecast_low) & (actual <= told.forecast_high)).mean()
                if len(told)
                else math.nan,
                "forecast / actual": (told.forecast / actual).median() if len(told) else math.nan,
            }
        )
    return pd.DataFrame(lines)


def figure(table: pd.DataFrame) -> go.Figure:
    """Median ratings with their 10-90 % range, by pool and preset."""
    chart = go.Figure()
    for preset, part in table.groupby("preset", sort=False):
        chart.add_bar(
            name=str(preset),
            x=part.pool,
            y=part["median"],
            error_y={
                "type": "data",
                "array": part["90 %"] - part["median"],
                "arrayminus": part["median"] - part["10 %"],
            },
        )
    return chart.update_layout(barmode="group", yaxis_title="ratings to the target width", yaxis_type="log")


def main() -> None:
    """Run what is missing and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pools", type=Path, help="folder of the CSV files named in pools.toml")
    parser.add_argument("--only", help="pools, separated by commas")
    parser.add_argument("--presets", help="presets, separated by semicolons")
    parser.add_argument(
        "--judge", default="real", help="real, or a bad one: reversed, noisy, constant, shuffled, extreme"
    )
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--alpha", type=float, default=0.05)
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--out", type=Path, default=Path("out/bench-labels"))
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    kept = chosen.out / "runs.csv"
    done = set()
    if kept.exists():
        before = pd.read_csv(kept)
        done = set(zip(before.pool, before.preset, before.seed, before.alpha, strict=True))
    else:
        kept.write_text(",".join(FIELDS) + "\n", "utf-8")
    names = chosen.only.split(",") if chosen.only else measured(chosen.pools)
    subjects = {name: misled(read(name, chosen.pools), chosen.judge) for name in names}
    wanted = [
        (subject, preset, seed)
        for subject in subjects.values()
        for preset in presets(subject)
        if not chosen.presets or preset in chosen.presets.split(";")
        for seed in range(chosen.first, chosen.first + chosen.seeds)
        if (subject.name, preset, seed, chosen.alpha) not in done
    ]
    console = Console(stderr=True)
    with kept.open("a", newline="", encoding="utf-8") as file, Progress(console=console) as bars:
        writer = csv.DictWriter(file, FIELDS)
        bar = bars.add_task("sessions", total=len(wanted))
        runs = Parallel(n_jobs=chosen.jobs, return_as="generator_unordered")(
            delayed(one)(subject, preset, seed, chosen.alpha) for subject, preset, seed in wanted
        )
        for row in runs:
            writer.writerow(row)
            file.flush()
            bars.update(bar, advance=1, description=f"{row['pool']}, {row['preset']}")
    rows = pd.read_csv(kept)
    table = summary(
        rows[(rows.alpha == chosen.alpha) & rows.pool.isin([subject.name for subject in subjects.values()])]
    )
    table.to_csv(chosen.out / "summary.csv", index=False)
    figure(table).write_html(chosen.out / "ratings.html")
    shown = Table(*table.columns)
    for line in table.itertuples(index=False):
        shown.add_row(*map(_cell, line))
    Console(width=200).print(shown)


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    return f"{value:.3g}" if abs(value) < 10 else f"{value:g}"


if __name__ == "__main__":
    main()
