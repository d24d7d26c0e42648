"""Reading logs: what is kept here, the rest from the cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from diamond.core.errors import NotFound
from diamond.service.principal import Principal
from diamond.service.services import Services
from diamond.service.store import logs
from diamond.service.use_cases.asking import require_files, require_online
from diamond.service.use_cases.intake import LOG_STREAMS
from diamond.service.use_cases.tasks import find_task

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


async def list_logs(services: Services, principal: Principal, task: str) -> list[dict[str, Any]]:
    async with services.store.read() as connection:
        row = await find_task(connection, principal, task)
        found = await logs.streams_of(connection, row["id"])
        return [
            {
                **{name: one[name] for name in ("attempt", "run", "rank", "stream", "size")},
                "kept": await logs.kept_ranges(connection, one["id"]),
            }
            for one in found
            if one["stream"] in LOG_STREAMS
        ]


async def read_log(
    services: Services, principal: Principal, task: str, wanted: LogWanted
) -> LogPart:
    """Bytes from one place only, so a reader goes on at `offset + len(data)`."""
    async with services.store.read() as connection:
        row = await find_task(connection, principal, task)
        stream = _choose(row, wanted, await logs.streams_of(connection, row["id"]))
        if stream is None:
            return LogPart(0, b"", 0, "kept")
        size: int = stream["size"]
        start = max(size + wanted.offset, 0) if wanted.offset < 0 else min(wanted.offset, size)
        limit = min(wanted.limit, MAX_READ, size - start)
        at, data = await logs.read_kept(connection, stream["id"], start, limit)
    if limit <= 0 or (data and at == start):
        return LogPart(start, data, size, "kept")
    # Not kept from here on: asked of the cluster, up to where kept bytes go on.
    gap = min(limit, at - start) if data else limit
    fetched = await _from_cluster(services, row, stream, start, gap)
    return LogPart(start, fetched, size, "cluster")


async def _from_cluster(
    services: Services, task: Mapping[str, Any], stream: Mapping[str, Any], start: int, length: int
) -> bytes:
    require_files(task)
    await require_online(services, task)
    which = {name: stream[name] for name in ("task", "attempt", "run", "rank", "stream")}
    return await services.relay.ask_bytes(
        task["endpoint"], "read-log", **which, offset=start, length=length
    )


def _choose(
    task: Mapping[str, Any], wanted: LogWanted, found: list[Any]
) -> Mapping[str, Any] | None:
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


async def open_whole(services, person, task, log):
    raise NotImplementedError
