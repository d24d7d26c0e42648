"""Bytes from agents: logs are kept by offset, metrics are read line by line."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass

from diamond.core import facts
from diamond.core.agent_messages import StreamPart, StreamParts
from diamond.core.decoding import decode
from diamond.core.errors import BadRequest, TooLarge
from diamond.core.events import Note
from diamond.core.kept import LOG_STREAMS
from diamond.core.protocol import BytesTaken
from diamond.core.task import FINAL_WORDS
from diamond.core.units import show_bytes
from diamond.provenance.entries import Draft
from diamond.service.endpoints.pairing import AgentCall
from diamond.service.images.arrivals import store_built_image
from diamond.service.images.build_steps import parse_lines
from diamond.service.output import log_store as logs
from diamond.service.output import metric_store as metrics
from diamond.service.output.job_facts import take_facts
from diamond.service.output.metric_lines import read_lines
from diamond.service.output.recorded_metrics import record_metrics
from diamond.service.output.rows import LogStreamRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.services import Services
from diamond.service.platform.wakeups.notifier import WOKEN, task_topic
from diamond.service.results.results import note_results
from diamond.service.storage.storage import quota_used
from diamond.service.studies.suggested import note_suggested
from diamond.service.tasks import store as task_rows
from diamond.service.tasks.record_entries import record
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.stepping import Steps

METRIC_STREAMS = frozenset({"metrics", "tensorboard", "usage"})
STREAMS = LOG_STREAMS | METRIC_STREAMS | {facts.STREAM}
NAMES_LEFT_OUT = "metric-names-left-out"
OVER_QUOTA = "over-quota"
CURVES_UP_TO = 2.0
FULL = (
    "Your storage quota in this service is used up: the log of this task stays on its endpoint, and is read from there. "
    "See what takes up space: diamond storage show"
)
Drafts = dict[str, list[Draft]]
"""New entries of records by task: many runs of a burst end together, and are recorded together."""
MAX_BYTES = 2 << 20
"""Agents send at most 1 MB of data; the rest is room for the line in front of it."""


@dataclass(frozen=True)
class Part:
    key: logs.StreamKey
    offset: int
    data: bytes
    skipped: bool


@dataclass(frozen=True)
class Room:
    """What a person's quota has room for. Curves are small, and nothing else keeps them as they were: they have twice the room."""

    used: float

    @property
    def for_logs(self) -> bool:
        return self.used <= 1

    @property
    def for_curves(self) -> bool:
        return self.used <= CURVES_UP_TO

    def takes(self, stream: str) -> bool:
        """Facts are small, and the record needs them."""
        if stream == facts.STREAM:
            return True
        return self.for_logs if stream in LOG_STREAMS else self.for_curves


async def take_bytes(services: Services, call: AgentCall, body: bytes) -> BytesTaken:
    """Each part is taken if it fits where its stream stands; the answer says where that now is."""
    parts = _parts(body)
    room = Room(await quota_used(services, call.principal.user))

    async def take(tx: Transaction) -> BytesTaken:
        known = await task_rows.tasks_by_id(tx.connection, {part.key.task for part in parts})
        steps = Steps(call.principal.user)
        drafts: Drafts = {task: [] for task in known}
        streams = logs.OpenStreams(
            {part.key: known[part.key.task].owner for part in parts if _is_kept(call, known, part)}
        )
        await streams.open(tx)
        have = [await _take(tx, call, steps, room, known, part, drafts, streams) for part in parts]
        await streams.save(tx)
        await record(tx, [(known[task], entries) for task, entries in drafts.items()])
        for task in known.values():
            if any(part.key.task == task.id and not room.takes(part.key.stream) for part in parts):
                await _note_full(tx, call, steps, task)
        await steps.save(tx)
        return BytesTaken(have, sorted({part.key.task for part in parts} - set(known)))

    return await services.store.run(take)


def _is_kept(call: AgentCall, known: Mapping[str, TaskRow], part: Part) -> bool:
    """Of a task of this endpoint that is not archived."""
    task = known.get(part.key.task)
    return task is not None and task.endpoint == call.endpoint.id and task.archived is None


async def _take(
    tx: Transaction,
    call: AgentCall,
    steps: Steps,
    room: Room,
    known: Mapping[str, TaskRow],
    part: Part,
    drafts: Drafts,
    streams: logs.OpenStreams,
) -> int:
    task = known.get(part.key.task)
    if task is None:
        return 0
    if not _is_kept(call, known, part):
        return part.offset + len(part.data)
    stream = streams.row(part.key)
    size = stream.size
    if part.offset != size and not (part.skipped and part.offset > size):
        return size
    if part.key.stream in LOG_STREAMS:
        size = part.offset + len(part.data)
        if room.for_logs:
            size = await logs.append(tx, stream, part.offset, part.data)
        partial = await _take_steps(tx, task, stream, part)
        streams.change(part.key, size=size, partial=partial)
    elif part.key.stream == facts.STREAM:
        size = part.offset + len(part.data)
        taken = await take_facts(tx, task, stream, part.data)
        streams.change(part.key, size=size, partial=taken.partial)
        drafts[task.id] += taken.drafts
        await note_results(tx, task, taken.results)
        await note_suggested(tx, task.id, taken.suggested)
    else:
        size = await _take_metrics(tx, steps, room, task, streams, part)
        if task.state in FINAL_WORDS:
            await record_metrics(tx, [task])
    tx.wake(task_topic(task.id))
    if task.state in FINAL_WORDS:
        steps.announce(task)
    if task.kind in WOKEN:
        tx.wake(WOKEN[task.kind])
    return size


async def _take_steps(tx: Transaction, task: TaskRow, stream: LogStreamRow, part: Part) -> bytes:
    """An image that a build reports is stored; the beginning of a next line is kept for it."""
    if part.key.stream != "steps":
        return b""
    whole, end, partial = (bytes(stream.partial) + part.data).rpartition(b"\n")
    for line in parse_lines(whole + end):
        if line.event == "image" and line.record is not None:
            await store_built_image(tx, task, line)
    return partial


async def _take_metrics(
    tx: Transaction,
    steps: Steps,
    room: Room,
    task: TaskRow,
    streams: logs.OpenStreams,
    part: Part,
) -> int:
    stream = streams.row(part.key)
    lines = read_lines(b"" if part.skipped else bytes(stream.partial), part.data)
    added = await metrics.add_points(tx, stream, lines.points if room.for_curves else [])
    size = part.offset + len(part.data)
    bad = stream.bad_lines + lines.bad
    streams.change(part.key, size=size, partial=lines.partial, bad_lines=bad)
    if lines.bad and not stream.bad_lines:
        message = f"a line of {part.key.stream} is not JSON and was left out; the rest is kept"
        await _note(tx, steps, task, message, "bad-metric-line")
    if added.thinned:
        message = f"many points of {', '.join(added.thinned[:5])}: from now on only some are kept"
        await _note(tx, steps, task, message, "metrics-thinned")
    if added.left_out and not await task_rows.has_note(tx.connection, task.id, NAMES_LEFT_OUT):
        await _note(
            tx, steps, task, _names_left_out(part.key.stream, added.left_out[0]), NAMES_LEFT_OUT
        )
    return size


async def _note_full(tx: Transaction, call: AgentCall, steps: Steps, task: TaskRow) -> None:
    if task.endpoint != call.endpoint.id or task.archived is not None:
        return
    if not await task_rows.has_note(tx.connection, task.id, OVER_QUOTA):
        await _note(tx, steps, task, FULL, OVER_QUOTA)


def _names_left_out(stream: str, name: str) -> str:
    return (
        f"This task logs more than {metrics.MOST_NAMES} different names in {stream}: "
        f"{name[:60]!r} and others after it are not shown. Keep changing values, such as a step or a file, out of names."
    )


async def _note(tx: Transaction, steps: Steps, task: TaskRow, message: str, code: str) -> None:
    if not steps.knows(task.id):
        await steps.load(tx, task)
    steps.apply(task.id, Note(time.time(), message=message, code=code))


def _parts(body: bytes) -> list[Part]:
    if len(body) > MAX_BYTES:
        raise TooLarge(f"More than {show_bytes(MAX_BYTES)} in one call", "Send less at a time.")
    line, _, rest = body.partition(b"\n")
    try:
        announced = decode(StreamParts, json.loads(line)).parts
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"The line in front of the bytes cannot be read: {error}") from None
    total = sum(part.length for part in announced)
    if total != len(rest):
        raise BadRequest(f"{len(rest)} bytes came, {total} were announced")
    parts, at = [], 0
    for part in announced:
        parts.append(_part(part, rest[at : at + part.length]))
        at += part.length
    return parts


def _part(part: StreamPart, data: bytes) -> Part:
    if part.stream not in STREAMS:
        raise BadRequest(
            f"{part.stream!r} is not a stream",
            f"Streams: {', '.join(sorted(STREAMS))}.",
        )
    key = logs.StreamKey(part.task, part.attempt, part.run, part.rank, part.stream)
    return Part(key, part.offset, data, part.skipped)
