"""Many open event streams, read as pages do, by one thread."""

from __future__ import annotations

import selectors
import socket
import threading
import time
from collections.abc import Sequence
from typing import Self
from urllib.parse import urlsplit

from bench.stack import Service

BLOCK = 1 << 16


class Streams:
    """One stream per entry of `services`, which is the same service as seen by different people."""

    def __init__(self, services: Sequence[Service]) -> None:
        self._selector = selectors.DefaultSelector()
        self._heard = [bytearray() for _ in services]
        self._open = set(range(len(services)))
        self._stopped = threading.Event()
        for number, service in enumerate(services):
            self._selector.register(_asked(service), selectors.EVENT_READ, number)
        self._thread = threading.Thread(target=self._read, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()
        for key in list(self._selector.get_map().values()):
            assert isinstance(key.fileobj, socket.socket)
            key.fileobj.close()
        self._selector.close()

    @property
    def still_open(self) -> int:
        return len(self._open)

    def count(self, words: bytes) -> list[int]:
        """How often each has received them."""
        return [bytes(heard).count(words) for heard in self._heard]

    def wait_for(self, words: bytes, times: int, within: float = 60.0) -> None:
        """Wait until all have received them this often, or the time is up; the caller counts."""
        end = time.monotonic() + within
        while time.monotonic() < end and min(self.count(words)) < times:
            time.sleep(0.1)

    def _read(self) -> None:
        while not self._stopped.is_set():
            for key, _ in self._selector.select(timeout=0.2):
                assert isinstance(key.fileobj, socket.socket)
                piece = key.fileobj.recv(BLOCK)
                self._heard[key.data] += piece
                if not piece:
                    self._open.discard(key.data)
                    self._selector.unregister(key.fileobj)


def _asked(service: Service) -> socket.socket:
    place = urlsplit(service.url)
    connection = socket.create_connection((place.hostname, place.port), timeout=60)
    lines = ["GET /api/v1/events HTTP/1.1", f"Host: {place.netloc}"]
    lines += [f"Authorization: Bearer {service.token}", "", ""]
    connection.sendall("\r\n".join(lines).encode())
    return connection
