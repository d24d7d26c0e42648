"""How a tree comes to an endpoint, decided from facts alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from diamond.core.units import show_bytes

SHARED, SSH, S3, GLOBUS, SERVICE = "shared", "ssh", "s3", "globus", "service"
WAYS = (SHARED, SSH, S3, GLOBUS, SERVICE)
CONVERT = "convert"
STORAGE = "storage"
"""From the copy that is kept in S3 storage: no endpoint sends it."""
GROUP = "group"
"""Found in the folder of a Unix group: nothing had to come."""
SPEEDS: Mapping[str, float] = {
    SHARED: 800e6,
    SSH: 110e6,
    S3: 90e6,
    GLOBUS: 100e6,
    SERVICE: 100e6,
}
"""Bytes a second, where nothing was measured between two endpoints yet."""
START_SECONDS: Mapping[str, float] = {SHARED: 1.0, SSH: 2.0, S3: 1.5, GLOBUS: 20.0, SERVICE: 1.0}
"""Before the first byte: two agents meet, a session opens, a queue is passed."""
MEASURING_BYTES = 16_000_000
"""A smaller transfer says more of the two endpoints' pauses than of the way between them."""
CALLED: Mapping[str, str] = {
    SHARED: "on a file system that both see",
    SSH: "directly by ssh",
    S3: "through S3 storage",
    GLOBUS: "by Globus",
    SERVICE: "through the service",
    STORAGE: "from S3 storage",
}


@dataclass(frozen=True)
class Ends:
    """What the settings of two endpoints, and whose they are, make possible between them."""

    is_same_owner: bool = True
    goal_knows_host: bool = False
    """The goal's settings name the ssh host of the source."""
    has_same_bucket: bool = False
    has_collections: bool = False
    may_pass_service: bool = True
    """Data of a restricted project may not."""
    know_ways: bool = True
    """Both agents know other ways than the service."""
    allowed: Tuple[str, ...] = WAYS
    """By the settings of both."""


@dataclass(frozen=True)
class Reach:
    """One way from a copy to the goal."""

    way: str = SERVICE
    bytes_per_second: float = 0.0
    """Measured; 0: not yet."""

    def seconds(self, size: int) -> float:
        return START_SECONDS[self.way] + size / (self.bytes_per_second or SPEEDS[self.way])


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
    reaches: Tuple[Reach, ...] = (Reach(),)

    def seconds(self, size: int) -> float:
        return min((reach.seconds(size) for reach in self.reaches), default=float("inf"))


@dataclass(frozen=True)
class Way:
    how: str
    """`here`: it is there; `convert`: made from another copy there; one of WAYS; '': none."""
    source: str = ""
    words: str = ""
    ways: Tuple[str, ...] = ()
    """All that may be tried, the best first."""


def possible_ways(ends: Ends) -> Tuple[str, ...]:
    """A path, an ssh session and a Globus collection are a person's own: they serve no one else."""
    found: List[str] = []
    if ends.know_ways:
        found += [SHARED] if ends.is_same_owner else []
        found += [SSH] if ends.is_same_owner and ends.goal_knows_host else []
        found += [S3] if ends.has_same_bucket else []
        found += [GLOBUS] if ends.is_same_owner and ends.has_collections else []
    found += [SERVICE] if ends.may_pass_service else []
    return tuple(way for way in found if way in ends.allowed)


def reaches_of(
    ways: Iterable[str], speeds: Mapping[str, float], failed: Mapping[str, str]
) -> Tuple[Reach, ...]:
    """Without those that failed of late, unless nothing else is left."""
    known = tuple(ways)
    good = [way for way in known if way not in failed]
    return tuple(Reach(way, speeds.get(way, 0.0)) for way in good or known)


def choose_way(copies: Sequence[Copy], goal: str, layout: str, size: int) -> Way:
    """The best of the ways that are possible; `words` say which, or why there is none."""
    here = [one for one in copies if one.endpoint == goal and one.is_unchanged]
    if any(one.layout == layout for one in here):
        return Way("here", goal, "it is there already")
    if here:
        return Way(CONVERT, goal, f"made into {_called(layout)} there")
    best = _best([one for one in copies if one.endpoint != goal], size)
    if best is None:
        return Way("", words=_why_not(copies))
    ordered = sorted(best.reaches, key=lambda reach: reach.seconds(size))
    ways = tuple(reach.way for reach in ordered)
    return Way(ways[0], best.endpoint, way_words(best.name, ordered[0], size), ways)


def way_words(source: str, reach: Reach, size: int) -> str:
    """For example: copied from alpha directly by ssh: 2 GB, about 20 s at 95 MB/s as measured before."""
    rate = reach.bytes_per_second
    measured = f" at {show_bytes(int(rate))}/s as measured before" if rate else ""
    seconds = _time(reach.seconds(size))
    return (
        f"copied from {source} {CALLED[reach.way]}: {show_bytes(size)}, about {seconds}{measured}"
    )


def came_words(source: str, way: str, tried: Mapping[str, str]) -> str:
    """How it really comes, and why not by what was tried before."""
    if way == GROUP:
        return "found in the group's folder"
    missed = "".join(f"; not {CALLED[one]}: {why}" for one, why in tried.items() if one in CALLED)
    return f"copied from {source} {CALLED[way]}{missed}"


def measured_speed(past: Iterable[Tuple[int, float]]) -> float:
    """Bytes a second of past transfers (bytes, seconds); 0: none says enough."""
    timed = [one for one in past if one[0] >= MEASURING_BYTES and one[1] > 0]
    if not timed:
        return 0.0
    return sum(count for count, _ in timed) / sum(seconds for _, seconds in timed)


def measured_speeds(past: Iterable[Tuple[str, int, float]]) -> Dict[str, float]:
    """By way, of past transfers (way, bytes, seconds)."""
    by_way: Dict[str, List[Tuple[int, float]]] = {}
    for way, count, seconds in past:
        by_way.setdefault(way, []).append((count, seconds))
    return {way: speed for way, some in by_way.items() if (speed := measured_speed(some))}


def _best(copies: Sequence[Copy], size: int) -> Optional[Copy]:
    """One that answers now before one that is offline, files before an archive, then the one that is here soonest."""
    possible = [one for one in copies if one.may_leave and one.is_unchanged and one.reaches]
    key = [(not one.is_online, one.layout != "files", one.seconds(size)) for one in possible]
    return possible[key.index(min(key))] if possible else None


def _why_not(copies: Sequence[Copy]) -> str:
    if not copies:
        return "no copy of it is left"
    changed = [one.name for one in copies if not one.is_unchanged]
    if len(changed) == len(copies):
        return f"its files have changed on {', '.join(sorted(changed))}"
    kept = sorted(one.name for one in copies if not one.may_leave)
    if kept:
        return f"the policy of {', '.join(kept)} keeps data on the machine"
    return (
        "its files may not pass through the service, and no other way leads there: "
        "a file system that both see, ssh, S3 or Globus"
    )


def _called(layout: str) -> str:
    return "an archive" if layout == "archive" else "files"


def _time(seconds: float) -> str:
    if seconds >= 7200:
        return f"{seconds / 3600:.0f} h"
    return f"{seconds / 60:.0f} min" if seconds >= 120 else f"{max(seconds, 1):.0f} s"
