"""Whether the program of a task saves and leaves when the stop flag appears: as seen before, not as hoped."""

from __future__ import annotations

import time
from typing import Any

from diamond.agent.tasks.folders import AttemptFolder, TaskFolders
from diamond.core.task import CONTINUE_EXIT_CODE

LOOK_AGAIN_SECONDS = 30.0


class Heeding:
    def __init__(self, folders: TaskFolders) -> None:
        self._folders = folders
        self._found: dict[str, tuple[bool, float]] = {}

    def heeds_the_flag(self, folder: AttemptFolder) -> bool:
        return self._has_left_by_it(folder) or _saves_by_diamond(folder)

    def grant_of(self, folder: AttemptFolder) -> dict[str, Any]:
        """What the service allows the chain: follow-ups of a program that cannot hand over are queued later.

        Asked at every look, it looks rarely: the files lie on a shared file system.
        """
        grant = self._folders.grant(folder.task)
        if "alone" not in grant or self._was_seen_to_heed(folder):
            return grant
        return {**grant, **grant["alone"]}

    def _was_seen_to_heed(self, folder: AttemptFolder) -> bool:
        heeds, looked_at = self._found.get(folder.task, (False, -LOOK_AGAIN_SECONDS))
        now = time.monotonic()
        if not heeds and now - looked_at >= LOOK_AGAIN_SECONDS:
            heeds = self.heeds_the_flag(folder)
            self._found[folder.task] = (heeds, now)
        return heeds

    def _has_left_by_it(self, folder: AttemptFolder) -> bool:
        every = self._folders.attempts(folder.task)
        exits = [one.exit_of(run) for one in every for run in one.runs()]
        return any(exit is not None and exit.code == CONTINUE_EXIT_CODE for exit in exits)


def _saves_by_diamond(folder: AttemptFolder) -> bool:
    """`diamond.training` writes this file, and looks for the flag."""
    places = [folder.run_folder(run) for run in folder.runs()]
    return any((place / "checkpoints.jsonl").exists() for place in places)
