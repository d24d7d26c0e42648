"""Data from elsewhere into a managed copy: a process of its own fetches, as the person; this side settles and reports."""

from __future__ import annotations

import hashlib
import os
import shutil
import threading
import time
import urllib.parse
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from diamond.agent.data.jobs import DataJobs
from diamond.agent.data.places import Place, TreePlaces
from diamond.agent.data.reports import Reporter
from diamond.agent.data.room import left_of_quota
from diamond.agent.data.scans import done_report, send_manifest, unreadable
from diamond.agent.data.setup import DataSetup
from diamond.agent.disk import read_json, write_json
from diamond.agent.guard.policy import Policy
from diamond.agent.guard.secrets import find_secret
from diamond.agent.link.carriers import Link
from diamond.core.data_commands import ImportTree
from diamond.core.data_messages import DataReport, Origin
from diamond.core.decoding import decode
from diamond.core.errors import DataChanged
from diamond.core.redact import without_known_secrets
from diamond.data.removing import remove_tree
from diamond.data.sources.address import Repository, read_address
from diamond.data.sources.import_job import Imported, ImportJob
from diamond.data.walking import fingerprint_of
from diamond.runtimes.below import below

KEEP_SECONDS = 14 * 86400.0
"""How long what came before a fetch was given up stays, so that the same command continues."""


@dataclass(frozen=True)
class Imports:
    places: TreePlaces
    link: Link
    reporter: Reporter
    policy: Policy
    jobs: DataJobs
    setup: DataSetup
    _held: dict[str, threading.Lock] = field(default_factory=dict)

    def fetch(self, command: ImportTree, cancelled: Callable[[], bool]) -> None:
        """Repeatable: what has come is not fetched again. Raises `DiamondError`."""
        key = _key(command)
        with self._held.setdefault(key, threading.Lock()):
            job = self._job(command, key)
            result = self.jobs.run("import", command.scan, asdict(job), cancelled)
            imported = decode(Imported, result)
            if imported.problems:
                raise unreadable(imported.address, result)
            if command.look:
                self.reporter.report(_looked(command.scan, imported))
            else:
                place = self._settle(imported, key)
                if self.policy.allows_logs:
                    send_manifest(self.link, self.places.manifest(place.tree), place.tree)
                self.reporter.report(_fetched(command.scan, place, imported))
        shutil.rmtree(self.jobs.folder(command.scan), ignore_errors=True)

    def tidy(self) -> None:
        """What nobody continued."""
        for folder in self._importing.glob("*"):
            if time.time() - folder.lstat().st_mtime > KEEP_SECONDS:
                remove_tree(folder)

    def _job(self, command: ImportTree, key: str) -> ImportJob:
        allowed = self.policy.data_sources()
        address = read_address(command.source)
        if isinstance(address, Repository) and address.url.startswith("file://"):
            path = urllib.parse.unquote(urllib.parse.urlsplit(address.url).path)
            self.policy.check_data_folder(path, self.places.folders.tasks)
        secret = find_secret(self.places.folders.secrets, command.secret) if command.secret else ""
        folder = below(self._importing, key)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.utime(folder)
        quota = left_of_quota(str(self.places.root), self.jobs.profile().facts.get("folders"))
        root, records = self._previous(key)
        return ImportJob(
            source=command.source,
            folder=str(folder),
            server=command.server,
            secret_file=str(secret),
            sha256=command.sha256,
            unpack=command.unpack,
            look=command.look,
            known=command.known,
            allowed=allowed,
            previous_root=root,
            previous_records=records,
            free_bytes=quota[0],
            free_files=quota[1],
            bytes_per_second=self.setup.bytes_per_second() or 0.0,
        )

    def _previous(self, key: str) -> tuple[str, str]:
        """Where the last copy from this source is, if it is unchanged, and what was noted about its files."""
        known = read_json(self._notes(key).with_suffix(".json")) or {}
        place = self.places.find(str(known.get("tree", "")), "files") if known else None
        if place is None or not place.managed:
            return "", ""
        try:
            self.places.check(place)
        except DataChanged:
            return "", ""
        return place.path, str(self._notes(key))

    def _settle(self, imported: Imported, key: str) -> Place:
        """Everything is verified: from now on it bears its own name."""
        folder = below(self._importing, key)
        manifest = self.places.manifest(imported.digest)
        manifest.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        (folder / "manifest").replace(manifest)
        place = self.places.find(imported.digest, "files")
        if place is None or place.changed:
            place = self._move(folder / "tree", imported)
        notes = self._notes(key)
        if (folder / "fetched.jsonl").exists():
            notes.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            (folder / "fetched.jsonl").replace(notes)
            write_json(notes.with_suffix(".json"), {"tree": imported.digest})
        remove_tree(folder)
        return place

    def _move(self, tree: Path, imported: Imported) -> Place:
        target = self.places.managed(imported.digest, "files")
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        remove_tree(target)
        tree.rename(target)
        target.chmod(0o555)
        path = str(target)
        place = Place(
            tree=imported.digest,
            layout="files",
            path=path,
            managed=True,
            fingerprint=fingerprint_of(path),
            is_settled=imported.is_settled,
            size=imported.size,
            files=imported.files,
            entries=imported.entries,
            used=time.time(),
        )
        self.places.put(place)
        return place

    @property
    def _importing(self) -> Path:
        return self.places.root / "importing"

    def _notes(self, key: str) -> Path:
        return below(self.places.root, "sources", f"{key}.jsonl")


def _key(command: ImportTree) -> str:
    """The same source continues, whoever asks again."""
    parts = (command.source, command.server, command.sha256, str(command.unpack))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _looked(scan: str, imported: Imported) -> DataReport:
    return DataReport(
        name=scan,
        act="import",
        state="done",
        message=_message(imported),
        named=_named(imported),
        origin=_origin(imported),
    )


def _fetched(scan: str, place: Place, imported: Imported) -> DataReport:
    return replace(
        done_report(scan, "import", place),
        message=_message(imported),
        named=_named(imported),
        origin=_origin(imported),
    )


def _origin(imported: Imported) -> Origin:
    return Origin(
        imported.kind,
        imported.address,
        imported.revision,
        imported.modified,
        imported.is_same,
    )


def _named(imported: Imported) -> list[str]:
    return [without_known_secrets(line)[:300] for line in imported.named[:100]]


def _message(imported: Imported) -> str:
    if imported.is_same:
        return "The source is unchanged."
    if not imported.named:
        return ""
    counts = [
        (sum(line.endswith(f": {word}") for line in imported.named), word)
        for word in ("changed", "new", "gone")
    ]
    return "At the source: " + ", ".join(f"{count} {word}" for count, word in counts if count)
