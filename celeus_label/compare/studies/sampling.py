"""App. G, Figures 4 and 5: the strategies of both losses, and the oracle of both."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from celeus_label.compare.figures import bands, rows_of
from celeus_label.compare.losses import LOSSES, STRATEGIES
from celeus_label.compare.runner import Job, Rows
from celeus_label.compare.studies.base import EPSILON, Report, Settings, Study, key, seeds_key, to_width


def _label(loss: str, strategy: str) -> str:
    return f"{loss} {strategy}"


def plan(settings: Settings) -> list[Job]:
    """A job for each pool, loss, strategy and group of seeds."""
    return [
        Job(
            key(source.name, loss, strategy, seeds_key(seeds)),
            to_width,
            (replace(source, loss=loss, strategy=strategy), _label(loss, strategy), "celeus", {}, seeds),
        )
        for source in settings.sources
        for loss in LOSSES
        for strategy in STRATEGIES
        for seeds in settings.chunks()
    ]


def report(found: dict[str, pd.DataFrame], settings: Settings) -> Report:
    """Median labels of each strategy, and a figure for each pool and loss."""
    result = Report()
    rows: Rows = []
    for source in settings.sources:
        stops, widths = (rows_of(found[name], pool=source.name) for name in ("stops", "widths"))
        for loss in LOSSES:
            known = replace(source, loss=loss).load()
            medians = {
                strategy: float(rows_of(stops, system=_label(loss, strategy))["ratings"].median())
                for strategy in STRATEGIES
            }
            rows += [
                {
                    "pool": source.name,
                    "loss": loss,
                    "strategy": strategy,
                    "median_labels": medians[strategy],
                    "upper_end": known.upper,
                    "clipped": known.clipped,
                    "miscoverage": 1 - rows_of(stops, system=_label(loss, strategy))["covered"].mean(),
                }
                for strategy in STRATEGIES
            ]
            told = ", ".join(f"{strategy} {median:,.0f}" for strategy, median in medians.items())
            result.lines.append(
                f"{source.name}, {loss}: median labels: {told}; {known.clipped:,} items clipped"
            )
            result.figures[f"appendix_g_{source.name}_{loss.replace('-', '_')}"] = bands(
                {strategy: rows_of(widths, system=_label(loss, strategy)) for strategy in STRATEGIES},
                x="ratings",
                y="width",
                x_title="Evaluated samples",
                y_title="Width of the interval, share of the scale",
                title=f"{source.name}, {loss} loss",
                target=EPSILON,
                log_x=True,
                log_y=True,
                marks=medians,
            )
    result.tables["appendix_g"] = pd.DataFrame(rows)
    return result


STUDY = Study(
    about="strategies A, B, C and the oracle for the 0-1 loss and the cross-entropy (App. G)",
    seeds=50,
    quick_seeds=5,
    plan=plan,
    report=report,
)
