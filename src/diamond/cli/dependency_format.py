"""What a task waits for, as lines of text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diamond.cli.format import duration
from diamond.core.units import show_bytes

STATES = {"waiting": "waiting", "met": "done", "failed": "failed"}
KINDS = {"build": "image build", "transfer": "transfer", "probe": "test runs", "task": "task"}


def dependency_lines(task: Mapping[str, Any]) -> list[str]:
    """One line for each, such as `done     image build t7k2…`; a failed one with its message."""
    return [_line(dependency) for dependency in task.get("dependencies") or ()]


def _line(dependency: Mapping[str, Any]) -> str:
    kind, state = str(dependency.get("kind")), str(dependency.get("state"))
    why = f": {dependency.get('message')}" if state == "failed" else ""
    far = progress_text(dependency) if state == "waiting" else ""
    how = str(dependency.get("how") or "") if state != "failed" else ""
    end = ": " + ", ".join(part for part in (how, far) if part) if how or far else why
    return f"{STATES.get(state, state):8} {KINDS.get(kind, kind)} {dependency.get('id')}{end}"


def progress_text(work: Mapping[str, Any]) -> str:
    """Bytes, rate and time left of what is on its way; '' where none of it is known."""
    have, size = work.get("bytes"), work.get("size")
    if have is None or not size:
        return ""
    text = f"{show_bytes(int(have))} of {show_bytes(int(size))} ({100 * int(have) // int(size)} %)"
    if work.get("rate"):
        text += f", {show_bytes(float(work['rate']))}/s"
    if work.get("seconds_left") is not None:
        text += f", {duration(float(work['seconds_left']))} left"
    return text


def waiting_progress(task: Mapping[str, Any]) -> str:
    """How far the first transfer is that a task waits for."""
    open_ones = [one for one in task.get("dependencies") or () if one.get("state") == "waiting"]
    return next((text for one in open_ones if (text := progress_text(one))), "")
