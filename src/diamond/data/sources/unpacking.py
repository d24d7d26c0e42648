"""Archives of a source, unpacked where that was asked for: nothing leaves the folder, and nothing fills the disk."""

from __future__ import annotations

import os
import shutil
import stat
import tarfile
import zipfile
from pathlib import Path
from typing import BinaryIO, Callable, List

from diamond.core.errors import BadRequest
from diamond.data.manifest import check_path, link_stays_inside
from diamond.data.sources.items import SourceError

BLOCK = 1 << 20
MOST_ENTRIES = 5_000_000
Room = Callable[[int, int], None]
"""Raises where so many bytes and files do not fit."""


def unpack_all(tree: Path, room: Room) -> List[str]:
    """Each archive in the folder becomes what it holds; gives their names. Raises `SourceError`, `NoRoom`."""
    done = []
    for file in sorted(one for one in tree.rglob("*") if one.is_file() and not one.is_symlink()):
        name = str(file.relative_to(tree))
        target = file.with_name(f".{file.name}.unpacked")
        shutil.rmtree(target, ignore_errors=True)
        if _unpack(file, name, target, room):
            file.unlink()
            _move_up(target, file.parent, name)
            done.append(name)
    return done


def is_archive(file: Path) -> bool:
    return zipfile.is_zipfile(file) or tarfile.is_tarfile(file)


def _unpack(file: Path, name: str, target: Path, room: Room) -> bool:
    writer = _Writer(target, name, room)
    try:
        if zipfile.is_zipfile(file):
            _unzip(file, writer)
        elif tarfile.is_tarfile(file):
            _untar(file, writer)
        else:
            return False
    except (
        tarfile.TarError,
        zipfile.BadZipFile,
        EOFError,
        NotImplementedError,
        RuntimeError,
    ) as error:
        raise SourceError(
            f"{name} cannot be unpacked: {error}", "Add it without --unpack."
        ) from None
    return True


def _unzip(file: Path, writer: _Writer) -> None:
    with zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
        writer.expect(sum(one.file_size for one in entries), len(entries))
        for entry in entries:
            mode = entry.external_attr >> 16
            if entry.is_dir():
                writer.folder(entry.filename)
            elif stat.S_ISLNK(mode):
                writer.link(entry.filename, archive.read(entry).decode("utf-8", "surrogateescape"))
            else:
                with archive.open(entry) as content:
                    writer.file(entry.filename, content, is_executable=bool(mode & 0o100))  # type: ignore[arg-type]


def _untar(file: Path, writer: _Writer) -> None:
    with tarfile.open(file) as archive:
        for entry in archive:
            if entry.isdir():
                writer.folder(entry.name)
            elif entry.issym():
                writer.link(entry.name, entry.linkname)
            elif entry.isfile() or entry.islnk():
                content = archive.extractfile(entry)
                if content is None:
                    raise SourceError(f"{entry.name!r} of the archive cannot be read")
                writer.file(entry.name, content, is_executable=bool(entry.mode & 0o100))  # type: ignore[arg-type]
            else:
                raise SourceError(
                    f"{entry.name!r} of the archive is a device or a pipe",
                    "Add it without --unpack.",
                )


class _Writer:
    def __init__(self, root: Path, archive: str, room: Room) -> None:
        self._root, self._archive, self._room = root, archive, room
        self._bytes = self._since = self._entries = 0
        root.mkdir(mode=0o700)

    def expect(self, size: int, entries: int) -> None:
        if entries > MOST_ENTRIES:
            raise SourceError(f"{self._archive} holds more than {MOST_ENTRIES:,} files")
        self._room(size, entries)

    def folder(self, name: str) -> None:
        self._place(name).mkdir(parents=True, exist_ok=True, mode=0o700)

    def link(self, name: str, target: str) -> None:
        place = self._place(name)
        if not link_stays_inside(str(place.relative_to(self._root)), target):
            raise SourceError(
                f"{name!r} of {self._archive} is a link that leaves the archive",
                "Add it without --unpack.",
            )
        place.symlink_to(target)

    def file(self, name: str, content: BinaryIO, *, is_executable: bool) -> None:
        place = self._place(name)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        with os.fdopen(os.open(place, flags, 0o700 if is_executable else 0o600), "wb") as out:
            while block := content.read(BLOCK):
                self._count(len(block))
                out.write(block)

    def _count(self, count: int) -> None:
        """What an archive says of itself may be false: the disk is looked at while it grows."""
        self._bytes += count
        self._since += count
        if self._since >= 256 * BLOCK:
            self._since = 0
            self._room(256 * BLOCK, 1)

    def _place(self, name: str) -> Path:
        """Below the folder, and not through a link of the same archive."""
        path = "/".join(part for part in name.split("/") if part not in ("", "."))
        try:
            check_path(path)
        except BadRequest as error:
            raise SourceError(
                f"{self._archive}: {error.message}", "Add it without --unpack."
            ) from None
        if name.startswith("/"):
            raise SourceError(
                f"{self._archive}: {name!r} is an absolute path", "Add it without --unpack."
            )
        self._entries += 1
        if self._entries > MOST_ENTRIES:
            raise SourceError(f"{self._archive} holds more than {MOST_ENTRIES:,} files")
        here = self._root
        for part in path.split("/")[:-1]:
            here = here / part
            if here.is_symlink() or (here.exists() and not here.is_dir()):
                raise SourceError(f"{self._archive}: {name!r} passes through a link")
            here.mkdir(exist_ok=True, mode=0o700)
        place = here / path.rsplit("/", 1)[-1]
        if place.is_symlink() or place.is_file():
            raise SourceError(f"{self._archive} holds {name!r} twice", "Add it without --unpack.")
        return place


def _move_up(source: Path, target: Path, archive: str) -> None:
    for entry in sorted(source.iterdir()):
        place = target / entry.name
        if os.path.lexists(place):
            raise SourceError(
                f"{archive} holds {entry.name!r}, and there is another one beside it",
                "Add it without --unpack.",
            )
        entry.rename(place)
    source.rmdir()
