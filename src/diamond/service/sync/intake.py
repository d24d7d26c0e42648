"""Bytes from agents: logs are kept by offset, metrics are read line by line."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from diamond.core.errors import BadRequest, TooLarge
from diamond.core.events import Note
from diamond.core.task import FINAL_WORDS
from diamond.core.units import show_bytes
from diamond.service.endpoints.pairing import AgentCall
from diamond.service.images.arrivals import take_built
from diamond.service.images.build_steps import parse_lines
from diamond.service.output import log_store as logs
from diamond.service.output import metric_store as metrics
from diamond.service.output.log_store import LOG_STREAMS
from diamond.service.output.metric_lines import read_lines
from diamond.service.output.rows import LogStreamRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import Row
from diamond.service.platform.services import Services
from diamond.service.platform.wakeups.notifier import SCALES, task_topic
from diamond.service.tasks import store as task_rows
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.stepping import Steps

METRIC_STREAMS = frozenset({"metrics", "tensorboard", "usage"})
MAX_BYTES = 2 << 20
"""Agents send at most 1 MB of data; the rest is room for the line in front of it."""


@dataclass(frozen=True)
class Part:
    key: logs.StreamKey
    offset: int
    data: bytes
    skipped: bool


async def take_bytes(services: Services, call: AgentCall, body: bytes) -> dict[str, Any]:
    """Each part is taken if it fits where its stream stands; the answer says where that now is."""
    parts = _parts(body)

    async def take(tx: Transaction) -> dict[str, Any]:
        known = await task_rows.tasks_by_id(tx.connection, {part.key.task for part in parts})
        steps = Steps(call.principal.user)
        have = [await _take(tx, call, steps, known, part) for part in parts]
        await steps.save(tx)
        return {
            "have": have,
            "unknown_tasks": sorted({part.key.task for part in parts} - set(known)),
        }

    return await services.store.run(take)


async def _take(
    tx: Transaction, call: AgentCall, steps: Steps, known: Mapping[str, TaskRow], part: Part
) -> int:
    task = known.get(part.key.task)
    if task is None:
        return 0
    if task["endpoint"] != call.endpoint["id"]:
        return part.offset + len(part.data)
    stream = await logs.open_stream(tx, task["owner"], part.key)
    size: int = stream["size"]
    if part.offset != size and not (part.skipped and part.offset > size):
        return size
    if part.key.stream in LOG_STREAMS:
        size = await logs.append(tx, stream, part.offset, part.data)
        partial = await _take_steps(tx, task, stream, part)
        await logs.save_stream(tx, stream["id"], {"size": size, "partial": partial})
    else:
        size = await _take_metrics(tx, steps, task, stream, part)
    tx.wake(task_topic(task["id"]))
    if task["state"] in FINAL_WORDS:
        steps.announce(task)
    if task["kind"] == "probe":
        tx.wake(SCALES)
    return size


async def _take_steps(tx: Transaction, task: TaskRow, stream: Row, part: Part) -> bytes:
    """An image that a build tells of is written down; what begins a next line is kept for it."""
    if part.key.stream != "steps":
        return b""
    whole, end, partial = (bytes(stream["partial"]) + part.data).rpartition(b"\n")
    for line in parse_lines(whole + end):
        if line.get("event") == "image" and isinstance(line.get("record"), dict):
            await take_built(tx, task, line)
    return partial


async def _take_metrics(
    tx: Transaction, steps: Steps, task: TaskRow, stream: LogStreamRow, part: Part
) -> int:
    lines = read_lines(b"" if part.skipped else bytes(stream["partial"]), part.data)
    thinned = await metrics.add_points(tx, stream, lines.points)
    size = part.offset + len(part.data)
    bad = stream["bad_lines"] + lines.bad
    await logs.save_stream(
        tx, stream["id"], {"size": size, "partial": lines.partial, "bad_lines": bad}
    )
    if lines.bad and not stream["bad_lines"]:
        words = f"a line of {part.key.stream} is not JSON and was left out; the rest is kept"
        _note(steps, task, words, "bad-metric-line")
    if thinned:
        words = f"many points of {', '.join(thinned[:5])}: from now on only some are kept"
        _note(steps, task, words, "metrics-thinned")
    return size


def _note(steps: Steps, task: TaskRow, message: str, code: str) -> None:
    if not steps.knows(task["id"]):
        steps.load(task)
    steps.apply(task["id"], Note(time.time(), message=message, code=code))


def _parts(body: bytes) -> list[Part]:
    if len(body) > MAX_BYTES:
        raise TooLarge(f"More than {show_bytes(MAX_BYTES)} in one call", "Send less at a time.")
    line, _, rest = body.partition(b"\n")
    try:
        told = json.loads(line)["parts"]
        found, at = [], 0
        for one in told:
            length = int(one["length"])
            found.append(_part(one, rest[at : at + length]))
            at += length
    except (ValueError, KeyError, TypeError) as error:
        raise BadRequest(f"The line in front of the bytes cannot be read: {error}") from None
    if at != len(rest):
        raise BadRequest(f"{len(rest)} bytes came, {at} were announced")
    return found


def _part(one: dict[str, Any], data: bytes) -> Part:
    stream = str(one["stream"])
    if stream not in LOG_STREAMS | METRIC_STREAMS:
        raise ValueError(f"{stream!r} is not a stream")
    key = logs.StreamKey(
        str(one["task"]), str(one["attempt"]), int(one["run"]), int(one.get("rank", 0)), stream
    )
    return Part(key, int(one["offset"]), data, bool(one.get("skipped")))
