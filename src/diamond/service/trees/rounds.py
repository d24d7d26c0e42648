"""Rounds of a transfer: what the goal wants, and the pieces that answer it, a few at a time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from diamond.core.errors import BadRequest, NotFound
from diamond.core.protocol import PieceTaken
from diamond.service.platform.services import Services
from diamond.service.platform.wakeups.notifier import wait

HOLD_SECONDS = 20.0
LOOK_SECONDS = 0.02
"""Another process may have taken or brought a piece, which rings no bell here."""


@dataclass(frozen=True)
class PieceOf:
    """Which piece: its number in a round of the transfer."""

    round: int
    n: int


async def wants_of(services: Services, transfer: str, number: int) -> bytes:
    """For a caller who may send it."""
    wants = await services.pieces.do(services.pieces.wants, transfer, number)
    if wants is None:
        raise round_lost(transfer)
    return wants


async def put_piece(
    services: Services, transfer: str, place: PieceOf, parts: Sequence[bytes]
) -> PieceTaken:
    """The next piece of the stream, of a caller who may send it. Held while the window is full.

    The answer is the number that is wanted next. An empty body only asks.
    """
    pieces, number, n = services.pieces, place.round, place.n
    deadline = time.monotonic() + HOLD_SECONDS
    with services.notifier.listen([topic(transfer)]) as bell:
        while True:
            bell.clear()
            standing = await pieces.do(pieces.standing, transfer, number)
            if standing is None:
                raise round_lost(transfer)
            if not parts or standing.next != n:
                return PieceTaken(standing.next)
            if await pieces.do(pieces.has_room, transfer):
                await pieces.do(pieces.put, transfer, number, n, parts)
                services.notifier.wake([topic(transfer)])
                return PieceTaken(n + 1)
            if time.monotonic() > deadline or services.notifier.closing:
                return PieceTaken(standing.next)
            await wait(bell, LOOK_SECONDS)


def check_place(number: int, n: int) -> PieceOf:
    if number < 0 or n < 0 or max(number, n) > 2**31:
        raise BadRequest("round and n are whole numbers from 0 on")
    return PieceOf(number, n)


def topic(transfer: str) -> str:
    """Rings when a piece comes or goes, within this process."""
    return f"pieces:{transfer}"


def round_lost(transfer: str) -> NotFound:
    return NotFound(
        f"This round of {transfer} is over",
        "Begin another with what is missing.",
        code="round-lost",
    )
