"""`diamond show`: one task, with why it waited and why it ended."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Iterator

import typer

from diamond.cli.chain_format import attempt_lines, chain_lines, planned_lines
from diamond.cli.format import (
    describe_ending,
    describe_resources,
    describe_state,
    duration,
    next_step,
    time_ago,
    timestamp,
    waiting_reasons,
)
from diamond.cli.metrics_format import metric_lines
from diamond.cli.offline import describe_offline, is_offline
from diamond.cli.options import Json, TaskId
from diamond.cli.output import STATE_COLORS, color, print_json, without_control_characters
from diamond.cli.profile_format import is_this_machine
from diamond.core.errors import NotFound
from diamond.sdk.client import Client
from diamond.sdk.models import Endpoint, Task

app = typer.Typer(rich_markup_mode=None)


@app.command()
def show(task: TaskId, as_json: Json = False) -> None:
    """Explain one task: where it is, why it waited, why it ended."""
    client = Client()
    found = client.task(task)
    history = client.history(found.id)
    if as_json:
        print_json({**found.raw, "history": history})
        return
    endpoint = _endpoint_of(client, found)
    for line in [*_head(found, endpoint), *_order(found)]:
        print(without_control_characters(line))
    _section("Attempts", attempt_lines(found, is_local=is_this_machine(endpoint.profile)))
    _section("Chain", chain_lines(found))
    _section("Foretold and happened", planned_lines(found))
    _section("Numbers", metric_lines(client.metrics(found.id), client.usage(found.id)))
    _section("Why it waited", waiting_reasons(history))
    _section("Notes", [_note(one) for one in history if one.get("type") == "note"])
    if found.is_final:
        _section("How it ended", [describe_ending(found)])
    step = next_step(found)
    if step:
        print(f"\n{step}")


def _endpoint_of(client: Client, task: Task) -> Endpoint:
    """One that was removed since is known by its name alone."""
    try:
        return client.endpoint(task.endpoint)
    except NotFound:
        return Endpoint(name=task.endpoint)


def _head(task: Task, endpoint: Endpoint) -> Iterator[str]:
    away = is_offline(endpoint) and not task.is_final
    now = task.as_of if away and task.as_of else time.time()
    colour = STATE_COLORS.get(task.state, "bold")
    yield f"{color(task.name, 'bold')}  {task.id}  (job {task.job})"
    yield f"  State     {color(describe_state(task, now), colour)}"
    if task.message and not task.is_final:
        yield f"            {task.message}"
    if away:
        yield f"            {describe_offline(endpoint)}"
    yield from _place(task, endpoint)
    yield f"  Created   {timestamp(task.created)} ({time_ago(task.created)})"
    if task.started:
        end = task.ended or task.as_of or task.started
        yield f"  Started   {timestamp(task.started)}, {_lasted(task, duration(end - task.started))}"
    if task.ended:
        yield f"  Ended     {timestamp(task.ended)}"
    elif task.as_of:
        yield f"  As of     {time_ago(task.as_of)}"
    if task.retry_of:
        yield f"  Retry of  {task.retry_of}"
    if task.cleaned:
        yield f"  Folder    removed by `diamond clean` {time_ago(task.cleaned)}"
    elif task.run_dir:
        yield f"  Folder    {task.run_dir}"


def _lasted(task: Task, words: str) -> str:
    """Between the attempts of a chain it did not run."""
    begun = sum(one.get("started") is not None for one in task.attempts)
    return f"{begun} attempts in {words}" if begun > 1 else f"ran {words}"


def _order(task: Task) -> Iterator[str]:
    order = task.raw.get("order") or {}
    command = order.get("command") or shlex.join(order.get("argv") or [])
    if command:
        yield f"  Command   {command.splitlines()[0]}"
    asked = order.get("resources") or {}
    if asked:
        yield f"  Asked     {describe_resources(asked)}"
    code = task.raw.get("code") or {}
    if code.get("snapshot"):
        yield f"  Code      {_code(code)}"


def _place(task: Task, endpoint: Endpoint) -> Iterator[str]:
    batch = task.native_id and not is_this_machine(endpoint.profile)
    yield f"  Endpoint  {task.endpoint}" + (f", batch job {task.native_id}" if batch else "")
    if batch and task.native_state and not task.is_final:
        yield f"  Batch     {task.native_state}"


def _code(code: dict[str, object]) -> str:
    commit = str(code.get("commit") or "")
    words = [str(code["snapshot"])[:19]]
    if commit:
        words.append(f"commit {commit[:10]}" + (" with changes" if code.get("dirty") else ""))
    return ", ".join(words)


def _note(event: dict[str, object]) -> str:
    return f"{timestamp(float(str(event.get('at') or 0)))}  {event.get('message', '')}"


def _section(title: str, lines: list[str]) -> None:
    if not lines:
        return
    print(f"\n{color(title, 'bold', sys.stdout)}")
    for line in lines:
        print(f"  {without_control_characters(line)}")
