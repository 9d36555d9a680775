"""Finished trials are kept, and jobs run on processes or on a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pandas as pd
import pytest
from distributed import LocalCluster

from celeus_label.certificate import verify
from celeus_label.certify import Design
from celeus_label.compare.runner import Job, Tables, claim_folder, results, run
from celeus_label.compare.sources import regimes
from celeus_label.compare.studies import STUDIES
from celeus_label.compare.studies.base import Settings
from celeus_label.ingest import bundled
from celeus_label.simulation import simulate


def square(number: int, traces: str) -> Tables:
    with open(Path(traces) / str(number), "a", encoding="utf-8") as file:
        file.write(f"{os.getpid()}\n")
    if number == 13:
        raise ArithmeticError("thirteen")
    return {"squares": [{"number": number, "square": number**2}], "none": []}


def jobs(traces: Path, *numbers: int) -> list[Job]:
    traces.mkdir(exist_ok=True)
    return [Job(f"job-{number}", square, (number, str(traces))) for number in numbers]


def times_run(traces: Path) -> dict[str, int]:
    return {path.name: len(path.read_text("utf-8").split()) for path in traces.iterdir()}


def test_what_is_finished_is_not_run_again(tmp_path: Path) -> None:
    out, traces, seen = tmp_path / "out", tmp_path / "traces", []
    with pytest.raises(ArithmeticError, match="thirteen"):
        run(jobs(traces, 1, 2, 13, 3), out, processes=1)
    assert times_run(traces) == {"1": 1, "2": 1, "13": 1}
    (out / "trials" / ".job-3.half").mkdir()  # as a kill in the middle of writing leaves it
    found = run(
        jobs(traces, 1, 2, 3, 4), out, processes=1, progress=lambda done, total: seen.append((done, total))
    )
    assert times_run(traces) == {"1": 1, "2": 1, "13": 1, "3": 1, "4": 1}
    assert found["squares"]["square"].tolist() == [1, 4, 9, 16]
    assert seen == [(2, 4), (3, 4), (4, 4)]
    assert set(found) == {"squares"}
    again = run(jobs(traces, 4, 2), out)
    assert again["squares"]["square"].tolist() == [16, 4], (
        "rows of the jobs that are asked for, in their order"
    )


def test_a_folder_holds_one_study(tmp_path: Path) -> None:
    claim_folder(tmp_path, {"study": "bias", "quick": True})
    claim_folder(tmp_path, {"study": "bias", "quick": True})
    with pytest.raises(
        ValueError, match="holds a study with study 'bias', this one has 'signal'; choose another"
    ):
        claim_folder(tmp_path, {"study": "signal", "quick": True})


def test_two_processes_share_the_jobs(tmp_path: Path) -> None:
    found = run(jobs(tmp_path / "traces", *range(6)), tmp_path / "out", processes=2)
    assert found["squares"]["square"].tolist() == [0, 1, 4, 9, 16, 25]


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as started:
        yield started


def test_a_cluster_of_two_workers_runs_the_jobs(tmp_path: Path, cluster: LocalCluster) -> None:
    traces = tmp_path / "traces"
    found = run(jobs(traces, *range(8)), tmp_path / "out", dask=cluster.scheduler_address)
    workers = {worker.pid for worker in cluster.workers.values()}
    assert found["squares"]["square"].tolist() == [number**2 for number in range(8)]
    ran = {int(path.read_text("utf-8")) for path in traces.iterdir()}
    assert ran <= workers, "every job ran on a worker"
    assert os.getpid() not in ran


def seen_by(whole: list[int], number: int) -> tuple[int, int]:
    return sum(whole) + number, os.getpid()


def test_what_jobs_share_reaches_every_worker(cluster: LocalCluster) -> None:
    whole = list(range(1000))
    todo = [Job(str(number), seen_by, (whole, number)) for number in range(8)]
    found = dict(results(todo, dask=cluster.scheduler_address, shared=[whole]))
    assert {key: value for key, (value, _) in found.items()} == {str(n): 499_500 + n for n in range(8)}
    assert {pid for _, pid in found.values()} <= {worker.pid for worker in cluster.workers.values()}


def test_a_study_has_the_same_numbers_on_a_cluster(tmp_path: Path, cluster: LocalCluster) -> None:
    plan = STUDIES["efficiency"].plan(Settings(True, 1, tuple(regimes(4000)[:1])))[:4]
    here = run(plan, tmp_path / "here", processes=1)
    there = run(plan, tmp_path / "there", dask=cluster.scheduler_address)
    assert {"evalue", "celeus"} <= set(here["stops"]["system"])
    assert here.keys() == there.keys()
    for name, table in here.items():
        pd.testing.assert_frame_equal(table, there[name], check_exact=True)


def test_sessions_simulated_on_a_cluster_end_as_those_of_one_process(
    tmp_path: Path, cluster: LocalCluster
) -> None:
    loaded, design = bundled(), Design(width=0.15, seed=3)
    told: list[int] = []
    here = simulate(loaded, design, 4, out=tmp_path / "here.zip")
    there = simulate(
        loaded,
        design,
        4,
        out=tmp_path / "there.zip",
        dask=cluster.scheduler_address,
        progress=lambda seed, outcome, ratings: told.append(seed),
    )
    assert [outcome.seed for outcome in there] == [3, 4, 5, 6]
    assert sorted(told) == [3, 4, 5, 6]
    assert [replace(one, seconds=0) for one in there] == [replace(one, seconds=0) for one in here]
    for name in ("here", "there"):
        assert verify(tmp_path / f"{name}.zip").valid
    trajectories = [ZipFile(tmp_path / f"{name}.zip").read("trajectory.csv") for name in ("here", "there")]
    assert trajectories[0] == trajectories[1]


def test_a_scheduler_that_does_not_answer_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no Dask scheduler answers at carrier-pigeon://here"):
        run(jobs(tmp_path / "traces", 1), tmp_path / "out", dask="carrier-pigeon://here")
