"""The manifest of a tree: its files in the order of the bytes of their paths, one line each (docs/internals/data.md).

Canonical: one tree has one manifest, and its SHA-256 names the tree. Everything that is read is checked, since it may come
from anybody.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
from dataclasses import dataclass
from json.encoder import encode_basestring
from pathlib import Path
from typing import Any, BinaryIO, Iterable, Iterator, List, NamedTuple, Optional, Union

from diamond.core.errors import BadRequest

HEAD = b'{"diamond-manifest": 1}\n'
LONGEST_PATH, LONGEST_NAME = 4095, 255
"""In bytes, as Linux has them."""
MOST_ENTRIES = 20_000_000
MOST_BYTES = 2 << 30
_TOGETHER = 1 << 20
"""Bytes of lines that are parsed at once: line by line it takes three times as long."""
_NEAR = 1 << 16
"""Bytes of lines that are looked through one by one, once a search has come so near."""
_HEX = re.compile(r"[0-9a-f]{64}")
_SURROGATE = re.compile("[\udc80-\udcff]")
_OTHER_SURROGATE = re.compile("[\ud800-\udc7f\udd00-\udfff]")
_MOST_SIZE = 2**62
_NAME = "(?!\\.{1,2}(?:/|$))[^/\\0\ud800-\udfff]{1,63}"
_PLAIN = re.compile(f"{_NAME}(?:/{_NAME})*", re.DOTALL)
_SHORT = LONGEST_PATH // 4
"""Most paths are short: one look tells that they are good."""


class FileEntry(NamedTuple):
    """A tuple, since a manifest may list millions: a frozen dataclass takes four times as long to make."""

    path: str
    """Relative; bytes that aren't UTF-8 as surrogates (os.fsdecode)."""
    size: int
    sha256: str
    is_executable: bool = False


@dataclass(frozen=True)
class LinkEntry:
    """A symbolic link that stays inside the tree."""

    path: str
    target: str


@dataclass(frozen=True)
class FolderEntry:
    """An empty folder."""

    path: str


Entry = Union[FileEntry, LinkEntry, FolderEntry]


@dataclass(frozen=True)
class Summary:
    """What a manifest amounts to."""

    digest: str
    size: int
    files: int
    entries: int
    """Files, links and folders, also those that the paths imply."""


def line_of(entry: Entry) -> bytes:
    if isinstance(entry, FileEntry):
        last = ",1]" if entry.is_executable else "]"
        text = f'["f",{encode_basestring(entry.path)},{entry.size},"{entry.sha256}"{last}\n'
    elif isinstance(entry, LinkEntry):
        text = f'["l",{encode_basestring(entry.path)},{encode_basestring(entry.target)}]\n'
    else:
        text = f'["d",{encode_basestring(entry.path)}]\n'
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode()


def write_manifest(entries: Iterable[Entry], out: BinaryIO) -> Summary:
    """Write entries that are in order. Raises `BadRequest` for a path that cannot be part of a tree."""
    counting = _Counting()
    digest = hashlib.sha256(HEAD)
    out.write(HEAD)
    lines: List[bytes] = []
    for entry in entries:
        counting.add(entry)
        lines.append(line_of(entry))
        if len(lines) == 10_000:
            _flush(lines, digest, out)
    _flush(lines, digest, out)
    return counting.summary(digest.hexdigest())


def _flush(lines: List[bytes], digest: hashlib._Hash, out: BinaryIO) -> None:
    block = b"".join(lines)
    digest.update(block)
    out.write(block)
    lines.clear()


def read_manifest(source: BinaryIO) -> Iterator[Entry]:
    """Every entry, checked: order, names, links that stay inside. Raises `BadRequest`."""
    if source.readline(len(HEAD) + 1) != HEAD:
        raise BadRequest("This is not a manifest", f"It begins with {HEAD.decode().strip()}.")
    counting = _Counting()
    while lines := source.readlines(_TOGETHER):
        for value in _parsed(lines):
            entry = _read(value)
            counting.add(entry)
            yield entry


def summarize(path: Path) -> Summary:
    """Read a whole manifest. Raises `BadRequest`."""
    digest = hashlib.sha256()
    if path.stat().st_size > MOST_BYTES:
        raise BadRequest(
            "The manifest is larger than 2 GB", "Split the data into several datasets."
        )
    counting = _Counting()
    with path.open("rb") as source:
        for entry in read_manifest(source):
            counting.add(entry)
        source.seek(0)
        while block := source.read(1 << 20):
            digest.update(block)
    return counting.summary(digest.hexdigest())


def load_manifest(path: Path, digest: str) -> List[Entry]:
    """The entries of the manifest with this digest. Raises `BadRequest`, also where its bytes are others."""
    if path.stat().st_size > MOST_BYTES:
        raise BadRequest(f"The manifest of {digest[:12]} is larger than 2 GB")
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != digest:
        raise BadRequest(f"The manifest of {digest[:12]} has other bytes than its digest says")
    return list(read_manifest(io.BytesIO(content)))


def find_file(path: Path, wanted: str) -> Optional[FileEntry]:
    """The file of this path in a manifest that was checked before. Its lines are in order: only a few of them are read."""
    key = sort_key(wanted)
    with path.open("rb") as source:
        low, high = len(HEAD), os.fstat(source.fileno()).st_size
        while high - low > _NEAR:
            source.seek((low + high) // 2)
            source.readline()  # The rest of a line that began before.
            start = source.tell()
            if start >= high:
                break
            entry = _read(_parsed([source.readline()])[0])
            if sort_key(entry.path) < key:
                low = source.tell()
            else:
                high = start + 1
        source.seek(low)
        for line in source.readlines(high - low + _NEAR):
            entry = _read(_parsed([line])[0])
            if entry.path == wanted:
                return entry if isinstance(entry, FileEntry) else None
    return None


def files_of(entries: Iterable[Entry]) -> List[FileEntry]:
    """The files in order: a transfer names them by their position in this list."""
    return [entry for entry in entries if isinstance(entry, FileEntry)]


def sort_key(path: str) -> bytes:
    return os.fsencode(path)


def check_path(path: str) -> None:
    """Raises `BadRequest` for a path that could lead out of a tree, or that no file system takes."""
    if len(path) <= _SHORT and _PLAIN.fullmatch(path):
        return
    if not path or "\0" in path or _OTHER_SURROGATE.search(path):
        raise BadRequest(f"{path[:80]!r} cannot be a path in a tree")
    if len(os.fsencode(path)) > LONGEST_PATH:
        raise BadRequest(f"{path[:80]!r}… is longer than {LONGEST_PATH} bytes")
    for name in path.split("/"):
        if name in ("", ".", "..") or len(os.fsencode(name)) > LONGEST_NAME:
            raise BadRequest(f"{path[:80]!r} is not a plain path below the tree")


def link_stays_inside(path: str, target: str) -> bool:
    """Whether a link leads to a place inside the tree, by its words alone.

    `..` may only stand in front: behind the name of another link it would lead on from wherever that one leads.
    """
    if not target or target.startswith("/") or "\0" in target:
        return False
    names = target.split("/")
    up = 0
    while up < len(names) and names[up] == "..":
        up += 1
    plain = all(name not in ("", ".", "..") for name in names[up:])
    return up <= path.count("/") and (plain or target == ".")


class _Counting:
    """Checks entries as they come, and adds them up."""

    def __init__(self) -> None:
        self.size = self.files = self.entries = 0
        self._last = ""
        self._folders = ""
        self._shut: List[str] = []

    def add(self, entry: Entry) -> None:
        path = entry.path
        check_path(path)
        self._check_order(path)
        self._count_folders(path)
        self.entries += 1
        if self.entries > MOST_ENTRIES:
            raise BadRequest(f"The manifest has more than {MOST_ENTRIES} entries")
        if isinstance(entry, FileEntry):
            if not 0 <= entry.size <= _MOST_SIZE or not _HEX.fullmatch(entry.sha256):
                raise BadRequest(f"{path[:80]!r} has no valid size and digest in the manifest")
            self.size += entry.size
            self.files += 1
        elif isinstance(entry, LinkEntry) and not link_stays_inside(path, entry.target):
            raise BadRequest(f"The link {path[:80]!r} leads out of the tree")

    def _check_order(self, path: str) -> None:
        """By bytes; nothing is below what is not a folder. Paths with the same beginning stand together."""
        if path.isascii() and self._last.isascii():
            is_behind = path > self._last
        else:
            is_behind = os.fsencode(path) > os.fsencode(self._last)
        if not is_behind:
            raise BadRequest(f"{path[:80]!r} stands twice or out of order in the manifest")
        self._last = path
        while self._shut and not path.startswith(self._shut[-1]):
            self._shut.pop()
        if any(path.startswith(one + "/") for one in self._shut):
            raise BadRequest(f"{path[:80]!r} is below something that is not a folder")
        self._shut.append(path)

    def _count_folders(self, path: str) -> None:
        """Folders that a path implies count once."""
        parent = path.rpartition("/")[0]
        if parent == self._folders:
            return
        new, old = parent.split("/") if parent else [], self._folders.split("/")
        same = 0
        while same < min(len(new), len(old)) and new[same] == old[same]:
            same += 1
        self.entries += len(new) - same
        self._folders = parent

    def summary(self, digest: str) -> Summary:
        return Summary(digest, self.size, self.files, self.entries)


def _parsed(lines: List[bytes]) -> List[Any]:
    try:
        values = json.loads(b"[" + b",".join(lines) + b"]")
    except (ValueError, RecursionError):
        raise BadRequest("A line of the manifest is not JSON") from None
    if not isinstance(values, list):
        raise BadRequest("A line of the manifest is not an array")
    return values


def _read(value: Any) -> Entry:
    kind = value[0] if isinstance(value, list) and len(value) > 1 else None
    if kind == "f" and len(value) in (4, 5) and _are(value, str, int, str):
        if len(value) == 4 or value[4] == 1:
            return FileEntry(value[1], value[2], value[3], len(value) == 5)
    elif kind == "l" and len(value) == 3 and _are(value, str, str):
        return LinkEntry(value[1], value[2])
    elif kind == "d" and len(value) == 2 and _are(value, str):
        return FolderEntry(value[1])
    raise BadRequest(f"{ascii(value)[:80]} in the manifest is neither a file, a link nor a folder")


def _are(value: List[Any], *kinds: type) -> bool:
    return all(type(one) is kind for one, kind in zip(value[1:], kinds))
