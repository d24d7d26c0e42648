"""Data on a node's own disk (`cache: node`): the first task there copies it, verified; the next ones read it.

Everything is in one private folder of the node: the tree under its digest, a lock for whoever fills it, and a file for each
job that reads it. Locks are safe here: the disk is the node's own. What nobody reads goes first when room is needed.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import sys
import time
from pathlib import Path
from typing import Iterator, List, Sequence

from diamond.core.errors import BadRequest, DataChanged, DiamondError
from diamond.data.arriving import Arrival
from diamond.data.manifest import Entry, files_of, load_manifest
from diamond.data.removing import remove_tree

SPARE_BYTES = 256 << 20


def cache_folder(tmp: Path) -> Path:
    """Of this account, on whatever node looks."""
    return tmp / f"diamond-cache-{os.getuid()}"


def main(arguments: Sequence[str]) -> int:
    """`data cache PID MANIFEST SOURCE TARGET`: make TARGET show the tree. PID is the job that reads it."""
    pid, manifest, source, target = arguments
    try:
        print(fill(int(pid), Path(manifest), Path(source), Path(target)), flush=True)
    except (DiamondError, OSError, ValueError) as error:
        print(f"diamond: the data could not be cached on this node: {error}", file=sys.stderr)
        return 1
    return 0


def fill(pid: int, manifest: Path, source: Path, target: Path) -> str:
    """What was done, in words. Raises `DataChanged`, `BadRequest`, `OSError`."""
    _require_private(target.parent)
    users = _users(target)
    users.mkdir(mode=0o700, exist_ok=True)
    (users / str(pid)).touch()
    with _locked(target.with_name(f"{target.name}.lock")):
        if target.is_dir() and not target.is_symlink():
            return f"diamond: {target.name[:12]} is on this node already"
        if target.is_symlink():
            target.unlink()
        return _fill(manifest, source, target)


def _fill(manifest: Path, source: Path, target: Path) -> str:
    began = time.monotonic()
    entries = load_manifest(manifest, target.name)
    size = sum(file.size for file in files_of(entries))
    removed = make_room(target.parent, size + SPARE_BYTES)
    if _free(target.parent) < size + SPARE_BYTES:
        target.symlink_to(source)
        return f"diamond: this node has no room for {target.name[:12]}: it is read where it is"
    aside = target.with_name(f".{target.name}")
    remove_tree(aside)
    try:
        _copy(source, entries, aside)
        os.rename(aside / "tree", target)  # noqa: PTH104
        target.chmod(0o555)
    finally:
        remove_tree(aside)
    words = (
        f"diamond: {target.name[:12]} was copied to this node in {time.monotonic() - began:.1f} s"
    )
    return words + (f"; {removed} others made room" if removed else "")


def _copy(source: Path, entries: Sequence[Entry], aside: Path) -> None:
    arrival = Arrival(aside, entries)
    arrival.begin()
    alone = source.is_file()
    for position, entry in enumerate(arrival.files):
        place = str(source) if alone else f"{source}/{entry.path}"
        if not arrival.lay(position, place, may_link=False):
            raise DataChanged(f"{place} is not as it was registered", "Check the dataset.")
    arrival.finish()


def make_room(folder: Path, wanted: int) -> int:
    """Remove what no job reads, least recently used first, until so much is free; how many went."""
    removed = 0
    for target in _least_used(folder):
        if _free(folder) >= wanted:
            break
        with _locked(target.with_name(f"{target.name}.lock"), wait=False) as is_mine:
            if is_mine and not _has_users(target):
                aside = target.with_name(f".gone-{target.name}")
                os.rename(target, aside)  # noqa: PTH104
                remove_tree(aside)
                removed += 1
    return removed


def _least_used(folder: Path) -> List[Path]:
    trees = [one for one in folder.iterdir() if len(one.name) == 64 and not one.is_symlink()]
    return sorted(trees, key=lambda one: _users(one).stat().st_mtime if _users(one).exists() else 0)


def _has_users(target: Path) -> bool:
    """Of jobs that still run; files of others are removed."""
    alive = False
    for file in _users(target).iterdir() if _users(target).exists() else ():
        if Path(f"/proc/{file.name}").exists():
            alive = True
        else:
            file.unlink()
    return alive


def _users(target: Path) -> Path:
    return target.with_name(f"{target.name}.users")


def _free(folder: Path) -> int:
    facts = os.statvfs(folder)
    return facts.f_bavail * facts.f_frsize


def _require_private(folder: Path) -> None:
    """/tmp is everybody's: a folder that somebody else has made there is not used."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    facts = folder.lstat()
    if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.getuid() or facts.st_mode & 0o077:
        raise BadRequest(f"{folder} belongs to somebody else, or others may write to it")


@contextlib.contextmanager
def _locked(file: Path, *, wait: bool = True) -> Iterator[bool]:
    """Whether it is ours; without `wait`, not if another process has it."""
    with file.open("a") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True
