"""What a task waits for, as lines of text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

STATES = {"waiting": "waiting", "met": "done", "failed": "failed"}
KINDS = {"build": "image build", "transfer": "transfer", "probe": "test runs", "task": "task"}


def dependency_lines(task: Mapping[str, Any]) -> list[str]:
    """One line for each, such as `done     image build t7k2…`; a failed one with its message."""
    return [_line(dependency) for dependency in task.get("dependencies") or ()]


def _line(dependency: Mapping[str, Any]) -> str:
    kind, state = str(dependency.get("kind")), str(dependency.get("state"))
    why = f": {dependency.get('message')}" if state == "failed" else ""
    return f"{STATES.get(state, state):8} {KINDS.get(kind, kind)} {dependency.get('id')}{why}"
