"""Wilcoxon's signed-rank test, one-sided: how likely are differences this high if there is none?"""

from __future__ import annotations

import math
from collections.abc import Sequence

EXACT_UP_TO = 50


def p_value(differences: Sequence[float]) -> float:
    """Small where they are higher than chance. Zeros count half to each side."""
    count = len(differences)
    ranks, ties = _ranks([abs(each) for each in differences])
    plus = sum(rank for rank, each in zip(ranks, differences, strict=True) if each > 0)
    zeros = sum(rank for rank, each in zip(ranks, differences, strict=True) if each == 0)
    plus += zeros / 2
    if count <= EXACT_UP_TO and not ties and not zeros:
        return _exact(count, plus)
    mean = count * (count + 1) / 4
    variance = count * (count + 1) * (2 * count + 1) / 24
    variance -= sum(size**3 - size for size in ties) / 48
    if zeros:
        none = sum(each == 0 for each in differences)
        variance -= none * (none + 1) * (2 * none + 1) / 24
    if variance <= 0:
        return 1.0
    return 0.5 * math.erfc((plus - mean) / math.sqrt(variance) / math.sqrt(2))


def _ranks(sizes: Sequence[float]) -> tuple[list[float], list[int]]:
    """With the mean rank for equal ones; and how many are equal, where several are. Zeros do not count as ties."""
    order = sorted(range(len(sizes)), key=lambda index: sizes[index])
    ranks, ties, at = [0.0] * len(sizes), [], 0
    while at < len(order):
        end = at
        while end < len(order) and sizes[order[end]] == sizes[order[at]]:
            end += 1
        for index in order[at:end]:
            ranks[index] = (at + 1 + end) / 2
        if end - at > 1 and sizes[order[at]] != 0:
            ties.append(end - at)
        at = end
    return ranks, ties


def _exact(count: int, plus: float) -> float:
    """The share of sign patterns whose sum of positive ranks is at least `plus`."""
    ways = [1]
    for rank in range(1, count + 1):
        longer = ways + [0] * rank
        for total, number in enumerate(ways):
            longer[total + rank] += number
        ways = longer
    return float(sum(ways[math.ceil(plus) :]) / 2**count)
