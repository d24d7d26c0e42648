"""Real agents on one machine and one real service; trees are scanned and sent below the names of datasets."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import diamond
from diamond.agent.site.bundle import build_bundle
from diamond.core.dependencies import Dependency
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import endpoint_by_id
from diamond.service.platform.database.engine import Store, Transaction
from diamond.service.platform.wakeups.notifier import Notifier
from diamond.service.settings import Settings
from diamond.service.trees import scans, store, transfers
from diamond.service.trees.rows import ScanRow, TransferRow
from support.service import RunningService
from support.waiting import PATIENCE, wait_for

SOURCE = Path(diamond.__file__).parent.parent
T = TypeVar("T")


@dataclass
class DataMachine:
    """An endpoint of its own folder, whose agent can be killed and started again."""

    service: RunningService
    name: str
    folder: Path
    key: str
    endpoint: str
    scheduler: str = "local"
    process: subprocess.Popen[bytes] | None = None
    variables: dict[str, str] = field(default_factory=dict)
    program: Path | None = None
    """The agent's one file; else it runs from the source."""
    within: Sequence[str] = ()
    """Words before the agent's own, such as `unshare`."""

    @property
    def keep(self) -> Path:
        return self.folder / "keep"

    @property
    def work(self) -> Path:
        return self.folder / "work"

    def start(self) -> None:
        self.keep.mkdir(parents=True, exist_ok=True)
        key = self.folder / "key"
        key.write_text(self.key)
        words = ["run", "--url", self.service.url, "--key-file", str(key)]
        start = [str(self.program)] if self.program else ["-m", "diamond.agent"]
        with (self.folder / "agent.out").open("ab") as out:
            self.process = subprocess.Popen(
                [*self.within, sys.executable, *start, *words, "--scheduler", self.scheduler],
                env=self._environment(),
                stdout=out,
                stderr=out,
                start_new_session=True,
            )

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait(PATIENCE)

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(PATIENCE)

    def set_data(self, **settings: object) -> None:
        """How data reaches it and leaves it; in force once the agent has it."""
        body = {"corrections": {"data": settings or None}}
        answer = self.service.client.call("PATCH", f"/endpoints/{self.name}", body)
        assert answer.status == 200, answer.body
        wait_for(lambda: self._has(settings), what=f"the settings of {self.name}")

    def _has(self, settings: dict[str, object]) -> bool:
        file = self.keep / "settings.json"
        known = json.loads(file.read_text()) if file.exists() else {}
        return bool((known.get("corrections") or {}).get("data", {}) == settings)

    def set_secret(self, name: str, value: str) -> None:
        place = self.keep / "secrets" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(value)

    @contextmanager
    def seeing(self, folder: Path, *, at: Path) -> Iterator[None]:
        """The agent sees another folder under a path: a machine with its own file systems."""
        assert self.process is not None
        enter = ["nsenter", f"--mount=/proc/{self.process.pid}/ns/mnt"]
        bound = subprocess.run([*enter, "mount", "--bind", str(folder), str(at)], check=False)
        assert bound.returncode == 0
        try:
            yield
        finally:
            subprocess.run([*enter, "umount", "-l", str(at)], check=False)

    def managed(self, tree: str) -> Path:
        return self.work / "data" / "trees" / tree

    def log(self) -> str:
        file = self.keep / "agent.log"
        return file.read_text() if file.exists() else (self.folder / "agent.out").read_text()

    def _environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "PYTHONPATH": str(SOURCE),
            "DIAMOND_KEEP": str(self.keep),
            "DIAMOND_WORK": str(self.work),
            "DIAMOND_TMP": str(self.folder),
            **self.variables,
        }


@contextmanager
def data_machine(
    service: RunningService,
    name: str,
    folder: Path,
    *,
    ways: Sequence[str] = ("service",),
    bundle: bool = False,
    within: Sequence[str] = (),
    **variables: str,
) -> Iterator[DataMachine]:
    """All machines see the same files: unless a test is about that, data passes through the service."""
    added = service.client.post("/endpoints", {"name": name, "carrier": "local"})
    machine = DataMachine(service, name, folder, added["key"], added["endpoint"]["id"])
    folder.mkdir(parents=True, exist_ok=True)
    machine.variables, machine.within = variables, within
    if bundle:
        machine.program = folder / "agent.pyz"
        build_bundle(machine.program)
    machine.start()
    machine.set_data(ways=list(ways))
    try:
        yield machine
    finally:
        machine.stop()
        subprocess.run(["chmod", "-R", "u+w", str(folder)], check=False)
        shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True)
class TreeScene:
    """Speaks to the slice below datasets, in the service's own database."""

    service: RunningService

    def scan(self, machine: DataMachine, path: Path | str, *, recheck: bool = False) -> ScanRow:
        """Ended, however it ended."""
        return self.scanned(self.start_scan(machine, path, recheck=recheck))

    def start_scan(
        self, machine: DataMachine, path: Path | str, *, recheck: bool = False
    ) -> ScanRow:
        return self._with_endpoint(
            machine, lambda tx, row: scans.start_scan(tx, row, str(path), recheck=recheck)
        )

    def scanned(self, scan: ScanRow, *, patience: float = PATIENCE) -> ScanRow:
        ended = wait_for(lambda: self._ended_scan(scan.id), patience, what=f"scan {scan.id}")
        assert ended is not None
        return ended

    def registered(self, machine: DataMachine, path: Path | str) -> str:
        """The digest of the tree."""
        scan = self.scan(machine, path)
        assert scan.state == "done", scan.message
        return scan.tree

    def check(self, machine: DataMachine, tree: str, *, recheck: bool = False) -> ScanRow:
        scan = self._with_endpoint(
            machine, lambda tx, row: scans.start_check(tx, row, tree, recheck=recheck)
        )
        return self.scanned(scan)

    def copy(
        self, tree: str, goal: DataMachine, *, layout: str = "files", may_pass: bool = True
    ) -> str:
        """The transfer's id, or '' if it is there."""
        found = self._with_endpoint(
            goal,
            lambda tx, row: transfers.provide_tree(tx, row, tree, layout=layout, may_pass=may_pass),
        )
        return found.id if isinstance(found, Dependency) else ""

    def copied(self, transfer: str, *, patience: float = PATIENCE) -> TransferRow:
        """Ended, however it ended."""
        ended = wait_for(lambda: self._ended_transfer(transfer), patience, what=transfer)
        assert ended is not None
        return ended

    def transfer(self, transfer: str) -> TransferRow:
        async def find(tx: Transaction) -> TransferRow:
            row = await store.find_transfer(tx.connection, transfer)
            assert row is not None
            return row

        return self.run(find)

    def forget(self, tree: str, machine: DataMachine) -> None:
        """The machine's place of a tree, as if it had never been registered there."""
        for file in (machine.keep / "data").glob(f"{tree}.*"):
            file.unlink()

        async def forget(tx: Transaction) -> None:
            for place in await store.places_on(tx.connection, machine.endpoint):
                if place.digest == tree:
                    await store.drop_tree_place(tx, place)

        self.run(forget)

    def forget_past(self) -> None:
        """What earlier transfers taught about ways."""

        async def forget(tx: Transaction) -> None:
            await store.forget_ended(tx, float("inf"))

        self.run(forget)

    def cancel(self, transfer: str) -> TransferRow:
        async def cancel(tx: Transaction) -> TransferRow:
            row = await store.find_transfer(tx.connection, transfer, lock=True)
            assert row is not None
            return await transfers.cancel_transfer(tx, row)

        return self.run(cancel)

    def run(self, work: Callable[[Transaction], Awaitable[T]]) -> T:
        async def act() -> T:
            opened = Store(self._url, Notifier())
            try:
                return await opened.run(work)
            finally:
                await opened.close()

        return asyncio.run(act())

    @property
    def _url(self) -> str:
        return Settings(home=self.service.home, database_url=self.service.database_url).database

    def _ended_scan(self, scan: str) -> ScanRow | None:
        row = self.run(lambda tx: store.find_scan(tx.connection, scan))
        return row if row is not None and not row.is_open else None

    def _ended_transfer(self, transfer: str) -> TransferRow | None:
        row = self.transfer(transfer)
        return None if row.is_open else row

    def _with_endpoint(
        self, machine: DataMachine, act: Callable[[Transaction, EndpointRow], Awaitable[T]]
    ) -> T:
        async def work(tx: Transaction) -> T:
            row = await endpoint_by_id(tx.connection, machine.endpoint)
            assert row is not None
            return await act(tx, row)

        return self.run(work)


def same_tree(first: Path, second: Path) -> bool:
    """By names, kinds, bytes and the executable bit."""
    return _described(first) == _described(second)


def _described(root: Path) -> dict[str, tuple[str, bytes, bool]]:
    found: dict[str, tuple[str, bytes, bool]] = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if path.is_symlink():
            found[name] = ("link", os.fsencode(path.readlink()), False)
        elif path.is_dir():
            found[name] = ("folder", b"", False)
        else:
            found[name] = ("file", path.read_bytes(), bool(path.stat().st_mode & 0o100))
    return found
