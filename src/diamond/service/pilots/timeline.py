"""What ran in a pilot, where and when: from its journal, which is read as data from a job."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import DiamondError, EndpointAway
from diamond.pilots.journal import ExecutionState, History, Opened, read_entry
from diamond.service.access.principal import Principal
from diamond.service.endpoints.ask_agent import require_files, require_online
from diamond.service.output.files import read_pieces
from diamond.service.pilots import schemas, store
from diamond.service.pilots.find import find_pilot
from diamond.service.platform.services import Services
from diamond.service.tasks.rows import TaskRow

JOURNAL = "pilot/journal.jsonl"
"""Below the run directory of the pilot's task."""
MOST_BYTES = 32 << 20
MOST_SHOWN = 2000


async def get_timeline(services: Services, principal: Principal, pilot: str) -> schemas.Timeline:
    async with services.store.read() as connection:
        held = await find_pilot(connection, principal, pilot)
    now = time.time()
    if held.task.started is None:
        return schemas.Timeline(state="none", message="Its allocation has not begun.", now=now)
    try:
        text = await _journal(services, held.task)
    except EndpointAway as error:
        return schemas.Timeline(state="away", message=error.message, now=now)
    except DiamondError as error:
        return schemas.Timeline(state="none", message=error.message, now=now)
    history = await asyncio.to_thread(read_history, text)
    async with services.store.read() as connection:
        names = await _names(connection, held.task.id)
    until = min(now, held.task.ended or now)
    return await asyncio.to_thread(shown_timeline, history, names, now=until)


def read_history(text: bytes) -> History:
    """Skips a torn last line, and whatever is not an entry."""
    history = History()
    for line in text.splitlines():
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        entry = read_entry(value) if isinstance(value, dict) else None
        if entry is not None:
            history.add(entry)
    return history


@dataclass(frozen=True)
class Name:
    """What a task is called, and the step that it is."""

    task: str
    name: str
    pipeline: str = ""
    stage: str = ""


def shown_timeline(history: History, names: Mapping[str, Name], *, now: float) -> schemas.Timeline:
    """`names`: by the id of the attempt."""
    begun = [one for one in history.executions.values() if one.is_claimed]
    begun.sort(key=lambda one: one.claimed_at)
    shown = begun[-MOST_SHOWN:]
    return schemas.Timeline(
        state="known",
        now=now,
        allocations=[_allocation(one) for one in history.allocations[-MOST_SHOWN:]],
        items=[_item(one, names.get(one.id)) for one in shown],
        left_out=len(begun) - len(shown),
        utilisation=utilisation(history, now=now),
    )


def utilisation(history: History, *, now: float) -> schemas.Utilisation:
    """Core-seconds and GPU-seconds that executions held, of those that the allocations had."""
    had_cores = had_gpus = used_cores = used_gpus = 0.0
    ends = _ends(history, now)
    for opened in history.allocations:
        lasted = max(0.0, ends[opened.allocation] - opened.at)
        had_cores += lasted * sum(len(node.cores) for node in opened.nodes)
        had_gpus += lasted * sum(len(node.gpus) for node in opened.nodes)
    for one in history.executions.values():
        if one.allocation in ends:
            end = min(one.ended.at if one.ended else now, ends[one.allocation])
            lasted = max(0.0, end - (one.started_at or one.claimed_at))
            used_cores += lasted * sum(len(share.cores) for share in one.shares)
            used_gpus += lasted * sum(len(share.gpus) for share in one.shares)
    return schemas.Utilisation(
        cores=_share(used_cores, had_cores), gpus=_share(used_gpus, had_gpus)
    )


def _ends(history: History, now: float) -> dict[str, float]:
    """When each allocation ended, as far as its journal tells; the newest one lasts until now."""
    ends: dict[str, float] = {}
    following = history.closed.at if history.closed else now
    for opened in reversed(history.allocations):
        limit = opened.at + opened.seconds_left if opened.seconds_left else now
        ends.setdefault(opened.allocation, min(limit, following, now))
        following = opened.at
    return ends


def _share(used: float, had: float) -> float | None:
    return min(1.0, used / had) if had > 0 else None


def _allocation(opened: Opened) -> schemas.TimelineAllocation:
    return schemas.TimelineAllocation(
        id=opened.allocation,
        opened=opened.at,
        ends=opened.at + opened.seconds_left if opened.seconds_left else None,
        nodes=[
            schemas.TimelineNode(name=node.name, cores=len(node.cores), gpus=len(node.gpus))
            for node in opened.nodes
        ],
    )


def _item(state: ExecutionState, name: Name | None) -> schemas.TimelineItem:
    known = name or Name("", "")
    return schemas.TimelineItem(
        attempt=state.id,
        task=known.task,
        name=known.name,
        pipeline=known.pipeline,
        stage=known.stage,
        allocation=state.allocation,
        claimed=state.claimed_at,
        started=state.started_at or None,
        ended=state.ended.at if state.ended else None,
        reason=state.ended.reason if state.ended else "",
        code=state.ended.code if state.ended else None,
        parts=[
            schemas.TimelinePart(node=share.node, cores=len(share.cores), gpus=len(share.gpus))
            for share in state.shares
        ],
    )


async def _journal(services: Services, task: TaskRow) -> bytes:
    require_files(task)
    await require_online(services, task)
    which = {"task": task.id, "path": JOURNAL}
    facts = await services.relay.ask_json(task.endpoint, "stat-file", **which)
    size = int(facts["size"])
    first = max(0, size - MOST_BYTES)
    pieces = [piece async for piece in read_pieces(services, task.endpoint, which, first, size)]
    return b"".join(pieces)


async def _names(connection: AsyncConnection, pilot: str) -> dict[str, Name]:
    """By the id of each attempt of the tasks in it."""
    rows = await store.tasks_inside(connection, pilot, MOST_SHOWN)
    steps = await store.steps_of_tasks(connection, [row.id for row in rows])
    return {
        attempt.id: Name(row.id, row.name, *steps.get(row.id, ("", "")))
        for row in rows
        for attempt in row.attempts
    }
