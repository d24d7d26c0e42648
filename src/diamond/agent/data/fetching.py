"""Bringing a tree here: ask for what is missing, in rounds, until every byte is verified."""

from __future__ import annotations

import logging
import os
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from diamond.agent.data.archives import Archives
from diamond.agent.data.nearby import Nearby, look_nearby
from diamond.agent.data.places import Place, TreePlaces, remove_tree
from diamond.agent.data.reports import Progressing, Reporter
from diamond.agent.data.room import check_room
from diamond.agent.link.carriers import Declined, Link, LinkDown, answer_data, message_bytes
from diamond.agent.site.profile import Profile
from diamond.core.data_commands import FetchTree
from diamond.core.data_messages import DataReport, FetchManifest, FetchPiece
from diamond.core.decoding import decode
from diamond.core.errors import Cancelled, DataChanged, DiamondError
from diamond.core.protocol import WantsTaken
from diamond.data.arriving import Arrival
from diamond.data.manifest import Entry, load_manifest
from diamond.data.packing import ends_round
from diamond.data.walking import fingerprint_of
from diamond.data.wants import encode_wants

log = logging.getLogger(__name__)

AHEAD = 2
"""Pieces that are fetched while earlier ones are written."""
MOST_IDLE_ROUNDS = 4
"""Rounds in a row that brought nothing."""


@dataclass(frozen=True)
class Fetching:
    places: TreePlaces
    link: Link
    reporter: Reporter
    profile: Callable[[], Profile]
    archives: Archives

    def fetch(self, command: FetchTree, cancelled: Callable[[], bool]) -> None:
        """Repeatable at any point. Raises `LinkDown`, `Cancelled`, `NoRoom`, `DataChanged`."""
        place = self._here(command)
        moved = 0
        if place is None:
            entries = self._manifest(command.tree)
            arrival = Arrival(self._arriving(command), entries)
            run = _Run(self, command, arrival, cancelled)
            try:
                with Progressing(self.reporter, run.progress):
                    run.all_rounds()
                    place = self._settle(command, arrival, cancelled)
            finally:
                arrival.close()
            moved = run.moved
        self.reporter.report(_done(command, place, moved))

    def clear(self, transfer: str) -> None:
        """It was cancelled: what has come so far goes."""
        for folder in (self.places.arriving(transfer), self.places.arriving_aside(transfer)):
            remove_tree(folder)

    def _arriving(self, command: FetchTree) -> Path:
        """Files of an archive arrive on the node's own disk: where archives are wanted, inodes are scarce."""
        if command.layout == "archive":
            return self.places.arriving_aside(command.transfer)
        return self.places.arriving(command.transfer)

    def _here(self, command: FetchTree) -> Place | None:
        place = self.places.find(command.tree, command.layout)
        if place is None:
            return None
        try:
            return self.places.check(place)
        except DataChanged:
            if place.managed:
                self.places.remove(place)
            return None

    def _manifest(self, tree: str) -> list[Entry]:
        """From here, or from the service; its digest is checked either way."""
        file = self.places.manifest(tree)
        if not file.is_file():
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            aside = file.with_name(f".{file.name}.{threading.get_ident()}")
            with aside.open("wb") as out:
                while part := self.link.call(
                    "manifest-part",
                    message_bytes(FetchManifest(tree, out.tell(), self.link.piece)),
                    timeout=120,
                ):
                    out.write(part)
            entries = load_manifest(aside, tree)
            aside.replace(file)
            return entries
        return load_manifest(file, tree)

    def _settle(self, command: FetchTree, arrival: Arrival, cancelled: Callable[[], bool]) -> Place:
        """Every byte is verified: from now on it bears its own name."""
        arrival.finish()
        about = Place(
            tree=command.tree,
            layout="files",
            path="",
            managed=True,
            fingerprint="",
            size=sum(one.size for one in arrival.files),
            files=len(arrival.files),
            entries=arrival.entry_count,
            used=time.time(),
        )
        if command.layout == "archive":
            place = self.archives.pack(arrival.root, about, cancelled)
        else:
            place = self._rename(arrival, about)
        remove_tree(self._arriving(command))
        return place

    def _rename(self, arrival: Arrival, about: Place) -> Place:
        target = self.places.managed(about.tree, "files")
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if target.exists():  # another try came this far, or a copy that had changed
            remove_tree(target)
        os.rename(arrival.root, target)  # noqa: PTH104
        target.chmod(0o555)
        path = str(target)
        place = replace(about, path=path, fingerprint=fingerprint_of(path))
        self.places.put(place)
        return place


class _Run:
    """One try of a transfer."""

    def __init__(
        self,
        fetching: Fetching,
        command: FetchTree,
        arrival: Arrival,
        cancelled: Callable[[], bool],
    ) -> None:
        self._link, self._places = fetching.link, fetching.places
        self._profile = fetching.profile
        self._command, self._arrival, self._cancelled = command, arrival, cancelled
        self._nearby = Nearby()
        self.moved = 0

    def all_rounds(self) -> None:
        arrival = self._arrival
        arrival.begin()
        self._check_room()
        self._take_from_nearby()
        idle = 0
        while True:
            self._take_blocks_from_nearby()
            wants = arrival.wants(self._compared())
            if not arrival.missing():
                return
            before = arrival.standing
            self._round(encode_wants(wants))
            arrival.end_round()
            idle = 0 if arrival.standing != before else idle + 1
            if idle >= MOST_IDLE_ROUNDS:
                raise DiamondError(
                    f"{MOST_IDLE_ROUNDS} times in a row nothing arrived of what was asked for",
                    "See agent.log of the endpoint that sends.",
                )

    def progress(self) -> DataReport:
        command, arrival = self._command, self._arrival
        return DataReport(
            name=command.transfer,
            act="fetch",
            state="running",
            bytes=arrival.bytes,
            size=command.size,
            files=command.files,
            files_done=arrival.files_done,
            moved=self.moved,
        )

    def _check_room(self) -> None:
        missing = [self._arrival.files[position] for position in self._arrival.missing()]
        size = sum(entry.size for entry in missing) - self._arrival_parts()
        facts = self._profile().facts.get("folders")
        if self._command.layout == "archive":
            check_room(self._places.root, facts, size=self._command.size, entries=1)
        check_room(self._arrival.root, facts, size=max(size, 0), entries=len(missing))

    def _arrival_parts(self) -> int:
        """Bytes of files that have come in part."""
        done = zip(self._arrival.files, self._arrival.is_done)
        return self._arrival.bytes - sum(entry.size for entry, is_done in done if is_done)

    def _take_from_nearby(self) -> None:
        arrival = self._arrival
        wanted = [arrival.files[position] for position in arrival.missing()]
        self._nearby = look_nearby(self._places, self._command.tree, wanted)
        if not self._nearby.by_digest:
            return
        for position in arrival.missing():
            file = self._nearby.by_digest.get(arrival.files[position].sha256)
            if file is not None and not arrival.is_begun(position):
                self._stop_if_cancelled()
                arrival.lay(position, file.place, may_link=file.may_link)

    def _compared(self) -> set[int]:
        by_path, files = self._nearby.by_path, self._arrival.files
        if not by_path:
            return set()
        return {one for one in self._arrival.missing() if files[one].path in by_path}

    def _take_blocks_from_nearby(self) -> None:
        for position in sorted(self._compared()):
            if self._arrival.has_digests(position) and not self._arrival.is_begun(position):
                file = self._nearby.by_path[self._arrival.files[position].path]
                try:
                    self._arrival.lay_blocks(position, file.place)
                except OSError as error:
                    log.info("no blocks of %s could be taken: %s", file.place, error)

    def _round(self, wants: bytes) -> None:
        """Fetch in one thread, write and verify in this one."""
        call = f"data-wants/{self._command.transfer}"
        answer = self._link.call(call, wants, timeout=300)
        number = decode(WantsTaken, answer_data(call, answer)).round
        ready: queue.Queue[bytes | Exception] = queue.Queue(AHEAD)
        ended = threading.Event()
        thread = threading.Thread(
            target=self._fetch_pieces, args=(number, ready, ended), name="pieces", daemon=True
        )
        thread.start()
        try:
            while True:
                piece = ready.get()
                if isinstance(piece, _RoundLost):
                    return
                if isinstance(piece, Exception):
                    raise piece
                self.moved += len(piece)
                if self._arrival.take(piece):
                    return
        finally:
            ended.set()
            _drain(ready)
            thread.join()

    def _fetch_pieces(
        self, number: int, ready: queue.Queue[bytes | Exception], ended: threading.Event
    ) -> None:
        n = 0
        try:
            while not ended.is_set():
                self._stop_if_cancelled()
                wanted = message_bytes(FetchPiece(self._command.transfer, number, n))
                piece = self._link.call("data-part", wanted, timeout=120)
                if piece:
                    ready.put(piece)
                    n += 1
                    if ends_round(piece):
                        return
        except Declined as error:
            ready.put(_RoundLost() if error.code == "round-lost" else error)
        except (LinkDown, Cancelled) as error:
            ready.put(error)

    def _stop_if_cancelled(self) -> None:
        if self._cancelled():
            raise Cancelled(f"{self._command.transfer} was cancelled")


class _RoundLost(Exception):
    """The service was restarted: another round asks for the rest."""


def _drain(ready: queue.Queue[bytes | Exception]) -> None:
    """Let the thread that fetches come to its end."""
    while True:
        try:
            ready.get_nowait()
        except queue.Empty:
            return


def _done(command: FetchTree, place: Place, moved: int) -> DataReport:
    return DataReport(
        name=command.transfer,
        act="fetch",
        state="done",
        bytes=place.size,
        size=place.size,
        files=place.files,
        files_done=place.files,
        moved=moved,
        tree=place.tree,
        path=place.path,
        layout=place.layout,
    )
