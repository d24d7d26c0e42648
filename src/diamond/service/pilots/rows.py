"""Rows of pilots as frozen values."""

from __future__ import annotations

from dataclasses import dataclass

from diamond.core.ids import STUDY
from diamond.core.task import FINAL_WORDS
from diamond.service.platform.database.rows import TypedRow
from diamond.service.tasks.rows import TaskRow


@dataclass(frozen=True)
class PilotRow(TypedRow):
    """What a pilot has beside its task."""

    task: str
    owner: str
    made_for: str
    """The pipeline or study that started it; empty: a person did."""
    created: float
    closing: float | None
    """When it was asked to finish what it runs and go."""


@dataclass(frozen=True)
class Held:
    """A pilot with its task."""

    row: PilotRow
    task: TaskRow

    @property
    def is_open(self) -> bool:
        """Whether it takes more work."""
        return not (self.is_over or self.task.cancel_requested or self.row.closing)

    @property
    def is_of_study(self) -> bool:
        """Whether it is as large as a study's trials need, and for nothing else."""
        return self.row.made_for.startswith(STUDY)

    @property
    def is_over(self) -> bool:
        return self.task.state in FINAL_WORDS
