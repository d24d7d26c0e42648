"""A folder of a run directory as one zip file, made while it is sent: nothing is stored on the way."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from diamond.core.errors import NotFound, TooLarge
from diamond.service.access.principal import Principal
from diamond.service.output.files import list_files, read_pieces
from diamond.service.output.schemas import FileEntry
from diamond.service.platform.services import Services
from diamond.service.tasks.tasks import load_task

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer

What = Literal["results", "all"]
MOST_FILES = 5000


@dataclass(frozen=True)
class ZipDownload:
    name: str
    pieces: AsyncIterator[bytes]


async def open_zip(
    services: Services, principal: Principal, task: str, path: str, what: What
) -> ZipDownload:
    """The whole list of files is read first, so that a problem is an answer and not half a file."""
    row = await load_task(services, principal, task)
    files = [entry async for entry in _files_below(services, principal, row.id, path, what)]
    if not files:
        raise NotFound(
            "There are no files to download here",
            "`what=all` includes the files that were sent with the job.",
        )
    name = "-".join([row.name, *path.strip("/").split("/")]).rstrip("-")
    return ZipDownload(name, _zipped(services, row.endpoint, row.id, files))


async def _files_below(
    services: Services, principal: Principal, task: str, path: str, what: What
) -> AsyncIterator[FileEntry]:
    """Links and pipes are left out."""
    count, folders = 0, [path.strip("/")]
    while folders:
        cursor: str | None = None
        folder = folders.pop()
        while True:
            page = await list_files(services, principal, task, folder, cursor)
            for entry in page.items:
                if entry.kind == "folder":
                    folders.append(entry.path)
                elif _is_wanted(entry, what):
                    count += 1
                    if count > MOST_FILES:
                        raise TooLarge(
                            f"There are more than {MOST_FILES:,} files",
                            f"Fetch them in a terminal: diamond get {task} . results",
                        )
                    yield entry
            cursor = page.next
            if cursor is None:
                break


def _is_wanted(entry: FileEntry, what: What) -> bool:
    """A name that would leave the folder where somebody unpacks it comes from no honest agent."""
    steps = entry.path.split("/")
    leaves = not all(steps) or {".", ".."} & set(steps) or "\\" in entry.path
    is_meant = what == "all" or entry.origin == "result"
    return entry.kind == "file" and is_meant and not leaves


class _Outbox(io.RawIOBase):
    """What the zip has written and nobody has sent yet; it cannot seek, so sizes follow each file."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer) -> int:
        self._waiting += data
        return len(memoryview(data))

    def take(self) -> bytes:
        data = bytes(self._waiting)
        self._waiting.clear()
        return data


async def _zipped(
    services: Services, endpoint: str, task: str, files: list[FileEntry]
) -> AsyncIterator[bytes]:
    """Stored, not compressed: models and pictures would not become smaller."""
    outbox = _Outbox()
    with zipfile.ZipFile(outbox, "w", zipfile.ZIP_STORED) as archive:
        for entry in files:
            info = zipfile.ZipInfo(entry.path, _date(entry.modified))
            info.external_attr = 0o644 << 16
            with archive.open(info, "w", force_zip64=True) as target:
                async for piece in read_pieces(
                    services, endpoint, {"task": task, "path": entry.path}, 0, entry.size or 0
                ):
                    target.write(piece)
                    yield outbox.take()
    yield outbox.take()


def _date(modified: float | None) -> tuple[int, int, int, int, int, int]:
    """A zip knows no time before 1980."""
    at = time.gmtime(max(modified or 0.0, 315_532_800.0))
    return (at.tm_year, at.tm_mon, at.tm_mday, at.tm_hour, at.tm_min, at.tm_sec)
