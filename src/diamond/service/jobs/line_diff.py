"""Texts compared line by line within a time; runs in a worker process, so it imports little."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

MOST_BYTES = 512 << 10
"""Of one file: the time to compare lines grows faster than their number."""
MOST_SHOWN = 2 << 20
FILE_SECONDS = 2.0
ALL_SECONDS = 7.0
Source = str | Path | None
"""A text, a file with one, or None for what is not kept any more."""


@dataclass(frozen=True)
class Pair:
    path: str
    before: Source
    after: Source


class _TooSlow(Exception):
    pass


def compare_all(pairs: Sequence[Pair]) -> str:
    """As git writes it; what takes too long to compare, or does not fit, is only named."""
    parts, size, until = [], 0, time.monotonic() + ALL_SECONDS
    for pair in pairs:
        left = min(FILE_SECONDS, until - time.monotonic())
        parts.append(_compare(pair, left) if left > 0 else _named(pair, "was not compared: "))
        size += len(parts[-1])
        if size > MOST_SHOWN:
            break
    text = "".join(parts)
    if len(text) <= MOST_SHOWN:
        return text
    return text[:MOST_SHOWN] + "\n… more differs than a page shows\n"


def _compare(pair: Pair, seconds: float) -> str:
    before, after = _text(pair.before), _text(pair.after)
    if before is None or after is None:
        return f"diff {pair.path}\n{pair.path} differs, and cannot be shown line by line\n"
    try:
        return f"diff {pair.path}\n" + _within(
            seconds, lambda: "".join(_lines(pair.path, before, after))
        )
    except _TooSlow:
        return _named(pair, "differs in so many lines that comparing them takes too long: ")


def _named(pair: Pair, why: str) -> str:
    return f"diff {pair.path}\n{pair.path} {why}fetch both versions with `diamond get`\n"


def _text(source: Source) -> str | None:
    if not isinstance(source, Path):
        return source
    try:
        data = source.read_bytes() if source.stat().st_size <= MOST_BYTES else b"\0"
    except OSError:
        return None
    return None if b"\0" in data else data.decode(errors="replace")


def _lines(path: str, before: str, after: str) -> Iterator[str]:
    lines = unified_diff(
        before.splitlines(),
        after.splitlines(),
        f"a/{path}" if before else "/dev/null",
        f"b/{path}" if after else "/dev/null",
        lineterm="",
    )
    return (f"{line}\n" for line in lines)


def _within(seconds: float, work: Callable[[], str]) -> str:
    """Counts the processor's time; needs the main thread."""
    before = signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        return work()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)


def _stop(*_: object) -> None:
    raise _TooSlow
