"""What an installer is doing, for a person: how many packages, how much of the large ones has arrived, how long it takes.

uv names a download and its size only for larger files (uv 0.13: from 1 MiB), in the form `Downloading torch (175.5MiB)`.
"""

from __future__ import annotations

import re
import time
from typing import Callable, Dict, Optional

from diamond.core.units import show_bytes

_RESOLVED = re.compile(r"Resolved (\d+) packages?")
_DOWNLOADING = re.compile(r"Downloading (\S+) \(([\d.]+)\s*([KMGT]?i?B)\)")
_DOWNLOADED = re.compile(r"Downloaded (\S+)")
_COLLECTING = re.compile(r"Collecting ([A-Za-z0-9][\w.\[\]-]*)")
_PREPARED = re.compile(r"Prepared \d+ packages?|Installing collected packages")
_INSTALLED = re.compile(r"Installed (\d+) packages?")
_POWER = {"B": 0, "K": 1, "M": 2, "G": 3, "T": 4}
MOST_SECONDS = 48 * 3600


class InstallerProgress:
    """Hears each line of uv or pip and says something whenever it has a new meaning; other lines are for the log alone."""

    def __init__(
        self, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._say, self._clock = say, clock
        self._packages: Optional[int] = None
        self._sizes: Dict[str, float] = {}
        self._done: Dict[str, float] = {}
        self._began = 0.0

    def __call__(self, line: str) -> None:
        words = self._words(line.strip())
        if words:
            self._say(words)

    def _words(self, line: str) -> str:
        resolved, large = _RESOLVED.match(line), _DOWNLOADING.match(line)
        downloaded = _DOWNLOADED.match(line)
        if resolved:
            self._packages = int(resolved.group(1))
            return f"installing {self._count()}"
        if large:
            self._began = self._began or self._clock()
            self._sizes[large.group(1)] = _bytes(large.group(2), large.group(3))
            return self._arriving()
        if downloaded:
            name = downloaded.group(1)
            self._done[name] = self._sizes.get(name, 0.0)
            return self._arriving()
        collecting = _COLLECTING.match(line)
        if collecting:
            return f"fetching {collecting.group(1)}"
        if _PREPARED.match(line):
            return f"copying {self._count()} into the environment"
        return f"installed {self._count()}" if _INSTALLED.match(line) else ""

    def _arriving(self) -> str:
        have, total = sum(self._done.values()), sum(self._sizes.values())
        share = f" ({100 * have / total:.0f} %)" if total else ""
        return (
            f"installing {self._count()}: {len(self._done)} of {len(self._sizes)} large ones are here, "
            f"{show_bytes(have)} of {show_bytes(total)}{share}{self._left(have, total)}"
        )

    def _left(self, have: float, total: float) -> str:
        """At the pace so far; nothing before a part has arrived."""
        seconds = self._clock() - self._began
        if have <= 0 or have >= total or seconds < 1:
            return ""
        left = min(MOST_SECONDS, seconds * (total - have) / have)
        return f", about {left:.0f} s left" if left < 90 else f", about {left / 60:.0f} min left"

    def _count(self) -> str:
        if self._packages is None:
            return "the packages"
        return "1 package" if self._packages == 1 else f"{self._packages} packages"


def _bytes(number: str, unit: str) -> float:
    try:
        return float(number) * float(1024 ** _POWER[unit[0].upper()])
    except (KeyError, ValueError):
        return 0.0
