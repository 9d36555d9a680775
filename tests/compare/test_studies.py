"""Each study runs on a small pool and finds what it is about; one goes through the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from celeus_label.compare.command import STUDY_NAMES
from celeus_label.compare.pools import REGIMES, probabilities
from celeus_label.compare.runner import run
from celeus_label.compare.sources import Source, regimes
from celeus_label.compare.studies import STUDIES, Report, Settings, coverage, mechanism, sensitivity
from celeus_label.compare.studies.base import to_width
from celeus_label.compare.studies.coverage import wilson
from celeus_label.compare.systems import SYSTEMS

ITEMS = 68_221  # with fewer, the step to the population takes more of the width, and trials take longer


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    """A pool file: the first regime."""
    known = probabilities(REGIMES["sst2"], items=ITEMS)
    path = tmp_path_factory.mktemp("pool") / "given.npz"
    np.savez(path, target_p=known.target, surrogate_p=known.surrogate, label=known.label)
    return Source("given", str(path))


def studied(name: str, source: Source, out: Path, seeds: int = 2) -> Report:
    settings = Settings(True, seeds, (source,))
    study = STUDIES[name]
    return study.report(run(study.plan(settings), out, processes=1), settings)


def test_the_command_knows_every_study() -> None:
    assert tuple(STUDIES) == STUDY_NAMES
    for study in STUDIES.values():
        assert study.quick_seeds < study.seeds


def test_efficiency_puts_the_systems_in_the_papers_order(source: Source, tmp_path: Path) -> None:
    found = studied("efficiency", source, tmp_path)
    table = found.tables["table2"].set_index("system")
    labels = table["median_labels"]
    assert labels["oracle"] <= labels["celeus"] <= labels["celeus-no-surrogate"] <= labels["evalue"]
    assert labels["target-aware"] < labels["celeus"]
    assert table["gap_closed"]["oracle"] == pytest.approx(1)
    assert table["gap_closed"]["evalue"] == 0
    assert 0 < table["gap_closed"]["celeus-no-surrogate"] < table["gap_closed"]["celeus"] < 1.1
    assert 0.045 < table["width_at_oracle_budget"]["oracle"] < 0.052
    assert list(found.figures) == ["figure1_given"]


def test_bias_is_the_naive_estimates_alone(tmp_path: Path) -> None:
    third = regimes(20_000)[2]
    table = studied("bias", third, tmp_path, seeds=40).tables["figure2_left"].set_index("estimator")
    for fair in ("lure", "precision"):
        assert abs(table["bias"][fair]) < 4 * table["standard_error"][fair]
    assert table["bias"]["naive"] < -5 * table["standard_error"]["naive"]
    assert 0.005 < -table["bias"]["naive"] < 0.03


def test_the_signal_has_a_smaller_error_than_the_raw_loss(source: Source, tmp_path: Path) -> None:
    table = studied("signal", source, tmp_path, seeds=5).tables["figure2_middle"]
    assert 1.5 < table["ratio"][0] < 2.5


def test_guided_draws_save_a_part_of_what_the_oracle_saves(source: Source, tmp_path: Path) -> None:
    table = studied("variance", source, tmp_path).tables["figure2_right"].iloc[0]
    assert table["variance_oracle"] < table["variance_celeus"] < table["variance_uniform"]
    assert 0.15 < table["saved"] < 0.3
    assert 0.4 < table["gap_closed"] < 0.75


def test_the_oracle_needs_fewest_under_both_losses(source: Source, tmp_path: Path) -> None:
    table = studied("sampling", source, tmp_path).tables["appendix_g"]
    for _, of_loss in table.groupby("loss"):
        labels = of_loss.set_index("strategy")["median_labels"]
        assert len(labels) == 4
        assert labels.idxmin() == "oracle"
    assert (table[table["loss"] == "zero-one"]["clipped"] == 0).all()
    assert (table[table["loss"] == "cross-entropy"]["clipped"] > 0).all()


def test_sensitivity_sweeps_every_option(
    source: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {name: (values[0], values[-1]) for name, values in sensitivity.SWEEPS.items()}
    monkeypatch.setattr(sensitivity, "SWEEPS", few)
    table = studied("sensitivity", source, tmp_path, seeds=1).tables["sensitivity"]
    assert set(table["option"]) == {"beta", "alpha_split", "theta", "c", "bounds"}
    assert len(set(table["median_labels"])) > 6, "the options change something"


def test_runtime_measures_every_system(source: Source, tmp_path: Path) -> None:
    found = studied("runtime", source, tmp_path, seeds=1).tables["appendix_i"]
    assert set(found["system"]) == set(SYSTEMS)
    assert (found["median_ms"] > 0).all()


def test_coverage_counts_misses_of_each_systems_own_target(tmp_path: Path) -> None:
    jobs = [replace(job, args=(*job.args[:2], 12)) for job in coverage.plan(Settings(True, 1, ()))[:1]]
    jobs.append(replace(coverage.plan(Settings(True, 1, ()))[-1], args=(0, 0, 2)))
    found = run(jobs, tmp_path, processes=1)
    table = coverage.report(found, Settings(True, 1, ())).tables["table1"].set_index("system")
    assert set(table.index) == set(SYSTEMS)
    assert table["trials"].tolist() == [12, 12, 12, 12, 12, 2]
    assert (table["miscoverage"][["evalue", "celeus-no-surrogate", "celeus", "oracle"]] <= 0.25).all()
    assert table["target"]["evalue"] == "population mean"
    ratings = table["mean_ratings"]
    assert ratings["oracle"] < ratings["celeus"] < ratings["celeus-no-surrogate"] < ratings["evalue"]


def test_coverage_of_four_systems_at_the_level_that_they_promise() -> None:
    """Three hundred trials each, at an error rate of 30 % so that too narrow intervals would show."""
    rows = []
    for first in range(0, 300, 100):
        pools = [coverage.diagnostic(10_000 + seed) for seed in range(first, first + 100)]
        for system in ("celeus-no-surrogate", "celeus", "oracle"):
            design = coverage.design_of(system, alpha=0.3, width=0.06)
            found = coverage.trials(pools, system, design, range(first, first + 100)).paths
            for row, pool in enumerate(pools):
                at = found.stop[row] - 1
                rows.append((system, not found.lower[row, at] <= pool.mean <= found.upper[row, at]))
    missed = (
        pd.DataFrame(rows, columns=["system", "missed"]).groupby("system")["missed"].agg(["sum", "count"])
    )
    for hits, count in missed.itertuples(index=False):
        assert wilson(hits, count)[0] <= 0.3
        assert hits > 0, "of 300 some should miss"


def test_the_same_seeds_give_the_same_rows_however_they_are_grouped(source: Source) -> None:
    together = to_width(source, "x", "celeus", {}, (0, 1, 2))["stops"]
    alone = [to_width(source, "x", "celeus", {}, (seed,))["stops"][0] for seed in range(3)]
    assert together == alone


def test_the_estimators_end_at_the_pools_mean() -> None:
    pool = regimes(3_000)[0].load()
    last = mechanism._estimates(pool, mechanism.celeus_course(pool, 0))[3_000]
    assert last["lure"] == pytest.approx(pool.mean)
    assert last["naive"] == pytest.approx(pool.mean)


def command(*arguments: str | Path, browser: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ)
    if browser is not None:
        environment |= {"BROWSER_PATH": browser, "PATH": "/nowhere"}
    return subprocess.run(
        [sys.executable, "-m", "celeus_label.cli", "study", *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment,
    )


def test_a_study_by_the_command_line_is_resumed_and_draws_its_figures(source: Source, tmp_path: Path) -> None:
    out = tmp_path / "results"
    options = ("signal", "--quick", "--seeds", 3, "--jobs", 1, "--pool", source.path, "--out", out)
    without = command(*options, browser="/nowhere/chromium")
    assert without.returncode == 0, without.stderr
    assert "no PNG files were drawn, since no Chrome or Chromium was found; install one" in without.stdout
    assert (out / "figure2_middle_given.html").exists()
    kept = {path: path.stat().st_mtime_ns for path in (out / "trials").rglob("*.csv")}
    assert len(kept) == 1
    done = command(*options)
    assert done.returncode == 0, done.stderr
    assert "given, zero-one, strategy A: 68,221 items, none clipped" in done.stdout
    assert "given: the raw loss has " in done.stdout
    assert (out / "figure2_middle_given.png").read_bytes().startswith(b"\x89PNG")
    assert {path: path.stat().st_mtime_ns for path in (out / "trials").rglob("*.csv")} == kept
    assert json.loads((out / "study.json").read_text("utf-8"))["study"] == "signal"
    assert pd.read_csv(out / "figure2_middle.csv")["pool"].tolist() == ["given"]
    other = command("bias", *options[1:])
    assert other.returncode == 1
    assert "holds a study with study 'signal', this one has 'bias'; choose another folder" in other.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("beauty",), "no study is called 'beauty'; there are coverage, efficiency"),
        (("runtime", "--dask", "tcp://x:1"), "runtime measures times on this machine"),
        (("bias", "--pool", "/nowhere.csv"), "there is no file /nowhere.csv"),
        (("bias", "--loss", "hinge"), "loss must be one of zero-one, cross-entropy, got 'hinge'"),
    ],
)
def test_what_the_command_cannot_do_is_said(
    arguments: tuple[str, ...], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = command(*arguments, "--quick", "--seeds", 1, "--jobs", 1, "--out", tmp_path / "out")
    assert done.returncode == 1
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
