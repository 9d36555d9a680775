"""One pool under every system, side by side: the data of the paper's Figure 1."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from celeus_label.certify import Certifier, Design, Pool
from celeus_label.certify.pool import Floats
from celeus_label.compare.cereval import cer_eval
from celeus_label.compare.hidden import HiddenPool
from celeus_label.compare.systems import NAMES, STATIC, SYSTEMS, design_of, not_valid, trials

if TYPE_CHECKING:  # every command of `celeus-label` loads this module, and hardly one needs pandas
    import pandas as pd

# Points of a line, at most.
_POINTS = 400
_TOLD_DRAWS = 100


@dataclass(frozen=True)
class Comparison:
    """What every system needed on the same items.

    Attributes
    ----------
    items : int
        N, the items whose value is known.
    mean : float
        Their mean, on the raters' scale.
    width : float
        The target, a fraction of the scale's range.
    table : DataFrame
        A row for each system: system, name, median_ratings, saving (to EValue, where that is compared), reached (share
        of runs that came to the width before the last item), covered (share of runs whose last interval contains the
        mean), note (why nothing may be certified with it; empty where it may).
    widths : DataFrame
        system, seed, ratings, width (a fraction of the scale's range).
    """

    items: int
    mean: float
    width: float
    table: pd.DataFrame
    widths: pd.DataFrame


def side_by_side(
    pool: Pool,
    values: ArrayLike,
    presets: Sequence[str] = SYSTEMS,
    *,
    width: float = 0.05,
    alpha: float = 0.05,
    weights: str | None = None,
    seeds: int = 5,
    progress: Callable[[float], None] | None = None,
) -> Comparison:
    """Rate a pool's items again from known values, under each system.

    Parameters
    ----------
    pool : Pool
    values : array_like of shape (N,)
        On the raters' scale; NaN where an item's value is not known. Such items are left out: the others are a pool of
        their own, whose mean is the target.
    presets : sequence of str
        Of `SYSTEMS`.
    width, alpha : float
        As in a design.
    weights : str, optional
        Feature that Celeus samples by; it samples uniformly where this is None. The oracle needs none.
    seeds : int
        Runs of each system.
    progress : callable, optional
        Called with the share of the runs that are done, 0 to 1; what it raises ends the work.

    Raises
    ------
    ValueError
        A system that is none, no known value at all, or a value off the scale; the row is named.
    """
    import pandas as pd

    unknown = [name for name in presets if name not in SYSTEMS]
    if unknown:
        raise ValueError(f"no system is called {unknown[0]!r}; there are {', '.join(SYSTEMS)}")
    known, hidden = _known(pool, np.asarray(values, dtype=np.float64), weights)
    stops, lines = [], []
    step = -(-known.size // _POINTS)
    for place, system in enumerate(presets):

        def tell(share: float, place: int = place) -> None:
            if progress is not None:
                progress((place + share) / len(presets))

        for seed, lower, upper, first in _runs(known, hidden, system, width, alpha, weights, seeds, tell):
            ratings = first + np.arange(len(lower))
            stops.append(
                {
                    "system": system,
                    "ratings": int(ratings[-1]),
                    "reached": bool(upper[-1] - lower[-1] <= width),
                    "covered": bool(lower[-1] <= hidden.mean <= upper[-1]),
                }
            )
            # the same numbers of ratings in every run, so that runs can be averaged, and each run's last
            keep = np.flatnonzero((ratings % step == 0) | (ratings == ratings[-1]))
            lines += [
                {
                    "system": system,
                    "seed": seed,
                    "ratings": int(ratings[at]),
                    "width": float(upper[at] - lower[at]),
                }
                for at in keep
            ]
    return Comparison(
        items=known.size,
        mean=pool.scale.from_unit(hidden.mean),
        width=width,
        table=_table(pd.DataFrame(stops), presets),
        widths=pd.DataFrame(lines),
    )


def embedding_of(pool: HiddenPool) -> Floats:
    """Where the items lie: the pool's embedding, or else what is known of them, each column scaled."""
    if pool.embedding is not None:
        return pool.embedding
    columns = [pool.surrogate, *([] if pool.weights is None else [pool.weights]), *pool.features.values()]
    matrix = np.array(columns).T
    spread = matrix.std(axis=0)
    scaled: Floats = (matrix - matrix.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return scaled


def _known(pool: Pool, values: Floats, weights: str | None) -> tuple[Pool, HiddenPool]:
    """The items whose value is known, as a pool of their own."""
    if values.shape != (pool.size,):
        raise ValueError(f"{values.shape} values for {pool.size} items")
    rows = np.flatnonzero(~np.isnan(values))
    if not len(rows):
        raise ValueError("no item's value is known, so there is nothing to compare with")
    for row in rows:
        # a mean of several ratings may lie between two points of the scale
        dataclasses.replace(pool.scale, step=None).check(float(values[row]), f"row {row + 1}: the value")
    features = {name: column[rows] for name, column in pool.features.items()}
    part = Pool(
        [pool.item_ids[row] for row in rows.tolist()],
        pool.judge[rows],
        dataclasses.replace(pool.scale, step=None),
        pool.judge_scale,
        features,
        {name: [groups[row] for row in rows] for name, groups in pool.groups.items()},
    )
    if weights is not None and weights not in features:
        raise ValueError(
            f"the pool has no feature {weights!r} to sample by; it has {', '.join(features) or 'none'}"
        )
    unit = np.array([pool.scale.to_unit(float(values[row])) for row in rows])
    return part, HiddenPool(
        "pool",
        np.clip(unit, 0.0, 1.0),  # off by rounding alone
        part.surrogate,
        None if weights is None else features[weights],
        features={name: np.nan_to_num(column, nan=_mean(column)) for name, column in features.items()},
    )


def _mean(column: Floats) -> float:
    return 0.0 if np.isnan(column).all() else float(np.nanmean(column))


def _runs(
    pool: Pool,
    hidden: HiddenPool,
    system: str,
    width: float,
    alpha: float,
    weights: str | None,
    seeds: int,
    tell: Callable[[float], None],
) -> list[tuple[int, Floats, Floats, int]]:
    """Seed, ends from the first round to the stop, and the number of ratings at the first of them."""
    tell(0.0)
    if system == "cer-eval":
        runs = []
        for seed in range(seeds):
            rng = np.random.default_rng(seed)
            found = cer_eval(hidden.values, embedding_of(hidden), width=width, alpha=alpha, rng=rng)
            runs.append((seed, found.lower, found.upper, int(found.ratings[0])))
            tell((seed + 1) / seeds)
        return runs
    design = design_of(system, width=width, alpha=alpha)
    if hidden.weights_of(system) is None:
        design = dataclasses.replace(design, weights=None)
    if system in STATIC:
        paths = trials([hidden] * seeds, system, design, range(seeds)).paths
        runs = []
        for seed in range(seeds):
            last = int(paths.stop[seed]) or hidden.size
            runs.append((seed, paths.lower[seed, :last], paths.upper[seed, :last], 1))
        return runs
    return [
        (seed, *_certify(pool, hidden, design, seed, lambda share, at=seed: tell((at + share) / seeds)), 1)  # type: ignore[misc]
        for seed in range(seeds)
    ]


def _certify(
    pool: Pool, hidden: HiddenPool, design: Design, seed: int, tell: Callable[[float], None]
) -> tuple[Floats, Floats]:
    certifier = Certifier(pool, dataclasses.replace(design, seed=seed))
    while not certifier.stopped:
        if certifier.draws % _TOLD_DRAWS == 0:
            tell(certifier.draws / pool.size)
        drawn = certifier.ask()
        certifier.tell(drawn, pool.scale.from_unit(float(hidden.values[drawn.position])))
    line = certifier.trajectory
    return line["lower"], line["upper"]


def _table(stops: pd.DataFrame, presets: Sequence[str]) -> pd.DataFrame:
    import pandas as pd

    medians = stops.groupby("system")["ratings"].median()
    shares = stops.groupby("system")[["reached", "covered"]].mean()
    return pd.DataFrame(
        [
            {
                "system": system,
                "name": NAMES[system],
                "median_ratings": float(medians[system]),
                "saving": 1 - medians[system] / medians["evalue"] if "evalue" in presets else np.nan,
                "reached": float(shares["reached"][system]),
                "covered": float(shares["covered"][system]),
                "note": not_valid(system, "pool"),
            }
            for system in presets
        ]
    )
