"""Replays tabulated trainings: workers run trials by the table's curves, in simulated time, and a scheduler decides. Standard library only."""

from __future__ import annotations

import csv
import heapq
from collections.abc import Callable
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parents[1] / "tables" / "digits_curves.csv"
Point = dict[str, float]
Curve = list[tuple[int, float]]


class Table:
    def __init__(self) -> None:
        with TABLE.open() as file:
            rows = list(csv.DictReader(file))
        epochs = [name for name in rows[0] if name.startswith("loss")]
        self.names = [name for name in rows[0] if name not in epochs]
        self.curves: dict[tuple[float, ...], Curve] = {
            tuple(float(row[name]) for name in self.names): [
                (int(name[4:]), float(row[name])) for name in epochs
            ]
            for row in rows
        }

    def choices(self) -> dict[str, list[float]]:
        return {
            name: sorted({point[n] for point in self.curves}) for n, name in enumerate(self.names)
        }

    def curve(self, point: Point) -> Curve:
        return self.curves[tuple(float(point[name]) for name in self.names)]

    def good(self, share: float) -> float:
        """The loss that this share of all points reach at their best."""
        best = sorted(min(loss for _, loss in curve) for curve in self.curves.values())
        return best[int(share * len(best))]


def epochs_until(
    table: Table,
    target: float,
    ask: Callable[[], tuple[Any, Point]],
    report: Callable[[Any, int, float], bool],
    *,
    workers: int,
) -> float:
    """Epochs that all workers have trained when the first trial reaches the target. `report` says whether the trial continues."""
    running: list[tuple[float, int, Any, Curve]] = []
    count = 0

    def begin(now: float) -> None:
        nonlocal count
        trial, point = ask()
        curve = table.curve(point)
        heapq.heappush(running, (now + curve[0][0], count, trial, curve))
        count += 1

    for _ in range(workers):
        begin(0.0)
    while True:
        now, number, trial, curve = heapq.heappop(running)
        (epoch, loss), rest = curve[0], curve[1:]
        if loss <= target:
            return workers * now
        if report(trial, epoch, loss) and rest:
            heapq.heappush(running, (now + rest[0][0] - epoch, number, trial, rest))
        else:
            begin(now)
