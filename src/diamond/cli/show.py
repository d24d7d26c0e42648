"""`diamond show`: one task, why it waited and how it ended."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Iterator

import typer

from diamond.cli.chain_format import attempt_lines, chain_lines, planned_lines
from diamond.cli.dependency_format import dependency_lines
from diamond.cli.endpoint_status import describe_offline, is_offline
from diamond.cli.format import describe_resources, duration, time_ago, timestamp
from diamond.cli.metrics_format import metric_lines, progress_lines
from diamond.cli.options import Json, TaskId
from diamond.cli.output import STATE_COLORS, color, print_json, without_control_characters
from diamond.cli.profile_format import is_this_machine
from diamond.cli.task_status import (
    describe_ending,
    describe_state,
    diagnosis_lines,
    fix_step,
    next_step,
    read_diagnosis,
    waiting_reasons,
)
from diamond.core.errors import NotFound
from diamond.sdk.client import Client
from diamond.sdk.models import Endpoint, Task

app = typer.Typer(rich_markup_mode=None)


@app.command()
def show(task: TaskId, as_json: Json = False) -> None:
    """Show one task: its state, why it waited and how it ended."""
    client = Client()
    shown = client.task(task)
    history = client.history(shown.id)
    if as_json:
        print_json({**shown.raw, "history": history})
        return
    endpoint = _endpoint_of(client, shown)
    (summary,) = client.summaries([shown.id])
    for line in [*_head(shown, endpoint), *progress_lines(summary), *_order(shown)]:
        print(without_control_characters(line))
    _section("Waiting for", dependency_lines(shown.raw))
    _section("Attempts", attempt_lines(shown, is_local=is_this_machine(endpoint.profile)))
    _section("Chain", chain_lines(shown))
    _section("Planned and actual", planned_lines(shown))
    _section("Metrics", metric_lines(summary, client.metrics(shown.id), client.usage(shown.id)))
    _section("Why it waited", waiting_reasons(history))
    _section("Notes", [_note(event) for event in history if event.get("type") == "note"])
    if shown.is_final:
        _section("How it ended", [describe_ending(shown)])
    diagnosis = read_diagnosis(client, shown)
    _section("Why", diagnosis_lines(diagnosis))
    step = fix_step(shown, diagnosis) or next_step(shown)
    if step:
        print(f"\n{step}")


def _endpoint_of(client: Client, task: Task) -> Endpoint:
    """If the endpoint was removed since, only its name is known."""
    try:
        return client.endpoint(task.endpoint)
    except NotFound:
        return Endpoint(name=task.endpoint)


def _head(task: Task, endpoint: Endpoint) -> Iterator[str]:
    offline = is_offline(endpoint) and not task.is_final
    now = task.as_of if offline and task.as_of else time.time()
    state_color = STATE_COLORS.get(task.state, "bold")
    yield f"{color(task.name, 'bold')}  {task.id}  (job {task.job})"
    yield f"  State     {color(describe_state(task, now), state_color)}"
    if task.message and not task.is_final:
        yield f"            {task.message}"
    if offline:
        yield f"            {describe_offline(endpoint)}"
    yield from _location(task, endpoint)
    yield f"  Created   {timestamp(task.created)} ({time_ago(task.created)})"
    if task.started:
        end = task.ended or task.as_of or task.started
        yield f"  Started   {timestamp(task.started)}, {_ran_for(task, duration(end - task.started))}"
    if task.ended:
        yield f"  Ended     {timestamp(task.ended)}"
    elif task.as_of:
        yield f"  Updated   {time_ago(task.as_of)}"
    if task.tags:
        yield f"  Tags      {', '.join(task.tags)}"
    if task.note:
        yield from (
            f"  {'Note' if n == 0 else '':8}  {line}"
            for n, line in enumerate(task.note.splitlines())
        )
    if task.retry_of:
        yield f"  Retry of  {task.retry_of}"
    if task.archived:
        yield f"  Archived  {time_ago(task.archived)}: logs and curves were removed from the service"
        for name, value in task.final_metrics.items():
            yield f"  {name}  {value['last']:g} (from {value['min']:g} to {value['max']:g})"
    if task.cleaned:
        yield f"  Folder    removed by `diamond clean` {time_ago(task.cleaned)}"
    elif task.run_dir:
        yield f"  Folder    {task.run_dir}"


def _ran_for(task: Task, span: str) -> str:
    """Between the attempts of a chain it was not running, so only their number is exact."""
    started = sum(attempt.get("started") is not None for attempt in task.attempts)
    return f"{started} attempts in {span}" if started > 1 else f"ran for {span}"


def _order(task: Task) -> Iterator[str]:
    order = task.raw.get("order") or {}
    command = order.get("command") or shlex.join(order.get("argv") or [])
    if command:
        yield f"  Command   {command.splitlines()[0]}"
    requested = order.get("resources") or {}
    if requested:
        yield f"  Requests  {describe_resources(requested)}"
    code = task.raw.get("code") or {}
    if code.get("snapshot"):
        yield f"  Code      {_code(code)}"


def _location(task: Task, endpoint: Endpoint) -> Iterator[str]:
    batch = task.native_id and not is_this_machine(endpoint.profile)
    yield f"  Endpoint  {task.endpoint}" + (f", batch job {task.native_id}" if batch else "")
    if batch and task.native_state and not task.is_final:
        yield f"  Queue     {task.native_state}"


def _code(code: dict[str, object]) -> str:
    commit = str(code.get("commit") or "")
    parts = [str(code["snapshot"])[:19]]
    if commit:
        parts.append(f"commit {commit[:10]}" + (" with changes" if code.get("dirty") else ""))
    return ", ".join(parts)


def _note(event: dict[str, object]) -> str:
    return f"{timestamp(float(str(event.get('at') or 0)))}  {event.get('message', '')}"


def _section(title: str, lines: list[str]) -> None:
    if not lines:
        return
    print(f"\n{color(title, 'bold', sys.stdout)}")
    for line in lines:
        print(f"  {without_control_characters(line)}")
