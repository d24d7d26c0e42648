"""One builder at a time: a lock that the kernel drops when its holders die, so none is ever stale."""

from __future__ import annotations

import errno
import fcntl
import os
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Iterator

from diamond.core.errors import Cancelled

POLL_SECONDS = 0.2
_HELD = (errno.EWOULDBLOCK, errno.EACCES)


@contextmanager
def hold_lock(
    path: Path, *, waiting: Callable[[], None], cancelled: Callable[[], bool], mode: int = 0o600
) -> Iterator[int]:
    """Hold the lock and give its descriptor; `waiting` is called once if somebody else has it."""
    descriptor = _open(path, mode)
    try:
        has_waited = False
        while not _taken(descriptor):
            if cancelled():
                raise Cancelled("Cancelled while another build of the same environment ran")
            if not has_waited:
                waiting()
                has_waited = True
            time.sleep(POLL_SECONDS)
        yield descriptor
    finally:
        os.close(descriptor)


def _open(path: Path, mode: int) -> int:
    """Some cluster file systems refuse locks; the node's own temporary folder never does."""
    descriptor = _create(path, mode)
    try:
        _taken(descriptor)
        return descriptor
    except OSError:
        os.close(descriptor)
    local = Path(tempfile.gettempdir()) / f"diamond-{os.getuid()}-{path.name}"
    return os.open(local, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)


def _create(path: Path, mode: int) -> int:
    """One that others share must be theirs too, whatever the umask; of two who make it at once, one finds it."""
    try:
        return os.open(path, os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, mode)
        if os.fstat(descriptor).st_uid == os.geteuid():
            os.fchmod(descriptor, mode)
        return descriptor


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _HELD:
            return False
        raise
    return True
