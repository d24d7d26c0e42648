"""How pieces of the pack stream reach the goal of a transfer: through the service, S3 storage or a session by ssh."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from diamond.agent.link.carriers import Declined, Link, answer_data, message_bytes
from diamond.core.data_messages import FetchPiece, Introduction, StoredPiece
from diamond.core.decoding import decode, encode
from diamond.core.errors import BadRequest, DiamondError, NotFound
from diamond.core.protocol import WantsTaken
from diamond.data.packing import ends_round
from diamond.data.s3 import Bucket

INTRODUCE = b"DWI\n"
"""In place of what the goal wants: who are you, and how do I reach you?"""
BY_S3 = b"DWS\n"
"""Before what the goal wants: put the pieces into the storage that both name, and send where they are."""
_INTRODUCED, _STORED = b"DIN\n", b"DST\n"


class WayFailed(DiamondError):
    """This way does not lead there; another one may."""

    code = "way-failed"


class RoundLost(Exception):
    """The service was restarted: another round asks for the rest."""


class Carrier(Protocol):
    """Brings what the goal wants, piece by piece."""

    def round(self, wants: bytes) -> Iterator[bytes]:
        """Until the piece that ends the round. Empty pieces only pass the time. Raises `WayFailed`, `LinkDown`, `RoundLost`."""

    def close(self) -> None: ...


@dataclass(frozen=True)
class ThroughService:
    link: Link
    transfer: str

    def round(self, wants: bytes) -> Iterator[bytes]:
        number, n = self._begin(wants), 0
        while True:
            piece = self._piece(number, n)
            yield piece
            if piece and ends_round(piece):
                return
            n += 1 if piece else 0

    def first(self, wants: bytes) -> Iterator[bytes]:
        """The first piece of a round of its own; empty ones before it pass the time."""
        number = self._begin(wants)
        while not (piece := self._piece(number, 0)):
            yield b""
        yield piece

    def small(self, wants: bytes) -> Iterator[bytes]:
        """Pieces that stand for others, without an end among them."""
        number, n = self._begin(wants), 0
        while True:
            piece = self._piece(number, n)
            n += 1 if piece else 0
            yield piece

    def close(self) -> None:
        return

    def _begin(self, wants: bytes) -> int:
        call = f"data-wants/{self.transfer}"
        answer = self.link.call(call, wants, timeout=300)
        return decode(WantsTaken, answer_data(call, answer)).round

    def _piece(self, number: int, n: int) -> bytes:
        try:
            wanted = message_bytes(FetchPiece(self.transfer, number, n))
            return self.link.call("data-part", wanted, timeout=120)
        except Declined as error:
            if error.code == "round-lost":
                raise RoundLost from None
            raise


@dataclass(frozen=True)
class ThroughStorage:
    """The service passes on where each piece is; the bytes take the other way."""

    control: ThroughService
    bucket: Bucket
    folder: str
    """What the keys of this transfer begin with."""

    def round(self, wants: bytes) -> Iterator[bytes]:
        for message in self.control.small(BY_S3 + wants):
            if not message:
                yield b""
                continue
            piece = self._fetched(read_stored(message))
            yield piece
            if ends_round(piece):
                return

    def close(self) -> None:
        return

    def _fetched(self, stored: StoredPiece) -> bytes:
        if not stored.key.startswith(self.folder):
            raise BadRequest(f"{stored.key!r} is not a piece of this transfer")
        try:
            piece = self.bucket.get(stored.key, length=stored.size)
            self.bucket.remove(stored.key)
        except NotFound:
            raise RoundLost from None
        except DiamondError as error:
            raise WayFailed(error.message, error.hint) from None
        return piece


def introduction_piece(introduction: Introduction) -> bytes:
    return _INTRODUCED + json.dumps(encode(introduction)).encode()


def read_introduction(piece: bytes) -> Introduction:
    """Raises `BadRequest`."""
    return decode(Introduction, _json(piece, _INTRODUCED))


def stored_piece(key: str, size: int) -> bytes:
    return _STORED + json.dumps({"key": key, "size": size}).encode()


def read_stored(piece: bytes) -> StoredPiece:
    return decode(StoredPiece, _json(piece, _STORED))


def new_nonce() -> str:
    return secrets.token_hex(32)


def _json(piece: bytes, head: bytes) -> object:
    if not piece.startswith(head):
        raise BadRequest("The source of the transfer answered in an unknown form", "Upgrade it.")
    try:
        return json.loads(piece[len(head) :])
    except ValueError:
        raise BadRequest("The source of the transfer answered with something else") from None
