"""A relay between an agent and its service that counts the bytes of both directions, as a network would carry them."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

PIECE_BYTES = 64 << 10


@dataclass
class Traffic:
    url: str = ""
    sent: int = 0
    """By the agent."""
    received: int = 0
    connections: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, *, sent: int = 0, received: int = 0, connections: int = 0) -> None:
        with self.lock:
            self.sent += sent
            self.received += received
            self.connections += connections


@contextmanager
def counted(url: str) -> Iterator[Traffic]:
    """Another address of the service."""
    target = urlsplit(url)
    assert target.hostname and target.port
    with socket.create_server(("127.0.0.1", 0)) as door:
        traffic = Traffic(f"http://127.0.0.1:{door.getsockname()[1]}")
        goal = (target.hostname, target.port)
        threading.Thread(target=_accept, args=(door, goal, traffic), daemon=True).start()
        yield traffic


def _accept(door: socket.socket, goal: tuple[str, int], traffic: Traffic) -> None:
    while True:
        try:
            here, _ = door.accept()
            there = socket.create_connection(goal)
        except OSError:
            return
        traffic.add(connections=1)
        own, real = door.getsockname()[1], goal[1]
        for source, sink, way in ((here, there, "sent"), (there, here, "received")):
            host = (b"127.0.0.1:%d\r\n" % own, b"127.0.0.1:%d\r\n" % real)
            words = (source, sink, way, traffic, host)
            threading.Thread(target=_pass, args=words, daemon=True).start()


def _pass(
    source: socket.socket,
    sink: socket.socket,
    way: str,
    traffic: Traffic,
    host: tuple[bytes, bytes],
) -> None:
    """With the Host header that the service knows: it serves no other."""
    try:
        while piece := source.recv(PIECE_BYTES):
            sink.sendall(piece.replace(*host) if way == "sent" else piece)
            traffic.add(**{way: len(piece)})
    except OSError:
        pass
    finally:
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                end.close()
