"""Table 2 and Figure 1: labels to width 0.05, and the width on the way there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from celeus_label.compare.figures import bands, rows_of
from celeus_label.compare.runner import Job
from celeus_label.compare.studies.base import EPSILON, Report, Settings, Study, key, seeds_key, to_width
from celeus_label.compare.systems import NAMES

# Name in the tables -> the system and what differs from the paper's design of it. The paper draws uniformly for
# "w/o surrogate" in its main text and by the weights in its App. D.3; both are here. EValue's raw ratings cover the
# population's mean themselves, so that the paper's widening by Delta_N is not needed for it: the last row is without.
SYSTEMS: dict[str, tuple[str, dict[str, Any]]] = {
    "evalue": ("evalue", {}),
    "celeus-no-surrogate": ("celeus-no-surrogate", {}),
    "celeus-no-surrogate-guided": ("celeus", {"surrogate": "none"}),
    "celeus": ("celeus", {}),
    "oracle": ("oracle", {}),
    "target-aware": ("target-aware", {}),
    "evalue-unwidened": ("evalue", {"target": "pool"}),
}


def plan(settings: Settings) -> list[Job]:
    """A job for each pool, system and group of seeds."""
    return [
        Job(key(source.name, label, seeds_key(seeds)), to_width, (source, label, system, options, seeds))
        for source in settings.sources
        for label, (system, options) in SYSTEMS.items()
        for seeds in settings.chunks()
    ]


def report(found: dict[str, pd.DataFrame], settings: Settings) -> Report:
    """Median labels, savings, the part of the gap that is closed, and Figure 1 for each pool."""
    result = Report()
    rows = []
    for source in settings.sources:
        stops, widths = (rows_of(found[name], pool=source.name) for name in ("stops", "widths"))
        size = source.load().size
        medians = stops.groupby("system")["ratings"].median()
        budget = float(medians["oracle"])
        at_budget = {name: _width_at(rows_of(widths, system=name), budget) for name in SYSTEMS}
        gap = at_budget["evalue"] - at_budget["oracle"]
        for name in SYSTEMS:
            of_system = rows_of(stops, system=name)
            rows.append(
                {
                    "pool": source.name,
                    "system": name,
                    "seeds": len(of_system),
                    "median_labels": medians[name],
                    "share_of_pool": medians[name] / size,
                    "saving_to_evalue": 1 - medians[name] / medians["evalue"],
                    "width_at_oracle_budget": at_budget[name],
                    "gap_closed": (at_budget["evalue"] - at_budget[name]) / gap,
                    "miscoverage": 1 - of_system["covered"].mean(),
                }
            )
        result.figures[f"figure1_{source.name}"] = bands(
            {name: rows_of(widths, system=name) for name in SYSTEMS if name != "evalue-unwidened"},
            x="ratings",
            y="width",
            x_title="Evaluated samples",
            y_title="Width of the interval",
            title=f"{source.name}, {size:,} items",
            target=EPSILON,
            log_x=True,
            log_y=True,
            marks={name: float(medians[name]) for name in SYSTEMS},
        )
        told = ", ".join(f"{NAMES.get(name, name)} {medians[name]:,.0f}" for name in SYSTEMS)
        result.lines.append(f"{source.name}: median labels to width {EPSILON:g}: {told}")
    result.tables["table2"] = pd.DataFrame(rows)
    return result


def _width_at(widths: pd.DataFrame, budget: float) -> float:
    """Mean width over seeds at a number of ratings; a trial that stopped before has its last width."""
    at = [
        float(np.interp(np.log(budget), np.log(line["ratings"]), line["width"]))
        for _, line in widths.groupby("seed")
    ]
    return float(np.mean(at))


STUDY = Study(
    about="labels to width 0.05 by system, and width against labels (Table 2, Figure 1)",
    seeds=50,
    quick_seeds=5,
    plan=plan,
    report=report,
)
