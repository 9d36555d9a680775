"""The pools of the benchmarks, read by the project's own reader."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from celeus_label.certify import Pool, Scale
from celeus_label.compare.hidden import WEIGHTS
from celeus_label.compare.sources import Source
from celeus_label.ingest import Loaded, bundled, guess_mapping, load, read_table

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Measured:
    """A pool with its hidden values and their mean on [0, 1], what to reach, and the judge's own spread, if any."""

    name: str
    pool: Pool
    values: NDArray[np.float64]
    truth: float
    width: float = 0.05
    target: str = "pool"
    spread: str | None = None

    @property
    def ratings(self) -> NDArray[np.float64]:
        """The hidden values on the raters' scale."""
        return np.array([self.pool.scale.from_unit(value) for value in self.values])


def measured(folder: Path | None) -> list[str]:
    """Names of the pools that are there."""
    described = _described()
    return [
        name
        for name, about in described.items()
        if "file" not in about or (folder is not None and (folder / about["file"]).is_file())
    ]


def read(name: str, folder: Path | None) -> Measured:
    """Read a pool by its name in pools.toml, or make it."""
    about = _described()[name]
    if "regime" in about:
        return _population(name, about["regime"])
    if "human_spread" in about:
        return _narrow(name, about)
    loaded = bundled() if name == "bundled" else _from_file(about, folder)
    assert loaded.human is not None
    scale = loaded.pool.scale
    values = (loaded.human - scale.lower) / scale.range
    return Measured(
        name,
        loaded.pool,
        values,
        math.fsum(values) / len(values),
        about.get("width", 0.05),
        spread=about.get("spread"),
    )


def _from_file(about: dict[str, Any], folder: Path | None) -> Loaded:
    assert folder is not None
    table = read_table(folder / about["file"])
    guess = guess_mapping(table)
    mapping = replace(
        guess,
        judge="judge_score",
        features=tuple(column for column in guess.features if column != "judge_score"),
        human="human_score",
    )
    judge_scale = Scale(*about["judge_scale"]) if "judge_scale" in about else None
    return load(table, mapping, Scale(*about["scale"]), judge_scale)


def _population(name: str, regime: str) -> Measured:
    """One of the synthetic pools of docs/paper.md, with the population's mean as the target."""
    known = Source(regime).load()
    truth = known.mean if known.risk is None else known.risk
    return Measured(name, known.pool(), known.values, truth, target="population", spread=WEIGHTS)


def _narrow(name: str, about: dict[str, Any]) -> Measured:
    """Human scores that hardly differ, and a judge that is off by much."""
    rng, size = np.random.default_rng(0), about["items"]
    values = np.clip(rng.normal(about["mean"], about["human_spread"], size), 0, 1)
    judge = np.clip(values + about["bias"] + rng.normal(0, about["noise"], size), 0, 1)
    pool = Pool([f"item-{row}" for row in range(1, size + 1)], judge, Scale(0, 1))
    return Measured(name, pool, values, math.fsum(values) / size)


def without_judge(pool: Pool) -> Pool:
    """The same items with nothing known of them."""
    middle = (pool.judge_scale.lower + pool.judge_scale.upper) / 2
    return Pool(pool.item_ids, np.full(pool.size, middle), pool.scale, pool.judge_scale)


def _described() -> dict[str, dict[str, Any]]:
    return tomllib.loads((HERE / "pools.toml").read_text("utf-8"))
