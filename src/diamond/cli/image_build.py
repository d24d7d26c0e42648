"""A build in the terminal: live log, steps, and why it failed."""

from __future__ import annotations

import time
from typing import Any

from diamond.cli.format import duration, short_id
from diamond.cli.output import print_json, say
from diamond.cli.wait import exit_code, follow_task
from diamond.core.units import show_bytes
from diamond.sdk.client import Client

LATE_SECONDS = 30.0


def follow_build(client: Client, task: str, *, as_json: bool) -> int:
    """Follow a build to its end; returns the exit code for the shell."""
    ended = follow_task(client, client.task(task), quiet=as_json)
    build = _finished(client, task)
    if as_json:
        image = client.image(build["image"]) if build["image"] else None
        print_json({"build": build, "image": image})
    elif ended.state == "succeeded" and build["image"]:
        image = client.image(build["image"])
        copy = image["copies"][-1]
        say(f"{image['name']} is ready: {image['identity']} ({show_bytes(copy['size'])})")
        say(f"Use it: environment: {image['name']}")
    else:
        _print_failure(build)
    return exit_code(ended)


def _finished(client: Client, task: str) -> dict[str, Any]:
    """The image may be reported shortly after the end of the build."""
    build = client.build(task)
    deadline = time.monotonic() + LATE_SECONDS
    while (
        build["task"]["state"] == "succeeded" and not build["image"] and time.monotonic() < deadline
    ):
        time.sleep(0.1)
        build = client.build(task)
    return build


def print_build(build: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(build)
        return
    task = build["task"]
    print(f"{build['name']}  build {task['id']} on {task['endpoint']}: {task['state']}")
    if build["route"]:
        print(f"{build['runtime']}: {build['route']}")
    if build.get("standing"):
        print(_standing(build["standing"]))
    for step in build["steps"]:
        seconds = "" if step["seconds"] is None else f"{step['seconds']:8.1f} s"
        print(f"  {step['state']:8} {step['name']:12} {seconds:>10}  {step['title']}")
    if build["failure"]:
        _print_failure(build)


def _standing(standing: dict[str, Any]) -> str:
    text = f"Step {standing['step']} of {standing['steps']}"
    if standing["percent"] is None:
        return f"{text}; how long the rest takes is not known yet"
    return f"{text}, {standing['percent']} %, about {duration(standing['seconds_left'])} left"


def _print_failure(build: dict[str, Any]) -> None:
    failure, task = build["failure"], short_id(build["task"]["id"])
    if not failure:
        return
    for line in failure["last_lines"]:
        say(f"    {line}")
    already_named = not failure["step"] or failure["step"] in failure["message"]
    where = "" if already_named else f"Step {failure['step']} failed: "
    say(f"{where}{failure['message']}")
    if failure["hint"]:
        say(failure["hint"])
    if failure["step"]:
        say(f"Open a shell before that step: diamond image shell {task}")
        say(f"Edit the step and continue: diamond image resume {task} --edit {failure['step']}='…'")
