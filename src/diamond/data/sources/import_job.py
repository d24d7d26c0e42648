"""Fetching a source as a process of its own: reads a job file, writes progress and a result beside it."""

from __future__ import annotations

import os
import shutil
import threading
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Callable, Dict, List, Optional, TypeVar

from diamond.core.decoding import decode
from diamond.data.hashing import Hashed, SavedState
from diamond.data.rate import RateCap
from diamond.data.room import NO_QUOTA, require_room
from diamond.data.scanning import Progress, Scanned, scan
from diamond.data.sources.address import Bucket, Hub, Repository, WebFile, read_address
from diamond.data.sources.downloading import Download, Previous, Records
from diamond.data.sources.git import GitSource
from diamond.data.sources.hub import HubSource
from diamond.data.sources.items import Differences, Listing, Source, SourceDown, compare
from diamond.data.sources.s3 import S3Source, keys_of
from diamond.data.sources.unpacking import unpack_all
from diamond.data.sources.web import Web
from diamond.data.sources.web_file import WebSource
from diamond.data.walking import FoundFile, Problem, stood

HUB_SERVER = "https://huggingface.co"
S3_SERVER = "https://s3.{region}.amazonaws.com"
REGION = "us-east-1"
REPORT_SECONDS = 0.5
T = TypeVar("T")
MOST_LOOKS = 4


@dataclass(frozen=True)
class ImportJob:
    """What the agent asks for. No secret is in it: only where one is."""

    source: str
    folder: str
    """Where the files come; the same folder continues."""
    server: str = ""
    secret_file: str = ""
    sha256: str = ""
    unpack: bool = False
    look: bool = False
    """Only say whether the source has changed."""
    known: str = ""
    """The revision that a version was made from."""
    allowed: List[List[str]] = field(default_factory=list)
    previous_root: str = ""
    previous_records: str = ""
    free_bytes: int = NO_QUOTA
    """By the quota, as it was last probed."""
    free_files: int = NO_QUOTA
    bytes_per_second: float = 0.0
    """At most; 0: as fast as it comes."""


@dataclass(frozen=True)
class Imported:
    """The end of it; `digest` is '' where it was only looked at, or failed."""

    kind: str
    address: str
    revision: str
    modified: str = ""
    is_same: bool = False
    """The source is as it was for the last copy from it, or for the known revision."""
    named: List[str] = field(default_factory=list)
    """What is missing, changed or new."""
    problems: List[List[str]] = field(default_factory=list)
    problem_count: int = 0
    digest: str = ""
    size: int = 0
    files: int = 0
    entries: int = 0
    fingerprint: str = ""
    is_settled: bool = False


def run_import(data: Dict[str, object], report: ReportTo) -> Dict[str, object]:
    """Raises `DiamondError`, `SourceDown`."""
    return asdict(_Import(decode(ImportJob, data), report).run())


class ReportTo:
    """Keeps how far it is, and hands it on now and then."""

    def __init__(self, write: Callable[[Progress], None]) -> None:
        self._write = write
        self._lock = threading.Lock()
        self._bytes = self._size = self._files = self._files_done = 0
        self._began = self._reported = time.monotonic()

    def begin(self, size: int, files: int) -> None:
        self._size, self._files = size, files
        self._began = time.monotonic()

    def count(self, count: int) -> None:
        with self._lock:
            self._bytes += count
            self._now_and_then()

    def file_done(self, _: object) -> None:
        with self._lock:
            self._files_done += 1
            self._now_and_then()

    def _now_and_then(self) -> None:
        now = time.monotonic()
        if now - self._reported < REPORT_SECONDS:
            return
        self._reported = now
        rate = self._bytes / max(now - self._began, 0.001)
        size = max(self._size, self._bytes)
        left = (size - self._bytes) / rate if rate > 0 and self._size else 0.0
        self._write(Progress(self._bytes, size, self._files_done, self._files, left))


class _Import:
    def __init__(self, job: ImportJob, report: ReportTo) -> None:
        self._job, self._report = job, report
        self._folder = Path(job.folder)
        self._web = Web(job.allowed)
        self._address = read_address(job.source)

    def run(self) -> Imported:
        if isinstance(self._address, Repository):
            return self._from_git(self._address)
        source = self._source()
        listing = _patiently(source.look)
        previous = self._previous()
        differences = compare(previous.records, listing.items) if previous else None
        if self._job.look:
            return _looked(listing, self._job.known, differences)
        self._check_room(
            sum(item.size or 0 for item in listing.items) - self._kept_bytes(),
            len(listing.items),
        )
        self._report.begin(sum(item.size or 0 for item in listing.items), len(listing.items))
        cap = RateCap(lambda: self._job.bytes_per_second or None)
        download = Download(source, self._folder, previous, self._report.count, cap)
        download.run(listing.items, self._report.file_done)
        if download.problems:
            return _failed(listing, download.problems)
        return self._finished(listing, download.tree, download.records, differences)

    def _from_git(self, address: Repository) -> Imported:
        source = GitSource(address, self._web, self._folder, self._secret())
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        listing = _patiently(source.look)
        if self._job.look:
            return _looked(listing, self._job.known, None)
        tree = self._folder / "tree"
        shutil.rmtree(tree, ignore_errors=True)
        date = _patiently(lambda: source.fetch(listing.revision, tree))
        return self._finished(replace(listing, modified=date), tree, None, None)

    def _source(self) -> Source:
        address, job = self._address, self._job
        if isinstance(address, Bucket):
            region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or REGION
            named = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
            server = job.server or named or S3_SERVER.format(region=region)
            return S3Source(address, self._web, server, region, keys_of(self._secret()))
        if isinstance(address, Hub):
            server = job.server or os.environ.get("HF_ENDPOINT") or HUB_SERVER
            return HubSource(address, self._web, server, self._secret())
        assert isinstance(address, WebFile)
        return WebSource(address, self._web, self._secret(), job.sha256)

    def _secret(self) -> str:
        return Path(self._job.secret_file).read_text().strip() if self._job.secret_file else ""

    def _previous(self) -> Optional[Previous]:
        job = self._job
        if not job.previous_records or not Path(job.previous_records).exists():
            return None
        return Previous(Path(job.previous_root), Records(Path(job.previous_records)).known)

    def _kept_bytes(self) -> int:
        found = 0
        for folder, _, names in os.walk(self._folder):
            found += sum((Path(folder) / name).lstat().st_size for name in names)
        return found

    def _check_room(self, size: int, files: int) -> None:
        """Raises `NoRoom`."""
        require_room(
            self._folder,
            size=max(size, 0),
            entries=files,
            quota_bytes=self._job.free_bytes,
            quota_files=self._job.free_files,
        )

    def _finished(
        self,
        listing: Listing,
        tree: Path,
        records: Optional[Records],
        differences: Optional[Differences],
    ) -> Imported:
        if self._job.unpack:
            unpack_all(tree, self._check_room)
        _make_read_only(tree)
        saved = SavedState(self._folder / "hash.state")
        if records is not None and not self._job.unpack:
            saved.append(_hashed(tree, records))
        scanned = scan(
            str(tree), manifest=self._folder / "manifest", state=self._folder / "hash.state"
        )
        if scanned.problems:
            return _failed(listing, scanned.problems)
        return _imported(listing, scanned, differences, self._job.known)


def _patiently(act: Callable[[], T]) -> T:
    """A server that is away for a moment is asked again."""
    for number in range(MOST_LOOKS):
        try:
            return act()
        except SourceDown:
            if number == MOST_LOOKS - 1:
                raise
            time.sleep(2.0**number)
    raise AssertionError


def _looked(listing: Listing, known: str, differences: Optional[Differences]) -> Imported:
    is_same = bool(known) and known == listing.revision
    named = (
        []
        if is_same or differences is None
        else [_printable(line) for line in differences.lines()[:100]]
    )
    return Imported(
        listing.kind, listing.address, listing.revision, listing.modified, is_same, named
    )


def _failed(listing: Listing, problems: List[Problem]) -> Imported:
    return Imported(
        listing.kind,
        listing.address,
        listing.revision,
        listing.modified,
        problems=[[_printable(one.path), _printable(one.why)] for one in problems[:100]],
        problem_count=len(problems),
    )


def _imported(
    listing: Listing, scanned: Scanned, differences: Optional[Differences], known: str
) -> Imported:
    summary = scanned.summary
    return Imported(
        listing.kind,
        listing.address,
        listing.revision,
        listing.modified,
        is_same=bool(known) and known == listing.revision,
        named=[_printable(line) for line in differences.lines()[:100]] if differences else [],
        digest=summary.digest,
        size=summary.size,
        files=summary.files,
        entries=summary.entries,
        fingerprint=scanned.fingerprint,
        is_settled=scanned.is_settled,
    )


def _printable(text: str) -> str:
    """A path as a message may carry it."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


def _hashed(tree: Path, records: Records) -> List[Hashed]:
    """They were hashed as they came, and nobody else writes here: nothing is read again."""
    found = []
    for record in records.known.values():
        place = tree / record.path
        if not place.is_file():
            continue
        facts = place.stat()
        file = FoundFile(record.path, str(place), facts.st_size, stood(facts), False)
        found.append(Hashed(file, record.sha256))
    return found


def _make_read_only(tree: Path) -> None:
    for folder, names, files in os.walk(tree, topdown=False):
        for name in files:
            place = Path(folder) / name
            if not place.is_symlink():
                place.chmod(0o555 if place.stat().st_mode & 0o100 else 0o444)
        for name in names:
            place = Path(folder) / name
            if not place.is_symlink():
                place.chmod(0o555)
