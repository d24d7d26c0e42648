"""Medians, ratios and how they are printed."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

median = statistics.median


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def seconds(values: Sequence[float]) -> str:
    """'median 0.123 s, p90 0.200 s (n=100)'."""
    middle, high = median(values), percentile(values, 0.9)
    return f"median {middle:.3f} s, p90 {high:.3f} s (n={len(values)})"
