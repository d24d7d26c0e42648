"""The engine on this rank: DuckDB with a memory limit, and the rows that arrive from other ranks."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import shutil
import sys
import tempfile
import threading
import weakref
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple

from diamond.frames import engines
from diamond.frames.sql import name_of
from diamond.training.metrics import log_beside

_PREFIX = "diamond-frames-"
_LOOK_SECONDS = 0.25
BATCH_ROWS = 1 << 16
Schema = Dict[str, str]
"""Columns in order, with DuckDB's names of their types."""


class Store:
    """Relations are SQL text over the tables and views of one connection."""

    def __init__(self, *, memory: int, threads: int, spill: Optional[Path]) -> None:
        self.memory = memory
        self.held_limit = memory // 3
        """Rows from other ranks are kept as they arrived up to this size; beyond it they go into the engine, which spills."""
        self.spill = _Spill(spill)
        settings = {
            "threads": threads,
            "memory_limit": f"{max(64, (memory - self.held_limit) >> 20)}MiB",
            "temp_directory": str(self.spill.folder),
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
        self._connection = engines.duckdb().connect(":memory:", config=settings)
        self._numbers = itertools.count()
        self._unused: List[str] = []

    def run(self, text: str) -> List[Tuple[Any, ...]]:
        return list(self._connection.execute(text).fetchall())

    def schema(self, relation: str) -> Schema:
        return {str(row[0]): str(row[1]) for row in self.run(f"DESCRIBE {relation}")}

    def batches(self, relation: str, *, in_order: bool = False) -> Any:
        """A reader of Arrow batches; rows are made while it is read. Nothing else may use the connection meanwhile."""
        self._connection.execute(f"SET preserve_insertion_order = {str(in_order).lower()}")
        query = self._connection.sql(relation)
        make = getattr(query, "to_arrow_reader", None) or query.fetch_arrow_reader
        return make(BATCH_ROWS)

    def table(self, relation: str, *, in_order: bool = False) -> Any:
        """All rows as one Arrow table."""
        return self.batches(relation, in_order=in_order).read_all()

    def sweep(self) -> None:
        """Drop what no frame refers to any more. Not at once: a reader may be open."""
        while self._unused:
            with contextlib.suppress(Exception):
                self._connection.execute(self._unused.pop())

    def register(self, rows: Any) -> Tuple[str, Any]:
        """An Arrow table, reader or dataset as a relation, and what keeps it there."""
        name = f"given_{next(self._numbers)}"
        self._connection.register(name, rows)
        return f"SELECT * FROM {name}", self._while_used(f"DROP VIEW IF EXISTS {name}")

    def new_table(self, chunk: Any) -> Tuple[str, str, Any]:
        """A table inside the engine with these rows: its name, its relation, and what keeps it there."""
        name = f"held_{next(self._numbers)}"
        with self._beside() as cursor:
            cursor.register("chunk", chunk)
            cursor.execute(f"CREATE TABLE {name} AS SELECT * FROM chunk")
        return name, f"SELECT * FROM {name}", self._while_used(f"DROP TABLE IF EXISTS {name}")

    def append(self, name: str, chunk: Any) -> None:
        with self._beside() as cursor:
            cursor.register("chunk", chunk)
            cursor.execute(f"INSERT INTO {name_of(name)} SELECT * FROM chunk")

    def close(self) -> None:
        with contextlib.suppress(Exception):
            self._connection.close()
        self.spill.close()

    @contextlib.contextmanager
    def _beside(self) -> Iterator[Any]:
        """A connection of its own: a reader of the other one may be in the middle of its rows."""
        cursor = self._connection.cursor()
        try:
            yield cursor
        finally:
            cursor.close()

    def _while_used(self, removal: str) -> Any:
        token = _Token()
        weakref.finalize(token, self._unused.append, removal)
        return token


class _Token:
    """Removes a table when nothing refers to it any more."""


class Held:
    """Rows that arrive: as Arrow in memory while they are few, otherwise in a table of the engine."""

    def __init__(self, store: Store, schema: Any, *, in_memory: bool = False) -> None:
        """With `in_memory`, rows stay as they arrived: who asks for it has checked the size."""
        self._store, self._schema = store, schema
        self._limit = float("inf") if in_memory else store.held_limit
        self._batches: List[Any] = []
        self._bytes = 0
        self._table: Optional[Tuple[str, str, Any]] = None
        self.rows = 0

    def add(self, batch: Any) -> None:
        if not batch.num_rows:
            return
        self.rows += int(batch.num_rows)
        self._batches.append(batch)
        self._bytes += int(batch.nbytes)
        if self._bytes > self._limit:
            self._move()

    def relation(self) -> Tuple[str, Any]:
        """What has been added, and what keeps it."""
        if self._table is None:
            return self._store.register(self.as_table())
        if self._batches:
            self._move()
        return self._table[1], self._table[2]

    def as_table(self) -> Any:
        return engines.arrow().Table.from_batches(self._batches, schema=self._schema)

    def _move(self) -> None:
        chunk = self.as_table()
        if self._table is None:
            self._table = self._store.new_table(chunk)
        else:
            self._store.append(self._table[0], chunk)
        self._batches, self._bytes = [], 0


class _Spill:
    """The folder for what does not fit in memory, and a thread that notices when it is used.

    A lock tells a folder in use from one that a killed process has left; those are removed by the next rank on the node.
    """

    def __init__(self, place: Optional[Path]) -> None:
        root = Path(place) if place else Path(tempfile.gettempdir())
        _remove_left(root)
        self._own = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=root))
        self.folder = self._own / "spill"
        self._lock = os.open(self._own / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self.doing = ""
        self.peak_bytes = 0
        self._said: Dict[str, int] = {}
        self._ended = threading.Event()
        threading.Thread(target=self._watch, name="diamond-frames-spill", daemon=True).start()

    def look(self) -> None:
        size = _size_of(self.folder)
        self.peak_bytes = max(self.peak_bytes, size)
        if size > self._said.get(self.doing, 0) * 2 or (
            self.doing not in self._said and self.folder.is_dir() and not self._said
        ):
            self._say(size)

    def close(self) -> None:
        self.look()
        self._ended.set()
        shutil.rmtree(self._own, ignore_errors=True)
        with contextlib.suppress(OSError):
            os.close(self._lock)

    def _watch(self) -> None:
        while not self._ended.wait(_LOOK_SECONDS):
            with contextlib.suppress(OSError):
                self.look()

    def _say(self, size: int) -> None:
        """Again only when it has doubled."""
        self._said[self.doing] = max(size, 1)
        megabytes = size / 2**20
        print(
            f"diamond.frames: {self.doing or 'a query'} does not fit in memory: {megabytes:.0f} MB so far in {self._own.parent}",
            file=sys.stderr,
            flush=True,
        )
        log_beside(frames_spilled_mb=round(self.peak_bytes / 2**20, 1))


def _size_of(folder: Path) -> int:
    total = 0
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                total += entry.stat().st_size
    return total


def _remove_left(root: Path) -> None:
    for folder in root.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
                continue
            lock = os.open(folder / "lock", os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)
