"""What two-stage sampling costs, and whether its intervals hold: `make bench-shards`, docs/scale.md."""

from __future__ import annotations

import argparse
import math
import resource
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from rich.console import Console
from rich.table import Table

from benchmarks.two_stage import BETA, RULES, Floats, Known, Shard, TwoStage, known_of
from celeus_label.certify import Design
from celeus_label.compare.batch import Signals, paths
from celeus_label.compare.courses import course, draw
from celeus_label.compare.runner import Job, Tables, run
from celeus_label.compare.studies.coverage import wilson

ITEMS = 200_000
ROUNDS = 800
WIDTH = 0.1
ONE = "one stage, by weights"
# what is simulated in full: shards, rule
SESSIONS = [
    (2000, ONE),
    (200, "size"),
    (200, "weights"),
    (2000, "size"),
    (2000, "weights"),
    (2000, "opened"),
    (2000, "guessed"),
]


def make_shard(seed: int, shard: int, items: int, spread: float) -> Shard:
    """0/1 values and a judge; both differ between shards by `spread`, the judge's error by half of it."""
    rng = np.random.default_rng([seed, shard])
    shift, error = rng.normal(0, spread), rng.normal(0, spread / 2)
    sure = np.clip(0.7 + shift + rng.normal(0, 0.15, items), 0, 1)
    values = (rng.random(items) < sure).astype(np.float64)
    judge = np.clip(sure + error + rng.normal(0, 0.1, items), 0, 1)
    return Shard(judge, np.sqrt(0.01 + judge * (1 - judge)), values)


def make(shards: int, spread: float) -> tuple[list[Shard], Known]:
    """A pool of `ITEMS` items in so many shards."""
    found = [make_shard(1, shard, ITEMS // shards, spread) for shard in range(shards)]
    return found, Known(*np.array([known_of(shard) for shard in found]).T)


def variances(shards: int, spread: float) -> Tables:
    """Var[S_1] under each rule over that of one-stage sampling, and the share that lies between shards."""
    found, known = make(shards, spread)
    size = known.items.sum()
    residual = [shard.values - shard.judge for shard in found]
    weights = np.concatenate([shard.weights for shard in found if shard.weights is not None])
    q = BETA / size + (1 - BETA) * weights / weights.sum()
    every = np.concatenate(residual)
    one = (every**2 / q).sum() / size**2 - (every.sum() / size) ** 2
    rows = []
    for rule in RULES:
        stage = TwoStage(known, found.__getitem__, rule)
        if rule == "opened":  # as after ROUNDS draws by size
            rng = np.random.default_rng(0)
            stage.taken = {int(one): [] for one in rng.integers(0, shards, ROUNDS)}
        p = stage.probabilities()
        totals = np.array([part.sum() for part in residual])
        squares = np.empty(shards)
        for at, (part, shard) in enumerate(zip(residual, found, strict=True)):
            inside = np.full(len(part), 1 / len(part))
            if rule != "guessed" and shard.weights is not None:
                inside = BETA * inside + (1 - BETA) * shard.weights / shard.weights.sum()
            squares[at] = (part**2 / inside).sum()
        within = ((squares - totals**2) / p).sum() / size**2
        if rule == "guessed":
            totals = np.array([shard.values.sum() for shard in found]) - stage.rest
        between = (totals**2 / p).sum() / size**2 - (totals.sum() / size) ** 2
        both = between + within
        rows.append(
            {"shards": shards, "spread": spread, "rule": rule, "ratio": both / one, "between": between / both}
        )
    return {"variances": rows}


def trials(shards: int, rule: str, spread: float, first: int, count: int) -> Tables:
    """Sessions of `ROUNDS` ratings, their bets those of the preset celeus."""
    found, known = make(shards, spread)
    mean = math.fsum(float(shard.values.sum()) for shard in found) / ITEMS
    seen = np.empty((5, count, ROUNDS))
    opened = []
    for trial in range(count):
        rng = np.random.default_rng([first + trial, shards])
        if rule == ONE:
            seen[:, trial], touched = _one_stage(found, rng)
        else:
            stage = TwoStage(known, found.__getitem__, rule)
            seen[:, trial], touched = _session(stage, ROUNDS, rng), len(stage.taken)
        opened.append(touched)
    ends = paths(Signals(*seen, ITEMS), Design(preset="celeus", width=WIDTH), until="end")
    off = seen[0] - mean
    return {
        "trials": [
            {
                "shards": shards,
                "spread": spread,
                "rule": rule,
                "off": off[trial].sum(),
                "squares": (off[trial] ** 2).sum(),
                "missed": bool(ends.lower[trial, -1] > mean or ends.upper[trial, -1] < mean),
                "ratings": int(ends.stop[trial]) or math.inf,
                "opened": opened[trial],
            }
            for trial in range(count)
        ]
    }


def _session(stage: TwoStage, rounds: int, rng: np.random.Generator) -> Floats:
    """Signal, bounds, and the two certain ends of each round, shape (5, rounds)."""
    rows, rated = [], 0.0
    for _ in range(rounds):
        y, terms = stage.draw(rng)
        rows.append([terms.signal(rated, y), *terms.bounds(rated)])
        rated += y
        rows[-1] += [rated / stage.size, (rated + terms.left - 1) / stage.size]
    return np.array(rows).T


def _one_stage(found: list[Shard], rng: np.random.Generator) -> tuple[Floats, int]:
    """The same for all shards as one pool, and how many of them the items come from."""
    judge, values, weights = (
        np.concatenate([getattr(shard, name) for shard in found]) for name in ("judge", "values", "weights")
    )
    known = course(draw(weights, ITEMS, BETA, ROUNDS, rng), judge, weights, BETA)
    rated = known.rated(values) + values[known.order]
    certain = rated / ITEMS, (rated + known.left - 1) / ITEMS
    touched = len(np.unique(known.order // len(found[0].judge)))
    return np.array([known.signals(values), *known.bounds(values), *certain]), touched


def summaries(first: int, count: int, items: int) -> Tables:
    """Rows of `Known` and the hidden sum, of shards that are made and forgotten again."""
    rows = []
    for number in range(first, first + count):
        shard = make_shard(2, number, items, 0.1)
        fields = zip(("items", "total", "weight", "low", "high"), known_of(shard), strict=True)
        rows.append({**dict(fields), "hidden": shard.values.sum(), "shard": number})
    return {"known": rows}


def whole(shards: int, items: int) -> None:
    """One session on a pool that no memory would hold."""
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        jobs = [Job(f"from-{first}", summaries, (first, 50, items)) for first in range(0, shards, 50)]
        table = run(jobs, Path(folder))["known"]
    known = Known(
        *(table[name].to_numpy(dtype=np.float64) for name in ("items", "total", "weight", "low", "high"))
    )
    size, mean = int(known.items.sum()), math.fsum(table["hidden"]) / known.items.sum()
    print(f"one pass over {size:,} items in {shards:,} shards: {time.perf_counter() - started:.0f} s")
    started, rounds = time.perf_counter(), 2500
    stage = TwoStage(known, lambda shard: make_shard(2, shard, items, 0.1), "weights")
    seen = _session(stage, rounds, np.random.default_rng(5))
    ends = paths(Signals(*seen[:, None], size), Design(preset="celeus", width=0.05), until="end")
    took = (time.perf_counter() - started) / rounds
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"after {rounds:,} ratings [{ends.lower[0, -1]:.4f}, {ends.upper[0, -1]:.4f}], true mean {mean:.4f}; "
        f"{len(stage.taken):,} shards opened, {took * 1000:.0f} ms a draw (the shard's making included), "
        f"{peak:.0f} MB at most"
    )


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=160, help="Sessions of each line.")
    parser.add_argument("--whole", action="store_true", help="One session on 10^9 items instead; minutes.")
    chosen = parser.parse_args()
    if chosen.whole:
        whole(10_000, 100_000)
        return
    jobs = [
        Job(f"variance-{shards}-{spread}", variances, (shards, spread))
        for shards in (20, 200, 2000)
        for spread in (0.0, 0.1, 0.2)
    ]
    jobs += [
        Job(f"{number}-{first}", trials, (*SESSIONS[number], 0.1, first, 20))
        for first in range(0, chosen.trials, 20)
        for number in range(len(SESSIONS))
    ]
    with tempfile.TemporaryDirectory() as folder:
        found = run(jobs, Path(folder))
    _print_variances(found["variances"])
    _print_trials(found["trials"])


def _print_variances(found: pd.DataFrame) -> None:
    table = Table("shards", "spread", *(f"{about}: ratio, between" for about in RULES.values()))
    for (shards, spread), rows in found.groupby(["shards", "spread"]):
        by_rule = rows.set_index("rule")
        cells = [f"{by_rule['ratio'][one]:.2f}, {by_rule['between'][one]:.0%}" for one in RULES]
        table.add_row(f"{shards:,}", f"{spread:g}", *cells)
    Console(width=140).print(table)


def _print_trials(found: pd.DataFrame) -> None:
    table = Table(
        "shards", "rule", "bias", "bias / its error", "missed", "Wilson", "median ratings", "opened"
    )
    for (shards, rule), rows in found.groupby(["shards", "rule"], sort=False):
        count = len(rows) * ROUNDS
        bias, error = rows["off"].sum() / count, math.sqrt(rows["squares"].sum()) / count
        missed = int(rows["missed"].sum())
        low, high = wilson(missed, len(rows))
        ratings = rows["ratings"].median()
        table.add_row(
            f"{shards:,}",
            RULES.get(str(rule), ONE),
            f"{bias:+.5f}",
            f"{bias / error:+.1f}",
            f"{missed} of {len(rows)}",
            f"{low:.1%}-{high:.1%}",
            f"{ratings:g}" if math.isfinite(ratings) else f"more than {ROUNDS}",
            f"{rows['opened'].median():g}",
        )
    Console(width=140).print(table)


if __name__ == "__main__":
    # under its own name, by which other processes find its functions
    from benchmarks.shards import main as named

    named()
