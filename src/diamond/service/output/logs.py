"""Reading logs: what is stored here, the rest from the cluster."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Literal

from diamond.core.errors import EndpointAway, NotFound
from diamond.core.kept import LOG_STREAMS, MOST_RANKS, logs_folder, rank_words
from diamond.service.access.principal import Principal
from diamond.service.endpoints.ask_agent import require_files, require_online
from diamond.service.output import log_store
from diamond.service.output.rows import LogStreamRow
from diamond.service.output.schemas import LogList, LogStream
from diamond.service.platform.http.safe_download import file_name
from diamond.service.platform.services import Services
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.tasks import find_task

MAX_READ = 4 << 20
Source = Literal["kept", "cluster"]


@dataclass(frozen=True)
class LogPart:
    offset: int
    data: bytes
    size: int
    source: Source


@dataclass(frozen=True)
class LogWanted:
    stream: str
    attempt: str = ""
    run: int | None = None
    rank: int = 0
    offset: int = 0
    """Below zero: counted from the end."""
    limit: int = 1 << 20


async def list_logs(services: Services, principal: Principal, task: str) -> LogList:
    async with services.store.read() as connection:
        row = await find_task(connection, principal, task)
        items = [
            LogStream(
                attempt=stream.attempt,
                run=stream.run,
                rank=stream.rank,
                stream=stream.stream,
                size=stream.size,
                kept=await log_store.kept_ranges(connection, stream.id),
                folder=logs_folder(row.run_dir, stream.attempt, stream.run),
            )
            for stream in await log_store.streams_of(connection, row.id)
            if stream.stream in LOG_STREAMS
        ]
    ranks = row.order.ranks
    text = rank_words(ranks, row.endpoint_name)
    return LogList(items=items, ranks=ranks, carried_ranks=MOST_RANKS, words=text)


@dataclass(frozen=True)
class OpenLog:
    """One stream of a task, as it was when it was opened. `stream` is None before its first byte."""

    task: TaskRow
    stream: LogStreamRow | None

    @property
    def size(self) -> int:
        return self.stream.size if self.stream else 0


@dataclass(frozen=True)
class WholeLog:
    size: int
    file_name: str
    pieces: AsyncIterator[bytes]


async def open_log(
    services: Services, principal: Principal, task: str, wanted: LogWanted
) -> OpenLog:
    async with services.store.read() as connection:
        row = await find_task(connection, principal, task)
        return OpenLog(row, _choose(row, wanted, await log_store.streams_of(connection, row.id)))


async def read_log(
    services: Services, principal: Principal, task: str, wanted: LogWanted
) -> LogPart:
    """Bytes from one place only; a reader continues at `offset + len(data)`."""
    log = await open_log(services, principal, task, wanted)
    size, offset = log.size, wanted.offset
    start = max(size + offset, 0) if offset < 0 else min(offset, size)
    return await read_part(services, log, start, min(wanted.limit, MAX_READ))


async def read_part(services: Services, log: OpenLog, start: int, limit: int) -> LogPart:
    """Up to `limit` bytes from `start`, from where they are: stored here, or on the cluster."""
    limit = min(limit, log.size - start)
    if log.stream is None or limit <= 0:
        return LogPart(start, b"", log.size, "kept")
    async with services.store.read() as connection:
        at, data = await log_store.read_kept(connection, log.stream.id, start, limit)
    if data and at == start:
        return LogPart(start, data, log.size, "kept")
    # Not stored here: fetch it from the cluster, up to where stored bytes continue.
    gap = min(limit, at - start) if data else limit
    fetched = await _from_cluster(services, log.task, log.stream, start, gap)
    return LogPart(start, fetched, log.size, "cluster")


async def read_span(services: Services, log: OpenLog, start: int, end: int) -> tuple[bytes, Source]:
    """All bytes of a span, and `cluster` if any of them came from there."""
    parts: list[bytes] = []
    source: Source = "kept"
    at = start
    while at < end:
        part = await read_part(services, log, at, end - at)
        if not part.data:
            break
        parts.append(part.data)
        at += len(part.data)
        source = "cluster" if part.source == "cluster" else source
    return b"".join(parts), source


async def open_whole(
    services: Services, principal: Principal, task: str, wanted: LogWanted
) -> WholeLog:
    """Everything; raises before the first byte when a part is out of reach."""
    log = await open_log(services, principal, task, wanted)
    if log.stream is not None:
        async with services.store.read() as connection:
            kept = await log_store.kept_ranges(connection, log.stream.id)
        if kept != [(0, log.size)] and log.size:
            require_files(log.task)
            await require_online(services, log.task)
    name = file_name(log.task.name, log.task.id, f"{wanted.stream}.log")
    return WholeLog(log.size, name, _pieces(services, log))


async def _pieces(services: Services, log: OpenLog) -> AsyncIterator[bytes]:
    at = 0
    while at < log.size:
        part = await read_part(services, log, at, MAX_READ)
        if not part.data:
            raise EndpointAway("The log became shorter while it was read", "Fetch it again.")
        yield part.data
        at += len(part.data)


async def _from_cluster(
    services: Services, task: TaskRow, stream: LogStreamRow, start: int, length: int
) -> bytes:
    require_files(task)
    await require_online(services, task)
    return await services.relay.ask_bytes(
        task.endpoint,
        "read-log",
        task=stream.task,
        attempt=stream.attempt,
        run=stream.run,
        rank=stream.rank,
        stream=stream.stream,
        offset=start,
        length=length,
    )


def _choose(
    task: TaskRow, wanted: LogWanted, streams: Sequence[LogStreamRow]
) -> LogStreamRow | None:
    """The stream of the given attempt and run, or of the newest that has one."""
    if wanted.stream not in LOG_STREAMS:
        raise NotFound(f"There is no stream {wanted.stream!r}", "Streams: stdout, stderr.")
    order = {attempt.id: attempt.number for attempt in task.attempts}
    if wanted.attempt and wanted.attempt not in order:
        raise NotFound(
            f"{task.id} has no attempt {wanted.attempt!r}", f"Attempts: {', '.join(order)}."
        )
    matching = [
        stream
        for stream in streams
        if stream.stream == wanted.stream
        and stream.rank == wanted.rank
        and wanted.attempt in ("", stream.attempt)
        and wanted.run in (None, stream.run)
    ]
    return max(
        matching, key=lambda stream: (order.get(stream.attempt, 0), stream.run), default=None
    )
