"""A session without a browser: the hidden human scores answer, through a real database."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from celeus_label.certify import Design, pairs
from celeus_label.compare.runner import Job, results
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
    dask: str | None = None,
    progress: Callable[[int, Outcome | None, int], None] = lambda seed, outcome, ratings: None,
) -> list[Outcome]:
    """Run sessions with the seeds `design.seed`, `design.seed` + 1, …, each in a temporary database of its own.

    Parameters
    ----------
    loaded : Loaded
        With the human scores.
    design : Design
    seeds : int
        How many sessions.
    out : Path, optional
        Where the bundle of the first session is written.
    dask : str, optional
        Address of a Dask scheduler, whose workers run the sessions instead; the outcomes are the same.
    progress : callable
        Called with the seed, its outcome (None while it runs) and its ratings so far; a cluster tells outcomes alone,
        in the order in which they come.

    Returns
    -------
    list of Outcome
        In the order of the seeds.
    """
    hidden_scores(loaded)  # what is missing is said before any work
    designs = [replace(design, seed=seed) for seed in range(design.seed, design.seed + seeds)]
    jobs = [
        Job(str(one.seed), _session, (loaded, one, out is not None and one is designs[0])) for one in designs
    ]
    outcomes = []
    for outcome, bundle in _each(jobs, dask, progress):
        progress(outcome.seed, outcome, outcome.ratings)
        outcomes.append(outcome)
        if out is not None and bundle is not None:
            out.write_bytes(bundle)
    return sorted(outcomes, key=lambda outcome: outcome.seed)


def _each(
    jobs: list[Job], dask: str | None, progress: Callable[[int, Outcome | None, int], None]
) -> Iterator[tuple[Outcome, bytes | None]]:
    if dask is not None:
        loaded = jobs[0].args[0]
        yield from (found for _, found in results(jobs, dask=dask, shared=[loaded]))
        return
    for job in jobs:
        yield job.run(*job.args, lambda ratings, seed=int(job.key): progress(seed, None, ratings))


def _session(
    loaded: Loaded, design: Design, bundled: bool, progress: Callable[[int], None] = lambda ratings: None
) -> tuple[Outcome, bytes | None]:
    """A session by itself, and its bundle where that is asked for."""
    scores = hidden_scores(loaded)
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder) / "simulation.db")
        info = workspace.create(workspace.local(), f"seed {design.seed}", loaded, design)
        started = time.perf_counter()
        rate_all(workspace, info, scores, progress)
        outcome = _outcome(workspace, info, design.seed, scores, time.perf_counter() - started)
        bundle = Path(folder) / "bundle.zip"
        if bundled:
            workspace.export(workspace.local(), info.id, bundle)
        workspace.store.close()
        return outcome, bundle.read_bytes() if bundled else None


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
