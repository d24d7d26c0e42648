"""Sending a tree from here: what the goal wants, in pieces, through the service or through S3 storage."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from diamond.agent.data.archives import unpacked
from diamond.agent.data.by_path import leave_mark
from diamond.agent.data.carriers import BY_S3, INTRODUCE, introduction_piece, stored_piece
from diamond.agent.data.places import Place, TreePlaces
from diamond.agent.data.setup import DataSetup
from diamond.agent.link.carriers import Declined, Link, answer_data, message_bytes
from diamond.agent.site.presence import own_file
from diamond.core.data_commands import SendTree
from diamond.core.data_messages import FetchWants, Introduction
from diamond.core.decoding import decode
from diamond.core.errors import Cancelled, Forbidden, NotFound
from diamond.core.protocol import PieceTaken
from diamond.data.manifest import files_of
from diamond.data.packing import Frame, Source, plan_pieces
from diamond.data.wants import decode_wants

log = logging.getLogger(__name__)

PIECE = 15 << 20
"""A call costs the service 2 to 4 ms, whatever its size; with its head it stays below the 16 MB of a call."""
STORED_PIECE = 16 << 20
AHEAD = 1
"""Pieces that are read while earlier ones are sent."""


@dataclass(frozen=True)
class Sending:
    places: TreePlaces
    link: Link
    setup: DataSetup

    def send(self, command: SendTree, cancelled: Callable[[], bool]) -> None:
        """One round; one that is over ends quietly. Raises `LinkDown`, `DataChanged`, `NotFound`, `Forbidden`."""
        if not self.setup.may_leave():
            raise Forbidden("The policy of this machine keeps data on it", code="egress")
        wanted = message_bytes(FetchWants(command.transfer, command.round))
        try:
            wants = self.link.call("data-wants-part", wanted, timeout=120)
            if wants == INTRODUCE:
                self._post(command, 0, introduction_piece(self._introduce(command)))
                return
            with unpacked(self.places, command.tree) as place:
                self._send_wanted(command, place, wants, cancelled)
        except Declined as error:
            if error.status != 404:
                raise
            log.info("a round of %s is over: %s", command.transfer, error)

    def _introduce(self, command: SendTree) -> Introduction:
        """An archive has no path that another machine could read."""
        place = self.places.find(command.tree, "files")
        if place is not None:
            place = self.places.check(place)
        elif self.places.find(command.tree, "archive") is None:
            raise NotFound(f"The data {command.tree[:12]} is no longer on this machine")
        mark, nonce = leave_mark(self.places, command.transfer, place.path) if place else ("", "")
        collection, file = self.setup.settings().globus, own_file()
        folders = self.places.folders
        return Introduction(
            path=place.path if place else "",
            managed=bool(place and place.managed and not place.shared),
            fingerprint=place.fingerprint if place else "",
            mark=mark,
            nonce=nonce,
            python=file[0],
            program=file[1],
            keep=str(folders.keep),
            work=str(folders.work),
            collection=collection.id if collection and place else "",
            root=collection.root if collection and place else "",
        )

    def _send_wanted(
        self, command: SendTree, place: Place, wants: bytes, cancelled: Callable[[], bool]
    ) -> None:
        by_storage = wants.startswith(BY_S3)
        if not by_storage and not command.through_service:
            raise Forbidden("This data may not pass through the service", code="restricted")
        files = files_of(self.places.entries(command.tree))
        wanted = decode_wants(wants[len(BY_S3) :] if by_storage else wants, files)
        source = Source(place.path, files, is_file=Path(place.path).is_file())
        size = STORED_PIECE if by_storage else min(PIECE, self.link.piece)
        pieces = enumerate(plan_pieces(files, wanted, piece=size, extents=source.extents))
        post = self._store if by_storage else self._post
        self._send_all(command, source, pieces, post, cancelled)

    def _send_all(
        self,
        command: SendTree,
        source: Source,
        pieces: Iterator[tuple[int, list[Frame]]],
        post: Callable[[SendTree, int, bytes], int],
        cancelled: Callable[[], bool],
    ) -> None:
        """Read in one thread, send in this one. After a restart, pieces that the service has are skipped."""
        first = self._post(command, 0, b"")
        ready: queue.Queue[tuple[int, bytes] | Exception | None] = queue.Queue(AHEAD)
        ended = threading.Event()

        def read() -> None:
            try:
                for n, frames in pieces:
                    if ended.is_set():
                        return
                    if n >= first:
                        ready.put((n, b"".join(source.fill(frames))))
                ready.put(None)
            except Exception as error:
                ready.put(error)
            finally:
                source.close()

        thread = threading.Thread(target=read, name="read", daemon=True)
        thread.start()
        try:
            while (item := ready.get()) is not None:
                if isinstance(item, Exception):
                    raise item
                n, body = item
                self.setup.cap.take(len(body), ended=cancelled)
                _stop_if(cancelled, command)
                while post(command, n, body) <= n:
                    _stop_if(cancelled, command)
        finally:
            ended.set()
            while thread.is_alive():
                try:
                    ready.get(timeout=0.05)
                except queue.Empty:
                    continue

    def _store(self, command: SendTree, n: int, body: bytes) -> int:
        """Put a piece into the storage, and send where it is."""
        bucket, folder = self.setup.bucket(command.transfer)
        key = f"{folder}{command.round}-{n}"
        bucket.put(key, body)
        return self._post(command, n, stored_piece(key, len(body)))

    def _post(self, command: SendTree, n: int, body: bytes) -> int:
        call = f"data-bytes/{command.transfer}"
        answer = self.link.call(call, body, query=f"round={command.round}&n={n}", timeout=300)
        return decode(PieceTaken, answer_data(call, answer)).next


def _stop_if(cancelled: Callable[[], bool], command: SendTree) -> None:
    if cancelled():
        raise Cancelled(f"{command.transfer} was cancelled")
