"""A build as it is seen in a terminal: its log live, its steps, and why it failed."""

from __future__ import annotations

import time
from typing import Any

from diamond.cli.format import short_id
from diamond.cli.output import print_json, say
from diamond.cli.wait import exit_code, follow_task
from diamond.core.units import show_bytes
from diamond.sdk.client import Client

LATE_SECONDS = 30.0


def follow_build(client: Client, task: str, *, as_json: bool) -> int:
    """Follow a build to its end; the answer is the exit code for the shell."""
    ended = follow_task(client, client.task(task), quiet=as_json)
    found = _finished(client, task)
    if as_json:
        image = client.image(found["image"]) if found["image"] else None
        print_json({"build": found, "image": image})
    elif ended.state == "succeeded" and found["image"]:
        image = client.image(found["image"])
        copy = image["copies"][-1]
        say(f"{image['name']} is ready: {image['identity']} ({show_bytes(copy['size'])})")
        say(f"Use it: environment: {image['name']}")
    else:
        _tell_failure(found)
    return exit_code(ended)


def _finished(client: Client, task: str) -> dict[str, Any]:
    """What a build told last may come a moment after its end."""
    found = client.build(task)
    deadline = time.monotonic() + LATE_SECONDS
    while (
        found["task"]["state"] == "succeeded" and not found["image"] and time.monotonic() < deadline
    ):
        time.sleep(0.1)
        found = client.build(task)
    return found


def print_build(found: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    task = found["task"]
    print(f"{found['name']}  build {task['id']} on {task['endpoint']}: {task['state']}")
    if found["route"]:
        print(f"{found['runtime']}: {found['route']}")
    for step in found["steps"]:
        seconds = "" if step["seconds"] is None else f"{step['seconds']:8.1f} s"
        print(f"  {step['state']:8} {step['name']:12} {seconds:>10}  {step['title']}")
    if found["failure"]:
        _tell_failure(found)


def _tell_failure(found: dict[str, Any]) -> None:
    failure, task = found["failure"], short_id(found["task"]["id"])
    if not failure:
        return
    for line in failure["last_lines"]:
        say(f"    {line}")
    is_named = not failure["step"] or failure["step"] in failure["message"]
    where = "" if is_named else f"Step {failure['step']} failed: "
    say(f"{where}{failure['message']}")
    if failure["hint"]:
        say(failure["hint"])
    if failure["step"]:
        say(f"Look around: diamond image shell {task}")
        say(f"Edit the step and go on: diamond image resume {task} --edit {failure['step']}='…'")
