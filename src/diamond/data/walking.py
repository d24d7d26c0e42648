"""What is in a folder: files, links and empty folders, each with how it stood. Nothing is read."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass, field
from typing import Iterator, List, NamedTuple, Set, Tuple

from diamond.core.errors import BadRequest, NotFound
from diamond.data.manifest import FolderEntry, LinkEntry, check_path, link_stays_inside

_KIND = 0o170000


@dataclass(frozen=True)
class Problem:
    """Something that cannot be part of a tree, or cannot be read."""

    path: str
    why: str


class FoundFile(NamedTuple):
    """A tuple, since a folder may hold millions: a frozen dataclass takes four times as long to make."""

    path: str
    """Below the root."""
    place: str
    """Where it is opened."""
    size: int
    stood: str
    """Size, mtime and inode: a file that stands the same counts as unchanged."""
    is_executable: bool


@dataclass
class Walked:
    files: List[FoundFile] = field(default_factory=list)
    links: List[LinkEntry] = field(default_factory=list)
    folders: List[FolderEntry] = field(default_factory=list)
    problems: List[Problem] = field(default_factory=list)

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)

    def fingerprint(self) -> str:
        """Equal as long as nothing was added, removed or changed, by size, mtime and inode."""
        lines = [f"f {file.stood} {file.path}" for file in self.files]
        lines += [f"l {link.path}\0{link.target}" for link in self.links]
        lines += [f"d {folder.path}" for folder in self.folders]
        lines += [f"! {problem.path}" for problem in self.problems]
        return _digest(lines)


def stood(facts: os.stat_result) -> str:
    return f"{facts.st_size} {facts.st_mtime_ns} {facts.st_ino}"


def walk(root: str) -> Walked:
    """Everything below a folder; a file alone is a tree of one. Raises `NotFound`, `BadRequest`."""
    walked = Walked()
    try:
        facts = os.stat(root)  # noqa: PTH116
    except OSError as error:
        raise NotFound(f"{root} cannot be read: {error.strerror}", "Check the path.") from None
    if stat.S_ISREG(facts.st_mode):
        name = os.path.basename(root)  # noqa: PTH119
        check_path(name)
        walked.files.append(_file(name, root, facts))
        return walked
    if not stat.S_ISDIR(facts.st_mode):
        raise BadRequest(f"{root} is neither a folder nor a file", "Name a folder of data.")
    _Walk(walked).folder(root, "", {(facts.st_dev, facts.st_ino)})
    return walked


def fingerprint_of(root: str) -> str:
    """`walk(root).fingerprint()`, in half the time where there are only files and folders. Raises as `walk`."""
    lines: List[str] = []
    later = [(root, "")]
    try:
        while later:
            place, below = later.pop()
            before = len(lines) + len(later)
            with os.scandir(place) as entries:
                for entry in entries:
                    facts = entry.stat(follow_symlinks=False)
                    kind = facts.st_mode & _KIND
                    if kind == stat.S_IFREG:
                        lines.append(f"f {stood(facts)} {below}{entry.name}")
                    elif kind == stat.S_IFDIR:
                        later.append((entry.path, f"{below}{entry.name}/"))
                    else:
                        return walk(root).fingerprint()
            if below and before == len(lines) + len(later):
                lines.append(f"d {below[:-1]}")
    except OSError:
        return walk(root).fingerprint()
    return _digest(lines)


def _digest(lines: List[str]) -> str:
    text = "\0\0".join(sorted(lines))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


class _Walk:
    def __init__(self, walked: Walked) -> None:
        self._walked = walked
        self._later: List[Tuple[str, str, Set[Tuple[int, int]]]] = []

    def folder(self, place: str, below: str, seen: Set[Tuple[int, int]]) -> None:
        """`seen`: folders that a followed link must not lead to again."""
        self._later.append((place, below, seen))
        while self._later:
            self._one(*self._later.pop())

    def _one(self, place: str, below: str, seen: Set[Tuple[int, int]]) -> None:
        try:
            with os.scandir(place) as entries:
                is_empty = True
                for entry in entries:
                    is_empty = False
                    self._entry(entry, below + entry.name, seen)
        except OSError as error:
            self._problem(below.rstrip("/") or ".", error)
            return
        if is_empty and below:
            self._walked.folders.append(FolderEntry(below[:-1]))

    def _entry(self, entry: os.DirEntry[str], path: str, seen: Set[Tuple[int, int]]) -> None:
        try:
            facts = entry.stat(follow_symlinks=False)
            kind = facts.st_mode & _KIND
            if kind == stat.S_IFLNK:
                self._link(entry, path, seen)
            elif kind == stat.S_IFDIR:
                self._later.append((entry.path, path + "/", seen))
            else:
                self._plain(entry.path, path, facts)
        except OSError as error:
            self._problem(path, error)

    def _link(self, entry: os.DirEntry[str], path: str, seen: Set[Tuple[int, int]]) -> None:
        """One that stays inside is a link; one that leaves counts as what it leads to."""
        target = os.readlink(entry.path)  # noqa: PTH115
        try:
            facts = os.stat(entry.path)  # noqa: PTH116
        except OSError as error:
            why = f"a link to {target}, which leads nowhere ({error.strerror})"
            self._walked.problems.append(Problem(path, why))
            return
        if link_stays_inside(path, target):
            self._walked.links.append(LinkEntry(path, target))
        elif stat.S_ISDIR(facts.st_mode):
            here = (facts.st_dev, facts.st_ino)
            if here in seen:
                why = f"a link to {target}, which leads around in a circle"
                self._walked.problems.append(Problem(path, why))
            else:
                self._later.append((entry.path, path + "/", seen | {here}))
        else:
            self._plain(entry.path, path, facts)

    def _plain(self, place: str, path: str, facts: os.stat_result) -> None:
        if stat.S_ISREG(facts.st_mode):
            self._walked.files.append(_file(path, place, facts))
        else:
            self._walked.problems.append(Problem(path, f"{_kind(facts.st_mode)}, not a file"))

    def _problem(self, path: str, error: OSError) -> None:
        self._walked.problems.append(Problem(path, error.strerror or str(error)))


def count_at_most(root: str, *, most_bytes: int, most_files: int) -> bool:
    """Whether a folder holds no more than that; stops as soon as it does not."""
    size = files = 0
    for facts in _each_file(root):
        size, files = size + facts.st_size, files + 1
        if size > most_bytes or files > most_files:
            return False
    return True


def _each_file(root: str) -> Iterator[os.stat_result]:
    later = [root]
    while later:
        place = later.pop()
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        later.append(entry.path)
                    else:
                        yield entry.stat(follow_symlinks=False)
        except OSError:
            continue


def _file(path: str, place: str, facts: os.stat_result) -> FoundFile:
    is_executable = bool(facts.st_mode & 0o100)
    return FoundFile(path, place, facts.st_size, stood(facts), is_executable)


def _kind(mode: int) -> str:
    for name, check in (
        ("a socket", stat.S_ISSOCK),
        ("a pipe", stat.S_ISFIFO),
        ("a device", lambda mode: stat.S_ISBLK(mode) or stat.S_ISCHR(mode)),
    ):
        if check(mode):
            return name
    return "something special"
