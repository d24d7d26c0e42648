"""One thread that forwards, apart from all other work: another server's slowness holds up nothing."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from diamond.agent.disk import read_json, write_json
from diamond.agent.folders import Folders
from diamond.agent.forwarding.mlflow_server import MlflowServer
from diamond.agent.forwarding.mlflow_store import find_run, is_store, new_rows
from diamond.agent.forwarding.target import MLFLOW, WANDB, ForwardFailed, read_target
from diamond.agent.forwarding.wandb_sync import offline_runs, sync_run
from diamond.agent.tasks.folders import AttemptFolder
from diamond.launchers.ranks.event_files import find_event_files, written_since

log = logging.getLogger(__name__)

EVERY_SECONDS = 60.0
"""How often the runs of a running task are looked at."""
RETRIES_SECONDS = 86400.0
"""How long an ended run is tried again."""


@dataclass(frozen=True)
class Wanted:
    folder: AttemptFolder
    run: int
    ended: bool
    until: float


@dataclass
class Forwarder:
    folders: Folders
    allowed: Callable[[], bool]
    note: Callable[[AttemptFolder, str, str], None]
    stopping: threading.Event
    _waiting: queue.Queue[Wanted] = field(default_factory=queue.Queue)
    _last: dict[str, float] = field(default_factory=dict)
    _noted: set[str] = field(default_factory=set)

    def start(self) -> None:
        threading.Thread(target=self._work, name="forwarding", daemon=True).start()

    def look(self, folder: AttemptFolder, run: int, ended: bool) -> None:
        """Quick: only says that there may be something to forward."""
        now = time.monotonic()
        is_due = now - self._last.get(folder.task, -EVERY_SECONDS) >= EVERY_SECONDS
        if self._is_set() and (ended or is_due):
            self._last[folder.task] = now
            self._waiting.put(Wanted(folder, run, ended, now + RETRIES_SECONDS))

    def _is_set(self) -> bool:
        return any((self.folders.secrets / name).exists() for name in (MLFLOW, WANDB))

    def _work(self) -> None:
        while not self.stopping.is_set():
            wanted = self._waiting.get()
            try:
                if self.allowed():
                    self.forward(wanted)
            except (ForwardFailed, OSError, ValueError) as error:
                self._failed(wanted, str(error))
            except Exception:
                log.exception("forwarding %s failed", wanted.folder.task)

    def forward(self, wanted: Wanted) -> None:
        """Raises `ForwardFailed`, `OSError`, `ValueError`; what was sent by then is not sent again."""
        run_folder = wanted.folder.run_folder(wanted.run)
        files = written_since(run_folder / "started", find_event_files(wanted.folder.run_dir))
        mlflow = read_target(self.folders.secrets, MLFLOW)
        if mlflow is not None:
            for file in filter(is_store, files):
                forward_store(file, MlflowServer(mlflow), wanted.folder)
        wandb = read_target(self.folders.secrets, WANDB) if wanted.ended else None
        if wandb is not None:
            for folder in offline_runs(files):
                sync_run(folder, wandb, self.folders.work, stopping=self.stopping)

    def _failed(self, wanted: Wanted, message: str) -> None:
        """Said once for each task; an ended run is tried again."""
        log.warning("forwarding %s: %s", wanted.folder.task, message)
        if wanted.folder.task not in self._noted:
            self._noted.add(wanted.folder.task)
            self.note(wanted.folder, f"Its curves could not be forwarded: {message}", "forwarding")
        if wanted.ended and time.monotonic() < wanted.until:
            timer = threading.Timer(EVERY_SECONDS, self._waiting.put, [wanted])
            timer.daemon = True
            timer.start()


def forward_store(file: Path, server: MlflowServer, folder: AttemptFolder) -> None:
    """The rows that the server does not have. The state is the task's: an MLflow run may continue in the next attempt."""
    state_file = folder.run_dir.parent / "forwarded.json"
    state = read_json(state_file) or {}
    offsets, runs = dict(state.get("offsets") or {}), dict(state.get("runs") or {})
    closed = list(state.get("closed") or [])
    rows, offset = new_rows(file, int(offsets.get(str(file), 0)))
    names = {row.run for row in rows} | {run for run in runs if run not in closed}
    for run in sorted(names):
        try:
            stored = find_run(file, run)
        except (StopIteration, ValueError):
            continue  # of another store
        if stored.id != run:
            continue
        if run not in runs:
            runs[run] = server.run_for(stored, {"diamond.task": folder.task})
        server.log(runs[run], [row for row in rows if row.run == run], stored.params)
        if not stored.is_open and run not in closed:
            server.end(runs[run], stored)
            closed.append(run)
    offsets[str(file)] = offset
    write_json(state_file, {"offsets": offsets, "runs": runs, "closed": closed})
