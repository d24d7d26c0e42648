"""How long each step of a build will take, judging by the last builds on the same endpoint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.images.build_steps import BuildLine, StepProgress, parse_lines, read_steps
from diamond.service.images.schemas import BuildStanding, BuildStep
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


def standing_of(steps: Sequence[BuildStep], now: float) -> BuildStanding:
    """Which step runs, and by the times of earlier builds how far it all is. A step that takes longer than before has no time left of its own."""
    over = [step for step in steps if step.state in ("done", "cached", "failed")]
    running = next((step for step in steps if step.state == "running"), None)
    number = len(over) + (1 if running else 0)
    left = [step for step in steps if step.state in ("waiting", "running")]
    if any(step.expected_seconds is None for step in left):
        return BuildStanding(step=number, steps=len(steps))
    spent = sum(step.seconds or 0.0 for step in over)
    elapsed = max(now - (running.started or now), 0.0) if running else 0.0
    expected = sum(step.expected_seconds or 0.0 for step in left)
    in_step = min(elapsed, (running.expected_seconds or 0.0) if running else 0.0)
    whole = max(spent + expected, 0.001)
    return BuildStanding(
        step=number,
        steps=len(steps),
        percent=min(int(100 * (spent + in_step) / whole), 99),
        seconds_left=round(max(expected - in_step, 0.0), 1),
    )


def _kind(name: str) -> str:
    return name.partition("-")[0]


def _median(steps: Iterable[StepProgress]) -> float | None:
    seconds = [step.seconds for step in steps if step.seconds is not None]
    return round(median(seconds), 1) if seconds else None
