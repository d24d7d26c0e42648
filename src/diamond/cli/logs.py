"""`diamond logs`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from diamond.cli.endpoint_status import ConnectionMonitor
from diamond.cli.format import short_id
from diamond.cli.log_writer import LogWriter
from diamond.cli.option_groups import option_groups
from diamond.cli.options import Json, TaskId
from diamond.cli.output import print_json, say
from diamond.cli.task_status import describe_ending
from diamond.core.errors import BadRequest
from diamond.core.kept import MOST_RANKS, logs_folder, own_log
from diamond.sdk.client import Client
from diamond.sdk.logs import STREAMS, LogPart
from diamond.sdk.models import Task

app = typer.Typer(rich_markup_mode=None)
BYTES_PER_LINE = 400
"""A generous guess: if lines turn out longer, more is fetched."""


@dataclass(frozen=True)
class PartOptions:
    """Which part of the log."""

    attempt: Annotated[
        str, typer.Option("--attempt", help="Number or id; default: the newest.")
    ] = ""
    run: Annotated[int | None, typer.Option("--run", help="A run of a requeued attempt.")] = None
    rank: Annotated[
        int, typer.Option("--rank", min=0, help="One rank only; 0: the lines of all ranks.")
    ] = 0
    tail: Annotated[
        int | None, typer.Option("--tail", "-n", min=1, help="Only the last lines.")
    ] = None
    search: Annotated[
        str, typer.Option("--search", metavar="TEXT", help="Only lines that contain this.")
    ] = ""


@dataclass(frozen=True)
class LogSource:
    """One log of a task, as it is stored."""

    attempt: str
    """The id of the attempt."""
    run: int | None
    rank: int


@app.command()
@option_groups
def logs(
    task: TaskId,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Follow until the task ends.")
    ] = False,
    stderr: Annotated[bool, typer.Option("--stderr", help="Standard error only.")] = False,
    stdout: Annotated[bool, typer.Option("--stdout", help="Standard output only.")] = False,
    *,
    part: PartOptions,
    as_json: Json = False,
) -> None:
    """Print the output of a task."""
    client = Client()
    shown = client.task(task)
    streams = _streams(stdout=stdout, stderr=stderr)
    source = LogSource(_attempt_id(shown, part.attempt), part.run, part.rank)
    if part.search:
        _search(client, shown, streams, source, part.search, as_json=as_json)
        return
    if as_json:
        print_json({"items": client.log_streams(shown.id), "next": None})
        return
    check_rank(shown, part.rank)
    check_available(shown, source)
    writer = LogWriter(merged=len(streams) == 1)
    if follow and not shown.is_final:
        _follow(client, shown, streams, part, writer)
        return
    _check_run(shown, source)
    if not part.attempt:
        _mention_earlier(shown, source.attempt)
    for piece in _stored(client, shown, streams, source, part.tail):
        writer.write(piece)
    if follow:
        say(describe_ending(shown))


def _search(
    client: Client,
    task: Task,
    streams: tuple[str, ...],
    source: LogSource,
    text: str,
    *,
    as_json: bool,
) -> None:
    """Search the whole log, including the part on the cluster; exits with 1 if nothing matches."""
    matches: list[dict[str, Any]] = []
    for stream in streams:
        for match in client.search_log(
            task.id, text, stream=stream, attempt=source.attempt, rank=source.rank
        ):
            if "incomplete" in match:
                say(str(match["incomplete"]))
                continue
            matches.append({"stream": stream, **match})
            if not as_json:
                print(match["text"])
    if as_json:
        print_json({"items": matches, "next": None})
    raise typer.Exit(0 if matches else 1)


def _streams(*, stdout: bool, stderr: bool) -> tuple[str, ...]:
    if stdout == stderr:
        return STREAMS
    return ("stderr",) if stderr else ("stdout",)


def _follow(
    client: Client,
    task: Task,
    streams: tuple[str, ...],
    part: PartOptions,
    writer: LogWriter,
) -> None:
    size = part.tail * BYTES_PER_LINE if part.tail else None
    monitor = ConnectionMonitor(client, task.endpoint)
    try:
        for item in client.follow(
            task.id,
            streams=streams,
            tail_bytes=size,
            rank=part.rank,
            on_lost=monitor.lost,
            on_endpoint=monitor.endpoint,
        ):
            if isinstance(item, LogPart):
                writer.write(item)
            elif isinstance(item, Task) and item.is_final:
                say(describe_ending(item))
    except KeyboardInterrupt:
        say(f"{short_id(task.id)} keeps running.")


def _stored(
    client: Client,
    task: Task,
    streams: tuple[str, ...],
    source: LogSource,
    tail: int | None,
) -> Iterator[LogPart]:
    if tail is None:
        yield from client.logs(
            task.id,
            streams=streams,
            attempt=source.attempt,
            run=source.run,
            rank=source.rank,
        )
        return
    for stream in streams:
        yield from _last_lines(client, task, stream, source, tail)


def _last_lines(
    client: Client, task: Task, stream: str, source: LogSource, tail: int
) -> Iterator[LogPart]:
    size = tail * BYTES_PER_LINE
    while True:
        parts = list(
            client.logs(
                task.id,
                streams=(stream,),
                attempt=source.attempt,
                run=source.run,
                tail_bytes=size,
                rank=source.rank,
            )
        )
        data = b"".join(part.data for part in parts)
        lines = data.removesuffix(b"\n").split(b"\n")
        if len(lines) > tail or not parts or parts[0].offset == 0:
            break
        size *= 4
    if parts:
        last = parts[-1]
        kept = b"\n".join(lines[-tail:]) + (b"\n" if data.endswith(b"\n") else b"")
        yield LogPart(last.attempt, last.run, stream, last.offset, kept)


def _attempt_id(task: Task, wanted: str) -> str:
    """The id of an attempt given by number or id; default: the newest that has started."""
    if not task.attempts:
        return ""
    if not wanted:
        started = [attempt for attempt in task.attempts if attempt.get("started")] or task.attempts
        return str(started[-1]["id"])
    for attempt in task.attempts:
        if wanted in (str(attempt["id"]), str(attempt["number"])):
            return str(attempt["id"])
    known = ", ".join(str(attempt["number"]) for attempt in task.attempts)
    raise BadRequest(f"{short_id(task.id)} has no attempt {wanted!r}", f"Attempts: {known}")


def check_rank(task: Task, rank: int) -> None:
    """Rejects a rank that the request does not have; any rank is accepted if the request is unknown."""
    requested = (task.raw.get("order") or {}).get("resources") or {}
    ranks = int(requested.get("nodes") or 1) * int(requested.get("tasks_per_node") or 1)
    if requested and not 0 <= rank < ranks:
        known = "only 0" if ranks == 1 else f"0 to {ranks - 1}"
        raise BadRequest(f"{short_id(task.id)} has no rank {rank}", f"Ranks: {known}")


def check_available(task: Task, source: LogSource) -> None:
    """Logs of very high ranks stay on the endpoint."""
    if source.rank < MOST_RANKS:
        return
    run = source.run or _attempt(task, source.attempt).get("run") or 1
    folder = logs_folder(str(task.raw.get("run_dir") or ""), source.attempt, run)
    raise BadRequest(
        f"Logs of ranks {MOST_RANKS} and higher are only available on {task.endpoint}",
        f"This one is in {folder}/{own_log(source.rank, 'stdout')}" if folder else "",
    )


def _check_run(task: Task, source: LogSource) -> None:
    runs = [int(run["run"]) for run in _attempt(task, source.attempt).get("runs") or []]
    if source.run is not None and source.run not in runs:
        known = ", ".join(map(str, runs)) or "none has started"
        raise BadRequest(
            f"This attempt of {short_id(task.id)} has no run {source.run}", f"Runs: {known}"
        )


def _mention_earlier(task: Task, attempt: str) -> None:
    number = int(_attempt(task, attempt).get("number") or 1)
    if number > 1:
        earlier = "attempt 1" if number == 2 else f"attempts 1 to {number - 1}"
        say(
            f"This is attempt {number}. To see {earlier}: diamond logs {short_id(task.id)} --attempt N"
        )


def _attempt(task: Task, attempt: str) -> dict[str, Any]:
    return next((known for known in task.attempts if known["id"] == attempt), {})
