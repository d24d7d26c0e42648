"""`diamond show`: one task, with why it waited and why it ended."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Iterator

import typer

from diamond.cli.chain import attempt_lines, chain_lines, foretold_lines
from diamond.cli.dependency_format import dependency_lines
from diamond.cli.numbers import number_lines
from diamond.cli.options import Json, TaskId
from diamond.cli.output import STATE_COLOURS, paint, plain, print_json
from diamond.cli.presence import away_words, is_away
from diamond.cli.profiles import is_this_machine
from diamond.cli.words import (
    age,
    clock,
    ending_words,
    next_step,
    resource_words,
    span,
    state_sentence,
    waited,
)
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
        print(plain(line))
    _section("Waiting for", dependency_lines(found.raw))
    _section("Attempts", attempt_lines(found, is_local=is_this_machine(endpoint.profile)))
    _section("Chain", chain_lines(found))
    _section("Foretold and happened", foretold_lines(found))
    _section("Numbers", number_lines(client.metrics(found.id), client.usage(found.id)))
    _section("Why it waited", waited(history))
    _section("Notes", [_note(one) for one in history if one.get("type") == "note"])
    if found.is_final:
        _section("How it ended", [ending_words(found)])
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
    away = is_away(endpoint) and not task.is_final
    now = task.as_of if away and task.as_of else time.time()
    colour = STATE_COLOURS.get(task.state, "bold")
    yield f"{paint(task.name, 'bold')}  {task.id}  (job {task.job})"
    yield f"  State     {paint(state_sentence(task, now), colour)}"
    if task.message and not task.is_final:
        yield f"            {task.message}"
    if away:
        yield f"            {away_words(endpoint)}"
    yield from _place(task, endpoint)
    yield f"  Created   {clock(task.created)} ({age(task.created)})"
    if task.started:
        end = task.ended or task.as_of or task.started
        yield f"  Started   {clock(task.started)}, {_lasted(task, span(end - task.started))}"
    if task.ended:
        yield f"  Ended     {clock(task.ended)}"
    elif task.as_of:
        yield f"  As of     {age(task.as_of)}"
    if task.retry_of:
        yield f"  Retry of  {task.retry_of}"
    if task.cleaned:
        yield f"  Folder    removed by `diamond clean` {age(task.cleaned)}"
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
        yield f"  Asked     {resource_words(asked)}"
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
    return f"{clock(float(str(event.get('at') or 0)))}  {event.get('message', '')}"


def _section(title: str, lines: list[str]) -> None:
    if not lines:
        return
    print(f"\n{paint(title, 'bold', sys.stdout)}")
    for line in lines:
        print(f"  {plain(line)}")
