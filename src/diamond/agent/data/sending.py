"""Sending a tree from here: what the goal wants, in pieces, through the service."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from diamond.agent.data.places import TreePlaces
from diamond.agent.link.carriers import Declined, Link, answer_data, message_bytes
from diamond.core.data_commands import SendTree
from diamond.core.data_messages import FetchWants
from diamond.core.decoding import decode
from diamond.core.errors import Cancelled, NotFound
from diamond.core.protocol import PieceTaken
from diamond.data.manifest import files_of
from diamond.data.packing import Frame, Source, plan_pieces
from diamond.data.wants import decode_wants

log = logging.getLogger(__name__)

PIECE = 8 << 20
"""A call costs the service about a millisecond, whatever its size."""
AHEAD = 2
"""Pieces that are read while earlier ones are sent."""


@dataclass(frozen=True)
class Sending:
    places: TreePlaces
    link: Link

    def send(self, command: SendTree, cancelled: Callable[[], bool]) -> None:
        """One round; one that is over ends quietly. Raises `LinkDown`, `DataChanged`, `NotFound`."""
        place = self.places.find(command.tree, "files")
        if place is None:
            raise NotFound(f"The data {command.tree[:12]} is no longer on this machine")
        self.places.check(place)
        files = files_of(self.places.entries(command.tree))
        wanted = message_bytes(FetchWants(command.transfer, command.round))
        try:
            wants = decode_wants(self.link.call("data-wants-part", wanted, timeout=120), files)
            source = Source(place.path, files, is_file=Path(place.path).is_file())
            size = min(PIECE, self.link.piece)
            pieces = plan_pieces(files, wants, piece=size, extents=source.extents)
            self._send_all(command, source, enumerate(pieces), cancelled)
        except Declined as error:
            if error.status != 404:
                raise
            log.info("a round of %s is over: %s", command.transfer, error)

    def _send_all(
        self,
        command: SendTree,
        source: Source,
        pieces: Iterator[tuple[int, list[Frame]]],
        cancelled: Callable[[], bool],
    ) -> None:
        """Read in one thread, send in this one. After a restart, pieces that the service has are passed over."""
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
                if cancelled():
                    raise Cancelled(f"{command.transfer} was cancelled")
                n, body = item
                while self._post(command, n, body) <= n:
                    if cancelled():
                        raise Cancelled(f"{command.transfer} was cancelled")
        finally:
            ended.set()
            while thread.is_alive():
                try:
                    ready.get(timeout=0.05)
                except queue.Empty:
                    continue

    def _post(self, command: SendTree, n: int, body: bytes) -> int:
        call = f"data-bytes/{command.transfer}"
        answer = self.link.call(call, body, query=f"round={command.round}&n={n}", timeout=120)
        return decode(PieceTaken, answer_data(call, answer)).next
