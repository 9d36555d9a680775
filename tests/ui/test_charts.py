from __future__ import annotations

import numpy as np

from celeus_label.ui.charts import MOST_POINTS, interval_figure, thin, width_figure


def test_thinning_keeps_both_ends_and_the_order() -> None:
    x = np.arange(50_000.0)
    (kept,) = thin(x)
    assert len(kept) <= MOST_POINTS
    assert (kept[0], kept[-1]) == (0, 49_999)
    assert (np.diff(kept) > 0).all()


def test_a_session_without_ratings_has_an_empty_figure() -> None:
    figure = interval_figure([], [], [], [], (1, 5), 0.2)
    assert all(len(trace.x) == 0 for trace in figure.data)
    assert figure.layout.meta["ratings"] == 0
    width_figure([], [], 0.2).to_json()


def test_the_target_band_is_as_wide_as_the_target_around_the_estimate() -> None:
    figure = interval_figure([1, 2], [1, 2], [5, 4], [3, 3.5], (1, 5), 0.2)
    band = figure.layout.shapes[0]
    assert (band.y0, band.y1) == (3.4, 3.6)
    assert tuple(figure.layout.yaxis.range) == (1, 5)


def test_a_width_of_zero_leaves_a_gap_on_the_logarithmic_axis() -> None:
    figure = width_figure([1, 2], [1.0, 0.0], 0.2)
    trace = figure.data[0]
    assert trace.y[0] == 1.0
    assert np.isnan(trace.y[1])


def test_a_new_figure_leaves_the_viewers_zoom_alone() -> None:
    first, second = (
        interval_figure([1], [1], [5], [3], (1, 5), 0.2),
        interval_figure([1, 2], [1, 2], [5, 4], [3, 3], (1, 5), 0.2),
    )
    assert first.layout.uirevision == second.layout.uirevision is not None
