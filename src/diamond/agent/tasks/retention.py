"""Which run directories are removed, and when: on request, by the endpoint's limits, and before a site purges them."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from diamond.agent.disk import mark, read_json
from diamond.agent.site.profile import Profile
from diamond.agent.tasks.cleaning import near_purge, outdated, remove_task
from diamond.agent.tasks.folders import TaskFolders
from diamond.core.events import CLEANED, Event, Note

log = logging.getLogger(__name__)

PURGE_LEAD_DAYS = 3.0
PACK_SECONDS = 20.0
"""After its end, a person may still look at a task's folder."""
REQUESTED = "clean-asked"
WARNED = "purge-told"


@dataclass
class Retention:
    """Removes run directories and reports it. `site.housekeeping` calls it, from its own thread."""

    tasks: TaskFolders
    settings: Path
    profile: Callable[[], Profile]
    report: Callable[[str, Event], None]
    is_tracked: Callable[[str], bool]
    """Whether the agent still watches, reports or sends anything of a task."""
    is_needed: Callable[[Path], bool] = lambda folder: False
    """Whether a folder holds data that the service asked to keep: the last copy of a model."""
    _requested: set[str] = field(default_factory=set)
    _closed: dict[str, float] = field(default_factory=dict)
    """Tasks to pack, with the time from which on."""

    def request_removal(self, task: str) -> None:
        """Remove a run directory as soon as nothing in it is tracked."""
        if self.tasks.has(task):
            mark(self.tasks.root / task / REQUESTED)
            self._requested.add(task)

    def load_requests(self) -> None:
        """Those that an earlier agent had accepted; and what it had no time to pack."""
        for task in self.tasks.unpacked():
            self._closed[task] = time.monotonic()
        self._requested |= {file.parent.name for file in self.tasks.root.glob(f"*/{REQUESTED}")}

    @property
    def has_requests(self) -> bool:
        return bool(self._requested)

    def remove_requested(self) -> None:
        for task in [task for task in list(self._requested) if not self.is_tracked(task)]:
            self._requested.discard(task)
            if self.is_needed(self.tasks.root / task):
                (self.tasks.root / task / REQUESTED).unlink(missing_ok=True)
                log.info("%s: not removed, since it holds the last copy of a model", task)
            else:
                self._remove(task, "its run directory was removed by diamond clean")

    def closed(self, task: str) -> None:
        """All of its bytes are in the service. Called from the agent's main thread."""
        self._closed[task] = time.monotonic() + PACK_SECONDS

    def pack_closed(self) -> None:
        now = time.monotonic()
        for task in [task for task, due in list(self._closed.items()) if due <= now]:
            del self._closed[task]
            if not self.is_tracked(task) and self.tasks.has(task):
                self.tasks.pack(task)

    def apply_limits(self) -> None:
        """Age and size limits of this endpoint; only tasks whose end the service has recorded."""
        limits = (read_json(self.settings) or {}).get("retention") or {}
        days = float(limits.get("older_than_days") or 0)
        size = float(limits.get("max_gigabytes") or 0) * 2**30
        if not days and not size:
            return
        message = "its run directory was removed: it was over the limits of this endpoint"
        for task in outdated(self.tasks, days=days, limit_bytes=size, now=time.time()):
            if not self.is_needed(self.tasks.root / task):
                self._remove(task, message)

    def warn_of_purge(self) -> None:
        work = self.profile().facts.get("folders", {}).get("work", {})
        days = work.get("purge_days") if isinstance(work, dict) else None
        if not days:
            return
        for task in near_purge(
            self.tasks, purge_days=float(days), lead_days=PURGE_LEAD_DAYS, now=time.time()
        ):
            self._warn(task, float(days))

    def _remove(self, task: str, message: str) -> None:
        log.info("%s: %s", task, message)
        remove_task(self.tasks, task)
        self.report(task, Note(at=time.time(), message=message, code=CLEANED))

    def _warn(self, task: str, days: float) -> None:
        warned = self.tasks.root / task / WARNED
        if warned.exists():
            return
        message = (
            f"the site removes files that nobody touched for {days:.0f} days: fetch what you need"
        )
        self.report(task, Note(at=time.time(), message=message, code="purge-soon"))
        mark(warned)
