"""Housekeeping in a thread of its own: the site profile, what is free, retention, purge warnings."""

from __future__ import annotations

import logging
import queue
import threading
import time
from typing import TYPE_CHECKING, Any

from diamond.agent.disk import mark, read_json, write_json
from diamond.agent.link.carriers import Declined, LinkDown, ask
from diamond.agent.site.probe import probe, room_fact
from diamond.agent.site.probe_job import probe_compute
from diamond.agent.tasks.cleaning import near_purge, outdated, remove_task
from diamond.core.agent_messages import ProfileReport
from diamond.core.errors import DiamondError
from diamond.core.events import CLEANED, Note

if TYPE_CHECKING:
    from diamond.agent.loop import Agent

log = logging.getLogger(__name__)

PROBE_AGE = 86400.0
LOOK_SECONDS = 15.0
CLEAN_SECONDS = 3600.0
IDLE_FREE_SECONDS = 300.0
"""Between two questions about what is free while nothing runs: people choose a machine by it."""
PURGE_LEAD_DAYS = 3.0
CLEAN_ASKED = "clean-asked"


class Housekeeping:
    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._probes: queue.Queue[bool | None] = queue.Queue()
        self._to_clean: set[str] = set()
        self._cleaned_at = self._free_at = time.monotonic()
        self._unsent = False

    def start(self) -> None:
        threading.Thread(target=self._run, name="house", daemon=True).start()

    def probe_soon(self, compute: bool) -> None:
        self._probes.put(compute)

    def clean_soon(self, task: str) -> None:
        """Remove a run directory as soon as nothing of it is to be watched, told or carried home."""
        if self._agent.tasks.has(task):
            mark(self._agent.tasks.root / task / CLEAN_ASKED)
            self._to_clean.add(task)
            self._probes.put(None)

    def limits_changed(self) -> None:
        """A person set other limits: they hold now, not at the next round."""
        self._cleaned_at = -CLEAN_SECONDS
        self._probes.put(None)

    def _run(self) -> None:
        self._to_clean |= {
            one.parent.name for one in self._agent.tasks.root.glob(f"*/{CLEAN_ASKED}")
        }
        if self._age() > PROBE_AGE:
            self.probe_soon(False)
        else:
            self._unsent = True
        while True:
            try:
                self._once()
            except (LinkDown, Declined) as error:
                log.info("the profile waits: %s", error)
                self._unsent = True
            except DiamondError as error:
                log.warning("housekeeping: %s", error.message)
            except Exception:
                log.exception("housekeeping failed")

    def _once(self) -> None:
        try:
            compute = self._probes.get(timeout=1.0 if self._to_clean else LOOK_SECONDS)
            if compute is not None:
                self._probe(compute)
        except queue.Empty:
            self._refresh_free()
        for task in [one for one in self._to_clean if not self._agent.attempts.is_tracked(one)]:
            self._remove(task, "its run directory was removed by diamond clean")
            self._to_clean.discard(task)
        if self._unsent:
            self._unsent = False
            self._report_profile()
        if time.monotonic() - self._cleaned_at > CLEAN_SECONDS:
            self._cleaned_at = time.monotonic()
            self._clean()
            self._look_again()
            self._warn_of_purge()

    def _report_profile(self) -> None:
        profile = read_json(self._agent.folders.profile) or {}
        message = ProfileReport(1, profile.get("probed_at"), profile.get("facts") or {})
        ask(self._agent.link, "profile", message)

    def _look_again(self) -> None:
        """Room runs out while an agent lives on for months; what else a site is changes more slowly."""
        self._save({"folders": room_fact(self._agent.folders)})
        if self._age() > PROBE_AGE:
            self.probe_soon(False)

    def _age(self) -> float:
        profile = read_json(self._agent.folders.profile) or {}
        return time.time() - float(profile.get("probed_at", 0))

    def _probe(self, compute: bool) -> None:
        agent = self._agent
        self._save(probe(agent.scheduler, agent.folders), probed_at=time.time())
        if compute:
            self._report_profile()
            self._save(probe_compute(agent.scheduler, agent.folders, agent.profile()))

    def _save(self, facts: dict[str, Any], probed_at: float | None = None) -> None:
        """Lay new facts over those known; what a probe could not learn again stays, with its date."""
        old = read_json(self._agent.folders.profile) or {"version": 1, "facts": {}}
        merged = {**old.get("facts", {})}
        for name, fact in facts.items():
            merged[name] = _keep_compute(merged.get(name), fact)
        profile = {**old, "version": 1, "facts": merged}
        if probed_at:
            profile["probed_at"] = probed_at
        write_json(self._agent.folders.profile, profile)
        self._agent.reload_profile()
        self._unsent = True

    def _refresh_free(self) -> None:
        idle = not self._agent.attempts.active()
        if idle and time.monotonic() - self._free_at < IDLE_FREE_SECONDS:
            return
        fact = self._agent.asker.free()
        if fact:
            self._free_at = time.monotonic()
            self._save({"free": fact})

    def _clean(self) -> None:
        """Age and size limits of this endpoint; only tasks whose end the service has recorded."""
        limits = (read_json(self._agent.folders.settings) or {}).get("retention") or {}
        days = float(limits.get("older_than_days") or 0)
        size = float(limits.get("max_gigabytes") or 0) * 2**30
        if not days and not size:
            return
        words = "its run directory was removed: it was over the limits of this endpoint"
        for task in outdated(self._agent.tasks, days=days, limit_bytes=size, now=time.time()):
            self._remove(task, words)

    def _remove(self, task: str, words: str) -> None:
        log.info("%s: %s", task, words)
        remove_task(self._agent.tasks, task)
        note = Note(at=time.time(), message=words, code=CLEANED)
        self._agent.session.outbox.put(task, note)

    def _warn_of_purge(self) -> None:
        work = self._agent.profile().facts.get("folders", {}).get("work", {})
        days = work.get("purge_days") if isinstance(work, dict) else None
        if not days:
            return
        soon = near_purge(
            self._agent.tasks, purge_days=float(days), lead_days=PURGE_LEAD_DAYS, now=time.time()
        )
        for task in soon:
            self._warn(task, float(days))

    def _warn(self, task: str, days: float) -> None:
        told = self._agent.tasks.root / task / "purge-told"
        if told.exists():
            return
        words = (
            f"the site removes files that nobody touched for {days:.0f} days: fetch what you need"
        )
        self._agent.session.outbox.put(task, Note(at=time.time(), message=words, code="purge-soon"))
        mark(told)


def _keep_compute(old: Any, new: dict[str, Any]) -> dict[str, Any]:
    """A probe of the login node alone does not wipe out what a job has learned on a compute node."""
    before = old.get("value") if isinstance(old, dict) else None
    value = new.get("value")
    if not isinstance(value, dict) or not isinstance(before, dict):
        return new
    if set(value) != {"login", "compute"} and not {"login", "compute"} & set(value):
        return new
    return {**new, "value": {**before, **{k: v for k, v in value.items() if v is not None}}}
