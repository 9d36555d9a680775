"""App. D.4: how the labels that Celeus needs depend on beta, the split of alpha, theta, c and the scaling."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.graph_objects as go

from celeus_label.compare.figures import colour, rows_of
from celeus_label.compare.runner import Job, Rows
from celeus_label.compare.studies.base import Report, Settings, Study, key, seeds_key, to_width

# Option of the design -> its values; the paper's own is in each list.
SWEEPS: dict[str, tuple[Any, ...]] = {
    "beta": (0.1, 0.2, 0.4, 0.6, 0.8, 1.0),
    "alpha_split": (0.1, 0.3, 0.5, 0.7, 0.9),
    "theta": (0.1, 0.3, 0.5, 0.7, 0.9),
    "c": (0.05, 0.25, 0.5, 1.0, 2.0),
    "bounds": ("global", "local"),
}


def _label(option: str, value: object) -> str:
    return f"{option}={value}"


def plan(settings: Settings) -> list[Job]:
    """A job for each pool, option, value and group of seeds."""
    return [
        Job(
            key(source.name, option, value, seeds_key(seeds)),
            to_width,
            (source, _label(option, value), "celeus", {option: value}, seeds),
        )
        for source in settings.sources
        for option, values in SWEEPS.items()
        for value in values
        for seeds in settings.chunks()
    ]


def report(found: dict[str, pd.DataFrame], settings: Settings) -> Report:
    """Median labels of each value, with the quartiles over seeds."""
    result = Report()
    rows: Rows = []
    for option, values in SWEEPS.items():
        layout = {"template": "simple_white", "xaxis_title": option, "yaxis_title": "Labels to width 0.05"}
        figure = go.Figure(layout={**layout, "xaxis_type": "category"})
        for place, source in enumerate(settings.sources):
            of_option: Rows = []
            for value in values:
                stops = rows_of(found["stops"], pool=source.name, system=_label(option, value))
                quartiles = stops["ratings"].quantile([0.25, 0.5, 0.75]).tolist()
                of_option.append(
                    {
                        "pool": source.name,
                        "option": option,
                        "value": value,
                        "median_labels": quartiles[1],
                        "lower_quartile": quartiles[0],
                        "upper_quartile": quartiles[2],
                        "miscoverage": 1 - stops["covered"].mean(),
                    }
                )
            medians = [row["median_labels"] for row in of_option]
            figure.add_scatter(
                x=[str(value) for value in values],
                y=medians,
                name=source.name,
                mode="lines+markers",
                line={"color": colour("", place)},
            )
            told = ", ".join(f"{value} {median:,.0f}" for value, median in zip(values, medians, strict=True))
            result.lines.append(f"{source.name}, {option}: {told}")
            rows += of_option
        result.figures[f"sensitivity_{option}"] = figure
    result.tables["sensitivity"] = pd.DataFrame(rows)
    return result


STUDY = Study(
    about="labels against beta, the split of alpha, theta, c and the scaling (App. D.4)",
    seeds=50,
    quick_seeds=3,
    plan=plan,
    report=report,
)
