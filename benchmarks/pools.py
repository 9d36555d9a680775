"""The pools of the benchmarks, read by the project's own reader."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from celeus_label.certify import Pool, Scale
from celeus_label.ingest import guess_mapping, load, read_table

HERE = Path(__file__).resolve().parent
BUNDLED = HERE.parent / "data"


@dataclass(frozen=True)
class Measured:
    """A pool with its hidden values on [0, 1], the width to reach, and the judge's own spread, if it has one."""

    name: str
    pool: Pool
    values: NDArray[np.float64]
    width: float
    spread: str | None

    @property
    def ratings(self) -> NDArray[np.float64]:
        """The hidden values on the raters' scale."""
        return np.array([self.pool.scale.from_unit(value) for value in self.values])


def measured(folder: Path | None) -> list[str]:
    """Names of the pools that are there."""
    described = _described()
    return [name for name, about in described.items() if _file(about, folder).is_file()]


def read(name: str, folder: Path | None) -> Measured:
    """Read a pool by its name in pools.toml."""
    about = _described()[name]
    path = _file(about, folder)
    table = read_table(path)
    guess = guess_mapping(table)
    human = None if "human_file" in about else "human_score"
    mapping = replace(
        guess,
        judge="judge_score",
        features=tuple(column for column in guess.features if column != "judge_score"),
        human=human,
    )
    judge_scale = Scale(*about["judge_scale"]) if "judge_scale" in about else None
    loaded = load(table, mapping, Scale(*about["scale"]), judge_scale)
    if human is None:
        scores = pd.read_csv(path.with_name(about["human_file"])).set_index("item_id")["human_score"]
        raw = scores.loc[list(loaded.pool.item_ids)].to_numpy(float)
    else:
        assert loaded.human is not None
        raw = loaded.human
    scale = loaded.pool.scale
    return Measured(
        name, loaded.pool, (raw - scale.lower) / scale.range, about.get("width", 0.05), about.get("spread")
    )


def without_judge(pool: Pool) -> Pool:
    """The same items with nothing known of them."""
    middle = (pool.judge_scale.lower + pool.judge_scale.upper) / 2
    return Pool(pool.item_ids, np.full(pool.size, middle), pool.scale, pool.judge_scale)


def _described() -> dict[str, dict[str, Any]]:
    return tomllib.loads((HERE / "pools.toml").read_text("utf-8"))


def _file(about: dict[str, Any], folder: Path | None) -> Path:
    return (BUNDLED if "human_file" in about else folder or BUNDLED) / about["file"]
