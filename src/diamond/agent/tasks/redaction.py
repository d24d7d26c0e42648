"""What events may say where the machine's policy lets only states leave."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from diamond.agent.guard.policy import Policy
from diamond.agent.images.transfers import KEPT_HERE
from diamond.agent.tasks.folders import TaskFolders
from diamond.core.events import Event, Progressed
from diamond.core.task import Reason


@dataclass(frozen=True)
class EventRedaction:
    policy: Policy
    tasks: TaskFolders

    def redact(self, task: str, event: Event) -> Event:
        """Messages about a task may quote its program; Diamond's own messages about the policy don't."""
        if self.policy.allows_logs:
            return event
        if isinstance(event, Progressed):
            return self._redact_progress(task, event)
        if not getattr(event, "message", "") or getattr(event, "reason", "") == Reason.POLICY.value:
            return event
        message: dict[str, Any] = {"message": KEPT_HERE}
        return replace(event, **message)

    def _redact_progress(self, task: str, event: Progressed) -> Progressed:
        """Whether it made progress, not how far: the program chose the checkpoint's name and the step."""
        folder = self.tasks.attempt(task, event.attempt)
        before = self.tasks.standing_before(folder).reached if folder.is_known else None
        has_progressed = before is not None and event.step > before.step
        return replace(event, checkpoint="", step=folder.number if has_progressed else -1)
