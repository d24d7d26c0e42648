"""A copy of a tree in S3 storage, where nobody purges it: the pieces of its pack stream, and its manifest at last."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from diamond.agent.data.archives import unpacked
from diamond.agent.data.carriers import WayFailed
from diamond.agent.data.places import TreePlaces
from diamond.agent.data.reports import Progressing, Reporter
from diamond.agent.data.setup import DataSetup
from diamond.core.data_commands import StoreTree
from diamond.core.data_messages import DataReport
from diamond.core.errors import Cancelled, DiamondError, Forbidden, NotFound
from diamond.data.checking import FilesInOrder
from diamond.data.manifest import FileEntry, files_of
from diamond.data.packing import Source, ends_round, plan_pieces, read_piece
from diamond.data.s3 import Bucket
from diamond.data.wants import Wants

PIECE = 16 << 20
MANIFEST = "manifest"
"""Stands for a copy that is complete."""


@dataclass(frozen=True)
class Storing:
    places: TreePlaces
    reporter: Reporter
    setup: DataSetup

    def store(self, command: StoreTree, cancelled: Callable[[], bool]) -> None:
        """What is there already is not sent again. Raises `NotFound`, `DataChanged`, `Forbidden`, `S3Down`."""
        if not self.setup.may_leave():
            raise Forbidden("The policy of this machine keeps data on it", code="egress")
        bucket, folder = self.setup.kept(command.tree)
        report = DataReport(name=command.transfer, act="store", state="running", bytes=0)
        with unpacked(self.places, command.tree) as place:
            files = files_of(self.places.entries(command.tree))
            source = Source(place.path, files)
            sent = 0
            try:
                with Progressing(self.reporter, lambda: _now(report, sent, place.size)):
                    for n, body in enumerate(_pieces(source, files)):
                        if cancelled():
                            raise Cancelled(f"{command.transfer} was cancelled")
                        self._put(bucket, f"{folder}{n:06}", body, cancelled)
                        sent += len(body)
            finally:
                source.close()
            bucket.put(f"{folder}{MANIFEST}", self.places.manifest(command.tree).read_bytes())
        address = self.setup.kept_address(command.tree)
        self.reporter.report(
            DataReport(
                name=command.transfer,
                act="store",
                state="done",
                bytes=place.size,
                size=place.size,
                files=place.files,
                files_done=place.files,
                moved=sent,
                tree=command.tree,
                path=address,
            )
        )

    def _put(self, bucket: Bucket, key: str, body: bytes, cancelled: Callable[[], bool]) -> None:
        """The storage compares the digest of what it gets with the one that is signed."""
        try:
            if bucket.size(key) == len(body):
                return
        except NotFound:
            pass
        self.setup.cap.take(len(body), ended=cancelled)
        bucket.put(key, body)


@dataclass(frozen=True)
class FromStorage:
    """Brings all pieces of the copy, whatever is wanted: each stands for itself."""

    bucket: Bucket
    folder: str

    def round(self, wants: bytes) -> Iterator[bytes]:
        n = 0
        while True:
            try:
                piece = self.bucket.get(f"{self.folder}{n:06}")
            except DiamondError as error:
                raise WayFailed(error.message, error.hint) from None
            yield piece
            if ends_round(piece):
                return
            n += 1

    def close(self) -> None:
        return


def _pieces(source: Source, files: list[FileEntry]) -> Iterator[bytes]:
    """Of all files, each held against the manifest as it is read."""
    wants, checking = Wants(), FilesInOrder(files)
    for position in range(len(files)):
        wants.want_file(position)
    for frames in plan_pieces(files, wants, piece=PIECE, extents=source.extents):
        body = b"".join(source.fill(frames))
        for frame, view in read_piece(body, files):
            if frame.file < len(files) and frame.kind <= 1:
                checking.take(frame, view)
        yield body


def _now(report: DataReport, sent: int, size: int) -> DataReport:
    return DataReport(name=report.name, act=report.act, state="running", bytes=sent, size=size)
