"""Whole lines of a log from any place in it, for a page that scrolls."""

from __future__ import annotations

from diamond.code.searching import LINE_BYTES
from diamond.service.access.principal import Principal
from diamond.service.output.logs import LogWanted, OpenLog, Source, open_log, read_span
from diamond.service.output.schemas import LogLine, LogLines
from diamond.service.platform.services import Services

MOST_BYTES = 1 << 20
FIRST_GUESS = 200
"""Bytes per line, at first."""


async def read_lines(
    services: Services,
    principal: Principal,
    task: str,
    wanted: LogWanted,
    *,
    before: int | None,
    count: int,
) -> LogLines:
    """Lines from `wanted.offset` on, or those that end at or before `before`."""
    log = await open_log(services, principal, task, wanted)
    if before is not None:
        lines, source = await _up(services, log, min(before, log.size), count)
    else:
        offset = wanted.offset if wanted.offset >= 0 else max(log.size + wanted.offset, 0)
        lines, source = await _down(services, log, min(offset, log.size), count)
    place = min(before if before is not None else max(wanted.offset, 0), log.size)
    last = lines[-1].offset + lines[-1].length if lines else place
    start = lines[0].offset if lines else place
    return LogLines(items=lines, start=start, next=last, size=log.size, source=source)


async def _down(
    services: Services, log: OpenLog, offset: int, count: int
) -> tuple[list[LogLine], Source]:
    start, source = await _line_start(services, log, offset)
    end = min(start + min(max(count * FIRST_GUESS, LINE_BYTES), MOST_BYTES), log.size)
    while True:
        data, place = await read_span(services, log, start, end)
        source = "cluster" if place == "cluster" else source
        lines = split_lines(data, start, is_end=end == log.size)
        if len(lines) >= count or end == log.size or end - start >= MOST_BYTES:
            return lines[:count], source
        end = min(start + 2 * (end - start), start + MOST_BYTES, log.size)


async def _up(
    services: Services, log: OpenLog, before: int, count: int
) -> tuple[list[LogLine], Source]:
    span = min(max(count * FIRST_GUESS, LINE_BYTES), MOST_BYTES)
    while True:
        first = max(before - span, 0)
        data, source = await read_span(services, log, first, before)
        skip = 0 if first == 0 else data.find(b"\n") + 1
        lines = split_lines(data[skip:], first + skip, is_end=True)
        if len(lines) >= count or first == 0 or span >= MOST_BYTES:
            return lines[-count:], source
        span = min(2 * span, MOST_BYTES)


async def _line_start(services: Services, log: OpenLog, offset: int) -> tuple[int, Source]:
    """Where the line with the byte at `offset` begins; in a very long line, some place before it."""
    first = max(offset - LINE_BYTES, 0)
    data, source = await read_span(services, log, first, offset)
    return first + data.rfind(b"\n") + 1, source


def split_lines(data: bytes, offset: int, *, is_end: bool) -> list[LogLine]:
    """Whole lines with their offsets; an unfinished last line only at the end of the log, a very long one in pieces."""
    lines: list[LogLine] = []
    for raw in _by_newline(data):
        if not raw.endswith(b"\n") and not is_end and len(raw) < LINE_BYTES:
            break
        for at in range(0, len(raw), LINE_BYTES):
            piece = raw[at : at + LINE_BYTES]
            text = piece.rstrip(b"\r\n").decode("utf-8", "replace")
            is_cut = len(raw) > LINE_BYTES
            lines.append(LogLine(offset=offset, length=len(piece), text=text, cut=is_cut))
            offset += len(piece)
    return lines


def _by_newline(data: bytes) -> list[bytes]:
    """A progress bar returns to the start of its line; that is one line."""
    *whole, rest = data.split(b"\n")
    return [line + b"\n" for line in whole] + ([rest] if rest else [])
