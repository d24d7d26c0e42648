"""Work on data as a process of its own: niced here, or a batch job where it is much. This side waits and reports."""

from __future__ import annotations

import logging
import shlex
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diamond.agent.data.places import TreePlaces
from diamond.agent.data.reports import Progressing, Reporter
from diamond.agent.disk import read_json, write_json, write_whole
from diamond.agent.site.bundle import builder_file
from diamond.agent.site.profile import Profile
from diamond.core.data_messages import DataReport
from diamond.core.errors import BadRequest, Cancelled, DiamondError
from diamond.core.order import Resources
from diamond.data.walking import count_at_most
from diamond.runtimes.below import below
from diamond.runtimes.tools import own_python
from diamond.schedulers.base import Scheduler, Submission, abilities_of

log = logging.getLogger(__name__)

LOGIN_BYTES, LOGIN_FILES = 2_000_000_000, 10_000
"""What is read on a login node, unless the site's fact `scan_on_login` says otherwise."""
LOOK_SECONDS = 0.2
ASK_SECONDS = 30.0
JOB_MINUTES, JOB_MEMORY_MB = 12 * 60, 2000


@dataclass(frozen=True)
class DataJobs:
    places: TreePlaces
    reporter: Reporter
    scheduler: Scheduler
    profile: Callable[[], Profile]

    def folder(self, name: str) -> Path:
        """Of one piece of work: its job, how far it is, and its result."""
        folder = below(self.places.root, "scanning", name)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return folder

    def run(
        self,
        act: str,
        name: str,
        job: dict[str, Any],
        cancelled: Callable[[], bool],
        *,
        reads: str = "",
        python: str = "",
        quiet: bool = False,
    ) -> dict[str, Any]:
        """`reads`: the folder that decides whether it is much; `quiet`: somebody else reports. Raises `BadRequest`, `Cancelled`."""
        folder = self.folder(name)
        write_json(folder / "job.json", job)
        builder = builder_file(self.places.folders.work / "builder")
        words = [python or own_python(), builder, "data", act, str(folder / "job.json")]
        with Progressing(self.reporter, lambda: None if quiet else _progress(act, name, folder)):
            if not reads or self._is_small(reads):
                (folder / "result.json").unlink(missing_ok=True)
                _run_here(words, folder, cancelled)
            else:
                self._run_there(act, name, words, folder, cancelled)
        result = read_json(folder / "result.json")
        if result is None:
            raise DiamondError(
                f"The {act} ended without a result", f"See {folder}/data.log on the machine."
            )
        if "error" in result:
            raise BadRequest(str(result["error"]), str(result.get("hint") or ""))
        return result

    def _is_small(self, root: str) -> bool:
        if abilities_of(self.scheduler).runs_on_this_node:
            return True
        limits = self.profile().facts.get("scan_on_login")
        limits = limits if isinstance(limits, dict) else {}
        return count_at_most(
            root,
            most_bytes=int(limits.get("bytes", LOGIN_BYTES)),
            most_files=int(limits.get("files", LOGIN_FILES)),
        )

    def _run_there(
        self,
        act: str,
        name: str,
        words: list[str],
        folder: Path,
        cancelled: Callable[[], bool],
    ) -> None:
        """A batch job, found again by its name after a restart of the agent; what it left meanwhile counts."""
        profile = self.profile()
        minutes = min(profile.longest_minutes() or JOB_MINUTES, JOB_MINUTES)
        submission = Submission(
            name=f"diamond-{act}-{name}",
            script=folder / "script.sh",
            folder=folder,
            resources=Resources(cpus_per_task=2, walltime_minutes=minutes, memory_mb=JOB_MEMORY_MB),
            placement=profile.own_placement(),
        )
        lines = ["#!/bin/bash", *self.scheduler.directives(submission, profile.flags)]
        lines.append("exec " + " ".join(shlex.quote(word) for word in words))
        write_whole(submission.script, ("\n".join(lines) + "\n").encode(), mode=0o700)
        native_id = self.scheduler.find(submission.name) or self.scheduler.submit(submission)
        log.info("the batch job %s does the %s %s", native_id, act, name)
        asked = time.monotonic()
        while not (folder / "result.json").exists():
            if cancelled():
                self.scheduler.cancel(native_id)
                raise Cancelled(f"the {act} was cancelled")
            if time.monotonic() - asked > ASK_SECONDS:
                asked = time.monotonic()
                self._require_job(native_id, folder)
            time.sleep(LOOK_SECONDS)

    def _require_job(self, native_id: str, folder: Path) -> None:
        """A job that the batch system no longer lists has had time to leave its result."""
        if native_id in self.scheduler.status([native_id]):
            return
        time.sleep(LOOK_SECONDS)
        if not (folder / "result.json").exists():
            raise DiamondError(
                f"The batch job {native_id} that reads the folder ended without a result",
                f"See native.log in {folder} on the machine.",
            )


def _run_here(words: list[str], folder: Path, cancelled: Callable[[], bool]) -> None:
    with (folder / "data.log").open("ab") as out:
        child = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
        )
    try:
        while child.poll() is None:
            if cancelled():
                raise Cancelled("it was cancelled")
            time.sleep(0.02)
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()


def _progress(act: str, name: str, folder: Path) -> DataReport | None:
    known = read_json(folder / "progress.json")
    if known is None:
        return None
    return DataReport(
        name=name,
        act=act,
        state="running",
        bytes=int(known["bytes"]),
        size=int(known["size"]),
        files=int(known["files"]),
        files_done=int(known["files_done"]),
        seconds_left=float(known["seconds_left"]),
    )
