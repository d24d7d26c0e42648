"""Digests of files, each computed once: a checkpoint of many gigabytes takes minutes to read."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

MOST = 1000
SETTLED_SECONDS = 5.0
"""A file changed within this may change again without a new time: some file systems store whole seconds."""
_BLOCK = 1 << 20

Key = tuple[int, int, int, int]


class Digests:
    """Remembers the newest, by device, inode, size and time of change."""

    def __init__(self) -> None:
        self._known: OrderedDict[Key, str] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, descriptor: int, alive: Callable[[], None]) -> str:
        """SHA-256 of an open file; `alive` is called after each block."""
        before = _key(os.fstat(descriptor))
        with self._lock:
            known = self._known.get(before)
        if known:
            return known
        digest = _hash(descriptor, alive)
        facts = os.fstat(descriptor)
        if _key(facts) == before and time.time() - facts.st_mtime > SETTLED_SECONDS:
            self._remember(before, digest)
        return digest

    def _remember(self, key: Key, digest: str) -> None:
        with self._lock:
            self._known[key] = digest
            while len(self._known) > MOST:
                self._known.popitem(last=False)


def _hash(descriptor: int, alive: Callable[[], None]) -> str:
    digest = hashlib.sha256()
    for block in iter(lambda: os.read(descriptor, _BLOCK), b""):
        digest.update(block)
        alive()
    return digest.hexdigest()


def _key(facts: os.stat_result) -> Key:
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns
