"""Figures of a session, from plain arrays."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

MOST_POINTS = 1500  # as many as a screen has columns

# The page's theme fills these in (livechart/chart.js).
BLUE = "var(--st-primary-color)"
GREEN = "var(--st-green-color)"
INK = "var(--st-text-color)"
BLUE_AREA = "rgba(74, 128, 235, 0.14)"  # seen on light and dark ground alike
GREEN_AREA = "rgba(46, 160, 95, 0.24)"


def thin(*series: ArrayLike, most: int = MOST_POINTS) -> list[NDArray[np.float64]]:
    """Leave out points evenly, the first and the last never.

    Nothing is hidden by it: the ends of a running interval only move inwards.

    Examples
    --------
    >>> [a.tolist() for a in thin([0, 1, 2, 3, 4], [5, 6, 7, 8, 9], most=3)]
    [[0.0, 2.0, 4.0], [5.0, 7.0, 9.0]]
    """
    arrays = [np.asarray(one, dtype=float) for one in series]
    size = len(arrays[0])
    if size <= most:
        return arrays
    keep = np.unique(np.linspace(0, size - 1, most).round().astype(int))
    return [one[keep] for one in arrays]


def interval_figure(
    ratings: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    estimate: ArrayLike,
    scale: tuple[float, float],
    width: float,
) -> go.Figure:
    """The interval and the estimate against the number of ratings, with the band of the target's width.

    Parameters
    ----------
    ratings, lower, upper, estimate : array-like of equal length
        The last three on the raters' scale.
    scale : pair of float
        Its two ends.
    width : float
        The target, on the raters' scale.
    """
    x, low, high, mid = thin(ratings, lower, upper, estimate)
    figure = go.Figure(layout=_layout("Ratings", "Mean rating", len(np.asarray(ratings))))
    figure.update_yaxes(range=[min(scale), max(scale)])
    if len(x):
        band = (float(mid[-1]) - width / 2, float(mid[-1]) + width / 2)
        figure.add_hrect(*band, fillcolor=GREEN_AREA, line_width=0, layer="below")
    ends = {"mode": "lines", "line": {"color": BLUE, "width": 2, "shape": "hv"}}
    figure.add_scatter(x=x, y=high, name="Upper end", **ends)
    figure.add_scatter(x=x, y=low, name="Lower end", fill="tonexty", fillcolor=BLUE_AREA, **ends)
    figure.add_scatter(
        x=x, y=mid, name="Estimate", mode="lines", line={"color": INK, "width": 2, "dash": "dot"}
    )
    return figure


def width_figure(ratings: ArrayLike, width: ArrayLike, target: float) -> go.Figure:
    """The interval's width against the number of ratings on a logarithmic scale, with the target.

    Parameters
    ----------
    ratings, width : array-like of equal length
        The width on the raters' scale.
    target : float
        On the same scale.
    """
    x, wide = thin(ratings, width)
    figure = go.Figure(layout=_layout("Ratings", "Width", len(np.asarray(ratings))))
    figure.update_yaxes(type="log")
    figure.add_hline(y=target, line={"color": GREEN, "width": 2, "dash": "dash"})
    figure.add_scatter(
        x=x,
        y=np.where(wide > 0, wide, np.nan),
        name="Width",
        mode="lines",
        line={"color": BLUE, "width": 2, "shape": "hv"},
    )
    return figure


def _layout(x: str, y: str, ratings: int) -> go.Layout:
    return go.Layout(
        template="none",
        margin={"l": 56, "r": 12, "t": 8, "b": 44},
        xaxis={"title": x, "rangemode": "tozero"},
        yaxis={"title": y},
        showlegend=False,
        hovermode="x unified",
        uirevision="kept",  # with this, a new figure leaves the viewer's zoom alone
        meta={"ratings": ratings},
    )
