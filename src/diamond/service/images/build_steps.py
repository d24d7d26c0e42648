"""The lines that a build tells (docs/internals/images.md) as one picture."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Told:
    identity: str = ""
    runtime: str = ""
    route: str = ""
    definition: str = ""
    steps: list[dict[str, Any]] = field(default_factory=list)
    failure: dict[str, Any] | None = None
    reused: bool = False
    image: dict[str, Any] | None = None
    """The last `image` line."""


def read_steps(lines: Iterable[Mapping[str, Any]]) -> Told:
    told = Told()
    for line in lines:
        reader = _READERS.get(str(line.get("event")))
        if reader is not None:
            reader(told, line)
    return told


def parse_lines(data: bytes) -> list[dict[str, Any]]:
    """Whole lines that are JSON objects; the rest is passed over."""
    found = []
    for line in data.splitlines():
        try:
            one = json.loads(line)
        except ValueError:
            continue
        if isinstance(one, dict):
            found.append(one)
    return found


def _plan(told: Told, line: Mapping[str, Any]) -> None:
    for name in ("identity", "runtime", "route", "definition"):
        setattr(told, name, str(line.get(name) or ""))
    told.steps = [
        {"name": str(one["name"]), "title": str(one["title"]), "state": "waiting"}
        for one in line.get("steps") or []
    ]
    told.failure = None


def _started(told: Told, line: Mapping[str, Any]) -> None:
    _change(told, line, state="running", started=line.get("at"), log_from=line.get("log_from"))


def _cached(told: Told, line: Mapping[str, Any]) -> None:
    span = {name: line.get(name) for name in ("log_from", "log_to")}
    _change(told, line, state="cached", seconds=0.0, exit_code=0, **span)


def _ended(told: Told, line: Mapping[str, Any]) -> None:
    names = ("seconds", "exit_code", "log_from", "log_to")
    state = "failed" if line.get("exit_code") else "done"
    _change(told, line, state=state, **{name: line.get(name) for name in names})


def _failed(told: Told, line: Mapping[str, Any]) -> None:
    _change(told, line, state="failed")
    names = ("step", "exit_code", "cause", "message", "hint", "last_lines")
    told.failure = {name: line[name] for name in names if name in line}
    told.failure["shell"] = shlex.join(str(word) for word in line.get("shell") or [])


def _refused(told: Told, line: Mapping[str, Any]) -> None:
    if told.failure is None:
        message, hint = str(line.get("message", "")), str(line.get("hint", ""))
        told.failure = {"step": "", "message": message, "hint": hint, "cause": "refused"}
        told.failure["mend"] = str(line.get("step", ""))


def _image(told: Told, line: Mapping[str, Any]) -> None:
    told.image, told.reused = dict(line), bool(line.get("reused"))
    record = line.get("record") or {}
    told.identity = told.identity or str(record.get("identity", ""))
    told.runtime = told.runtime or str(record.get("runtime", ""))


def _change(told: Told, line: Mapping[str, Any], **values: Any) -> None:
    for step in told.steps:
        if step["name"] == line.get("step"):
            step.update(values)


_READERS = {
    "plan": _plan,
    "started": _started,
    "cached": _cached,
    "ended": _ended,
    "failed": _failed,
    "refused": _refused,
    "image": _image,
}
