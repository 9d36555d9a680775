"""The interval against the number of items rated, as an SVG drawing that needs no library to be seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from celeus_label.certify import Scale

_WIDTH, _HEIGHT = 640, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 12, 12, 36
_MOST_POINTS = 400


def figure(
    lower: Sequence[float], upper: Sequence[float], estimate: Sequence[float], scale: Scale, target: float
) -> str:
    """Draw the interval, the estimate, and around its last value the target width.

    Parameters
    ----------
    lower, upper, estimate : sequences of float
        On the raters' scale, after each round; not empty.
    scale : Scale
    target : float
        Target width on the raters' scale.

    Returns
    -------
    str
        An ``<svg>`` element.
    """
    count = len(lower)
    step = max(1, -(-count // _MOST_POINTS))
    kept = [*range(0, count - 1, step), count - 1]

    def x(t: int) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (t / (count - 1) if count > 1 else 0.5)

    def y(value: float) -> float:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - scale.to_unit(value))

    def points(values: Sequence[float], order: Sequence[int]) -> str:
        return " ".join(f"{x(t):.1f},{y(values[t]):.1f}" for t in order)

    middle = estimate[-1]
    band_top = y(min(middle + target / 2, scale.upper))
    band_height = y(max(middle - target / 2, scale.lower)) - band_top
    inner = _WIDTH - _LEFT - _RIGHT
    parts = [
        *(_level(scale.lower + quarter * scale.range / 4, y) for quarter in range(5)),
        f'<rect x="{_LEFT}" y="{band_top:.1f}" width="{inner}" height="{band_height:.1f}" fill="#c9e4d4"/>',
        f'<polygon points="{points(lower, kept)} {points(upper, kept[::-1])}" fill="#4a7ab840"/>',
        f'<polyline points="{points(lower, kept)}" fill="none" stroke="#2b568c"/>',
        f'<polyline points="{points(upper, kept)}" fill="none" stroke="#2b568c"/>',
        f'<polyline points="{points(estimate, kept)}" fill="none" stroke="#111" stroke-dasharray="4 3"/>',
        *(_round(t, x) for t in sorted({0, (count - 1) // 2, count - 1})),
        f'<text x="{_LEFT + inner / 2:.0f}" y="{_HEIGHT - 4}" text-anchor="middle">items rated</text>',
    ]
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" xmlns="http://www.w3.org/2000/svg" font-size="11" '
        f'font-family="sans-serif"><title>Interval (blue), estimate (dashed), target width (green) against '
        f"the items rated</title>{''.join(parts)}</svg>"
    )


def _level(value: float, y: Callable[[float], float]) -> str:
    return (
        f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#ddd"/>'
        f'<text x="{_LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:.4g}</text>'
    )


def _round(t: int, x: Callable[[int], float]) -> str:
    return f'<text x="{x(t):.1f}" y="{_HEIGHT - _BOTTOM + 16}" text-anchor="middle">{t + 1:,}</text>'
