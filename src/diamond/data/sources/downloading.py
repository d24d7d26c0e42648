"""Files of a source into a folder: continued where they stopped, hashed as they come, verified before they count."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import BinaryIO, Callable, Dict, Iterator, List, Optional, Tuple

from diamond.core.errors import BadRequest
from diamond.data.hashing import BUFFER
from diamond.data.manifest import check_path
from diamond.data.rate import NO_CAP, RateCap
from diamond.data.sources.items import (
    Item,
    ItemProblem,
    Opened,
    Record,
    Source,
    SourceDown,
    StartOver,
)
from diamond.data.walking import Problem

AT_ONCE = 4
MOST_TRIES = 6
"""In a row without a byte; one that brought something starts the count again."""
LONGEST_PAUSE = 30.0
RECEIVED = 1 << 18


class Records:
    """What has been fetched, one line each; a line that was cut off is ignored."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.known: Dict[str, Record] = {}
        self._lock = threading.Lock()
        if file.exists():
            for line in file.read_text(errors="replace").splitlines():
                try:
                    record = Record(**json.loads(line))
                except (ValueError, TypeError):
                    continue
                self.known[record.path] = record

    def add(self, record: Record) -> None:
        with self._lock:
            self.known[record.path] = record
            with self.file.open("a") as out:
                out.write(json.dumps(asdict(record)) + "\n")


@dataclass(frozen=True)
class Previous:
    """An earlier copy from the same source, verified and unchanged."""

    root: Path
    records: Dict[str, Record]


@dataclass
class Download:
    source: Source
    folder: Path
    previous: Optional[Previous] = None
    count: Callable[[int], None] = lambda count: None
    """Hears of bytes that count; less than 0 where some have to be fetched again."""
    cap: RateCap = NO_CAP
    problems: List[Problem] = field(default_factory=list)
    taken: int = 0
    """Files that did not have to be fetched."""

    def __post_init__(self) -> None:
        for folder in (self.tree, self._parts):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.records = Records(self.folder / "fetched.jsonl")

    @property
    def tree(self) -> Path:
        return self.folder / "tree"

    @property
    def _parts(self) -> Path:
        return self.folder / "parts"

    def run(self, items: List[Item], done: Callable[[Item], None] = lambda item: None) -> None:
        """All of them; those that cannot be had are in `problems`. Raises what concerns them all."""
        good = self._with_good_names(items)
        self._clear(good)
        first: List[BaseException] = []

        def fetch(item: Item) -> None:
            if first:
                return
            try:
                self._one(item)
                done(item)
            except ItemProblem as problem:
                self.problems.append(Problem(item.path, str(problem)))
            except BaseException as error:
                first.append(error)

        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(fetch, good))
        if first:
            raise first[0]
        self.problems.sort(key=lambda one: one.path)

    def _with_good_names(self, items: List[Item]) -> List[Item]:
        good, folders, seen = [], set(), set()
        for item in items:
            parts = item.path.split("/")
            folders |= {"/".join(parts[:n]) for n in range(1, len(parts))}
        for item in items:
            try:
                check_path(item.path)
            except BadRequest as error:
                self.problems.append(Problem(item.path, error.message))
                continue
            if item.path in folders or item.path in seen:
                self.problems.append(
                    Problem(item.path, "there is a folder or a file of the same name")
                )
                continue
            seen.add(item.path)
            good.append(item)
        return good

    def _clear(self, items: List[Item]) -> None:
        """What an earlier try left and the source no longer has."""
        wanted = {item.path for item in items}
        for folder, _, names in os.walk(self.tree):
            for name in names:
                place = Path(folder) / name
                if str(place.relative_to(self.tree)) not in wanted:
                    place.unlink()

    def _one(self, item: Item) -> None:
        place = self.tree / item.path
        known = self.records.known.get(item.path)
        if known is not None and _fits(known, item) and _has_size(place, known.size):
            self.count(known.size)
            self.taken += 1
            return
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if self._take_previous(item, place):
            return
        part = (
            self._parts / hashlib.sha256(item.path.encode("utf-8", "surrogateescape")).hexdigest()
        )
        sha256, size, mark = self._fetch(item, part)
        part.replace(place)
        part.with_suffix(".mark").unlink(missing_ok=True)
        self.records.add(Record(item.path, mark, size, sha256))

    def _take_previous(self, item: Item, place: Path) -> bool:
        """A second name for what an earlier copy has: both are read-only."""
        known = self.previous.records.get(item.path) if self.previous else None
        if self.previous is None or known is None or not _fits(known, item):
            return False
        old = self.previous.root / item.path
        if not _has_size(old, known.size) or old.is_symlink():
            return False
        place.unlink(missing_ok=True)
        try:
            os.link(old, place)
        except OSError:
            shutil.copy2(old, place)
        self.count(known.size)
        self.taken += 1
        self.records.add(known)
        return True

    def _fetch(self, item: Item, part: Path) -> Tuple[str, int, str]:
        tries = 0
        while True:
            before = part.stat().st_size if part.exists() else 0
            try:
                return self._try(item, part)
            except StartOver as why:
                part.unlink(missing_ok=True)
                tries += 1
                if tries >= MOST_TRIES:
                    raise ItemProblem(f"it keeps changing at the source ({why})") from None
            except SourceDown:
                now = part.stat().st_size if part.exists() else 0
                tries = 1 if now > before else tries + 1
                if tries >= MOST_TRIES:
                    raise
                time.sleep(min(2.0 ** (tries - 1), LONGEST_PAUSE))

    def _try(self, item: Item, part: Path) -> Tuple[str, int, str]:
        """One connection. What came stays in `part`, with its mark beside it."""
        marked = part.with_suffix(".mark")
        have = self._usable(item, part, marked)
        opened = None if have and have == item.size else self._open(item, have)
        have = have if opened is None else opened.offset
        mark = item.mark if opened is None else opened.mark or item.mark
        marked.write_text(mark)
        digests, counted = _Digests(item), 0
        try:
            with part.open("r+b" if part.exists() else "w+b") as out:
                for block in _kept(out, have):
                    digests.update(block)
                out.truncate(have)
                self.count(have)
                counted = have
                for block in _received(opened):
                    self.cap.take(len(block))
                    out.write(block)
                    digests.update(block)
                    self.count(len(block))
                    counted += len(block)
            self._verify(item, opened, counted, digests, part)
        except BaseException:
            self.count(-counted)
            raise
        return digests.sha256.hexdigest(), counted, mark

    def _open(self, item: Item, have: int) -> Opened:
        opened = self.source.open(item, have)
        if opened.offset not in (0, have):
            raise StartOver("the server answered with another part")
        if opened.offset and item.mark and opened.mark and opened.mark != item.mark:
            raise StartOver("another version")
        return opened

    def _usable(self, item: Item, part: Path, marked: Path) -> int:
        """How much of an earlier try counts: only where a mark or a digest tells that it is the same file."""
        if not part.exists():
            return 0
        saved = marked.read_text() if marked.exists() else ""
        have = part.stat().st_size
        is_same = saved == item.mark if saved or item.mark else bool(item.sha256)
        if is_same and (item.size is None or have <= item.size):
            return have
        return 0

    def _verify(
        self, item: Item, opened: Optional[Opened], size: int, digests: _Digests, part: Path
    ) -> None:
        whole = opened.size if opened is not None and opened.size is not None else item.size
        if whole is not None and size < whole:
            raise SourceDown(f"the connection for {item.path} broke after {size} of {whole} bytes")
        wrong = digests.fault(item)
        if whole is not None and size > whole:
            wrong = f"the source sent {size} bytes and had said {whole}"
        if wrong:
            part.unlink()
            raise ItemProblem(wrong)


class _Digests:
    def __init__(self, item: Item) -> None:
        self.sha256 = hashlib.sha256()
        self._blob = hashlib.sha1(usedforsecurity=False) if item.blob else None
        if self._blob is not None:
            self._blob.update(f"blob {item.size}\0".encode())

    def update(self, block: bytes) -> None:
        self.sha256.update(block)
        if self._blob is not None:
            self._blob.update(block)

    def fault(self, item: Item) -> str:
        """'' where it is what the source said."""
        sha256 = self.sha256.hexdigest()
        if item.sha256 and sha256 != item.sha256:
            return f"its SHA-256 is {sha256}, not {item.sha256}"
        blob = self._blob.hexdigest() if self._blob is not None else item.blob
        return f"its content is {blob}, not {item.blob}" if blob != item.blob else ""


def _fits(record: Record, item: Item) -> bool:
    """A file without a mark may have changed: it is fetched again, unless its digest is known."""
    if item.sha256:
        return record.sha256 == item.sha256
    return bool(item.mark) and record.mark == item.mark


def _has_size(place: Path, size: int) -> bool:
    try:
        return place.is_file() and place.stat().st_size == size
    except OSError:
        return False


def _kept(source: BinaryIO, have: int) -> Iterator[bytes]:
    """What an earlier try has left."""
    while have > 0 and (block := source.read(min(BUFFER, have))):
        have -= len(block)
        yield block


def _received(opened: Optional[Opened]) -> Iterator[bytes]:
    """Blocks until the end; a broken connection is `SourceDown`."""
    if opened is None:
        return
    with opened.stream as stream:
        while True:
            try:
                block = stream.read(RECEIVED)
            except http.client.IncompleteRead as error:
                yield error.partial
                raise SourceDown("the connection broke") from None
            except (OSError, http.client.HTTPException) as error:
                raise SourceDown(f"the connection broke: {error}") from None
            if not block:
                return
            yield block
