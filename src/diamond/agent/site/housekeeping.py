"""Housekeeping in its own thread: the site profile, free resources, retention, purge warnings."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

from diamond.agent.disk import read_json, write_json
from diamond.agent.folders import Folders
from diamond.agent.link.carriers import Declined, Link, LinkDown, ask
from diamond.agent.site.probe import probe, room_fact
from diamond.agent.site.probe_job import probe_compute
from diamond.agent.site.profile import SiteProfile
from diamond.core.agent_messages import ProfileReport
from diamond.core.errors import DiamondError
from diamond.schedulers.base import Scheduler

log = logging.getLogger(__name__)

PROBE_AGE = 86400.0
LOOK_SECONDS = 15.0
CLEAN_SECONDS = 3600.0
IDLE_FREE_SECONDS = 300.0
"""Between two questions about free resources while nothing runs: people choose a machine by the answer."""


class RunDirectories(Protocol):
    """How run directories are removed (`tasks.retention.Retention`)."""

    @property
    def has_requests(self) -> bool: ...
    def request_removal(self, task: str) -> None: ...
    def load_requests(self) -> None: ...
    def remove_requested(self) -> None: ...
    def pack_closed(self) -> None: ...
    def apply_limits(self) -> None: ...
    def warn_of_purge(self) -> None: ...


class Housekeeping:
    """`free` asks the batch system for free resources, `is_idle` says whether no job is queued or running."""

    def __init__(
        self,
        *,
        scheduler: Scheduler,
        folders: Folders,
        link: Link,
        profile: SiteProfile,
        run_directories: RunDirectories,
        free: Callable[[], dict[str, Any] | None],
        is_idle: Callable[[], bool],
        allows_pilots: Callable[[], bool] = lambda: True,
    ) -> None:
        self._scheduler, self._folders, self._link = scheduler, folders, link
        self._profile, self._run_directories = profile, run_directories
        self._free, self._is_idle = free, is_idle
        self._allows_pilots = allows_pilots
        self._probes: queue.Queue[bool | None] = queue.Queue()
        self._cleaned_at = self._free_at = time.monotonic()
        self._was_idle = True
        self._unsent = False

    def start(self) -> None:
        threading.Thread(target=self._run, name="housekeeping", daemon=True).start()

    def probe_soon(self, compute: bool) -> None:
        self._probes.put(compute)

    def clean_soon(self, task: str) -> None:
        """Remove a run directory as soon as nothing in it is tracked any more."""
        self._run_directories.request_removal(task)
        self._probes.put(None)

    def limits_changed(self) -> None:
        """New limits apply now, not at the next round."""
        self._cleaned_at = -CLEAN_SECONDS
        self._probes.put(None)

    def _run(self) -> None:
        self._run_directories.load_requests()
        if self._age() > PROBE_AGE:
            self.probe_soon(False)
        else:
            self._unsent = True
        while True:
            try:
                self._once()
            except (LinkDown, Declined) as error:
                log.info("the profile could not be sent yet: %s", error)
                self._unsent = True
            except DiamondError as error:
                log.warning("housekeeping: %s", error.message)
            except Exception:
                log.exception("housekeeping failed")

    def _once(self) -> None:
        try:
            compute = self._probes.get(
                timeout=1.0 if self._run_directories.has_requests else LOOK_SECONDS
            )
            if compute is not None:
                self._probe(compute)
        except queue.Empty:
            self._refresh_free()
        self._run_directories.remove_requested()
        self._run_directories.pack_closed()
        if self._unsent:
            self._unsent = False
            self._report_profile()
        if time.monotonic() - self._cleaned_at > CLEAN_SECONDS:
            self._cleaned_at = time.monotonic()
            self._run_directories.apply_limits()
            self._look_again()
            self._run_directories.warn_of_purge()

    def _report_profile(self) -> None:
        profile = read_json(self._folders.profile) or {}
        message = ProfileReport(1, profile.get("probed_at"), profile.get("facts") or {})
        ask(self._link, "profile", message)

    def _pilots_fact(self) -> dict[str, Any]:
        return {"value": self._allows_pilots(), "source": "the policy here", "at": time.time()}

    def _look_again(self) -> None:
        """Disk space runs out while an agent runs for months; other facts change more slowly."""
        self._save({"folders": room_fact(self._folders), "pilots": self._pilots_fact()})
        if self._age() > PROBE_AGE:
            self.probe_soon(False)

    def _age(self) -> float:
        profile = read_json(self._folders.profile) or {}
        return time.time() - float(profile.get("probed_at", 0))

    def _probe(self, compute: bool) -> None:
        facts = probe(self._scheduler, self._folders)
        self._save({**facts, "pilots": self._pilots_fact()}, probed_at=time.time())
        if compute:
            self._report_profile()
            self._save(probe_compute(self._scheduler, self._folders, self._profile.current()))

    def _save(self, facts: dict[str, Any], probed_at: float | None = None) -> None:
        """Merge new facts into the known ones; what a probe could not learn again stays, with its date."""
        old = read_json(self._folders.profile) or {"version": 1, "facts": {}}
        merged = {**old.get("facts", {})}
        for name, fact in facts.items():
            merged[name] = _keep_compute(merged.get(name), fact)
        profile = {**old, "version": 1, "facts": merged}
        if probed_at:
            profile["probed_at"] = probed_at
        write_json(self._folders.profile, profile)
        self._profile.reload()
        self._unsent = True

    def _refresh_free(self) -> None:
        """While it is idle every five minutes, and once more when the last attempt has just ended."""
        is_idle, is_recent = self._is_idle(), time.monotonic() - self._free_at < IDLE_FREE_SECONDS
        if is_idle and self._was_idle and is_recent:
            return
        fact = self._free()
        if not fact:
            return
        self._was_idle = is_idle
        known = (read_json(self._folders.profile) or {}).get("facts", {}).get("free")
        if not isinstance(known, dict) or known.get("value") != fact.get("value") or not is_recent:
            self._free_at = time.monotonic()
            self._save({"free": fact})


def _keep_compute(old: Any, new: dict[str, Any]) -> dict[str, Any]:
    """A probe of the login node alone keeps what a job has learned on a compute node."""
    before = old.get("value") if isinstance(old, dict) else None
    value = new.get("value")
    if not isinstance(value, dict) or not isinstance(before, dict):
        return new
    if set(value) != {"login", "compute"} and not {"login", "compute"} & set(value):
        return new
    return {**new, "value": {**before, **{k: v for k, v in value.items() if v is not None}}}
