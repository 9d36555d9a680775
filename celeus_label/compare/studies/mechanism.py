"""Figure 2: what makes Celeus work. Its draws do not depend on any value, so no bets are needed here."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd

from celeus_label.certify.estimators import Lure, Naive, Precision
from celeus_label.certify.moments import Moments
from celeus_label.certify.pool import Floats
from celeus_label.certify.proposals import Proposal
from celeus_label.certify.signals import conditional_variance
from celeus_label.compare.courses import Course, course, draw
from celeus_label.compare.figures import bands, rows_of
from celeus_label.compare.hidden import HiddenPool
from celeus_label.compare.runner import Job, Rows, Tables
from celeus_label.compare.sources import Source
from celeus_label.compare.studies.base import Report, Settings, Study, grid, key, paper_design, seeds_key

# Rounds looked at, at most: beyond them the paper's systems have stopped.
_ROUNDS = 8_000
_POINTS = 60
ESTIMATORS = ("lure", "naive", "precision")
PROPOSALS = ("uniform", "celeus", "oracle")


def celeus_course(pool: HiddenPool, seed: int, rounds: int = _ROUNDS) -> Course:
    """The draws that Celeus makes."""
    beta = float(paper_design("celeus").beta or 1.0)
    order = draw(pool.weights, pool.size, beta, min(rounds, pool.size), np.random.default_rng(seed))
    return course(order, pool.surrogate, pool.weights, beta)


def _looks(rounds: int) -> list[int]:
    return [int(t) for t in grid(rounds, points=_POINTS)]


# --- bias: Figure 2, left ----------------------------------------------------------------------------------------


def bias_trials(source: Source, seeds: tuple[int, ...]) -> Tables:
    """Error of each estimator at some rounds: pool, seed, ratings, estimator, error."""
    pool = source.load()
    rows: Rows = []
    for seed in seeds:
        known = celeus_course(pool, seed)
        for t, estimates in _estimates(pool, known).items():
            rows += [
                {
                    "pool": source.name,
                    "seed": seed,
                    "ratings": t,
                    "estimator": name,
                    "error": estimates[name] - pool.mean,
                }
                for name in ESTIMATORS
            ]
    return {"errors": rows}


def _estimates(pool: HiddenPool, known: Course) -> dict[int, dict[str, float]]:
    centre = float(pool.surrogate.mean())
    lure, naive, precision = Lure(centre, pool.size), Naive(centre), Precision(centre)
    moments = Moments(centre, pool.size)
    looks = set(_looks(known.rounds))
    result = {}
    residuals = (pool.values[known.order] - known.s).tolist()
    rounds = zip(
        residuals, known.signals(pool.values).tolist(), known.q.tolist(), known.left.tolist(), strict=True
    )
    for t, (residual, signal, q, left) in enumerate(rounds, start=1):
        lure.update(q, residual)
        naive.update(residual)
        precision.update(signal, moments.variance(left))
        moments.update(signal, left)
        if t in looks:
            result[t] = {"lure": lure.get(), "naive": naive.get(), "precision": precision.get()}
    return result


def bias_report(found: dict[str, pd.DataFrame], settings: Settings) -> Report:
    """Mean error of each estimator, with its standard error."""
    result = Report()
    errors = found["errors"]
    by = errors.groupby(["pool", "estimator", "ratings"])["error"].agg(["mean", "std", "count"]).reset_index()
    by["standard_error"] = by["std"] / np.sqrt(by["count"])
    result.tables["bias"] = by.rename(columns={"mean": "bias"})
    rows: Rows = []
    for source in settings.sources:
        of_pool = rows_of(errors, pool=source.name)
        late = of_pool[of_pool["ratings"] >= 500] if of_pool["ratings"].max() >= 1000 else of_pool
        for name in ESTIMATORS:
            of_seed = rows_of(late, estimator=name).groupby("seed")["error"].mean()
            rows.append(
                {
                    "pool": source.name,
                    "estimator": name,
                    "bias": of_seed.mean(),
                    "standard_error": of_seed.std() / np.sqrt(len(of_seed)),
                }
            )
        told = ", ".join(
            f"{row['estimator']} {row['bias']:+.4f} ± {row['standard_error']:.4f}" for row in rows[-3:]
        )
        result.lines.append(f"{source.name}: bias from 500 ratings on: {told}")
        result.figures[f"figure2_left_{source.name}"] = bands(
            {name: rows_of(of_pool, estimator=name) for name in ESTIMATORS},
            x="ratings",
            y="error",
            x_title="Evaluated samples",
            y_title="Estimate less the pool's mean",
            title=source.name,
            target=0.0,
            log_x=True,
        )
    result.tables["figure2_left"] = pd.DataFrame(rows)
    return result


# --- signal: Figure 2, middle ------------------------------------------------------------------------------------


def signal_trials(source: Source, seeds: tuple[int, ...]) -> Tables:
    """Squared distance from the pool's mean of the signal and of the raw loss, averaged over spans of rounds."""
    pool = source.load()
    rows: Rows = []
    for seed in seeds:
        known = celeus_course(pool, seed)
        looks = [0, *_looks(known.rounds)]
        errors = {
            "signal": (known.signals(pool.values) - pool.mean) ** 2,
            "raw loss": (pool.values[known.order] - pool.mean) ** 2,
        }
        for name, squares in errors.items():
            for first, last in pairwise(looks):
                mean = float(squares[first:last].mean())
                rows.append({"pool": source.name, "seed": seed, "ratings": last, "of": name, "mse": mean})
    return {"squares": rows}


def signal_report(found: dict[str, pd.DataFrame], settings: Settings) -> Report:
    """How many times smaller the signal's mean squared error is."""
    result = Report()
    rows: Rows = []
    for source in settings.sources:
        of_pool = rows_of(found["squares"], pool=source.name)
        means = of_pool.groupby("of")["mse"].mean()
        rows.append(
            {
                "pool": source.name,
                "mse_signal": means["signal"],
                "mse_raw_loss": means["raw loss"],
                "ratio": means["raw loss"] / means["signal"],
            }
        )
        result.lines.append(
            f"{source.name}: the raw loss has {rows[-1]['ratio']:.2f} times the signal's squared error"
        )
        result.figures[f"figure2_middle_{source.name}"] = bands(
            {name: rows_of(of_pool, of=name) for name in ("signal", "raw loss")},
            x="ratings",
            y="mse",
            x_title="Evaluated samples",
            y_title="Mean squared error",
            title=source.name,
            log_x=True,
        )
    result.tables["figure2_middle"] = pd.DataFrame(rows)
    return result


# --- variance: Figure 2, right -----------------------------------------------------------------------------------


def variance_trials(source: Source, seeds: tuple[int, ...]) -> Tables:
    """Conditional variance of the next signal under three proposals, on the same items left: those of Celeus."""
    pool = source.load()
    beta = float(paper_design("celeus").beta or 1.0)
    proposals = {
        "uniform": Proposal(),
        "celeus": Proposal(pool.weights, beta),
        "oracle": Proposal(pool.residuals, 1e-12),  # Thm. 4 has no floor
    }
    rows: Rows = []
    for seed in seeds:
        known = celeus_course(pool, seed)
        looks = [t for t in _looks(known.rounds) if t < pool.size][::3]
        remaining = np.ones(pool.size, dtype=np.bool_)
        drawn = 0
        for t in looks:
            remaining[known.order[drawn:t]] = False
            drawn = t
            for name, proposal in proposals.items():
                q: Floats = proposal.probabilities(remaining)
                variance = conditional_variance(pool.values, pool.surrogate, q, remaining)
                rows.append(
                    {"pool": source.name, "seed": seed, "ratings": t, "proposal": name, "variance": variance}
                )
    return {"variances": rows}


def variance_report(found: dict[str, pd.DataFrame], settings: Settings) -> Report:
    """What guided draws save of the variance, and which part of the oracle's saving that is."""
    result = Report()
    rows: Rows = []
    for source in settings.sources:
        of_pool = rows_of(found["variances"], pool=source.name)
        means = of_pool.groupby("proposal")["variance"].mean()
        saved, most = means["uniform"] - means["celeus"], means["uniform"] - means["oracle"]
        rows.append(
            {
                "pool": source.name,
                **{f"variance_{name}": means[name] for name in PROPOSALS},
                "saved": saved / means["uniform"],
                "gap_closed": saved / most,
            }
        )
        saved_share, closed = rows[-1]["saved"], rows[-1]["gap_closed"]
        result.lines.append(
            f"{source.name}: guided draws save {saved_share:.1%} of the variance, {closed:.0%} of the oracle's saving"
        )
        result.figures[f"figure2_right_{source.name}"] = bands(
            {name: rows_of(of_pool, proposal=name) for name in PROPOSALS},
            x="ratings",
            y="variance",
            x_title="Evaluated samples",
            y_title="Conditional variance of the signal",
            title=source.name,
            log_x=True,
        )
    result.tables["figure2_right"] = pd.DataFrame(rows)
    return result


def _plan(run: object, settings: Settings) -> list[Job]:
    return [
        Job(key(source.name, seeds_key(seeds)), run, (source, seeds))  # type: ignore[arg-type]
        for source in settings.sources
        for seeds in settings.chunks()
    ]


BIAS = Study(
    about="bias of the LURE, the naive and the precision-weighted estimate (Figure 2, left)",
    seeds=50,
    quick_seeds=10,
    plan=lambda settings: _plan(bias_trials, settings),
    report=bias_report,
)
SIGNAL = Study(
    about="squared error of the signal against the raw loss (Figure 2, middle)",
    seeds=50,
    quick_seeds=10,
    plan=lambda settings: _plan(signal_trials, settings),
    report=signal_report,
)
VARIANCE = Study(
    about="conditional variance under uniform, guided and oracle draws (Figure 2, right)",
    seeds=50,
    quick_seeds=5,
    plan=lambda settings: _plan(variance_trials, settings),
    report=variance_report,
)
