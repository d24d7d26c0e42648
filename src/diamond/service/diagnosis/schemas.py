"""A diagnosis as the API shows it."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel


class Fix(BaseModel):
    """One change with which the task can run again: POST /tasks/{task}/fix."""

    label: str
    changes: dict[str, Any]
    """New values of fields of the spec; empty: the same once more."""


class Diagnosis(BaseModel):
    """Why a task failed. All empty if only its author can tell from the log."""

    task: str
    cause: str
    title: str
    hint: str
    """What to do."""
    line: str
    """The line of the log that says it."""
    fix: Fix | None
    """Only for whoever may run the task again, and only if the changed spec passes its check."""
