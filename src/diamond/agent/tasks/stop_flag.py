"""Whether the program of a task saves and exits when the stop flag appears, by what it did before."""

from __future__ import annotations

import time

from diamond.agent.tasks.folders import AttemptFolder, TaskFolders
from diamond.agent.tasks.machine.chain import queue_rules
from diamond.core.protocol import QueueAfter
from diamond.core.task import CONTINUE_EXIT_CODE

LOOK_AGAIN_SECONDS = 30.0


class StopFlagSupport:
    def __init__(self, folders: TaskFolders) -> None:
        self._folders = folders
        self._seen: dict[str, tuple[bool, float]] = {}

    def is_supported(self, folder: AttemptFolder) -> bool:
        return self._has_exited_by_it(folder) or _saves_by_diamond(folder)

    def queue_rules(self, folder: AttemptFolder) -> QueueAfter:
        """When the service allows follow-ups to be queued: those of a program that cannot hand over later.

        The files are on a shared file system, so they are checked rarely.
        """
        grant = self._folders.grant(folder.task)
        hands_over = grant.alone is None or self._was_seen(folder)
        return queue_rules(grant, hands_over=hands_over)

    def _was_seen(self, folder: AttemptFolder) -> bool:
        supports, looked_at = self._seen.get(folder.task, (False, -LOOK_AGAIN_SECONDS))
        now = time.monotonic()
        if not supports and now - looked_at >= LOOK_AGAIN_SECONDS:
            supports = self.is_supported(folder)
            self._seen[folder.task] = (supports, now)
        return supports

    def _has_exited_by_it(self, folder: AttemptFolder) -> bool:
        every = self._folders.attempts(folder.task)
        exits = [each.exit_of(run) for each in every for run in each.runs()]
        return any(exit is not None and exit.code == CONTINUE_EXIT_CODE for exit in exits)


def _saves_by_diamond(folder: AttemptFolder) -> bool:
    """`diamond.training` writes this file, and checks for the flag."""
    places = [folder.run_folder(run) for run in folder.runs()]
    return any((place / "checkpoints.jsonl").exists() for place in places)
