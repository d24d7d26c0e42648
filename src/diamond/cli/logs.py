"""`diamond logs`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from diamond.cli.endpoint_status import ConnectionMonitor
from diamond.cli.format import short_id
from diamond.cli.log_writer import LogWriter
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
"""A guess with room: lines are counted in what that fetches, and more is fetched if they were longer."""


@app.command()
def logs(
    task: TaskId,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Until the task has ended.")
    ] = False,
    stderr: Annotated[bool, typer.Option("--stderr", help="Standard error alone.")] = False,
    stdout: Annotated[bool, typer.Option("--stdout", help="Standard output alone.")] = False,
    attempt: Annotated[
        str, typer.Option("--attempt", help="Number or id; default: the newest.")
    ] = "",
    run: Annotated[int | None, typer.Option("--run", help="After a requeue by the site.")] = None,
    rank: Annotated[
        int, typer.Option("--rank", min=0, help="One rank alone; 0: the lines of all ranks.")
    ] = 0,
    tail: Annotated[int | None, typer.Option("--tail", "-n", min=1, help="The last lines.")] = None,
    search: Annotated[
        str, typer.Option("--search", metavar="TEXT", help="Only lines that hold this.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Print what a task has written, as it wrote it."""
    client = Client()
    found = client.task(task)
    streams = _streams(stdout=stdout, stderr=stderr)
    if search:
        which = (_attempt_id(found, attempt), rank)
        _search(client, found, streams, search, which, as_json=as_json)
        return
    if as_json:
        print_json({"items": client.log_streams(found.id), "next": None})
        return
    check_rank(found, rank)
    check_carried(found, _attempt_id(found, attempt), run, rank)
    writer = LogWriter(merged=len(streams) == 1)
    if follow and not found.is_final:
        _follow(client, found, streams, tail, rank, writer)
        return
    chosen = _attempt_id(found, attempt)
    _check_run(found, chosen, run)
    if not attempt:
        _mention_earlier(found, chosen)
    for part in _stored(client, found, streams, (chosen, run, rank), tail):
        writer.write(part)


def _search(
    client: Client,
    task: Task,
    streams: tuple[str, ...],
    text: str,
    which: tuple[str, int],
    *,
    as_json: bool,
) -> None:
    """Lines of the whole log, also of what lies on the cluster alone; ends with 1 when there are none."""
    found: list[dict[str, Any]] = []
    attempt, rank = which
    for stream in streams:
        for one in client.search_log(task.id, text, stream=stream, attempt=attempt, rank=rank):
            if "incomplete" in one:
                say(str(one["incomplete"]))
                continue
            found.append({"stream": stream, **one})
            if not as_json:
                print(one["text"])
    if as_json:
        print_json({"items": found, "next": None})
    raise typer.Exit(0 if found else 1)


def _streams(*, stdout: bool, stderr: bool) -> tuple[str, ...]:
    if stdout == stderr:
        return STREAMS
    return ("stderr",) if stderr else ("stdout",)


def _follow(
    client: Client,
    task: Task,
    streams: tuple[str, ...],
    tail: int | None,
    rank: int,
    writer: LogWriter,
) -> None:
    size = tail * BYTES_PER_LINE if tail else None
    watch = ConnectionMonitor(client, task.endpoint)
    try:
        for happening in client.follow(
            task.id,
            streams=streams,
            tail_bytes=size,
            rank=rank,
            on_lost=watch.lost,
            on_endpoint=watch.endpoint,
        ):
            if isinstance(happening, LogPart):
                writer.write(happening)
            elif isinstance(happening, Task) and happening.is_final:
                say(describe_ending(happening))
    except KeyboardInterrupt:
        say(f"{short_id(task.id)} goes on.")


def _stored(
    client: Client,
    task: Task,
    streams: tuple[str, ...],
    which: tuple[str, int | None, int],
    tail: int | None,
) -> Iterator[LogPart]:
    """`which`: attempt, run and rank."""
    if tail is None:
        attempt, run, rank = which
        yield from client.logs(task.id, streams=streams, attempt=attempt, run=run, rank=rank)
        return
    for stream in streams:
        yield from _last_lines(client, task, stream, which, tail)


def _last_lines(
    client: Client, task: Task, stream: str, which: tuple[str, int | None, int], tail: int
) -> Iterator[LogPart]:
    size = tail * BYTES_PER_LINE
    attempt, run, rank = which
    while True:
        parts = list(
            client.logs(
                task.id,
                streams=(stream,),
                attempt=attempt,
                run=run,
                tail_bytes=size,
                rank=rank,
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
    """The id of an attempt given by number or id; by default the newest that has begun."""
    if not task.attempts:
        return ""
    if not wanted:
        begun = [one for one in task.attempts if one.get("started")] or task.attempts
        return str(begun[-1]["id"])
    for one in task.attempts:
        if wanted in (str(one["id"]), str(one["number"])):
            return str(one["id"])
    known = ", ".join(str(one["number"]) for one in task.attempts)
    raise BadRequest(f"{short_id(task.id)} has no attempt {wanted!r}", f"Attempts: {known}")


def check_rank(task: Task, rank: int) -> None:
    """As many as were asked for; an answer that does not tell is believed to have it."""
    asked = (task.raw.get("order") or {}).get("resources") or {}
    ranks = int(asked.get("nodes") or 1) * int(asked.get("tasks_per_node") or 1)
    if asked and not 0 <= rank < ranks:
        known = "0 alone" if ranks == 1 else f"0 to {ranks - 1}"
        raise BadRequest(f"{short_id(task.id)} has no rank {rank}", f"Ranks: {known}")


def check_carried(task: Task, attempt: str, run: int | None, rank: int) -> None:
    """Of very many ranks the logs stay where they were written."""
    if rank < MOST_RANKS:
        return
    folder = logs_folder(
        str(task.raw.get("run_dir") or ""), attempt, run or _entry(task, attempt).get("run") or 1
    )
    raise BadRequest(
        f"Logs of ranks from {MOST_RANKS} on are read on {task.endpoint} itself",
        f"The file of this one: {folder}/{own_log(rank, 'stdout')}" if folder else "",
    )


def _check_run(task: Task, attempt: str, run: int | None) -> None:
    runs = [int(one["run"]) for one in _entry(task, attempt).get("runs") or []]
    if run is not None and run not in runs:
        known = ", ".join(map(str, runs)) or "none has begun"
        raise BadRequest(f"That attempt of {short_id(task.id)} has no run {run}", f"Runs: {known}")


def _mention_earlier(task: Task, attempt: str) -> None:
    number = int(_entry(task, attempt).get("number") or 1)
    if number > 1:
        earlier = "attempt 1" if number == 2 else f"attempts 1 to {number - 1}"
        say(
            f"This is attempt {number}; see {earlier} with: diamond logs {short_id(task.id)} --attempt N"
        )


def _entry(task: Task, attempt: str) -> dict[str, Any]:
    return next((one for one in task.attempts if one["id"] == attempt), {})
