"""Lines of a log that hold a text, found block by block; used where the log is kept and where it was written."""

from __future__ import annotations

import re
import time
from dataclasses import asdict, dataclass, field
from typing import Any, Callable, Dict, List, Pattern

BLOCK_BYTES = 1 << 20
LINE_BYTES = 64 << 10
"""A line longer than this is searched in pieces."""
SHOWN_BYTES = 4000
Read = Callable[[int, int], bytes]
"""(offset, length) -> bytes; fewer only at the end."""


@dataclass(frozen=True)
class Match:
    """Offsets count bytes from the start of the log."""

    offset: int
    """Of the line, or of the shown piece of a very long one."""
    length: int
    text: str
    cut: bool
    at: int
    width: int


@dataclass
class Found:
    items: List[Match] = field(default_factory=list)
    next: int = 0
    """Where the search stopped: everything before it was looked at."""

    def as_data(self) -> Dict[str, Any]:
        return {"items": [asdict(item) for item in self.items], "next": self.next}


@dataclass(frozen=True)
class Question:
    text: str
    case: bool
    limit: int

    def pattern(self) -> Pattern[bytes]:
        """Without `case`, the letters a to z match in both forms."""
        return re.compile(re.escape(self.text.encode()), 0 if self.case else re.IGNORECASE)


def find_lines(
    read: Read,
    question: Question,
    *,
    start: int,
    end: int,
    is_last: bool,
    seconds: float = 10.0,
    alive: Callable[[], None] = lambda: None,
) -> Found:
    """Search from `start` to `end`, or until there are enough matches or the time is up.

    `start` is the start of a line. Unless `is_last`, the line that `end` cuts is left for whoever continues at `next`.
    """
    pattern, result, stop_at = question.pattern(), Found(next=start), time.monotonic() + seconds
    while result.next < end and len(result.items) < question.limit and time.monotonic() < stop_at:
        block = read(result.next, min(BLOCK_BYTES, end - result.next))
        at_end = is_last and result.next + len(block) >= end
        whole = len(block) if at_end else _whole_lines(block)
        if not whole:
            break
        _search(block[:whole], pattern, question.limit, result)
        alive()
    return result


def line_rest(read: Read, at: int) -> int:
    """How many bytes the line that goes through `at` still has from there on; none if one begins there."""
    if at <= 0 or read(at - 1, 1) in (b"\n", b""):
        return 0
    piece = read(at, LINE_BYTES)
    end = piece.find(b"\n")
    return len(piece) if end < 0 else end + 1


def _whole_lines(block: bytes) -> int:
    """How many bytes can be searched without cutting a line that continues; of an endless one, a piece."""
    whole = block.rfind(b"\n") + 1
    return whole or (LINE_BYTES if len(block) > LINE_BYTES else 0)


def _search(block: bytes, pattern: Pattern[bytes], limit: int, result: Found) -> None:
    base, at = result.next, 0
    while len(result.items) < limit:
        hit = pattern.search(block, at)
        if hit is None:
            result.next = base + len(block)
            return
        first = block.rfind(b"\n", 0, hit.start()) + 1
        last = block.find(b"\n", hit.end() - 1 if hit.group().endswith(b"\n") else hit.end())
        at = len(block) if last < 0 else last + 1
        result.items.append(_match(block, base, first, at, hit.start(), hit.end()))
        result.next = base + at


def _match(block: bytes, base: int, first: int, after: int, hit: int, hit_end: int) -> Match:
    """The line, or of a long one the part around what was found."""
    is_long = after - first > SHOWN_BYTES
    begin = max(first, hit - SHOWN_BYTES // 4) if is_long else first
    end = min(after, begin + SHOWN_BYTES) if is_long else after
    text = block[begin:end].rstrip(b"\r\n").decode("utf-8", "replace")
    return Match(base + begin, end - begin, text, is_long, base + hit, hit_end - hit)
