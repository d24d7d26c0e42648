"""Two ranks prove to each other that they know the run's key, without sending it."""

from __future__ import annotations

import hashlib
import hmac
import os
import socket
import struct
from typing import Union

from diamond.frames.errors import FramesError

SECONDS = 5.0
"""A rank answers at once; a connection that does not is from something else."""
_HELLO = struct.Struct("!8sI32s")
_NAME = b"frames 1"


class Stranger(FramesError):
    """The process at the other end does not know the key, or is another rank than expected."""


def greet(connection: socket.socket, key: bytes, *, own: int, peer: int) -> None:
    """The side that connects."""
    connection.settimeout(SECONDS)
    challenge = os.urandom(32)
    connection.sendall(_HELLO.pack(_NAME, own, challenge))
    answer = read_exactly(connection, 64)
    theirs, proof = answer[:32], answer[32:]
    if not hmac.compare_digest(proof, _proof(key, b"server", challenge, theirs, own, peer)):
        raise Stranger(f"the process that answers as rank {peer} does not know the key of this run")
    connection.sendall(_proof(key, b"client", challenge, theirs, own, peer))
    if read_exactly(connection, 1) != b"\x01":
        raise Stranger(f"rank {peer} did not accept the connection")


def receive(connection: socket.socket, key: bytes, *, own: int) -> int:
    """The side that is connected to; returns the rank at the other end."""
    connection.settimeout(SECONDS)
    name, peer, challenge = _HELLO.unpack(read_exactly(connection, _HELLO.size))
    if name != _NAME:
        raise Stranger("a connection of something else")
    own_challenge = os.urandom(32)
    proof = _proof(key, b"server", challenge, own_challenge, peer, own)
    connection.sendall(own_challenge + proof)
    expected = _proof(key, b"client", challenge, own_challenge, peer, own)
    if not hmac.compare_digest(read_exactly(connection, 32), expected):
        raise Stranger("a connection without the key of this run")
    connection.sendall(b"\x01")
    return int(peer)


def read_exactly(connection: socket.socket, count: int) -> bytes:
    parts = b""
    while len(parts) < count:
        part = connection.recv(count - len(parts))
        if not part:
            raise ConnectionResetError("the other end has closed the connection")
        parts += part
    return parts


def _proof(key: bytes, side: bytes, *parts: Union[bytes, int]) -> bytes:
    text = b"".join(part if isinstance(part, bytes) else b"%08d" % part for part in parts)
    return hmac.new(key, side + text, hashlib.sha256).digest()
