"""Finished trials are kept, and jobs run on processes or on a Dask cluster."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from distributed import LocalCluster

from celeus_label.compare.runner import Job, Tables, claim_folder, run


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


def test_a_cluster_of_two_workers_runs_the_jobs(tmp_path: Path) -> None:
    traces = tmp_path / "traces"
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        found = run(jobs(traces, *range(8)), tmp_path / "out", dask=cluster.scheduler_address)
        workers = {worker.pid for worker in cluster.workers.values()}
    assert found["squares"]["square"].tolist() == [number**2 for number in range(8)]
    ran = {int(path.read_text("utf-8")) for path in traces.iterdir()}
    assert ran <= workers, "every job ran on a worker"
    assert os.getpid() not in ran


def test_a_scheduler_that_does_not_answer_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no Dask scheduler answers at carrier-pigeon://here"):
        run(jobs(tmp_path / "traces", 1), tmp_path / "out", dask="carrier-pigeon://here")
