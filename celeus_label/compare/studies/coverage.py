"""Table 1: how often each system's interval misses at the stop, on freshly drawn diagnostic pools."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from celeus_label.compare.cereval import cer_eval
from celeus_label.compare.figures import dots, rows_of
from celeus_label.compare.hidden import HiddenPool
from celeus_label.compare.pools import diagnostic
from celeus_label.compare.runner import Job, Rows, Tables
from celeus_label.compare.studies.base import EPSILON, Report, Settings, Study, certify, key
from celeus_label.compare.systems import NAMES, STATIC, design_of, trials

ALPHA = 0.05
SYSTEMS = ("cer-eval", *STATIC)
_TRIALS, _QUICK_TRIALS = 1000, 200
# Trials of a job.
_CHUNK = 250
# The preset that learns takes long; it has this many repeats at most, of fewer trials each.
_LEARNING_REPEATS, _LEARNING_TRIALS = 10, 200

# lower, upper and ratings at the stop
Stop = tuple[float, float, int]


def plan(settings: Settings) -> list[Job]:
    """A job for each few hundred trials; a repeat's trials each have a pool of their own."""
    each = _QUICK_TRIALS if settings.quick else _TRIALS
    jobs = [
        Job(key("fixed", f"{repeat:03d}", f"{first:04d}"), fixed, (repeat, first, min(_CHUNK, each - first)))
        for repeat in range(settings.seeds)
        for first in range(0, each, _CHUNK)
    ]
    few = 20 if settings.quick else _LEARNING_TRIALS
    repeats = 1 if settings.quick else min(settings.seeds, _LEARNING_REPEATS)
    jobs += [
        Job(key("learning", f"{repeat:03d}", f"{first:04d}"), learning, (repeat, first, 20))
        for repeat in range(repeats)
        for first in range(0, few, 20)
    ]
    return jobs


def fixed(repeat: int, first: int, count: int) -> Tables:
    """Trials of Cer-Eval and of the paper's systems, all on the same pools."""
    seeds = [1_000_000 * repeat + trial for trial in range(first, first + count)]
    pools = [diagnostic(seed) for seed in seeds]
    stops = {name: _side_by_side(pools, name, seeds) for name in STATIC}
    stops["cer-eval"] = [_cer_eval(pool, seed) for pool, seed in zip(pools, seeds, strict=True)]
    return {"trials": [_count(repeat, name, pools, stops[name]) for name in SYSTEMS]}


def learning(repeat: int, first: int, count: int) -> Tables:
    """Trials of the preset that learns, on the first of the same pools."""
    seeds = [1_000_000 * repeat + trial for trial in range(first, first + count)]
    pools = [diagnostic(seed) for seed in seeds]
    design = design_of("target-aware", width=EPSILON, alpha=ALPHA)
    stops = []
    for pool, seed in zip(pools, seeds, strict=True):
        lower, upper, ratings = certify(pool, "target-aware", design, seed)
        stops.append((float(lower[-1]), float(upper[-1]), ratings))
    return {"trials": [_count(repeat, "target-aware", pools, stops)]}


def _side_by_side(pools: list[HiddenPool], system: str, seeds: list[int]) -> list[Stop]:
    found = trials(pools, system, design_of(system, width=EPSILON, alpha=ALPHA), seeds).paths
    stops = []
    for row in range(len(pools)):
        at = (int(found.stop[row]) or pools[row].size) - 1
        stops.append((float(found.lower[row, at]), float(found.upper[row, at]), at + 1))
    return stops


def _cer_eval(pool: HiddenPool, seed: int) -> Stop:
    assert pool.embedding is not None
    rng = np.random.default_rng([seed, 1])
    found = cer_eval(pool.values, pool.embedding, width=EPSILON, alpha=ALPHA, rng=rng)
    return float(found.lower[-1]), float(found.upper[-1]), int(found.ratings[-1])


def _count(repeat: int, system: str, pools: list[HiddenPool], stops: list[Stop]) -> dict[str, object]:
    missed = [not low <= pool.mean <= high for pool, (low, high, _) in zip(pools, stops, strict=True)]
    risks = [
        not low <= float(pool.risk or 0) <= high for pool, (low, high, _) in zip(pools, stops, strict=True)
    ]
    return {
        "repeat": repeat,
        "system": system,
        "trials": len(pools),
        "missed": sum(missed),
        "missed_population": sum(risks),
        "ratings": float(np.mean([ratings for _, _, ratings in stops])),
    }


def report(found: dict[str, pd.DataFrame], settings: Settings) -> Report:
    """Miscoverage with Wilson's interval over all trials, and how it spreads over the repeats."""
    result = Report()
    rows: Rows = []
    for system in (*SYSTEMS, "target-aware"):
        of_system = rows_of(found["trials"], system=system)
        by_repeat = of_system.groupby("repeat")[["trials", "missed"]].sum()
        count = int(of_system["trials"].sum())
        # raw ratings are a martingale for the population's mean; without widening that is what EValue's interval is for
        column = "missed_population" if system == "evalue" else "missed"
        missed = int(of_system[column].sum())
        low, high = wilson(missed, count)
        rows.append(
            {
                "system": system,
                "target": "population mean" if system == "evalue" else "pool mean",
                "repeats": len(by_repeat),
                "trials": count,
                "miscoverage": missed / count,
                "wilson_low": low,
                "wilson_high": high,
                "sd_over_repeats": float((by_repeat["missed"] / by_repeat["trials"]).std(ddof=0)),
                "miscoverage_of_pool_mean": int(of_system["missed"].sum()) / count,
                "mean_ratings": float((of_system["ratings"] * of_system["trials"]).sum() / count),
            }
        )
        result.lines.append(
            f"{NAMES[system]}: miscoverage {missed / count:.4f} [{low:.4f}, {high:.4f}] in {count:,} trials, "
            f"{rows[-1]['mean_ratings']:,.0f} ratings on average"
        )
    table = pd.DataFrame(rows)
    result.tables["table1"] = table
    result.figures["table1"] = dots(
        list(table["system"]),
        list(table["miscoverage"]),
        list(table["wilson_low"]),
        list(table["wilson_high"]),
        y_title="Miscoverage at the stop",
        title="Diagnostic pool: intervals of width 0.05 that miss",
        target=ALPHA,
    )
    return result


def wilson(hits: int, count: int, z: float = 1.959964) -> tuple[float, float]:
    """Wilson's 95 % interval for a proportion.

    >>> low, high = wilson(5, 100)
    >>> round(low, 4), round(high, 4)
    (0.0215, 0.1118)
    """
    share, extra = hits / count, z**2 / count
    centre = (share + extra / 2) / (1 + extra)
    half = z * math.sqrt(share * (1 - share) / count + extra / (4 * count)) / (1 + extra)
    return max(0.0, centre - half), min(1.0, centre + half)


STUDY = Study(
    about="miscoverage at the stop on the diagnostic pool (Table 1); seeds are repeats of 1,000 trials",
    seeds=50,
    quick_seeds=2,
    plan=plan,
    report=report,
)
