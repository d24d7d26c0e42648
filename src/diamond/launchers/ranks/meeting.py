"""Each rank says where it can be reached, and hears of all others: TensorFlow must know them before it starts."""

from __future__ import annotations

import contextlib
import os
import resource
import socket
from typing import Dict, List

STRANGER_SECONDS = 2.0
"""A rank speaks at once; whoever does not is none."""


class Meeting:
    """The overseer's side."""

    def __init__(self, ranks: int) -> None:
        self._ranks = ranks
        _allow_files(ranks)
        self._door = socket.create_server(("", 0), backlog=max(128, ranks))
        self._door.setblocking(False)
        self._word = os.urandom(8).hex()
        self._places: Dict[int, str] = {}
        self._waiting: List[socket.socket] = []

    @property
    def invitation(self) -> str:
        """For the ranks: the port, and a word by which they are told from strangers."""
        return f"{self._door.getsockname()[1]} {self._word}"

    def fileno(self) -> int:
        return self._door.fileno()

    def let_in(self) -> None:
        """Hear the one who stands at the door, and once all have come, tell all."""
        with contextlib.suppress(OSError, ValueError):
            guest, address = self._door.accept()
            guest.settimeout(STRANGER_SECONDS)
            word, rank, port = guest.makefile("rb").readline(256).decode().split()
            if word == self._word:
                self._places[int(rank)] = f"{address[0]}:{int(port)}"
                self._waiting.append(guest)
        if len(self._places) == self._ranks:
            self._tell_all()

    def _tell_all(self) -> None:
        answer = " ".join(self._places[rank] for rank in sorted(self._places)).encode()
        for guest in self._waiting:
            with contextlib.suppress(OSError):
                guest.sendall(answer)
            guest.close()
        self._waiting.clear()


def _allow_files(count: int) -> None:
    """Each rank waits at a socket of its own; a shell allows 1024 files, the kernel more."""
    with contextlib.suppress(OSError, ValueError):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft < count + 64:
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, count + 64), hard))


def meet(address: str, invitation: str, rank: int, port: int) -> List[str]:
    """A rank's side: `ADDRESS:PORT` of each rank, in order, once all have come.

    A node's address is the one from which it reaches the first node: a name may lead to its loopback, or nowhere.
    """
    door, word = invitation.split()
    with socket.create_connection((address, int(door)), timeout=60) as way:
        way.sendall(f"{word} {rank} {port}\n".encode())
        way.settimeout(None)
        places = way.makefile("rb").read().decode().split()
    if not places:
        raise OSError("the overseer did not answer")
    return places
