"""A line to a service that can be cut: every connection breaks, and new ones are refused until it is mended."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field


@dataclass
class CuttableLink:
    port: int
    behind: int
    _open: list[socket.socket] = field(default_factory=list)
    _is_cut: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def cut(self) -> None:
        self._is_cut.set()
        for one in self._open:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        self._open.clear()

    def mend(self) -> None:
        self._is_cut.clear()

    def carry(self, near: socket.socket) -> None:
        if self._is_cut.is_set():
            near.close()
            return
        try:
            far = socket.create_connection(("127.0.0.1", self.behind))
        except OSError:
            near.close()
            return
        self._open += [near, far]
        # A service answers under its own name alone; both are as long.
        names = (b"127.0.0.1:%d" % self.port, b"127.0.0.1:%d" % self.behind)
        for pair in ((near, far), (far, near)):
            threading.Thread(target=_pump, args=(*pair, names), daemon=True).start()


def _pump(source: socket.socket, goal: socket.socket, names: tuple[bytes, bytes]) -> None:
    with suppress(OSError):
        while data := source.recv(1 << 16):
            is_head = b" HTTP/1.1\r\n" in data[:4096]
            goal.sendall(data.replace(*names) if is_head else data)
    for one in (source, goal):
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)


@contextmanager
def cuttable_link(behind: int) -> Iterator[CuttableLink]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        link = CuttableLink(listening.getsockname()[1], behind)

        def accept() -> None:
            with suppress(OSError):
                while True:
                    link.carry(listening.accept()[0])

        threading.Thread(target=accept, daemon=True).start()
        yield link
        link.cut()
