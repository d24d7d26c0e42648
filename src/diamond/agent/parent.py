"""A process that ends when its parent ends, for whatever reason."""

from __future__ import annotations

import os
import signal
import threading


def end_with_parent() -> None:
    """Stop this process once its standard input closes: a pipe whose other end the parent alone holds."""
    pipe, nothing = os.dup(0), os.open(os.devnull, os.O_RDONLY)
    # Programs that this process starts must not wait for input that never comes.
    os.dup2(nothing, 0)
    os.close(nothing)
    threading.Thread(target=_watch, args=(pipe,), name="parent", daemon=True).start()


def _watch(pipe: int) -> None:
    # Not sys.stdin: an interpreter that ends while a thread holds its lock aborts.
    while os.read(pipe, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
