"""A folder of code as a snapshot by content: taken where the person works, laid out where the job runs.

The manifest is canonical JSON, sorted by path:
`{"version":1,"files":[{"path","mode":"644"|"755","size","sha256"} | {"path","link"}]}`.
Its own SHA-256 is the snapshot's digest, and it is sent as a blob like the files it names.
"""

from __future__ import annotations

import hashlib
import os
import stat as modes
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from diamond.code.checkout import checkout, missing_blobs, unpack_blobs
from diamond.code.git import WorkTree, find_work_tree
from diamond.code.hashing import HashMemory
from diamond.code.ignoring import is_made_by_tools, is_under_ignored, read_rules, walk_kept
from diamond.code.sensitive import LARGEST_KEY, begins_as_key, why_kept_home
from diamond.core.errors import BadRequest, TooLarge
from diamond.core.order import canonical
from diamond.core.units import show_bytes

__all__ = [
    "DEFAULT_SIZE_LIMIT",
    "Snapshot",
    "checkout",
    "missing_blobs",
    "take_snapshot",
    "unpack_blobs",
    "why_not_by_itself",
]

MADE_BY_TOOLS_WORDS = "made by tools; `!NAME/` in .diamondignore brings one back"
IGNORED_KEPT = 100
IGNORED_SHOWN = 5
_NOT_MISSED = (".pyc", ".pyo", ".DS_Store", ".swp", "~", ".egg-info/")
DEFAULT_SIZE_LIMIT = 500 * 2**20
DIFF_LIMIT = 10 * 2**20


@dataclass(frozen=True)
class Snapshot:
    manifest: bytes
    digest: str
    """sha256:… of the manifest."""
    files: Dict[str, Path]
    """Where the bytes of each digest (sha256:…) are now."""
    size: int
    """Bytes of all files."""
    left_out: List[Tuple[str, str]]
    """What was not sent although no ignore file names it, with the reason."""
    commit: str = ""
    dirty: bool = False
    dirty_diff: bytes = b""
    warnings: List[str] = field(default_factory=list)
    ignored: List[str] = field(default_factory=list)
    """Some of what an ignore file names, by path."""


def take_snapshot(
    folder: Path,
    *,
    size_limit: int = DEFAULT_SIZE_LIMIT,
    cache: Optional[Path] = None,
    with_git: bool = True,
) -> Snapshot:
    """Name every file that is sent, by content.

    Raises `BadRequest` for a folder that must not be sent or a name that is not UTF-8, and `TooLarge`,
    before any file is read, over `size_limit` bytes. `cache` remembers digests between calls.
    Without `with_git` a work tree that happens to be around the folder is not asked.
    """
    folder = _checked_folder(folder)
    tree = _own_work_tree(folder) if with_git else None
    listing = _Listing(folder)
    _list(listing, tree)
    listing.check_size(size_limit)
    listing.leave_out_keys()
    entries, files = listing.hashed(cache)
    manifest = canonical({"version": 1, "files": entries})
    commit, dirty, diff, warnings = _git_facts(tree, listing.left_out)
    return Snapshot(
        manifest=manifest,
        digest="sha256:" + hashlib.sha256(manifest).hexdigest(),
        files=files,
        size=listing.total,
        left_out=listing.left_out,
        commit=commit,
        dirty=dirty,
        dirty_diff=diff,
        warnings=[*warnings, *_about_ignored(listing)],
        ignored=[path for path in listing.ignored if not path.endswith(_NOT_MISSED)][:IGNORED_KEPT],
    )


def why_not_by_itself(folder: Path) -> str:
    """Why a folder that nobody named is not sent; empty if it may be."""
    folder = folder.resolve()
    if _is_too_wide(folder):
        return f"{folder} is a home folder or above one"
    if (folder / "diamond.yaml").is_file() or _own_work_tree(folder):
        return ""
    return f"{folder} is neither a git work tree nor holds a diamond.yaml"


def _checked_folder(folder: Path) -> Path:
    if not folder.is_dir():
        raise BadRequest(f"{folder} is not a folder", "Name the folder that holds your code.")
    resolved = folder.resolve()
    if _is_too_wide(resolved):
        raise BadRequest(
            f"{resolved} is a home folder or above one, and is not sent as a whole",
            "Put the code in its own folder and name that folder under `code:`.",
        )
    return resolved


def _is_too_wide(folder: Path) -> bool:
    home = Path(os.path.expanduser("~")).resolve()  # noqa: PTH111 - never raises
    return folder == home or folder in home.parents


def _own_work_tree(folder: Path) -> Optional[WorkTree]:
    """A home folder under git (dotfiles) does not make every folder in it a project."""
    tree = find_work_tree(folder)
    return None if tree is None or _is_too_wide(tree.top) else tree


def _list(listing: _Listing, tree: Optional[WorkTree]) -> None:
    if tree is not None:
        rules = read_rules(listing.folder, "", (".diamondignore",))
        seen = [path for path in tree.ignored() if not _is_by_tools(listing.folder, path)]
        listing.ignored += seen
        listing.add_all([path for path in tree.paths() if not is_under_ignored(path, rules)])
        return
    walked = walk_kept(listing.folder)
    listing.add_all(walked.kept)
    listing.ignored += walked.ignored
    if walked.made_by_tools:
        listing.left_out.append((", ".join(sorted(walked.made_by_tools)), MADE_BY_TOOLS_WORDS))


def _is_by_tools(folder: Path, path: str) -> bool:
    parts = Path(path).parts
    return any(is_made_by_tools(folder.joinpath(*parts[: n + 1])) for n in range(len(parts)))


def _about_ignored(listing: _Listing) -> List[str]:
    """A data file that an ignore file holds back is easily missed."""
    names = [name for name in listing.ignored if not name.endswith(_NOT_MISSED)]
    if not names:
        return []
    more = f" and {len(names) - IGNORED_SHOWN} more" if len(names) > IGNORED_SHOWN else ""
    return [
        f"Not uploaded, because .gitignore or .diamondignore lists them: {', '.join(names[:IGNORED_SHOWN])}{more}. "
        "If the job reads them: give large data by its path under `data:`, or take small files out of the ignore file."
    ]


class _Listing:
    """The files to send, with their sizes; nothing is read until all are known to fit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.left_out: List[Tuple[str, str]] = []
        self.ignored: List[str] = []
        self.total = 0
        self._files: Dict[str, os.stat_result] = {}
        self._links: Dict[str, str] = {}

    def add_all(self, paths: List[str]) -> None:
        for path in paths:
            _check_name(path)
            why = why_kept_home(path) or self._add(path)
            if why:
                self.left_out.append((path, why))

    def check_size(self, limit: int) -> None:
        if self.total <= limit:
            return
        raise TooLarge(
            f"The code in {self.folder} is {show_bytes(self.total)}; the limit is "
            f"{show_bytes(limit)}. The largest: {self._largest()}",
            "Name what is not code in .gitignore or .diamondignore; give data by its path under `data:`.",
        )

    def leave_out_keys(self) -> None:
        """A private key under a harmless name shows by its first bytes."""
        small = [path for path, stat in self._files.items() if stat.st_size <= LARGEST_KEY]
        for path in small:
            if begins_as_key(self.folder / path):
                self.total -= self._files.pop(path).st_size
                self.left_out.append((path, "is a private key"))

    def hashed(self, cache: Optional[Path]) -> Tuple[List[Dict[str, Any]], Dict[str, Path]]:
        memory = HashMemory(cache, self.folder)
        entries: List[Dict[str, Any]] = [{"path": p, "link": t} for p, t in self._links.items()]
        files: Dict[str, Path] = {}
        for path, stat in self._files.items():
            digest = self._digest(memory, path, stat)
            files["sha256:" + digest] = self.folder / path
            mode = "755" if stat.st_mode & modes.S_IXUSR else "644"
            entries.append({"path": path, "mode": mode, "size": stat.st_size, "sha256": digest})
        memory.save()
        return sorted(entries, key=lambda entry: str(entry["path"])), files

    def _digest(self, memory: HashMemory, path: str, stat: os.stat_result) -> str:
        try:
            return memory.digest(path, self.folder / path, stat)
        except OSError as error:
            raise BadRequest(
                f"{path} cannot be read: {error.strerror}",
                "Make it readable, or name it in .diamondignore.",
            ) from error

    def _add(self, path: str) -> str:
        """Take a path in; the answer says why not."""
        try:
            stat = (self.folder / path).lstat()
        except FileNotFoundError:
            return ""  # git still lists a tracked file that was deleted
        if modes.S_ISLNK(stat.st_mode):
            return self._add_link(path)
        if not modes.S_ISREG(stat.st_mode):
            return "not a plain file"
        self._files[path] = stat
        self.total += stat.st_size
        return ""

    def _add_link(self, path: str) -> str:
        link = self.folder / path
        goal = Path(os.path.realpath(link))
        if goal != self.folder and self.folder not in goal.parents:
            return f"a link that leads outside, to {goal}"
        target = str(link.readlink())
        if target.startswith("/"):
            target = os.path.relpath(goal, os.path.realpath(link.parent))
        _check_name(target)
        self._links[path] = target
        return ""

    def _largest(self) -> str:
        sizes: Dict[str, int] = {}
        for path, stat in self._files.items():
            top = path.split("/")[0]
            name = top + "/" if "/" in path else path
            sizes[name] = sizes.get(name, 0) + stat.st_size
        first = sorted(sizes.items(), key=lambda item: -item[1])[:5]
        return ", ".join(f"{name} ({show_bytes(size)})" for name, size in first)


def _check_name(path: str) -> None:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        raise BadRequest(
            f"The file name {os.fsencode(path)!r} is not UTF-8",
            "Rename it, or name it in .gitignore or .diamondignore with a pattern such as `name*`.",
        ) from None


def _git_facts(
    tree: Optional[WorkTree], left_out: List[Tuple[str, str]]
) -> Tuple[str, bool, bytes, List[str]]:
    if tree is None:
        return "", False, b"", []
    commit = tree.commit()
    dirty = tree.is_dirty()
    diff = tree.diff([path for path, _ in left_out]) if commit and dirty else b""
    if len(diff) > DIFF_LIMIT:
        return (
            commit,
            dirty,
            b"",
            [
                f"The changes since the commit ({show_bytes(len(diff))}) are "
                "too large to record beside the files"
            ],
        )
    return commit, dirty, diff, []
