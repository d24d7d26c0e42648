"""Format ids, times, durations, amounts and resources for the terminal."""

from __future__ import annotations

import signal as signals
import time
from typing import Any

from diamond.cli.output import plural
from diamond.core.units import show_bytes, show_minutes

SHORT_ID = 8


def short_id(identifier: str) -> str:
    """The part of an id that is enough to type it."""
    return identifier[:SHORT_ID]


def time_ago(then: float | None, now: float | None = None) -> str:
    """3 min ago."""
    if not then:
        return ""
    seconds = (time.time() if now is None else now) - then
    return "just now" if seconds < 5 else f"{' '.join(duration(seconds).split()[:2])} ago"


def duration(seconds: float) -> str:
    """42 s, 1 min 33 s, 25 min, 2 h 30 min, 4 days: never rounded to something much longer."""
    whole = max(round(seconds), 0)
    if whole < 60:
        return f"{whole} s"
    if whole < 600:
        return _two(whole, 60, "min", 1, "s")
    if whole < 3600:
        return f"{whole // 60} min"
    if whole < 36 * 3600:
        return _two(whole, 3600, "h", 60, "min")
    return f"{seconds / 86400:.0f} days"


def _two(whole: int, large: int, name: str, small: int, rest: str) -> str:
    count, left = divmod(whole, large)
    return f"{count} {name}" + (f" {left // small} {rest}" if left // small else "")


def format_amount(number: float) -> str:
    """An amount such as node-hours; small numbers without exponents."""
    return "under 0.001" if 0 < number < 0.001 else f"{number:.4g}"


def timestamp(then: float | None) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(then)) if then else "-"


def describe_resources(requested: dict[str, Any]) -> str:
    """1 node, 2 CPUs, 4.0 GB, 1h."""
    parts = [plural(int(requested.get("nodes") or 1), "node")]
    processes = int(requested.get("tasks_per_node") or 1)
    parts += [f"{processes} processes per node"] if processes > 1 else []
    parts.append(plural(int(requested.get("cpus_per_task") or 1), "CPU"))
    if gpus := int(requested.get("gpus_per_node") or 0):
        kind = f"{requested.get('gpu_type') or ''} GPU".strip()
        parts.append(f"{plural(gpus, kind)} per node")
    if memory := int(requested.get("memory_mb") or 0):
        parts.append(show_bytes(memory * 2**20))
    return ", ".join([*parts, show_minutes(int(requested.get("walltime_minutes") or 60))])


def signal_name(number: int) -> str:
    try:
        return signals.Signals(number).name
    except ValueError:
        return "unknown"
