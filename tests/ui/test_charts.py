from __future__ import annotations

import numpy as np

from celeus_label.ui.charts import (
    calibration_figure,
    interval_figure,
    plan_figure,
    slices_figure,
    width_figure,
)


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


def test_the_forecast_leads_from_the_present_width_to_the_target() -> None:
    figure = width_figure([1, 2, 3], [3.0, 2.0, 1.0], 0.2, coming=(10, 20, 40), without_judge=90)
    traces = {trace.name: trace for trace in figure.data}
    assert list(traces["Forecast"].x) == [3, 23]
    assert list(traces["Forecast, 80 %"].x) == [3, 43, 13, 3]
    assert list(traces["Forecast, 80 %"].y) == [1.0, 0.2, 0.2, 1.0]
    assert list(traces["Without the judge"].x) == [90]
    assert len(width_figure([1], [0.1], 0.2, coming=(0, 0, 0)).data) == 1  # nothing is to come


def test_a_plan_marks_the_widths_out_of_reach() -> None:
    figure = plan_figure([0.1, 0.2, 0.4], [np.nan, 300, 90], (0.2, 300), 0.15)
    assert figure.layout.shapes[0].x1 == 0.15
    assert figure.data[1].y == (300,)
    assert not plan_figure([0.1], [300], (0.1, 300), 0.0).layout.shapes


def test_names_of_groups_are_no_tags_in_a_figure() -> None:
    hostile = '<a href="javascript:x">&lt;b</a>'
    figure = slices_figure([hostile, "b"], [1, 1], [5, 2], [3, 1.5], [False, True], (1, 5))
    assert "<" not in figure.to_json().replace("\\u003c", "<")
    assert [trace.name for trace in figure.data] == ["Slice", "Too few"]
    assert list(figure.data[0].error_x.array) == [0.5]


def test_calibration_bars_span_the_intervals() -> None:
    figure = calibration_figure([2, 4], [1, 3], [3, 5], [2.5, 3.5], (1, 5))
    assert list(figure.data[1].error_y.array) == [0.5, 1.5]
    assert list(figure.data[1].error_y.arrayminus) == [1.5, 0.5]


def test_another_session_stands_beside_in_its_own_length() -> None:
    figure = interval_figure([1, 2], [1, 2], [5, 4], [3, 3], (1, 5), 0.2, ([1, 2, 3], [1, 1, 2], [5, 5, 4]))
    assert [len(trace.x) for trace in figure.data if trace.name == "Other session"] == [3, 3]


def test_another_sessions_width_stands_beside_and_its_zeros_are_no_points_of_a_logarithm() -> None:
    figure = width_figure([1, 2], [4, 2], 0.2, beside=([1, 2, 3], [4, 1, 0]))
    other = next(trace for trace in figure.data if trace.name == "Other session")
    assert list(other.y[:2]) == [4, 1]
    assert np.isnan(other.y[2])
