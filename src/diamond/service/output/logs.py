"""Reading logs: what is kept here, the rest from the cluster."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

from diamond.core.errors import EndpointAway, NotFound
from diamond.core.kept import MOST_RANKS, logs_folder, rank_words
from diamond.service.access.principal import Principal
from diamond.service.endpoints.ask_agent import require_files, require_online
from diamond.service.output import log_store as logs
from diamond.service.output.log_store import LOG_STREAMS
from diamond.service.platform.http.safe_download import file_name
from diamond.service.platform.services import Services
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.tasks import find_task

MAX_READ = 4 << 20


@dataclass(frozen=True)
class LogPart:
    offset: int
    data: bytes
    size: int
    source: str
    """kept, or cluster."""


@dataclass(frozen=True)
class LogWanted:
    stream: str
    attempt: str = ""
    run: int | None = None
    rank: int = 0
    offset: int = 0
    """Below zero: counted from the end."""
    limit: int = 1 << 20


async def list_logs(services: Services, principal: Principal, task: str) -> dict[str, Any]:
    async with services.store.read() as connection:
        row = await find_task(connection, principal, task)
        found = await logs.streams_of(connection, row["id"])
        items = [
            {
                **{name: one[name] for name in ("attempt", "run", "rank", "stream", "size")},
                "kept": await logs.kept_ranges(connection, one["id"]),
                "folder": logs_folder(row["run_dir"], one["attempt"], one["run"]),
            }
            for one in found
            if one["stream"] in LOG_STREAMS
        ]
    ranks = row.order.ranks
    words = rank_words(ranks, row["endpoint_name"])
    return {"items": items, "ranks": ranks, "carried_ranks": MOST_RANKS, "words": words}


@dataclass(frozen=True)
class OpenLog:
    """One stream of a task, as it was when it was opened. `stream` is None before its first byte."""

    task: TaskRow
    stream: Mapping[str, Any] | None

    @property
    def size(self) -> int:
        return int(self.stream["size"]) if self.stream else 0


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
        return OpenLog(row, _choose(row, wanted, await logs.streams_of(connection, row["id"])))


async def read_log(
    services: Services, principal: Principal, task: str, wanted: LogWanted
) -> LogPart:
    """Bytes from one place only, so a reader goes on at `offset + len(data)`."""
    log = await open_log(services, principal, task, wanted)
    size, offset = log.size, wanted.offset
    start = max(size + offset, 0) if offset < 0 else min(offset, size)
    return await read_part(services, log, start, min(wanted.limit, MAX_READ))


async def read_part(services: Services, log: OpenLog, start: int, limit: int) -> LogPart:
    """Up to `limit` bytes from `start`, from where they are: kept here, or on the cluster."""
    limit = min(limit, log.size - start)
    if log.stream is None or limit <= 0:
        return LogPart(start, b"", log.size, "kept")
    async with services.store.read() as connection:
        at, data = await logs.read_kept(connection, log.stream["id"], start, limit)
    if data and at == start:
        return LogPart(start, data, log.size, "kept")
    # Not kept from here on: asked of the cluster, up to where kept bytes go on.
    gap = min(limit, at - start) if data else limit
    fetched = await _from_cluster(services, log.task, log.stream, start, gap)
    return LogPart(start, fetched, log.size, "cluster")


async def read_span(services: Services, log: OpenLog, start: int, end: int) -> tuple[bytes, str]:
    """All bytes of a span, and `cluster` if any of them came from there."""
    parts: list[bytes] = []
    source, at = "kept", start
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
            kept = await logs.kept_ranges(connection, log.stream["id"])
        if kept != [(0, log.size)] and log.size:
            require_files(log.task)
            await require_online(services, log.task)
    name = file_name(log.task["name"], log.task["id"], f"{wanted.stream}.log")
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
    services: Services, task: TaskRow, stream: Mapping[str, Any], start: int, length: int
) -> bytes:
    require_files(task)
    await require_online(services, task)
    which = {name: stream[name] for name in ("task", "attempt", "run", "rank", "stream")}
    return await services.relay.ask_bytes(
        task["endpoint"], "read-log", **which, offset=start, length=length
    )


def _choose(task: TaskRow, wanted: LogWanted, found: list[Any]) -> Mapping[str, Any] | None:
    """The stream of the asked attempt and run, or of the newest that has one."""
    if wanted.stream not in LOG_STREAMS:
        raise NotFound(f"There is no stream {wanted.stream!r}", "Streams: stdout, stderr.")
    order = {one["id"]: one["number"] for one in task["attempts"]}
    if wanted.attempt and wanted.attempt not in order:
        raise NotFound(
            f"{task['id']} has no attempt {wanted.attempt!r}", f"Attempts: {', '.join(order)}."
        )
    matching = [
        one
        for one in found
        if one["stream"] == wanted.stream
        and one["rank"] == wanted.rank
        and wanted.attempt in ("", one["attempt"])
        and wanted.run in (None, one["run"])
    ]
    return max(matching, key=lambda one: (order.get(one["attempt"], 0), one["run"]), default=None)
