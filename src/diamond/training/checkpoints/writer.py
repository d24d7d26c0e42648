"""The writer process, one per rank; `link.py` starts it with the descriptor of their pipe."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import warnings
from datetime import timedelta
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle
from typing import Any, Optional

import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.api import CheckpointException

from diamond.training.checkpoints.errors import Superseded
from diamond.training.checkpoints.folder import Folder
from diamond.training.checkpoints.memory import SharedMemory
from diamond.training.checkpoints.messages import Done, Failed, Join, Leave, Prepare, Save
from diamond.training.checkpoints.storage import ImageWriter, KnownPlan

_GRACE_SECONDS = 30.0
_NICER = 10


class Writer:
    """Follows the messages until the pipe closes."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._joined = Join(0, 1)
        self._prepared: Optional[Prepare] = None
        self._memory: Optional[SharedMemory] = None

    def run(self) -> None:
        while True:
            message = self._next()
            if isinstance(message, Leave):
                return
            self._obey(message)

    def _next(self) -> Any:
        try:
            return self._pipe.recv()
        except (EOFError, OSError):
            return Leave()

    def _obey(self, message: Any) -> None:
        if isinstance(message, Join):
            self._join(message)
        elif isinstance(message, Prepare):
            self._prepare(message)
        elif isinstance(message, Save):
            self._save(message)

    def _join(self, message: Join) -> None:
        """The writers' own process group; the training's is never used here."""
        self._joined = message
        if message.world_size == 1:
            return
        timeout = timedelta(seconds=message.timeout_seconds)
        store = dist.TCPStore(*message.address, is_master=False, timeout=timeout)
        dist.init_process_group(
            "gloo", store=store, rank=message.rank, world_size=message.world_size, timeout=timeout
        )

    def _prepare(self, message: Prepare) -> None:
        self._prepared = message
        if self._memory is not None:
            self._memory.close()
        self._memory = SharedMemory(recv_handle(self._pipe))
        self._memory.map(message.image_bytes)

    def _save(self, save: Save) -> None:
        assert self._prepared is not None
        assert self._memory is not None
        storage = ImageWriter(save, self._prepared, self._memory, self._joined.rank)
        began = time.monotonic()
        try:
            dcp.save(
                {},
                storage_writer=storage,
                planner=KnownPlan(self._prepared),
                no_dist=self._joined.world_size == 1,
            )
        except CheckpointException as error:
            self._give_up(save, storage, error)
            return
        except Exception as error:
            self._part_from_others(save, storage, error)
            return
        name = Folder(storage.place.parent).name_for(save.step, save.claim)
        self._say(Done(save.step, name, storage.total_bytes, time.monotonic() - began))
        if self._joined.rank == 0:
            self._tidy(Folder(storage.place.parent), save)

    def _tidy(self, folder: Folder, save: Save) -> None:
        folder.prune(save.keep, save.claim)
        folder.sweep(save.claim, save.serial)

    def _part_from_others(self, save: Save, storage: ImageWriter, error: Exception) -> None:
        """An error that is not DCP's has broken the writers' group: it cannot be used again, and new writers make a new one.

        Only the coordinator knows whether the checkpoint is already committed.
        """
        if self._joined.rank == 0:
            Folder(storage.place.parent).remove(storage.place)
        self._say(Failed(save.step, reason(error), superseded=_is_superseded(error)))
        if self._joined.world_size > 1:
            os._exit(1)

    def _give_up(self, save: Save, storage: ImageWriter, error: BaseException) -> None:
        """Every rank's writer learns of a failure on any of them, so each can remove what it wrote."""
        Folder(storage.place.parent).remove(storage.place)
        self._say(Failed(save.step, reason(error), superseded=_is_superseded(error)))

    def _say(self, message: Any) -> None:
        try:
            self._pipe.send(message)
        except OSError:
            return


def reason(error: BaseException) -> str:
    """The message of the first error: DCP wraps the ranks' errors in its own, which is not an Exception."""
    failures = getattr(error, "failures", None)
    if failures:
        rank, (inner, _) = min(failures.items())
        return f"rank {rank}: {reason(inner)}"
    return f"{type(error).__name__}: {error}"


def _is_superseded(error: BaseException) -> bool:
    failures = getattr(error, "failures", None) or {}
    return isinstance(error, Superseded) or any(
        isinstance(inner, Superseded) for inner, _ in failures.values()
    )


def _end_after(parent: int) -> None:
    """Finish a save whose training was killed, unless it hangs because other ranks are gone."""
    while os.getppid() == parent:
        time.sleep(1.0)
    time.sleep(_GRACE_SECONDS)
    os._exit(1)


def main() -> None:
    """Signals go to whole process groups; the training decides what to do about them."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    os.nice(_NICER)
    warnings.filterwarnings("ignore", message="torch.distributed is disabled")
    threading.Thread(target=_end_after, args=(os.getppid(),), daemon=True).start()
    Writer(Connection(int(sys.argv[1]))).run()
    os._exit(0)
