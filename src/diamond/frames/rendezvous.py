"""Every rank gets a connection to every other one.

Rank 0 listens and leaves its address and the run's key in a file that only this account can read. The others connect to
it, report where they listen, and receive the addresses of all. Then each connects to those below it. The file is removed
when all are connected.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import struct
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from diamond.frames.errors import FramesError
from diamond.frames.handshake import Stranger, greet, read_exactly, receive
from diamond.frames.ranks import Ranks

_LOOK_SECONDS = 0.05
_LONGEST_NOTE = 1 << 20
_LENGTH = struct.Struct("!I")
Address = Tuple[str, int]


@dataclass(frozen=True)
class Meeting:
    addresses: List[str]
    port: int
    key: bytes


def connect_all(ranks: Ranks, file: Path, *, seconds: float) -> Dict[int, socket.socket]:
    """By rank, blocking sockets without a time limit. Raises on a rank that does not meet the others in time."""
    until = time.monotonic() + seconds
    lobby = _Lobby(ranks.rank)
    try:
        if ranks.rank == 0:
            found = _as_first(ranks, file, lobby, until)
        else:
            found = _as_other(ranks, file, lobby, until)
    finally:
        lobby.close()
    for connection in found.values():
        connection.settimeout(None)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return found


def _as_first(ranks: Ranks, file: Path, lobby: _Lobby, until: float) -> Dict[int, socket.socket]:
    lobby.key = secrets.token_bytes(32)
    _leave(file, Meeting(_own_names(), lobby.port, lobby.key))
    try:
        found = lobby.wait_for(range(1, ranks.world), until)
        places = {rank: _read_note(connection) for rank, connection in found.items()}
        for connection in found.values():
            _send_note(connection, places)
        return found
    finally:
        with contextlib.suppress(OSError):
            file.unlink()


def _as_other(ranks: Ranks, file: Path, lobby: _Lobby, until: float) -> Dict[int, socket.socket]:
    first, lobby.key = _reach_first(ranks, file, until)
    first.settimeout(max(1.0, until - time.monotonic()))
    _send_note(first, [first.getsockname()[0], lobby.port])
    try:
        places = _read_note(first)
    except (OSError, ValueError) as error:
        raise FramesError(
            f"rank {ranks.rank}: not all {ranks.world} ranks started to use frames: {error}"
        ) from None
    found = {0: first}
    for peer in range(1, ranks.rank):
        host, port = places[str(peer)]
        found[peer] = _dial((str(host), int(port)), lobby.key, own=ranks.rank, peer=peer)
    found.update(lobby.wait_for(range(ranks.rank + 1, ranks.world), until))
    return found


def _reach_first(ranks: Ranks, file: Path, until: float) -> Tuple[socket.socket, bytes]:
    """The file may be from a run that failed before; then nothing answers there, until rank 0 has written its own."""
    problem = f"{file} did not appear"
    while time.monotonic() < until:
        meeting = _read_meeting(file)
        for host in meeting.addresses if meeting else ():
            try:
                address = (host, meeting.port) if meeting else ("", 0)
                key = meeting.key if meeting else b""
                return _dial(address, key, own=ranks.rank, peer=0), key
            except (OSError, Stranger) as error:
                problem = f"{host}: {error}"
        time.sleep(_LOOK_SECONDS)
    raise FramesError(
        f"rank {ranks.rank} could not reach rank 0: {problem}. Every rank must use frames, and all nodes must see {file.parent}"
    )


def _dial(address: Address, key: bytes, *, own: int, peer: int) -> socket.socket:
    connection = socket.create_connection(address, timeout=5)
    try:
        greet(connection, key, own=own, peer=peer)
    except BaseException:
        connection.close()
        raise
    return connection


class _Lobby:
    """Accepts the ranks that connect here. Each handshake has a thread, so that a stranger holds nobody up."""

    MOST_AT_ONCE = 256

    def __init__(self, own: int) -> None:
        self._server = socket.create_server(("", 0), backlog=256)
        self._own = own
        self.key = b""
        self.port = int(self._server.getsockname()[1])
        self._arrived: Dict[int, socket.socket] = {}
        self._change = threading.Condition()
        self._at_once = threading.Semaphore(self.MOST_AT_ONCE)

    def wait_for(self, ranks: range, until: float) -> Dict[int, socket.socket]:
        self._server.settimeout(0.1)
        while not self._all(ranks):
            if time.monotonic() > until:
                missing = [rank for rank in ranks if rank not in self._arrived]
                raise FramesError(
                    f"rank {self._own}: these ranks did not connect in time: {missing}. Every rank must use frames"
                )
            with contextlib.suppress(socket.timeout):
                connection, _ = self._server.accept()
                self._at_once.acquire()
                threading.Thread(target=self._admit, args=(connection,), daemon=True).start()
        with self._change:
            return {rank: self._arrived[rank] for rank in ranks}

    def close(self) -> None:
        self._server.close()

    def _all(self, ranks: range) -> bool:
        with self._change:
            return all(rank in self._arrived for rank in ranks)

    def _admit(self, connection: socket.socket) -> None:
        try:
            peer = receive(connection, self.key, own=self._own)
            with self._change:
                self._arrived[peer] = connection
        except (OSError, Stranger, struct.error):
            connection.close()
        finally:
            self._at_once.release()


def _own_names() -> List[str]:
    """The address that the launcher gave the ranks, then the names of this node."""
    names = [os.environ.get("MASTER_ADDR", ""), socket.gethostname(), "127.0.0.1"]
    return [name for at, name in enumerate(names) if name and name not in names[:at]]


def _leave(file: Path, meeting: Meeting) -> None:
    """Whole or not at all, and readable by this account only."""
    content = {"addresses": meeting.addresses, "port": meeting.port, "key": meeting.key.hex()}
    aside = file.with_name(f"{file.name}.{os.getpid()}")
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w") as target:
        json.dump(content, target)
    aside.replace(file)


def _read_meeting(file: Path) -> Optional[Meeting]:
    """None if it is not there, somebody else's, or broken."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW)
        with os.fdopen(descriptor) as source:
            facts = os.fstat(source.fileno())
            if facts.st_uid != os.geteuid() or facts.st_mode & 0o077:
                return None
            read = json.loads(source.read(_LONGEST_NOTE))
        return Meeting(
            [str(name) for name in read["addresses"]], int(read["port"]), bytes.fromhex(read["key"])
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _send_note(connection: socket.socket, content: Any) -> None:
    text = json.dumps(content).encode()
    connection.sendall(_LENGTH.pack(len(text)) + text)


def _read_note(connection: socket.socket) -> Any:
    (length,) = _LENGTH.unpack(read_exactly(connection, _LENGTH.size))
    if length > _LONGEST_NOTE:
        raise ValueError("a note that is too long")
    return json.loads(read_exactly(connection, length))
