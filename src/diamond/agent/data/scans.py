"""Scans: a process of its own reads the folder, niced here or as a batch job; this side waits, uploads and reports."""

from __future__ import annotations

import logging
import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diamond.agent.data.places import Place, TreePlaces, printable
from diamond.agent.data.reports import Progressing, Reporter
from diamond.agent.disk import read_json, write_json, write_whole
from diamond.agent.guard.policy import Policy
from diamond.agent.link.carriers import Link, answer_data
from diamond.agent.site.bundle import builder_file
from diamond.agent.site.profile import Profile
from diamond.core.data_commands import CheckTree, ScanFolder
from diamond.core.data_messages import DataReport
from diamond.core.decoding import decode
from diamond.core.errors import BadRequest, Cancelled, DataChanged, DiamondError, NotFound
from diamond.core.order import Resources
from diamond.core.protocol import ManifestTaken
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
MOST_NAMED = 100


@dataclass(frozen=True)
class Scans:
    places: TreePlaces
    link: Link
    reporter: Reporter
    policy: Policy
    scheduler: Scheduler
    profile: Callable[[], Profile]

    def scan(self, command: ScanFolder, cancelled: Callable[[], bool]) -> None:
        """Repeatable: what was read before is not read again."""
        root = self._root(command.path)
        folder = self._folder(command.scan)
        job = {
            "root": root,
            "state": str(self.places.state_of(root)),
            "recheck": command.recheck,
        }
        result = self._run(command.scan, folder, job, cancelled)
        if result.get("problems"):
            raise _unreadable(root, result)
        tree = str(result["digest"])
        manifest = self.places.manifest(tree)
        manifest.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        (folder / "manifest").replace(manifest)
        place = Place(
            tree=tree,
            layout="files",
            path=root,
            managed=False,
            fingerprint=str(result["fingerprint"]),
            is_settled=bool(result["is_settled"]),
            size=int(result["size"]),
            files=int(result["files"]),
            entries=int(result["entries"]),
            used=time.time(),
        )
        self.places.put(place)
        if self.policy.allows_logs:
            send_manifest(self.link, manifest, tree)
        self.reporter.report(_done(command.scan, "scan", place))
        shutil.rmtree(folder, ignore_errors=True)

    def read(self, name: str, path: str, cancelled: Callable[[], bool]) -> dict[str, Any]:
        """Read a folder where it lies, for a transfer that needs no copy. Raises `Forbidden`, `BadRequest`."""
        root, folder = self._root(path), self._folder(name)
        job = {"root": root, "state": str(self.places.state_of(root)), "recheck": False}
        result = self._run(name, folder, job, cancelled, quiet=True)
        if result.get("problems"):
            raise _unreadable(root, result)
        shutil.rmtree(folder, ignore_errors=True)
        return result

    def check(self, command: CheckTree, cancelled: Callable[[], bool]) -> None:
        """Raises `DataChanged`."""
        places = self.places.every_of(command.tree)
        if not places:
            raise NotFound(f"The data {command.tree[:12]} is not on this machine")
        for place in places:
            if command.recheck and place.layout == "files":
                self._recheck(command, place, cancelled)
            else:
                self.places.check(place)
        self.reporter.report(_done(command.scan, "check", places[0]))

    def _recheck(self, command: CheckTree, place: Place, cancelled: Callable[[], bool]) -> None:
        folder = self._folder(command.scan)
        job = {"root": place.path, "state": str(self.places.state_of(place.path)), "recheck": True}
        result = self._run(command.scan, folder, job, cancelled)
        shutil.rmtree(folder, ignore_errors=True)
        if result.get("digest") != place.tree:
            raise DataChanged(
                f"{place.path} no longer has the bytes that were registered",
                "Put the old files back, or register the folder again to make a new version.",
            )

    def _root(self, path: str) -> str:
        """Absolute, and one that may be read for a service. Raises `BadRequest`, `Forbidden`."""
        root = os.path.abspath(os.path.expanduser(os.path.expandvars(path)))  # noqa: PTH100, PTH111
        if not root.startswith("/") or "$" in root:
            raise BadRequest(f"{path!r} is not a path here", "Name an absolute path.")
        self.policy.check_data_folder(root, self.places.folders.tasks)
        return root

    def _folder(self, scan: str) -> Path:
        folder = below(self.places.root, "scanning", scan)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return folder

    def _run(
        self,
        name: str,
        folder: Path,
        job: dict[str, Any],
        cancelled: Callable[[], bool],
        *,
        quiet: bool = False,
    ) -> dict[str, Any]:
        """On the login node, or as a batch job where it is much. A result of an earlier try counts."""
        write_json(folder / "job.json", job)
        words = [
            own_python(),
            builder_file(self.places.folders.work / "builder"),
            "data",
            "scan",
            str(folder / "job.json"),
        ]
        with Progressing(self.reporter, lambda: None if quiet else _progress(name, folder)):
            if self._is_small(str(job["root"])):
                _run_here(words, folder, cancelled)
            else:
                self._run_there(name, words, folder, cancelled)
        result = read_json(folder / "result.json")
        if result is None:
            raise DiamondError("The scan ended without a result", "See agent.log on the machine.")
        if "error" in result:
            raise BadRequest(str(result["error"]))
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
        self, name: str, words: list[str], folder: Path, cancelled: Callable[[], bool]
    ) -> None:
        """A batch job, found again by its name after a restart of the agent."""
        profile = self.profile()
        minutes = min(profile.longest_minutes() or JOB_MINUTES, JOB_MINUTES)
        submission = Submission(
            name=f"diamond-scan-{name}",
            script=folder / "script.sh",
            folder=folder,
            resources=Resources(cpus_per_task=2, walltime_minutes=minutes, memory_mb=JOB_MEMORY_MB),
            placement=profile.own_placement(),
        )
        lines = ["#!/bin/bash", *self.scheduler.directives(submission, profile.flags)]
        lines.append("exec " + " ".join(shlex.quote(word) for word in words))
        write_whole(submission.script, ("\n".join(lines) + "\n").encode(), mode=0o700)
        native_id = self.scheduler.find(submission.name) or self.scheduler.submit(submission)
        log.info("a batch job (%s) reads the folder of scan %s", native_id, name)
        asked = time.monotonic()
        while not (folder / "result.json").exists():
            if cancelled():
                self.scheduler.cancel(native_id)
                raise Cancelled("the scan was cancelled")
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


def send_manifest(link: Link, manifest: Path, tree: str) -> None:
    """From the offset that the service has to the end."""
    size = manifest.stat().st_size
    call = f"manifest-bytes/{tree}"
    have = _send_part(link, call, b"", 0, size)
    with manifest.open("rb") as source:
        while have < size:
            source.seek(have)
            have = _send_part(link, call, source.read(link.piece // 2), have, size)


def _send_part(link: Link, call: str, data: bytes, offset: int, size: int) -> int:
    answer = link.call(call, data, query=f"offset={offset}&size={size}", timeout=300)
    return decode(ManifestTaken, answer_data(call, answer)).have


def _run_here(words: list[str], folder: Path, cancelled: Callable[[], bool]) -> None:
    with (folder / "scan.log").open("ab") as out:
        child = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
        )
    try:
        while child.poll() is None:
            if cancelled():
                raise Cancelled("the scan was cancelled")
            time.sleep(0.02)
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()


def _progress(name: str, folder: Path) -> DataReport | None:
    known = read_json(folder / "progress.json")
    if known is None:
        return None
    return DataReport(
        name=name,
        act="scan",
        state="running",
        bytes=int(known["bytes"]),
        size=int(known["size"]),
        files=int(known["files"]),
        files_done=int(known["files_done"]),
        seconds_left=float(known["seconds_left"]),
    )


def _done(name: str, act: str, place: Place) -> DataReport:
    return DataReport(
        name=name,
        act=act,
        state="done",
        bytes=place.size,
        size=place.size,
        files=place.files,
        files_done=place.files,
        entries=place.entries,
        tree=place.tree,
        path=place.path,
        layout=place.layout,
    )


def _unreadable(root: str, result: dict[str, Any]) -> Unreadable:
    problems = [(printable(str(path)), str(why)) for path, why in result["problems"]]
    count = int(result.get("problem_count") or len(problems))
    path, why = problems[0]
    others = f", and {count - 1} more" if count > 1 else ""
    return Unreadable(
        f"{path} in {root} cannot be part of a dataset: {why}{others}",
        [f"{path}: {why}" for path, why in problems],
    )


class Unreadable(DiamondError):
    """Files that cannot be part of a tree; all are named."""

    code = "unreadable"

    def __init__(self, message: str, named: list[str]) -> None:
        super().__init__(message, "Remove or correct them, then register the folder again.")
        self.named = named[:MOST_NAMED]
