"""A session without a browser: the hidden human scores answer, through a real database."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from celeus_label.certify import Design, pairs
from celeus_label.ingest import IngestError, Loaded
from celeus_label.session import Identity, SessionInfo, Task, Workspace


@dataclass(frozen=True)
class Outcome:
    """How one simulated session ended; ends, estimate and truth on [0, 1]."""

    seed: int
    status: str
    ratings: int
    estimate: float
    lower: float
    upper: float
    width: float
    truth: float
    covered: bool
    seconds: float

    def to_dict(self) -> dict[str, object]:
        """The fields as JSON values."""
        return asdict(self)


def hidden_scores(loaded: Loaded) -> dict[str, float]:
    """The human score of every item by its id, on the raters' scale.

    Raises
    ------
    IngestError
        There is no human column, or an item has no score in it.
    """
    if loaded.human is None:
        raise IngestError("a simulation needs the hidden human scores; name their column")
    missing = np.isnan(loaded.human)
    if missing.any():
        item = loaded.pool.item_ids[int(missing.argmax())]
        raise IngestError(
            f"item {item}: it has no human score, and a simulated rater would not know what to answer "
            f"({int(missing.sum())} such items); remove those rows or fill them in"
        )
    return dict(zip(loaded.pool.item_ids, loaded.human.tolist(), strict=True))


def simulate(
    loaded: Loaded,
    design: Design,
    seeds: int,
    *,
    out: Path | None = None,
    progress: Callable[[int, Outcome | None, int], None] = lambda seed, outcome, ratings: None,
) -> list[Outcome]:
    """Run sessions with the seeds `design.seed`, `design.seed` + 1, … in one temporary database.

    Parameters
    ----------
    loaded : Loaded
        With the human scores.
    design : Design
    seeds : int
        How many sessions.
    out : Path, optional
        Where the bundle of the first session is written.
    progress : callable
        Called with the seed, its outcome (None while it runs) and its ratings so far.
    """
    scores = hidden_scores(loaded)
    outcomes = []
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder) / "simulation.db")
        lead = workspace.local()
        for seed in range(design.seed, design.seed + seeds):
            info = workspace.create(lead, f"seed {seed}", loaded, replace(design, seed=seed))
            started = time.perf_counter()
            rate_all(workspace, info, scores, lambda ratings, seed=seed: progress(seed, None, ratings))  # type: ignore[misc]
            outcome = _outcome(workspace, info, seed, scores, time.perf_counter() - started)
            progress(seed, outcome, outcome.ratings)
            outcomes.append(outcome)
            if out is not None and seed == design.seed:
                workspace.export(lead, info.id, out)
        workspace.store.close()
    return outcomes


def rate_all(
    workspace: Workspace,
    info: SessionInfo,
    scores: dict[str, float],
    progress: Callable[[int], None] = lambda ratings: None,
    pause: float = 0.0,
) -> None:
    """Answer with the hidden scores until the session stops."""
    raters = [
        _sign_in(workspace, info.id, f"simulated rater {number + 1}")
        for number in range(info.design.ratings_per_item)
    ]
    done = 0
    working = True
    while working:
        working = False
        for who in raters:
            task = workspace.claim(who, info.id)
            if isinstance(task, Task):
                item_id = workspace.item_id(info.id, task)
                workspace.rate(who, info.id, task.lease, _said(info.design, item_id, scores[item_id]), 0)
                working = True
                done += 1
                progress(done)
                if pause:
                    time.sleep(pause)


def _said(design: Design, item_id: str, score: float) -> float | str:
    """A hidden score as a rater gives it."""
    if design.task == "single":
        return score
    return pairs.verdict_of(
        pairs.SCALE.check(score, f"item {item_id}: its human score"), pairs.left_of(design.seed, item_id)
    )


def _sign_in(workspace: Workspace, session: int, name: str) -> Identity:
    who = workspace.sign_in(workspace.invite(workspace.local(), "rater", session, name))
    assert who is not None, "an invitation that was just made is valid"
    return who


def _outcome(
    workspace: Workspace, info: SessionInfo, seed: int, scores: dict[str, float], seconds: float
) -> Outcome:
    interval = workspace.monitor(workspace.local(), info.id).interval
    scale = info.scale
    truth = scale.to_unit(float(np.mean(list(scores.values()))))
    lower, upper = scale.to_unit(interval.lower), scale.to_unit(interval.upper)
    return Outcome(
        seed=seed,
        status=interval.status,
        ratings=interval.ratings,
        estimate=scale.to_unit(interval.estimate),
        lower=lower,
        upper=upper,
        width=interval.width,
        truth=truth,
        # a pool rated to its end has an interval of one point; rounding must not count as a miss
        covered=lower - 1e-9 <= truth <= upper + 1e-9,
        seconds=round(seconds, 3),
    )
