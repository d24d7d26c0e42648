"""Pieces of data that pass through the service: a window of a few per transfer, never a whole file.

One process keeps them in memory. Several processes share a folder, since sender and receiver may reach different ones.
"""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from diamond.core.errors import BadRequest
from diamond.core.ids import IDENTIFIER

Result = TypeVar("Result")
MOST_PIECES = 8
"""At rest for one transfer."""
MOST_BYTES = 30 << 20
"""In memory for all transfers together, unless a transfer has no piece at all."""


@dataclass(frozen=True)
class Standing:
    """Of a round: the piece that comes next, and the first that the goal has not confirmed."""

    next: int
    first: int


class Pieces(Protocol):
    """Rounds of transfers. A call may block on a disk: `do` keeps the event loop free then."""

    async def do(self, act: Callable[..., Result], *arguments: Any) -> Result: ...

    def open(self, transfer: str, number: int, wants: bytes) -> None:
        """Begin a round with what is wanted; an older round of the transfer is dropped."""

    def wants(self, transfer: str, number: int) -> bytes | None:
        """What is wanted in this round; None: there is no such round."""

    def standing(self, transfer: str, number: int) -> Standing | None: ...

    def has_room(self, transfer: str) -> bool: ...

    def put(self, transfer: str, number: int, n: int, parts: Sequence[bytes]) -> None:
        """Take the piece that comes next."""

    def get(self, transfer: str, number: int, n: int) -> Sequence[bytes] | None:
        """A piece, if it is here. Pieces before it are dropped: the goal has them."""

    def drop(self, transfer: str) -> None: ...

    def idle_seconds(self, transfer: str) -> float:
        """Since a piece last came."""

    def prune(self, seconds: float) -> None:
        """Drop rounds in which nothing came for this long."""


@dataclass
class _Round:
    number: int
    wants: bytes
    next: int = 0
    first: int = 0
    pieces: dict[int, Sequence[bytes]] = field(default_factory=dict)
    moved_at: float = field(default_factory=time.monotonic)


class MemoryPieces:
    """For one process. After its restart a round is unknown, and the goal begins another."""

    def __init__(self) -> None:
        self._rounds: dict[str, _Round] = {}

    async def do(self, act: Callable[..., Result], *arguments: Any) -> Result:
        return act(*arguments)

    def open(self, transfer: str, number: int, wants: bytes) -> None:
        self._rounds[transfer] = _Round(number, wants)

    def wants(self, transfer: str, number: int) -> bytes | None:
        current = self._find(transfer, number)
        return current.wants if current else None

    def standing(self, transfer: str, number: int) -> Standing | None:
        current = self._find(transfer, number)
        return Standing(current.next, current.first) if current else None

    def has_room(self, transfer: str) -> bool:
        current = self._rounds.get(transfer)
        if current is None or not current.pieces:
            return True
        return len(current.pieces) < MOST_PIECES and self._bytes() < MOST_BYTES

    def put(self, transfer: str, number: int, n: int, parts: Sequence[bytes]) -> None:
        current = self._find(transfer, number)
        if current is not None and n == current.next:
            current.pieces[n] = parts
            current.next, current.moved_at = n + 1, time.monotonic()

    def get(self, transfer: str, number: int, n: int) -> Sequence[bytes] | None:
        current = self._find(transfer, number)
        if current is None:
            return None
        for old in [piece for piece in current.pieces if piece < n]:
            del current.pieces[old]
        current.first = max(current.first, n)
        return current.pieces.get(n)

    def drop(self, transfer: str) -> None:
        self._rounds.pop(transfer, None)

    def idle_seconds(self, transfer: str) -> float:
        current = self._rounds.get(transfer)
        return time.monotonic() - current.moved_at if current else float("inf")

    def prune(self, seconds: float) -> None:
        for transfer in [one for one in self._rounds if self.idle_seconds(one) > seconds]:
            self.drop(transfer)

    def _find(self, transfer: str, number: int) -> _Round | None:
        current = self._rounds.get(transfer)
        return current if current is not None and current.number == number else None

    def _bytes(self) -> int:
        return sum(
            len(part)
            for transfer_round in self._rounds.values()
            for parts in transfer_round.pieces.values()
            for part in parts
        )


class FolderPieces:
    """For several processes that share a folder: a file for each piece, complete when it bears its name."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def do(self, act: Callable[..., Result], *arguments: Any) -> Result:
        return await asyncio.to_thread(act, *arguments)

    def open(self, transfer: str, number: int, wants: bytes) -> None:
        place = self._place(transfer, number)
        self.drop(transfer)
        place.mkdir(parents=True)
        _write(place / "wants", [wants])

    def wants(self, transfer: str, number: int) -> bytes | None:
        try:
            return (self._place(transfer, number) / "wants").read_bytes()
        except FileNotFoundError:
            return None

    def standing(self, transfer: str, number: int) -> Standing | None:
        place = self._place(transfer, number)
        if not (place / "wants").exists():
            return None
        return Standing(_count(place / "next"), _count(place / "first"))

    def has_room(self, transfer: str) -> bool:
        place = self._folder / _checked(transfer)
        return sum(1 for _ in place.glob("*/*.piece")) < MOST_PIECES

    def put(self, transfer: str, number: int, n: int, parts: Sequence[bytes]) -> None:
        place = self._place(transfer, number)
        standing = self.standing(transfer, number)
        if standing is None or standing.next != n:
            return
        _write(place / f"{n}.piece", parts)
        _write(place / "next", [str(n + 1).encode()])

    def get(self, transfer: str, number: int, n: int) -> Sequence[bytes] | None:
        place = self._place(transfer, number)
        if _count(place / "first") < n:
            for piece in place.glob("*.piece"):
                if int(piece.stem) < n:
                    piece.unlink(missing_ok=True)
            if place.is_dir():
                _write(place / "first", [str(n).encode()])
        try:
            return [(place / f"{n}.piece").read_bytes()]
        except FileNotFoundError:
            return None

    def drop(self, transfer: str) -> None:
        shutil.rmtree(self._folder / _checked(transfer), ignore_errors=True)

    def idle_seconds(self, transfer: str) -> float:
        place = self._folder / _checked(transfer)
        times = [file.stat().st_mtime for file in [*place.glob("*/next"), *place.glob("*/wants")]]
        return time.time() - max(times) if times else float("inf")

    def prune(self, seconds: float) -> None:
        for place in self._folder.glob("*"):
            if self.idle_seconds(place.name) > seconds:
                self.drop(place.name)

    def _place(self, transfer: str, number: int) -> Path:
        return self._folder / _checked(transfer) / str(int(number))


def _checked(transfer: str) -> str:
    if not IDENTIFIER.fullmatch(transfer):
        raise BadRequest(f"{transfer[:80]!r} is not a transfer")
    return transfer


def _write(file: Path, parts: Sequence[bytes]) -> None:
    aside = file.with_name(f".{file.name}.new")
    with aside.open("wb") as out:
        out.writelines(parts)
    aside.replace(file)


def _count(file: Path) -> int:
    try:
        return int(file.read_text() or 0)
    except FileNotFoundError:
        return 0
