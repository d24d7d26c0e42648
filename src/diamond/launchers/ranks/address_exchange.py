"""Every rank reports where it can be reached and gets the addresses of all: TensorFlow needs them before it starts."""

from __future__ import annotations

import contextlib
import os
import resource
import socket
from typing import Dict, List

STRANGER_SECONDS = 2.0
"""A rank speaks at once; a connection that does not is from something else."""


class AddressExchange:
    """The overseer's side."""

    def __init__(self, ranks: int) -> None:
        self._ranks = ranks
        _allow_files(ranks)
        self._server = socket.create_server(("", 0), backlog=max(128, ranks))
        self._server.setblocking(False)
        self._password = os.urandom(8).hex()
        self._addresses: Dict[int, str] = {}
        self._waiting: List[socket.socket] = []

    @property
    def ticket(self) -> str:
        """For the ranks: the port, and a password that keeps strangers out."""
        return f"{self._server.getsockname()[1]} {self._password}"

    def fileno(self) -> int:
        return self._server.fileno()

    def accept(self) -> None:
        """Read the address of the rank that connects; once all are known, send them to all."""
        with contextlib.suppress(OSError, ValueError):
            connection, peer = self._server.accept()
            connection.settimeout(STRANGER_SECONDS)
            password, rank, port = connection.makefile("rb").readline(256).decode().split()
            if password == self._password:
                self._addresses[int(rank)] = f"{peer[0]}:{int(port)}"
                self._waiting.append(connection)
        if len(self._addresses) == self._ranks:
            self._answer_all()

    def _answer_all(self) -> None:
        answer = " ".join(self._addresses[rank] for rank in sorted(self._addresses)).encode()
        for connection in self._waiting:
            with contextlib.suppress(OSError):
                connection.sendall(answer)
            connection.close()
        self._waiting.clear()


def _allow_files(count: int) -> None:
    """Each rank waits on its own socket; a shell allows 1024 files, the kernel more."""
    with contextlib.suppress(OSError, ValueError):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft < count + 64:
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, count + 64), hard))


def exchange_addresses(host: str, ticket: str, rank: int, port: int) -> List[str]:
    """A rank's side: `ADDRESS:PORT` of each rank, in order, once all have reported.

    A node's address is the one from which it reaches the first node: its name may lead to its loopback, or nowhere.
    """
    server_port, password = ticket.split()
    with socket.create_connection((host, int(server_port)), timeout=60) as connection:
        connection.sendall(f"{password} {rank} {port}\n".encode())
        connection.settimeout(None)
        addresses = connection.makefile("rb").read().decode().split()
    if not addresses:
        raise OSError("the overseer did not answer")
    return addresses
