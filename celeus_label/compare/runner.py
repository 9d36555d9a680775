"""Many trials on all cores, or on a cluster; what is finished is kept and never run again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import pandas as pd

Rows = list[dict[str, Any]]
Tables = dict[str, Rows]

TRIALS = "trials"
SETTINGS = "study.json"


@dataclass(frozen=True)
class Job:
    """A piece of a study, a few seconds long.

    Attributes
    ----------
    key : str
        Its name, unique in the study and fit for a file name.
    run : callable
        Returns rows by table, for `run`; a function of a module, so that other processes find it.
    args : tuple
    """

    key: str
    run: Callable[..., Any]
    args: tuple[Any, ...] = ()


def claim_folder(out: Path, settings: dict[str, Any]) -> None:
    """Make a study's folder, or take up the one of the same study.

    Raises
    ------
    ValueError
        The folder holds another study, or one with other settings; the first that differs is named.
    """
    out.mkdir(parents=True, exist_ok=True)
    path = out / SETTINGS
    if not path.exists():
        path.write_text(json.dumps(settings, indent=2, sort_keys=True) + "\n", "utf-8")
        return
    before = json.loads(path.read_text("utf-8"))
    for name in sorted(before.keys() | settings.keys()):
        if before.get(name) != settings.get(name):
            raise ValueError(
                f"{out} holds a study with {name} {before.get(name)!r}, this one has {settings.get(name)!r}; "
                f"choose another folder, or remove this one"
            )


def run(
    jobs: Sequence[Job],
    out: Path,
    *,
    processes: int = -1,
    dask: str | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, pd.DataFrame]:
    """Run the jobs that are not finished yet, and read all results.

    Parameters
    ----------
    jobs : sequence of Job
    out : Path
        The study's folder; each finished job leaves a folder of CSV files in ``trials``.
    processes : int
        How many at once on this machine; -1 is one for each core.
    dask : str, optional
        Address of a Dask scheduler, whose workers run the jobs instead.
    progress : callable
        Called with the number of finished jobs and of all.

    Returns
    -------
    dict of str to DataFrame
        Rows of all jobs by table.
    """
    folder = out / TRIALS
    folder.mkdir(parents=True, exist_ok=True)
    open_jobs = [job for job in jobs if not (folder / job.key).is_dir()]
    done = len(jobs) - len(open_jobs)
    progress(done, len(jobs))
    for key, tables in results(open_jobs, processes=processes, dask=dask):
        _keep(folder / key, tables)
        done += 1
        progress(done, len(jobs))
    return _read([folder / job.key for job in jobs])


def results(
    jobs: Sequence[Job], *, processes: int = -1, dask: str | None = None, shared: Sequence[object] = ()
) -> Iterator[tuple[str, Any]]:
    """Key and result of each job, in the order in which they are finished.

    Parameters
    ----------
    jobs : sequence of Job
    processes, dask
        As for `run`.
    shared : sequence of object
        Large arguments of several jobs, sent to each Dask worker once and not with every job.
    """
    if not jobs:
        return
    with _backend(dask, shared):
        parallel = joblib.Parallel(
            n_jobs=None if dask else processes, return_as="generator_unordered", batch_size=1
        )
        yield from parallel(joblib.delayed(_run)(job.key, job.run, *job.args) for job in jobs)


def _run(key: str, run: Callable[..., Any], *args: Any) -> tuple[str, Any]:
    return key, run(*args)


@contextmanager
def _backend(dask: str | None, shared: Sequence[object]) -> Iterator[None]:
    if dask is None:
        yield
        return
    try:
        from distributed import Client
    except ImportError:
        raise ValueError(
            "--dask needs the package distributed; install it with: pip install 'celeus-label[dask]'"
        ) from None
    try:
        client = Client(dask, timeout=10)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as fault:
        raise ValueError(f"no Dask scheduler answers at {dask}: {fault}") from None
    with client, joblib.parallel_config(backend="dask", scatter=list(shared)):
        yield


def _keep(place: Path, tables: Tables) -> None:
    """Write a job's tables; the folder appears when they are whole."""
    half = place.with_name(f".{place.name}.half")
    shutil.rmtree(half, ignore_errors=True)
    half.mkdir()
    for name, rows in tables.items():
        pd.DataFrame(rows).to_csv(half / f"{name}.csv", index=False)
    half.rename(place)


def _read(places: Sequence[Path]) -> dict[str, pd.DataFrame]:
    parts: dict[str, list[pd.DataFrame]] = {}
    for place in places:
        for path in sorted(place.glob("*.csv")):
            if path.stat().st_size > 1:
                parts.setdefault(path.stem, []).append(pd.read_csv(path))
    return {name: pd.concat(frames, ignore_index=True) for name, frames in parts.items()}
