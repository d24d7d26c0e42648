"""How a tree comes to an endpoint, decided from facts alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Optional, Sequence, Tuple

from diamond.core.units import show_bytes

BYTES_PER_SECOND = 100e6
"""Through the service, where nothing was measured yet."""
MEASURING_BYTES = 16_000_000
"""A smaller transfer says more of the two endpoints' pauses than of the way between them."""


@dataclass(frozen=True)
class Copy:
    """A copy that could be the source."""

    endpoint: str
    name: str
    layout: str
    is_online: bool = True
    may_leave: bool = True
    """Whether the policy of its machine lets files leave."""
    is_unchanged: bool = True
    bytes_per_second: float = BYTES_PER_SECOND


@dataclass(frozen=True)
class Way:
    how: str
    """`here`: it lies there; `convert`: made from another copy there; `service`: through the service; '': none."""
    source: str = ""
    words: str = ""


def choose_way(copies: Sequence[Copy], goal: str, layout: str, size: int) -> Way:
    """The best of the ways that are possible; `words` say which, or why there is none."""
    here = [one for one in copies if one.endpoint == goal and one.is_unchanged]
    if any(one.layout == layout for one in here):
        return Way("here", goal, "it is there already")
    if here:
        return Way("convert", goal, f"made into {_called(layout)} there")
    best = _best([one for one in copies if one.endpoint != goal])
    if best is None:
        return Way("", words=_why_not(copies))
    seconds = size / best.bytes_per_second
    words = f"copied from {best.name}: {show_bytes(size)}, about {_time(seconds)}"
    return Way("service", best.endpoint, words)


def measured_speed(past: Iterable[Tuple[int, float]]) -> float:
    """Bytes a second of past transfers (bytes, seconds)."""
    timed = [one for one in past if one[0] >= MEASURING_BYTES and one[1] > 0]
    if not timed:
        return BYTES_PER_SECOND
    return sum(count for count, _ in timed) / sum(seconds for _, seconds in timed)


def _best(copies: Sequence[Copy]) -> Optional[Copy]:
    """One that answers now before one that is offline, files before an archive, then the fastest."""
    possible = [one for one in copies if one.may_leave and one.is_unchanged]
    key = [(not one.is_online, one.layout != "files", -one.bytes_per_second) for one in possible]
    return possible[key.index(min(key))] if possible else None


def _why_not(copies: Sequence[Copy]) -> str:
    if not copies:
        return "no copy of it is left"
    changed = [one.name for one in copies if not one.is_unchanged]
    if len(changed) == len(copies):
        return f"its files have changed on {', '.join(sorted(changed))}"
    kept = sorted(one.name for one in copies if not one.may_leave)
    return f"the policy of {', '.join(kept)} keeps data on the machine"


def _called(layout: str) -> str:
    return "an archive" if layout == "archive" else "files"


def _time(seconds: float) -> str:
    if seconds >= 7200:
        return f"{seconds / 3600:.0f} h"
    return f"{seconds / 60:.0f} min" if seconds >= 120 else f"{max(seconds, 1):.0f} s"
