"""Calls framed on the agent's standard output and answered on its standard input (the owner's own ssh)."""

from __future__ import annotations

import contextlib
import io
import json
import threading
from collections.abc import Iterator
from typing import Any, BinaryIO

from diamond.agent.link.carriers import LinkClosed, LinkDown, check_answer


class StdioLink:
    """One pipe, many calls at once; answers come in any order."""

    piece = 2 << 20
    """Over a line of 1 MB/s, every other call waits two seconds behind it."""

    def __init__(self, source: BinaryIO, target: BinaryIO) -> None:
        self._generation = 0
        self.closed = threading.Event()
        self._source, self._target = source, target
        self._writing, self._waiting_lock = threading.Lock(), threading.Lock()
        self._waiting: dict[int, _Waiting] = {}
        self._last = 0
        threading.Thread(target=self._read, name="stdio", daemon=True).start()

    @property
    def generation(self) -> int:
        return self._generation

    def act_as(self, generation: int) -> None:
        self._generation = generation

    def call(self, name: str, body: bytes, *, query: str = "", timeout: float = 30) -> bytes:
        waiting = self._post(name, body, query)
        if not waiting.answered.wait(timeout):
            self._forget(waiting)
            raise LinkDown(f"{name}: no answer within {timeout:.0f} s")
        if waiting.status == 0:
            raise LinkClosed("the connection ended")
        check_answer(name, waiting.status, waiting.body)
        return waiting.body

    @contextlib.contextmanager
    def fetch(self, name: str, body: bytes) -> Iterator[BinaryIO]:
        yield io.BytesIO(self.call(name, body, timeout=300))

    def _post(self, name: str, body: bytes, query: str) -> _Waiting:
        if self.closed.is_set():
            raise LinkClosed("the connection ended")
        with self._waiting_lock:
            self._last += 1
            waiting = self._waiting[self._last] = _Waiting(self._last)
        head = {"id": waiting.id, "call": name, "query": query, "length": len(body)}
        self._write({**head, "generation": self.generation}, body)
        return waiting

    def _write(self, head: dict[str, Any], body: bytes) -> None:
        try:
            with self._writing:
                self._target.write(json.dumps(head).encode() + b"\n" + body)
                self._target.flush()
        except (OSError, ValueError) as error:
            self._end()
            raise LinkClosed(str(error)) from error

    def _read(self) -> None:
        try:
            while self._read_frame():
                pass
        except (OSError, ValueError, KeyError, TypeError):
            pass
        self._end()

    def _read_frame(self) -> bool:
        line = self._source.readline()
        if not line:
            return False
        head = json.loads(line)
        body = self._source.read(int(head["length"]))
        if len(body) != int(head["length"]):  # the connection was cut in the middle of an answer
            return False
        with self._waiting_lock:
            waiting = self._waiting.pop(int(head["id"]), None)
        if waiting is not None:
            waiting.answer(int(head["status"]), body)
        return True

    def _forget(self, waiting: _Waiting) -> None:
        with self._waiting_lock:
            self._waiting.pop(waiting.id, None)

    def _end(self) -> None:
        self.closed.set()
        with self._waiting_lock:
            pending, self._waiting = list(self._waiting.values()), {}
        for waiting in pending:
            waiting.answer(0, b"")


class _Waiting:
    """A call that has no answer yet; status 0 means that none will come."""

    def __init__(self, number: int) -> None:
        self.id = number
        self.status = 0
        self.body = b""
        self.answered = threading.Event()

    def answer(self, status: int, body: bytes) -> None:
        self.status, self.body = status, body
        self.answered.set()
