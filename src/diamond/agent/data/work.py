"""Scans and transfers of data on this machine. An intent is on disk before its command is acknowledged."""

from __future__ import annotations

import errno
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from diamond.agent.data.archives import Archives
from diamond.agent.data.fetching import Fetching
from diamond.agent.data.imports import Imports
from diamond.agent.data.jobs import DataJobs
from diamond.agent.data.leftovers import KEEP_SECONDS, remove_leftovers
from diamond.agent.data.places import TreePlaces
from diamond.agent.data.previews import Previews
from diamond.agent.data.reports import Reporter
from diamond.agent.data.scans import Scans, Unreadable
from diamond.agent.data.sending import Sending
from diamond.agent.data.setup import DataSetup
from diamond.agent.data.storing import Storing
from diamond.agent.data.transfer_node import NodeAway, TransferNode
from diamond.agent.disk import read_json, write_json
from diamond.agent.link.carriers import Declined, Link, LinkDown, ask
from diamond.core.data_commands import (
    DATA_COMMANDS,
    ArchiveTree,
    CancelData,
    CheckTree,
    DataCommand,
    FetchTree,
    ImportTree,
    PinTree,
    PreviewTree,
    RemoveTree,
    ScanFolder,
    SendTree,
    StoreTree,
    data_act,
)
from diamond.core.data_messages import DataReport, TreeInventory, TreePlace
from diamond.core.errors import BadRequest, Cancelled, DataChanged, DiamondError
from diamond.core.protocol import read_command
from diamond.runtimes.below import below
from diamond.schedulers.base import Scheduler

log = logging.getLogger(__name__)

RETRY_SECONDS = 3.0
INVENTORY_SECONDS = 3600.0
AGAIN_SECONDS = 2.0
"""After a list in which something is missing that was made as it was written."""
AT_ONCE = {"scan": 1, "import": 2, "preview": 1, "fetch": 3, "send": 3}
"""Of each kind, so that a transfer that waits for another endpoint holds up no other."""


@dataclass
class DataWork:
    places: TreePlaces
    link: Link
    scans: Scans
    imports: Imports
    previews: Previews
    fetching: Fetching
    sending: Sending
    archives: Archives
    storing: Storing
    reporter: Reporter
    stopping: threading.Event
    setup: DataSetup
    tells_all: Callable[[], bool] = lambda: True
    _look_again: threading.Event = field(default_factory=threading.Event)
    _cancelled: set[str] = field(default_factory=set)
    _running: set[str] = field(default_factory=set)
    _node_turns: dict[str, threading.Semaphore] = field(
        default_factory=lambda: {
            kind: threading.Semaphore(1) for kind in ("fetch", "send", "import")
        }
    )
    """Each process on the transfer node has a rate cap of its own."""
    _turns: dict[str, threading.Semaphore] = field(
        default_factory=lambda: {kind: threading.Semaphore(n) for kind, n in AT_ONCE.items()}
    )

    def __post_init__(self) -> None:
        self._node = TransferNode(self.places.folders, self.link)

    def start(self) -> None:
        self.imports.tidy()
        for file in sorted(self.places.intents.glob("*.json")):
            command = _saved(file)
            if command is not None:
                self._begin(command)
        threading.Thread(target=self._keep_inventory_current, name="trees", daemon=True).start()

    def handle(self, command: DataCommand) -> None:
        """Save a command and carry it out in the background; repeating it is fine."""
        if isinstance(command, CancelData):
            self._cancel(command)
            return
        file = self._file(command)
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            written = {"type": "data", "act": data_act(command), **asdict(command)}
            write_json(file, written, durable=True)
        self._begin(command)

    def send_inventory(self) -> None:
        looked = time.monotonic()
        items = [
            TreePlace(
                tree=place.tree,
                layout=place.layout,
                path=place.path if self.tells_all() else "",
                managed=place.managed,
                pinned=place.pinned,
                shared=place.shared,
                size=place.size,
                files=place.files,
                used=place.used,
                changed=place.changed if self.tells_all() else ["."] * bool(place.changed),
            )
            for place in self.places.every()
            if place.changed or Path(place.path).exists()
        ]
        message = TreeInventory(items, time.monotonic() - looked)
        if ask(self.link, "trees", message, timeout=120).get("again"):
            self._look_again.set()

    def _begin(self, command: DataCommand) -> None:
        name = _name(command)
        if name in self._running:
            return
        self._running.add(name)
        threading.Thread(target=self._run, args=[command], name=name, daemon=True).start()

    def _run(self, command: DataCommand) -> None:
        turn = self._turns.get(_kind(command))
        try:
            if turn is None:
                self._carry_out(command)
                return
            with turn:
                self._carry_out(command)
        finally:
            self._running.discard(_name(command))

    def _carry_out(self, command: DataCommand) -> None:
        """Again and again while the service cannot be reached. A failure that cannot be reported is one of these tries."""
        while not self.stopping.is_set():
            try:
                if not self._is_cancelled(command):
                    self._act_or_fail(command)
                break
            except LinkDown as error:
                log.info("%s waits for the service: %s", _name(command), error)
                self.stopping.wait(RETRY_SECONDS)
            except Cancelled:
                break
        else:
            return
        self._file(command).unlink(missing_ok=True)
        if self._is_cancelled(command) and isinstance(command, FetchTree):
            self.fetching.clear(command.transfer)

    def _act_or_fail(self, command: DataCommand) -> None:
        """Raises `LinkDown`, `Cancelled`."""
        try:
            self._act(command)
        except (LinkDown, Cancelled):
            raise
        except Exception as error:
            if not self._is_cancelled(command):
                is_bug = not isinstance(error, (DiamondError, OSError, Declined))
                log.info("%s failed: %s", _name(command), error, exc_info=is_bug)
                self._fail(command, error)

    def _act(self, command: DataCommand) -> None:
        def cancelled() -> bool:
            return self._is_cancelled(command) or self.stopping.is_set()

        host = self.setup.settings().transfer_node
        if host and isinstance(command, (FetchTree, SendTree, ImportTree)):
            try:
                with self._node_turns[_kind(command)]:
                    self._node.run(host, command, cancelled)
                return
            except NodeAway as error:
                log.info("%s is done here, not on the transfer node: %s", _name(command), error)
        self.act(command, cancelled)

    def act(self, command: DataCommand, cancelled: Callable[[], bool]) -> None:
        """Carry out a command in this process. Raises as its parts do."""
        if isinstance(command, ScanFolder):
            if self.scans.scan(command, cancelled):
                self.send_inventory()
        elif isinstance(command, CheckTree):
            self.scans.check(command, cancelled)
        elif isinstance(command, ImportTree):
            self.imports.fetch(command, cancelled)
        elif isinstance(command, PreviewTree):
            self.previews.make(command, cancelled)
        elif isinstance(command, FetchTree):
            self.fetching.fetch(command, cancelled)
        elif isinstance(command, SendTree):
            self.sending.send(command, cancelled)
        elif isinstance(command, ArchiveTree):
            self.archives.archive(command, cancelled)
        elif isinstance(command, StoreTree):
            self.storing.store(command, cancelled)
        elif isinstance(command, RemoveTree):
            self._remove(command)
        elif isinstance(command, PinTree):
            self._pin(command)

    def _remove(self, command: RemoveTree) -> None:
        for place in self.places.every_of(command.tree):
            if place.layout == command.layout:
                self.places.remove(place)
        self.send_inventory()

    def _pin(self, command: PinTree) -> None:
        for place in self.places.every_of(command.tree):
            self.places.put(replace(place, pinned=command.pinned))
        self.send_inventory()

    def _cancel(self, command: CancelData) -> None:
        """Running work sees it and ends; what has not begun is skipped."""
        self._cancelled.add(command.name)
        for file in self.places.intents.glob(f"*-{command.name}*.json"):
            if not any(command.name in name for name in self._running):
                file.unlink(missing_ok=True)
        if not any(command.name in name for name in self._running):
            self.fetching.clear(command.name)

    def _is_cancelled(self, command: DataCommand) -> bool:
        return _subject(command) in self._cancelled

    def _fail(self, command: DataCommand, error: Exception) -> None:
        named = error.named if isinstance(error, Unreadable) else []
        report = DataReport(
            name=_subject(command) or command.id,
            act=data_act(command),
            state="failed",
            message=_words(error),
            named=named,
        )
        try:
            if isinstance(error, DataChanged):
                self.send_inventory()  # first: whoever reads of the failure finds the place marked
            if _subject(command):
                self.reporter.report(report)
        except Declined as lost:
            log.warning("the end of %s could not be reported: %s", _name(command), lost)

    def _file(self, command: DataCommand) -> Path:
        return below(self.places.intents, f"{_name(command)}.json")

    def _keep_inventory_current(self) -> None:
        """Every hour, and soon after a list that the service could not judge."""
        pause = 0.0
        while True:
            if self._look_again.wait(pause):
                self._look_again.clear()
                self.stopping.wait(AGAIN_SECONDS)
            if self.stopping.is_set():
                return
            try:
                remove_leftovers(self.places, older=KEEP_SECONDS)
                self.send_inventory()
                pause = INVENTORY_SECONDS
            except (LinkDown, Declined) as error:
                log.info("the list of data could not be sent: %s", error)
                pause = 30.0


def assemble_data_work(
    setup: DataSetup, link: Link, scheduler: Scheduler, stopping: threading.Event
) -> DataWork:
    policy, profile, places = setup.policy, setup.profile, TreePlaces(setup.folders)
    reporter = Reporter(link, lambda: policy.allows_logs)
    archives = Archives(places, reporter, profile)
    jobs = DataJobs(places, reporter, scheduler, profile)
    scans = Scans(places, link, reporter, policy, jobs)
    return DataWork(
        places,
        link,
        scans,
        Imports(places, link, reporter, policy, jobs, setup),
        Previews(places, link, reporter, policy, jobs),
        Fetching(places, link, reporter, archives, setup, scans.read),
        Sending(places, link, setup),
        archives,
        Storing(places, reporter, setup),
        reporter,
        stopping,
        setup,
        tells_all=lambda: policy.allows_logs,
    )


def _words(error: Exception) -> str:
    if isinstance(error, DiamondError):
        return f"{error.message} {error.hint}".strip()
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        why = "the quota is used up" if error.errno == errno.EDQUOT else "the disk is full"
        return f"There was no room for it: {why}. Make room; the same command then continues."
    return str(error)


def _name(command: DataCommand) -> str:
    """Of its intent. Each round of sending is work of its own."""
    subject = _subject(command) or command.id
    tail = f"-{command.round}" if isinstance(command, SendTree) else ""
    return f"{data_act(command)}-{subject}{tail}"


def _subject(command: DataCommand) -> str:
    """The scan or transfer that it belongs to."""
    return str(getattr(command, "scan", "") or getattr(command, "transfer", ""))


def _kind(command: DataCommand) -> str:
    act = data_act(command)
    return "scan" if act in ("check", "archive") else act


def _saved(file: Path) -> DataCommand | None:
    """A saved intent; None for one that is incomplete or of another version."""
    try:
        command = read_command(read_json(file))
    except BadRequest as error:
        log.warning("%s is ignored: %s", file.name, error)
        return None
    return command if isinstance(command, DATA_COMMANDS) else None
