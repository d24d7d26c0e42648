"""How long each step of a build will take, judging by the last builds on the same endpoint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.images.build_steps import BuildLine, StepProgress, parse_lines, read_steps
from diamond.service.output import log_store
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.store import recent_tasks

LAST_BUILDS = 8
STEPS_BYTES = 8 << 20


async def build_lines(connection: AsyncConnection, row: TaskRow) -> list[BuildLine]:
    """What the newest run of a build reported about its steps."""
    streams = await log_store.streams_of(connection, row.id)
    steps = [stream for stream in streams if stream.stream == "steps"]
    own = [stream for stream in steps if stream.attempt == row.attempt] or steps
    if not own:
        return []
    newest = max(own, key=lambda stream: stream.run)
    _, data = await log_store.read_kept(connection, newest.id, 0, STEPS_BYTES)
    return parse_lines(data)


async def past_steps(connection: AsyncConnection, owner: str, endpoint: str) -> list[StepProgress]:
    """Steps that ran to their end in the last builds there; those from the cache say nothing."""
    builds = await recent_tasks(
        connection, owner=owner, endpoint=endpoint, kind="build", limit=LAST_BUILDS
    )
    done: list[StepProgress] = []
    for build in builds:
        steps = read_steps(await build_lines(connection, build)).steps
        done += [step for step in steps if step.state == "done" and step.seconds is not None]
    return done


def estimated_seconds(name: str, title: str, past: Sequence[StepProgress]) -> float | None:
    """As the same step took; else as others of its kind did. A command is like no other command."""
    same = [step for step in past if _kind(step.name) == _kind(name) and step.title == title]
    if same or _kind(name) == "command":
        return _median(same)
    return _median([step for step in past if _kind(step.name) == _kind(name)])


def _kind(name: str) -> str:
    return name.partition("-")[0]


def _median(steps: Iterable[StepProgress]) -> float | None:
    seconds = [step.seconds for step in steps if step.seconds is not None]
    return round(median(seconds), 1) if seconds else None
