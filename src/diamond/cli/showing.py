"""`diamond show`: one task, with why it waited and why it ended."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import typer

from diamond.cli.options import Json, TaskId
from diamond.cli.output import STATE_COLOURS, paint, print_json
from diamond.cli.words import (
    age,
    clock,
    ending_words,
    next_step,
    reason_words,
    span,
    state_sentence,
    waited,
)
from diamond.core.units import show_bytes, show_minutes
from diamond.sdk.client import Client
from diamond.sdk.models import Task

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
    for line in [*_head(found), *_order(found), *_attempts(found)]:
        print(line)
    _section("Numbers", [*_latest(client.metrics(found.id)), *_most(client.usage(found.id))])
    _section("Why it waited", waited(history))
    _section("Notes", [_note(one) for one in history if one.get("type") == "note"])
    if found.is_final:
        _section("How it ended", [ending_words(found)])
    step = next_step(found)
    if step:
        print(f"\n{step}")


def _head(task: Task) -> Iterator[str]:
    colour = STATE_COLOURS.get(task.state, "bold")
    yield f"{paint(task.name, 'bold')}  {task.id}  (job {task.job})"
    yield f"  State     {paint(state_sentence(task), colour)}"
    if task.message and not task.is_final:
        yield f"            {task.message}"
    yield f"  Endpoint  {task.endpoint}" + (
        f", batch job {task.native_id}" if task.native_id else ""
    )
    if task.native_state and not task.is_final:
        yield f"  Batch     {task.native_state}"
    yield f"  Created   {clock(task.created)} ({age(task.created)})"
    if task.started:
        end = task.ended or task.as_of or task.started
        yield f"  Started   {clock(task.started)}, ran {span(end - task.started)}"
    if task.ended:
        yield f"  Ended     {clock(task.ended)}"
    elif task.as_of:
        yield f"  As of     {age(task.as_of)}"
    if task.retry_of:
        yield f"  Retry of  {task.retry_of}"
    if task.run_dir:
        yield f"  Folder    {task.run_dir}"


def _order(task: Task) -> Iterator[str]:
    order = task.raw.get("order") or {}
    command = order.get("command") or " ".join(order.get("argv") or [])
    if command:
        yield f"  Command   {command.splitlines()[0]}"
    asked = order.get("resources") or {}
    if asked:
        yield f"  Asked     {_resources(asked)}"
    code = task.raw.get("code") or {}
    if code.get("snapshot"):
        yield f"  Code      {_code(code)}"


def _resources(asked: dict[str, object]) -> str:
    words = [f"{asked.get('nodes', 1)} node(s)", f"{asked.get('cpus_per_task', 1)} CPU(s)"]
    if asked.get("gpus_per_node"):
        words.append(f"{asked['gpus_per_node']} GPU(s) per node")
    if asked.get("memory_mb"):
        words.append(show_bytes(int(str(asked["memory_mb"])) * 2**20))
    words.append(show_minutes(int(str(asked.get("walltime_minutes", 60)))))
    return ", ".join(words)


def _code(code: dict[str, object]) -> str:
    commit = str(code.get("commit") or "")
    words = [str(code["snapshot"])[:19]]
    if commit:
        words.append(f"commit {commit[:10]}" + (" with changes" if code.get("dirty") else ""))
    return ", ".join(words)


def _attempts(task: Task) -> Iterator[str]:
    if len(task.attempts) < 2 and not any(len(one.get("runs") or []) > 1 for one in task.attempts):
        return
    yield "\nAttempts"
    for one in task.attempts:
        ended = reason_words(str(one.get("reason") or "")) or ("ended" if one.get("ended") else "")
        job = f"batch job {one.get('native_id')}" if one.get("native_id") else "not queued yet"
        yield f"  {one.get('number')}  {one.get('id')}  {job}  {clock(one.get('started'))}  {ended}"


def _latest(series: list[dict[str, Any]]) -> Iterator[str]:
    """The last value of each metric, and at which step."""
    for one in series:
        step, _, value = one["points"][-1]
        at = f" at step {step:g}" if step is not None else ""
        yield f"{one['name']}  {'not a finite number' if value is None else f'{value:.6g}'}{at}"


def _most(series: list[dict[str, Any]]) -> Iterator[str]:
    """The most of each resource that was seen in use."""
    for one in series:
        most = max((value for _, _, value in one["points"] if value is not None), default=0.0)
        yield f"{one['name']}  at most {most:.4g}"


def _note(event: dict[str, object]) -> str:
    return f"{clock(float(str(event.get('at') or 0)))}  {event.get('message', '')}"


def _section(title: str, lines: list[str]) -> None:
    if not lines:
        return
    print(f"\n{paint(title, 'bold', sys.stdout)}")
    for line in lines:
        print(f"  {line}")
