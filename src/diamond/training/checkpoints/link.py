"""The training's end of its writer process."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from multiprocessing import Pipe
from multiprocessing.reduction import send_handle
from pathlib import Path
from typing import Any, Callable, List, Optional

import diamond.training
from diamond.training.checkpoints.memory import SharedMemory
from diamond.training.checkpoints.messages import Done, Failed, Join, Leave, Prepare, Save

_BEGIN = (
    "import sys; sys.path[:] = sys.argv[2:]; "
    "from diamond.training.checkpoints.writer import main; main()"
)


class WriterLink:
    """Starts the writer, gives it work, and reports how each save ended. Safe to use from two threads."""

    def __init__(self, on_end: Callable[[Any], None]) -> None:
        self._on_end = on_end
        self._pipe, theirs = Pipe(duplex=True)
        self._process = _start(theirs.fileno())
        theirs.close()
        self._idle = threading.Event()
        self._idle.set()
        self._saving: Optional[Save] = None
        self._ending = threading.Lock()
        self._alive = True
        self._was_used = False
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def is_alive(self) -> bool:
        return self._alive

    @property
    def is_busy(self) -> bool:
        return not self._idle.is_set()

    @property
    def pid(self) -> int:
        return self._process.pid

    def join(self, message: Join) -> None:
        self._send(message)

    def prepare(self, message: Prepare, memory: SharedMemory) -> None:
        self._send(message)
        try:
            send_handle(self._pipe, memory.descriptor, self._process.pid)
        except OSError:
            self._alive = False

    def begin(self) -> None:
        """From here on, the staging memory belongs to a save."""
        self._was_used = True
        self._idle.clear()

    def save(self, message: Save) -> None:
        self._saving = message
        self._send(message)
        if not self._alive:
            self._end_by_death()

    def abandon(self) -> None:
        """Undo `begin`: nothing will be sent."""
        self._idle.set()

    def wait(self, seconds: float) -> None:
        """Wait at most this long until no save is running."""
        self._idle.wait(seconds)

    def close(self) -> None:
        """Let it finish its work and end. One that was never used need not even finish starting."""
        if not self._was_used:
            self.kill()
            return
        self._idle.wait()
        self._send(Leave())
        self._process.wait()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def _listen(self) -> None:
        while True:
            try:
                message = self._pipe.recv()
            except (EOFError, OSError, TypeError):
                break
            if isinstance(message, (Done, Failed)):
                self._end(message)
        self._alive = False
        self._end_by_death()

    def _end_by_death(self) -> None:
        step = self._saving.step if self._saving is not None else -1
        self._end(Failed(step, "the writer process has died"))

    def _end(self, message: Any) -> None:
        with self._ending:
            ended, self._saving = self._saving, None
        if ended is not None:
            self._on_end(message)
            self._idle.set()

    def _send(self, message: Any) -> None:
        try:
            self._pipe.send(message)
        except OSError:
            self._alive = False


def _start(descriptor: int) -> subprocess.Popen[bytes]:
    """A fresh interpreter: a fork would inherit the training's threads and accelerator."""
    return subprocess.Popen(
        [sys.executable, "-c", _BEGIN, str(descriptor), *_path()],
        env={**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""},
        pass_fds=[descriptor],
        stdin=subprocess.DEVNULL,
    )


def _path() -> List[str]:
    """The training's module path, including this library: torch may be where only the training's own code found it, and a
    file in the working directory must not be imported as a module.
    """
    library = str(Path(diamond.training.__file__).parents[2])
    own = [str(folder) for folder in sys.path]
    return own if library in own else [*own, library]
