"""Figures of a session, from plain arrays."""

from __future__ import annotations

import math
from html import escape

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

# The page's theme fills these in (livechart/chart.js).
BLUE = "var(--st-primary-color)"
GREEN = "var(--st-green-color)"
INK = "var(--st-text-color)"
GREY = "var(--st-gray-color)"
RED_AREA = "rgba(200, 60, 50, 0.14)"
BLUE_AREA = "rgba(74, 128, 235, 0.14)"  # seen on light and dark ground alike
GREEN_AREA = "rgba(46, 160, 95, 0.24)"


def interval_figure(
    ratings: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    estimate: ArrayLike,
    scale: tuple[float, float],
    width: float,
    beside: tuple[ArrayLike, ArrayLike, ArrayLike] | None = None,
    quantity: str = "mean rating",
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
    beside : (ratings, lower, upper), optional
        Of another session on the same scale.
    quantity : str
        What the interval is about.
    """
    x, low, high, mid = (np.asarray(one, dtype=float) for one in (ratings, lower, upper, estimate))
    figure = go.Figure(layout=_layout("Ratings", _first_large(quantity), len(np.asarray(ratings))))
    figure.update_yaxes(range=[min(scale), max(scale)])
    if len(x):
        band = (float(mid[-1]) - width / 2, float(mid[-1]) + width / 2)
        figure.add_hrect(*band, fillcolor=GREEN_AREA, line_width=0, layer="below")
    if beside is not None:
        grey = {"mode": "lines", "line": {"color": GREY, "width": 1.5, "shape": "hv"}}
        figure.add_scatter(x=np.asarray(beside[0]), y=np.asarray(beside[2]), name="Other session", **grey)
        figure.add_scatter(x=np.asarray(beside[0]), y=np.asarray(beside[1]), name="Other session", **grey)
    ends = {"mode": "lines", "line": {"color": BLUE, "width": 2, "shape": "hv"}}
    figure.add_scatter(x=x, y=high, name="Upper end", **ends)
    figure.add_scatter(x=x, y=low, name="Lower end", fill="tonexty", fillcolor=BLUE_AREA, **ends)
    figure.add_scatter(
        x=x, y=mid, name="Estimate", mode="lines", line={"color": INK, "width": 2, "dash": "dot"}
    )
    return figure


def width_figure(
    ratings: ArrayLike,
    width: ArrayLike,
    target: float,
    coming: tuple[float, float, float] | None = None,
    without_judge: float | None = None,
    beside: tuple[ArrayLike, ArrayLike] | None = None,
) -> go.Figure:
    """The interval's width against the number of ratings on a logarithmic scale, with the target.

    Parameters
    ----------
    ratings, width : array-like of equal length
        The width on the raters' scale.
    target : float
        On the same scale.
    coming : (float, float, float), optional
        Further ratings until the target: the 10 % point, the expected number, the 90 % point.
    without_judge : float, optional
        Ratings that the target would take without the judge.
    beside : (ratings, width), optional
        Of another session on the same scale.
    """
    x, wide = np.asarray(ratings, dtype=float), np.asarray(width, dtype=float)
    figure = go.Figure(layout=_layout("Ratings", "Width", len(x)))
    known = wide[wide > 0]
    if len(known):
        figure.update_yaxes(**log_ticks(min(float(known.min()), target), float(known.max())))
    figure.update_yaxes(type="log")
    figure.add_hline(y=target, line={"color": GREEN, "width": 2, "dash": "dash"})
    if coming is not None and len(x) and wide[-1] > target:
        low, middle, high = (float(x[-1]) + one for one in coming)
        start, now = float(x[-1]), float(wide[-1])
        figure.add_scatter(
            x=[start, high, low, start],
            y=[now, target, target, now],
            name="Forecast, 80 %",
            mode="lines",
            line={"width": 0},
            fill="toself",
            fillcolor=GREEN_AREA,
            hoverinfo="skip",
        )
        figure.add_scatter(
            x=[start, middle],
            y=[now, target],
            name="Forecast",
            mode="lines",
            line={"color": GREEN, "width": 2, "dash": "dot"},
        )
    if beside is not None:
        other = np.asarray(beside[1], dtype=float)
        figure.add_scatter(
            x=np.asarray(beside[0]),
            y=np.where(other > 0, other, np.nan),
            name="Other session",
            mode="lines",
            line={"color": GREY, "width": 1.5, "shape": "hv"},
        )
    if without_judge is not None:
        figure.add_scatter(
            x=[without_judge],
            y=[target],
            name="Without the judge",
            mode="markers",
            marker={"color": INK, "symbol": "x", "size": 11},
        )
    figure.add_scatter(
        x=x,
        y=np.where(wide > 0, wide, np.nan),
        name="Width",
        mode="lines",
        line={"color": BLUE, "width": 2, "shape": "hv"},
    )
    return figure


def plan_figure(
    widths: ArrayLike, ratings: ArrayLike, wanted: tuple[float, float], smallest: float
) -> go.Figure:
    """Expected ratings against width, both on logarithmic scales.

    Parameters
    ----------
    widths, ratings : array-like of equal length
        The width on the raters' scale; ratings NaN where it is out of reach.
    wanted : (float, float)
        The design's own width and its ratings.
    smallest : float
        The smallest width within reach, 0 where any is.
    """
    x, y = np.asarray(widths, dtype=float), np.asarray(ratings, dtype=float)
    figure = go.Figure(layout=_layout("Width of the interval, points", "Expected ratings", 0))
    figure.update_layout(hovermode="closest")
    figure.update_xaxes(type="log", rangemode="normal", **log_ticks(float(x.min()), float(x.max())))
    figure.update_yaxes(type="log")
    known = y[y > 0]
    if len(known):
        figure.update_yaxes(**log_ticks(float(known.min()), float(known.max())))
    if smallest > 0:
        figure.add_vrect(x0=smallest / 100, x1=smallest, fillcolor=RED_AREA, line_width=0, layer="below")
        figure.update_xaxes(range=[np.log10(min(smallest, x.min()) * 0.8), np.log10(x.max())])
    figure.add_scatter(x=x, y=y, name="Expected ratings", mode="lines", line={"color": BLUE, "width": 2})
    figure.add_scatter(
        x=[wanted[0]], y=[wanted[1]], name="This design", mode="markers", marker={"color": GREEN, "size": 12}
    )
    return figure


def calibration_figure(
    judge: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    mean: ArrayLike,
    scale: tuple[float, float],
    quantity: str = "mean rating",
    judged: str = "judge's score",
) -> go.Figure:
    """Mean rating against the judge's mean score in each bin, with intervals, beside the line of a true judge.

    Parameters
    ----------
    judge, lower, upper, mean : array-like of equal length
        On the raters' scale.
    scale : pair of float
    quantity, judged : str
        What the raters' mean and the judge's are.
    """
    x, low, high, mid = (np.asarray(one, dtype=float) for one in (judge, lower, upper, mean))
    quantity = _first_large(quantity)
    figure = go.Figure(layout=_layout(_first_large(judged), quantity, 0))
    figure.update_layout(hovermode="closest")
    ends = [min(scale), max(scale)]
    margin = (ends[1] - ends[0]) / 40
    figure.update_yaxes(range=[ends[0] - margin, ends[1] + margin])
    figure.update_xaxes(rangemode="normal", range=[ends[0] - margin, ends[1] + margin])
    figure.add_scatter(
        x=ends,
        y=ends,
        name="A judge that is right on average",
        mode="lines",
        line={"color": GREEN, "dash": "dash"},
    )
    figure.add_scatter(
        x=x,
        y=mid,
        name=quantity,
        mode="markers",
        marker={"color": BLUE, "size": 9},
        error_y={
            "type": "data",
            "symmetric": False,
            "array": high - mid,
            "arrayminus": mid - low,
            "color": BLUE,
        },
    )
    return figure


def slices_figure(
    names: list[str],
    lower: ArrayLike,
    upper: ArrayLike,
    estimate: ArrayLike,
    enough: list[bool],
    scale: tuple[float, float],
    quantity: str = "mean rating",
) -> go.Figure:
    """An interval for each group, the groups from top to bottom; those with too few ratings in grey.

    Parameters
    ----------
    names : list of str
        Other people's words: nothing in them is read as a tag.
    lower, upper, estimate : array-like of equal length
        On the raters' scale.
    enough : list of bool
    scale : pair of float
    quantity : str
        What the intervals are about.
    """
    low, high, mid = (np.asarray(one, dtype=float) for one in (lower, upper, estimate))
    figure = go.Figure(layout=_layout(_first_large(quantity), "", 0))
    places = list(range(len(names)))
    shown = [escape(name if len(name) <= 24 else name[:23] + "…", quote=False) for name in names]
    figure.update_layout(hovermode="closest", margin={"l": 190, "r": 12, "t": 8, "b": 44})
    figure.update_yaxes(tickvals=places, ticktext=shown, autorange="reversed", zeroline=False)
    figure.update_xaxes(range=[min(scale), max(scale)], rangemode="normal")
    for wanted, colour, name in ((True, BLUE, "Slice"), (False, GREY, "Too few")):
        at = [k for k in places if enough[k] is wanted]
        if at:
            figure.add_scatter(
                x=mid[at],
                y=at,
                name=name,
                mode="markers",
                marker={"color": colour, "size": 9},
                error_x={
                    "type": "data",
                    "symmetric": False,
                    "array": high[at] - mid[at],
                    "arrayminus": mid[at] - low[at],
                    "color": colour,
                },
            )
    return figure


def log_ticks(low: float, high: float) -> dict[str, list[float] | list[str]]:
    """Ticks at 1, 2 and 5 times the powers of 10, each with its number written out.

    >>> log_ticks(0.2, 4)["ticktext"]
    ['0.1', '0.2', '0.5', '1', '2', '5', '10']
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [float(f"{digit}e{power}") for power in powers for digit in (1, 2, 5)]
    ticks = [one for one in ticks if one <= 10 ** math.ceil(math.log10(high))]
    return {"tickvals": ticks, "ticktext": [f"{one:,.10g}" for one in ticks]}


def _first_large(words: str) -> str:
    return words[:1].upper() + words[1:]


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
