"""Scans: a folder is read to make or check its manifest."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diamond.agent.data.jobs import DataJobs
from diamond.agent.data.places import Place, TreePlaces, printable
from diamond.agent.data.reports import Reporter
from diamond.agent.guard.policy import Policy
from diamond.agent.link.carriers import Link, answer_data
from diamond.core.data_commands import CheckTree, ScanFolder
from diamond.core.data_messages import DataReport
from diamond.core.decoding import decode
from diamond.core.errors import BadRequest, DataChanged, DiamondError, NotFound
from diamond.core.protocol import ManifestTaken

MOST_NAMED = 100


@dataclass(frozen=True)
class Scans:
    places: TreePlaces
    link: Link
    reporter: Reporter
    policy: Policy
    jobs: DataJobs

    def scan(self, command: ScanFolder, cancelled: Callable[[], bool]) -> bool:
        """Repeatable: what was read before is not read again. Gives whether an older version that was there is gone."""
        root = self._root(command.path)
        folder = self.jobs.folder(command.scan)
        result = self._read(command.scan, root, cancelled, recheck=command.recheck)
        if result.get("problems"):
            raise unreadable(root, result)
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
        self.reporter.report(done_report(command.scan, "scan", place))
        shutil.rmtree(folder, ignore_errors=True)
        return self._replaces_older(place)

    def _replaces_older(self, place: Place) -> bool:
        """Other versions that were registered in this folder are not there any more."""
        found = False
        for old in self.places.every():
            if old.path == place.path and old.tree != place.tree and not old.changed:
                try:
                    self.places.check(old)
                except (DataChanged, NotFound):
                    found = True
        return found

    def read(self, name: str, path: str, cancelled: Callable[[], bool]) -> dict[str, Any]:
        """Read a folder where it is, for a transfer that needs no copy. Raises `Forbidden`, `BadRequest`."""
        root = self._root(path)
        result = self._read(name, root, cancelled, recheck=False, quiet=True)
        if result.get("problems"):
            raise unreadable(root, result)
        shutil.rmtree(self.jobs.folder(name), ignore_errors=True)
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
        self.reporter.report(done_report(command.scan, "check", places[0]))

    def _recheck(self, command: CheckTree, place: Place, cancelled: Callable[[], bool]) -> None:
        result = self._read(command.scan, place.path, cancelled, recheck=True)
        shutil.rmtree(self.jobs.folder(command.scan), ignore_errors=True)
        if result.get("digest") != place.tree:
            raise DataChanged(
                f"{place.path} no longer has the bytes that were registered",
                "Put the old files back, or register the folder again to make a new version.",
            )

    def _read(
        self,
        name: str,
        root: str,
        cancelled: Callable[[], bool],
        *,
        recheck: bool,
        quiet: bool = False,
    ) -> dict[str, Any]:
        job = {"root": root, "state": str(self.places.state_of(root)), "recheck": recheck}
        return self.jobs.run("scan", name, job, cancelled, reads=root, quiet=quiet)

    def _root(self, path: str) -> str:
        """Absolute, and one that may be read for a service. Raises `BadRequest`, `Forbidden`."""
        root = os.path.abspath(os.path.expanduser(os.path.expandvars(path)))  # noqa: PTH100, PTH111
        if not root.startswith("/") or "$" in root:
            raise BadRequest(f"{path!r} is not a path here", "Name an absolute path.")
        self.policy.check_data_folder(root, self.places.folders.tasks)
        return root


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


def done_report(name: str, act: str, place: Place) -> DataReport:
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


def unreadable(root: str, result: dict[str, Any]) -> Unreadable:
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
