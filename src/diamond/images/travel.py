"""How an image comes to another endpoint: its file is moved, or it is built there again. Decided from facts alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Optional, Sequence, Tuple

from diamond.core.units import show_bytes

BYTES_PER_SECOND = 40e6
"""Through the service, both ways, where nothing was measured yet."""
MEASURING_BYTES = 16_000_000
"""A smaller file says more of the two endpoints' pauses than of the way between them."""
HANDSHAKE_SECONDS = 2.0
"""Until both endpoints know about a transfer."""
QUEUE_SECONDS = 30.0
"""A build is a batch job: so long it takes at least to begin and to end, where it was never tried."""
SLOWER_ELSEWHERE = 1.5
"""A build in a queue on a strange machine takes longer than it took where its cache was warm."""
RUNS = {
    "squashfs": ("apptainer", "singularity", "charliecloud"),
    "docker-archive": ("podman", "docker"),
}


@dataclass(frozen=True)
class File:
    """What could be moved."""

    format: str
    size: int
    platform: str
    build_seconds: float
    """Where no part of it is in a cache."""


@dataclass(frozen=True)
class Goal:
    """What is known of the endpoint that wants it; None: not probed."""

    runs: Optional[Sequence[str]] = None
    builds: Optional[Sequence[str]] = None
    platform: str = ""
    bytes_per_second: float = BYTES_PER_SECOND


@dataclass(frozen=True)
class Way:
    how: str
    """`move`, `rebuild` or '' where neither can be."""
    words: str
    seconds: float = 0.0


def choose_way(file: File, goal: Goal, wanted: str = "auto") -> Way:
    """The faster of the ways that are possible, and why."""
    obstacle = why_not_moved(file, goal)
    no_build = _why_not_rebuilt(file, goal)
    moving = HANDSHAKE_SECONDS + file.size / goal.bytes_per_second
    building = QUEUE_SECONDS + file.build_seconds * SLOWER_ELSEWHERE
    if wanted == "move" and obstacle:
        return Way("", obstacle)
    if wanted == "rebuild" and no_build:
        return Way("", no_build)
    if obstacle and no_build:
        return Way("", f"{obstacle}; {no_build}")
    if wanted == "rebuild" or obstacle:
        return Way("rebuild", f"rebuilt there: {obstacle or 'as you asked'}", building)
    sizes = f"{show_bytes(file.size)}, about {_time(moving)}; building it again takes about {_time(building)}"
    if wanted == "move" or no_build or moving <= building:
        return Way("move", f"moved: {sizes}", moving)
    return Way("rebuild", f"rebuilt there: moving takes longer ({sizes})", building)


def measured_speed(moves: Iterable[Tuple[int, float]]) -> float:
    """Bytes a second of past moves (bytes, seconds from their first byte to their last)."""
    measured = [move for move in moves if move[0] >= MEASURING_BYTES and move[1] > 0]
    if not measured:
        return BYTES_PER_SECOND
    return sum(count for count, _ in measured) / sum(seconds for _, seconds in measured)


def why_not_moved(file: File, goal: Goal) -> str:
    """'' where the file itself would run there."""
    if file.format == "venv":
        return "a virtual environment only works where it was made"
    if goal.platform and goal.platform != file.platform:
        return f"it was built for {file.platform}, and that machine is {goal.platform}"
    needed = RUNS.get(file.format, ())
    if goal.runs is not None and not set(needed) & set(goal.runs):
        return f"nothing there runs a {file.format} image (it needs one of {', '.join(needed)})"
    return ""


def _why_not_rebuilt(file: File, goal: Goal) -> str:
    if file.format == "venv" or goal.builds is None or goal.builds:
        return ""
    return "no container tool there can build images"


def _time(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 120 else f"{max(seconds, 1):.0f} s"
