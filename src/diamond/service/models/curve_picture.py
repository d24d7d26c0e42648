"""The curves of a run as a picture for its card: one small chart per metric. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

Points = Sequence[Sequence[float]]
"""Steps and values."""
MOST_CHARTS = 8
WIDTH, HEIGHT, COLUMNS, GAP = 340, 150, 2, 20
LEFT, TOP, BOTTOM = 8, 26, 18
LINE, QUIET = "#1c7ed6", "#868e96"
"""Both can be read on white and on black."""


def draw_curves(curves: Mapping[str, Points]) -> str:
    """SVG; '' without curves."""
    shown = [(name, points) for name, points in sorted(curves.items()) if points][:MOST_CHARTS]
    if not shown:
        return ""
    rows = -(-len(shown) // COLUMNS)
    columns = min(len(shown), COLUMNS)
    width = columns * WIDTH + (columns - 1) * GAP
    charts = [
        _chart(name, points, (n % COLUMNS) * (WIDTH + GAP), (n // COLUMNS) * (HEIGHT + GAP))
        for n, (name, points) in enumerate(shown)
    ]
    height = rows * HEIGHT + (rows - 1) * GAP
    names = ", ".join(name for name, _ in shown)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="system-ui, sans-serif" font-size="12" '
        f'role="img"><title>Curves of {escape(names)}</title>{"".join(charts)}</svg>\n'
    )


def _chart(name: str, points: Points, x: int, y: int) -> str:
    steps = [point[0] for point in points]
    values = [point[1] for point in points]
    line = " ".join(
        f"{_scaled(step, steps, LEFT, WIDTH - LEFT)},{_scaled(value, values, HEIGHT - BOTTOM, TOP)}"
        for step, value in zip(steps, values, strict=True)
    )
    last = f"{values[-1]:.4g}"
    floor = HEIGHT - BOTTOM
    shape = (
        f'<polyline points="{line}" fill="none" stroke="{LINE}" stroke-width="2" '
        'stroke-linejoin="round"/>'
        if len(points) > 1
        else f'<circle cx="{WIDTH / 2:g}" cy="{(floor + TOP) / 2:g}" r="3" fill="{LINE}"/>'
    )
    return (
        f'<g transform="translate({x},{y})">'
        f'<text x="{LEFT}" y="14" fill="{QUIET}">{escape(name[:40])}</text>'
        f'<text x="{WIDTH - LEFT}" y="14" fill="{LINE}" text-anchor="end">{last}</text>'
        f'<path d="M{LEFT} {floor}H{WIDTH - LEFT}" stroke="{QUIET}" stroke-opacity="0.4"/>'
        f"{shape}"
        f'<text x="{LEFT}" y="{HEIGHT - 4}" fill="{QUIET}" font-size="10">{steps[0]:g}</text>'
        f'<text x="{WIDTH - LEFT}" y="{HEIGHT - 4}" fill="{QUIET}" font-size="10" '
        f'text-anchor="end">step {steps[-1]:g}</text></g>'
    )


def _scaled(value: float, values: Sequence[float], start: float, end: float) -> str:
    low, high = min(values), max(values)
    part = (value - low) / (high - low) if high > low else 0.5
    return f"{start + part * (end - start):.1f}"
