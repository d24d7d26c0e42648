"""A tree as one read-only SquashFS file: a million small files cost one inode."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from diamond.agent.data.places import Place, TreePlaces
from diamond.agent.data.reports import Reporter
from diamond.agent.data.room import check_room
from diamond.agent.site.profile import Profile
from diamond.core.data_commands import ArchiveTree
from diamond.core.data_messages import DataReport
from diamond.core.errors import Cancelled, DiamondError, NotFound
from diamond.data.removing import remove_tree
from diamond.data.walking import stood

QUIETLY = ["-noappend", "-no-progress", "-quiet", "-all-root", "-no-xattrs", "-mkfs-time", "0"]
NICE = ["nice", "-n", "10"]


@dataclass(frozen=True)
class Archives:
    places: TreePlaces
    reporter: Reporter
    profile: Callable[[], Profile]

    def archive(self, command: ArchiveTree, cancelled: Callable[[], bool]) -> None:
        """From the files that are here, checked first. Raises `NotFound`, `DataChanged`, `NoRoom`."""
        place = self.places.find(command.tree, "files")
        if place is None:
            raise NotFound(f"The files of {command.tree[:12]} are not on this machine")
        self.places.check(place)
        facts = self.profile().facts.get("folders")
        check_room(self.places.root, facts, size=place.size, entries=1)
        done = self.pack(Path(place.path), place, cancelled)
        self.reporter.report(
            DataReport(
                name=command.transfer,
                act="archive",
                state="done",
                bytes=done.size,
                size=done.size,
                files=done.files,
                files_done=done.files,
                moved=0,
                tree=done.tree,
                path=done.path,
                layout="archive",
            )
        )

    def pack(self, root: Path, about: Place, cancelled: Callable[[], bool]) -> Place:
        """Pack a folder whose files are verified; the file bears its name once it is whole."""
        target = self.places.managed(about.tree, "archive")
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        aside = target.with_name(f".{target.name}.{os.getpid()}")
        try:
            _run([*NICE, *_words(root, aside)], cancelled)
            aside.chmod(0o444)
            aside.replace(target)
        finally:
            aside.unlink(missing_ok=True)
        place = Place(
            tree=about.tree,
            layout="archive",
            path=str(target),
            managed=True,
            fingerprint=stood(target.stat()),
            size=about.size,
            files=about.files,
            entries=1,
            used=time.time(),
        )
        self.places.put(place)
        return place


@contextmanager
def unpacked(places: TreePlaces, tree: str) -> Iterator[Place]:
    """The files of a tree that is here: as they are, or out of its archive for as long as they are read.

    Raises `NotFound`, `DataChanged`, `NoRoom`. Whoever takes them verifies them.
    """
    place = places.find(tree, "files")
    if place is not None:
        yield places.check(place)
        return
    archive = places.find(tree, "archive")
    if archive is None:
        raise NotFound(f"The data {tree[:12]} is no longer on this machine")
    places.check(archive)
    folder = places.arriving_aside(f"unpacked-{tree[:16]}-{os.getpid()}-{threading.get_ident()}")
    check_room(folder, None, size=archive.size, entries=archive.files)
    try:
        _run([*NICE, *_unpacking(Path(archive.path), folder)], lambda: False)
        yield replace(archive, layout="files", path=str(folder), managed=False, fingerprint="")
    finally:
        remove_tree(folder)


def _unpacking(archive: Path, folder: Path) -> list[str]:
    if shutil.which("unsquashfs") is None:
        raise DiamondError(
            "unsquashfs is not on this machine, so an archive cannot be the source",
            "Load the module that has squashfs-tools, or copy it from another endpoint.",
        )
    return ["unsquashfs", "-no-progress", "-quiet", "-no-xattrs", "-d", str(folder), str(archive)]


def can_archive() -> bool:
    return shutil.which("mksquashfs") is not None


def _words(root: Path, target: Path) -> list[str]:
    if not can_archive():
        raise DiamondError(
            "mksquashfs is not on this machine, so no archive can be made",
            "Use `layout: files`, or load the module that has squashfs-tools.",
        )
    return ["mksquashfs", str(root), str(target), *QUIETLY]


def _run(words: list[str], cancelled: Callable[[], bool]) -> None:
    child = subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        while True:
            try:
                _, errors = child.communicate(timeout=0.5)
                break
            except subprocess.TimeoutExpired:
                if cancelled():
                    raise Cancelled("the archive was cancelled") from None
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()
    if child.returncode:
        said = errors.decode(errors="replace").strip().splitlines()
        name = next(word for word in words if "squashfs" in word)
        raise DiamondError(f"{name} failed: {' / '.join(said[-3:])}", "Is the disk full?")
