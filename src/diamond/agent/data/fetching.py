"""Bringing a tree here: ask for what is missing, in rounds, until every byte is verified."""

from __future__ import annotations

import errno
import logging
import os
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from diamond.agent.data.archives import Archives, unpacked
from diamond.agent.data.by_globus import GlobusTransfer
from diamond.agent.data.by_path import place_at, require_same_files
from diamond.agent.data.carriers import Carrier, RoundLost, WayFailed
from diamond.agent.data.group import group_arriving, group_tree
from diamond.agent.data.leftovers import continue_leftover, mark_arriving, remove_leftovers
from diamond.agent.data.nearby import Nearby, look_nearby
from diamond.agent.data.places import Place, TreePlaces
from diamond.agent.data.reports import Progressing, Reporter
from diamond.agent.data.room import check_room
from diamond.agent.data.setup import DataSetup
from diamond.agent.data.trying import Ways
from diamond.agent.link.carriers import Link, message_bytes
from diamond.core.data_commands import FetchTree
from diamond.core.data_messages import DataReport, FetchManifest, Introduction
from diamond.core.errors import Cancelled, DataChanged, DiamondError, NoRoom
from diamond.data.arriving import Arrival
from diamond.data.manifest import Entry, load_manifest
from diamond.data.removing import remove_tree
from diamond.data.walking import fingerprint_of
from diamond.data.wants import encode_wants
from diamond.data.ways import CONVERT, GLOBUS, GROUP, SHARED

log = logging.getLogger(__name__)

AHEAD = 1
"""Pieces that are fetched while earlier ones are written."""
MOST_IDLE_ROUNDS = 4
"""Rounds in a row that brought nothing."""
MOST_BREAKS, BREAK_SECONDS = 20, 1.0
"""How often a way that brings something may break."""
ReadFolder = Callable[[str, str, Callable[[], bool]], dict[str, object]]
"""Reads a folder in place, for a transfer: digest, fingerprint, size, files, entries."""


@dataclass(frozen=True)
class Fetching:
    places: TreePlaces
    link: Link
    reporter: Reporter
    archives: Archives
    setup: DataSetup
    read: ReadFolder

    def fetch(self, command: FetchTree, cancelled: Callable[[], bool]) -> None:
        """Repeatable at any point. Raises `LinkDown`, `Cancelled`, `NoRoom`, `DataChanged`."""
        place, run = self._here(command) or self._of_group(command, cancelled), None
        if place is None:
            entries = self._manifest(command.tree)
            folder = self._arriving(command)
            if folder == self.places.arriving(command.transfer):
                continue_leftover(self.places, command.transfer, command.tree)
                mark_arriving(folder, command.tree)
            arrival = Arrival(folder, entries)
            run = _Run(self, command, arrival, cancelled)
            try:
                with Progressing(self.reporter, run.progress):
                    place = run.bring()
                    if place is None:
                        place = self._settle(command, arrival, cancelled)
                    else:
                        remove_tree(arrival.root.parent)
            finally:
                arrival.close()
        self.reporter.report(_done(command, place, run))

    def clear(self, transfer: str) -> None:
        """It was cancelled: what has come so far goes."""
        for folder in (self.places.arriving(transfer), self.places.arriving_aside(transfer)):
            remove_tree(folder)
        shared = self.setup.settings().shared
        if shared and (arriving := group_arriving(shared, transfer)):
            remove_tree(arriving)

    def _arriving(self, command: FetchTree) -> Path:
        """Files of an archive arrive on the node's own disk: where archives are wanted, inodes are scarce."""
        if command.layout == "archive":
            return self.places.arriving_aside(command.transfer)
        shared = self.setup.settings().shared
        of_group = group_arriving(shared, command.transfer) if shared else None
        return of_group or self.places.arriving(command.transfer)

    def _of_group(self, command: FetchTree, cancelled: Callable[[], bool]) -> Place | None:
        """A copy that another member of the group brought, read once in full."""
        shared = self.setup.settings().shared
        if not shared or command.layout != "files" or not group_tree(shared, command.tree).is_dir():
            return None
        path = str(group_tree(shared, command.tree))
        result = self.read(command.transfer, path, cancelled)
        place = place_at(Introduction(path), command.tree, result)
        self.places.put(place)
        return place

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
        elif arrival.root.parent == self.places.arriving(command.transfer):
            place = self._rename(arrival, about)
        else:
            place = self._for_group(command, arrival, about)
        remove_tree(arrival.root.parent)
        return place

    def _for_group(self, command: FetchTree, arrival: Arrival, about: Place) -> Place:
        """Another member may have been faster: then theirs is taken."""
        target = group_tree(self.setup.settings().shared, about.tree)
        try:
            arrival.root.chmod(0o755)  # nobody else may look into the folder above it yet
            os.rename(arrival.root, target)  # noqa: PTH104
            target.chmod(0o555)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            found = self._of_group(command, lambda: False)
            assert found is not None
            return found
        path = str(target)
        place = replace(
            about, path=path, managed=False, shared=True, fingerprint=fingerprint_of(path)
        )
        self.places.put(place)
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
        self._fetching, self._places = fetching, fetching.places
        self._command, self._arrival, self._cancelled = command, arrival, cancelled
        self._nearby = Nearby()
        self._now = command.ways[0] if command.ways else command.way
        self.tried: dict[str, str] = {}
        self.moved = 0

    @property
    def way(self) -> str:
        return self._now

    def bring(self) -> Place | None:
        """All that is missing; a place, where it is read as its source has it."""
        self._arrival.begin()
        self._check_room()
        self._take_from_nearby()
        if self._command.way == CONVERT:
            self._take_from_archive()
        if not self._arrival.missing():
            return None
        ways = Ways(self._fetching, self._command, self._cancelled)
        for name in ways.names():
            self._now = name
            try:
                return self._with_retries(name, ways)
            except WayFailed as error:
                log.info("%s cannot come by %s: %s", self._command.transfer, name, error)
                self.tried[name] = error.message[:300]
        raise DiamondError(
            "No way leads here: " + "; ".join(f"{one}: {why}" for one, why in self.tried.items()),
            "Check the endpoint's `data` settings, or copy it from another endpoint.",
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
            way=self._now,
            tried=dict(self.tried),
        )

    def _take_from_archive(self) -> None:
        """The same tree is here packed."""
        with unpacked(self._places, self._command.tree) as place:
            for position in self._arrival.missing():
                self._stop_if_cancelled()
                path = self._arrival.files[position].path
                self._arrival.lay(position, f"{place.path}/{path}", may_link=False)

    def _with_retries(self, name: str, ways: Ways) -> Place | None:
        """A way that breaks after it brought something is tried again."""
        for left in range(MOST_BREAKS, -1, -1):
            before = self._arrival.standing
            try:
                return self._by(name, ways)
            except WayFailed as error:
                if not left or self._arrival.standing == before:
                    raise
                log.info("%s broke, and is tried again: %s", name, error)
                time.sleep(BREAK_SECONDS)
        raise AssertionError

    def _by(self, name: str, ways: Ways) -> Place | None:
        if name == SHARED:
            return self._from_shared(ways.introduced())
        if name == GLOBUS:
            self._by_globus(ways.globus())
            return None
        carrier = ways.open(name)
        try:
            self._all_rounds(carrier)
        finally:
            carrier.close()
        return None

    def _from_shared(self, source: Introduction) -> Place | None:
        """Links where both copies are Diamond's, a place by path where the data is in place, else copies on that file system."""
        require_same_files(source)
        if not source.managed and self._command.layout == "files":
            result = self._fetching.read(self._command.transfer, source.path, self._cancelled)
            place = place_at(source, self._command.tree, result)
            self._places.put(place)
            return place
        arrival = self._arrival
        for position in arrival.missing():
            self._stop_if_cancelled()
            if not arrival.is_begun(position):
                entry = arrival.files[position]
                arrival.lay(position, f"{source.path}/{entry.path}", may_link=source.managed)
        if arrival.missing():
            raise WayFailed("some of its files there have other bytes")
        return None

    def _by_globus(self, transfer: GlobusTransfer) -> None:
        arrival, before = self._arrival, self.moved

        def moved(count: int) -> None:
            self.moved = before + count

        wanted = [arrival.files[one].path for one in arrival.missing()]
        transfer.bring(
            arrival.root,
            wanted,
            label=f"Diamond {self._command.transfer}",
            cancelled=self._cancelled,
            moved=moved,
        )
        arrival.look_again()
        if arrival.missing():
            raise WayFailed("Globus brought other bytes than the manifest says")

    def _all_rounds(self, carrier: Carrier) -> None:
        arrival, idle = self._arrival, 0
        while True:
            self._take_blocks_from_nearby()
            wants = arrival.wants(self._compared())
            if not arrival.missing():
                return
            before = arrival.standing
            self._round(carrier, encode_wants(wants))
            arrival.end_round()
            idle = 0 if arrival.standing != before else idle + 1
            if idle >= MOST_IDLE_ROUNDS:
                raise DiamondError(
                    f"{MOST_IDLE_ROUNDS} times in a row nothing arrived of what was asked for",
                    "See agent.log of the endpoint that sends.",
                )

    def _check_room(self) -> None:
        missing = [self._arrival.files[position] for position in self._arrival.missing()]
        size = sum(entry.size for entry in missing) - self._arrival_parts()
        facts = self._fetching.setup.profile().facts.get("folders")
        try:
            self._require_room(facts, max(size, 0), len(missing))
        except NoRoom:
            remove_leftovers(self._places)
            self._require_room(facts, max(size, 0), len(missing))

    def _require_room(self, facts: object, size: int, entries: int) -> None:
        if self._command.layout == "archive":
            check_room(self._places.root, facts, size=self._command.size, entries=1)
        check_room(self._arrival.root, facts, size=size, entries=entries)

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

    def _round(self, carrier: Carrier, wants: bytes) -> None:
        """Fetch in one thread, write and verify in this one."""
        ready: queue.Queue[bytes | Exception] = queue.Queue(AHEAD)
        ended = threading.Event()
        thread = threading.Thread(
            target=self._fetch_pieces,
            args=(carrier, wants, ready, ended),
            name="pieces",
            daemon=True,
        )
        thread.start()
        try:
            while True:
                piece = ready.get()
                if isinstance(piece, RoundLost):
                    return
                if isinstance(piece, Exception):
                    raise piece
                self.moved += len(piece)
                if self._arrival.take(piece):
                    return
        finally:
            ended.set()
            while thread.is_alive():
                _drain(ready)
                thread.join(0.05)

    def _fetch_pieces(
        self,
        carrier: Carrier,
        wants: bytes,
        ready: queue.Queue[bytes | Exception],
        ended: threading.Event,
    ) -> None:
        try:
            for piece in carrier.round(wants):
                if ended.is_set():
                    return
                self._stop_if_cancelled()
                if piece:
                    self._fetching.setup.cap.take(len(piece), ended=self._cancelled)
                    ready.put(piece)
        except Exception as error:
            ready.put(error)

    def _stop_if_cancelled(self) -> None:
        if self._cancelled():
            raise Cancelled(f"{self._command.transfer} was cancelled")


def _drain(ready: queue.Queue[bytes | Exception]) -> None:
    """Let the thread that fetches come to its end."""
    while True:
        try:
            ready.get_nowait()
        except queue.Empty:
            return


def _done(command: FetchTree, place: Place, run: _Run | None) -> DataReport:
    return DataReport(
        name=command.transfer,
        act="fetch",
        state="done",
        bytes=place.size,
        size=place.size,
        files=place.files,
        files_done=place.files,
        moved=run.moved if run else 0,
        tree=place.tree,
        path=place.path,
        layout=place.layout,
        way=run.way if run else GROUP if place.shared else "",
        tried=dict(run.tried) if run else {},
        in_place=not place.managed,
    )
