"""Manifests and pieces of data that pass through the service. Only the two ends of an open transfer take part."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from diamond.core.data_messages import FetchManifest, FetchPiece, FetchWants
from diamond.core.errors import Conflict, Forbidden, NotFound
from diamond.core.protocol import ManifestTaken, PieceTaken, WantsTaken
from diamond.service.endpoints.commands import send
from diamond.service.endpoints.pairing import AgentCall
from diamond.service.endpoints.store import endpoints_by_id
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.services import Services
from diamond.service.platform.wakeups.notifier import wait
from diamond.service.storage.storage import OVER_QUOTA, quota_used
from diamond.service.trees import store
from diamond.service.trees.kept_as_source import serve
from diamond.service.trees.rounds import (
    HOLD_SECONDS,
    LOOK_SECONDS,
    PieceOf,
    put_piece,
    round_lost,
    topic,
    wants_of,
)
from diamond.service.trees.rows import Ended, TransferRow, TreeRow
from diamond.service.trees.transfers import DATA, KEPT, UPLOAD, end_transfer, send_command

MOST_AT_ONCE = 16 << 20
MOST_MESSAGE = 64 << 10
"""Where no data may pass, the two ends still exchange how they reach one another."""
AGAIN_SECONDS = 60.0
"""A source that sends nothing for this long is asked again."""
STALLED_SECONDS = 300.0
"""A source that is online and sends nothing for this long will not send: the transfer fails, and says so."""
ABANDONED_SECONDS = 900.0
"""An upload that nobody continues for this long ends; what has arrived stays for the next try."""
log = logging.getLogger(__name__)


async def take_manifest(
    services: Services, call: AgentCall, tree: str, offset: int, size: int, parts: list[bytes]
) -> ManifestTaken:
    """Bytes of the manifest of a tree that this endpoint has scanned; with the last ones its owner knows the tree."""
    endpoint = call.endpoint
    async with services.store.read() as connection:
        known = await store.find_tree(connection, endpoint.owner, tree)
        if known is not None and known.has_manifest:
            return ManifestTaken(size)
        if not await store.open_scans_of(connection, endpoint.id):
            raise NotFound("No scan of this endpoint is open", "It may have ended.")
    sent = SentManifest(endpoint.owner, endpoint.id, tree)
    return ManifestTaken(await receive_manifest(services, sent, offset, size, parts))


@dataclass(frozen=True)
class SentManifest:
    owner: str
    """Whose quota it counts against, and who knows the tree once it is here."""
    sender: str
    tree: str


async def receive_manifest(
    services: Services, sent: SentManifest, offset: int, size: int, parts: list[bytes]
) -> int:
    """How much of it is here. With the last bytes it is checked, and its owner knows the tree."""
    if await quota_used(services, sent.owner) >= 1:
        raise Conflict(
            "There is no room for the list of its files in the service: the quota is used up",
            "See what takes up space: diamond storage show",
            code=OVER_QUOTA,
        )
    files = services.manifests
    have = await asyncio.to_thread(files.append, sent.sender, sent.tree, offset, parts)
    if have < size:
        return have
    summary = await asyncio.to_thread(files.finish, sent.sender, sent.tree)
    row = TreeRow(
        owner=sent.owner,
        digest=sent.tree,
        size=summary.size,
        files=summary.files,
        entries=summary.entries,
        has_manifest=True,
        created=time.time(),
        manifest_bytes=have,
    )
    await services.store.run(lambda tx: store.put_tree(tx, row))
    return have


async def manifest_part(services: Services, call: AgentCall, message: FetchManifest) -> bytes:
    """A range of a manifest, for the owner of a tree alone."""
    async with services.store.read() as connection:
        tree = await store.find_tree(connection, call.endpoint.owner, message.tree)
    if tree is None or not tree.has_manifest:
        raise NotFound(f"The manifest of {message.tree[:12]} is not here")
    most = min(message.most or MOST_AT_ONCE, MOST_AT_ONCE)
    return await asyncio.to_thread(services.manifests.read, message.tree, message.offset, most)


async def take_wants(
    services: Services, call: AgentCall, transfer: str, wants: bytes
) -> WantsTaken:
    """What the goal still lacks: a new round begins, and the source is asked to send."""

    async def take(tx: Transaction) -> TransferRow:
        row = await store.find_transfer(tx.connection, transfer, lock=True)
        if row is None or not row.is_open or row.goal != call.endpoint.id:
            raise _no_such_transfer(transfer)
        began = {"started": row.started or time.time(), "state": "running"}
        after = await store.change_transfer(tx, row.id, round=row.round + 1, **began)
        sources = await endpoints_by_id(tx.connection, {after.source or ""})
        source = sources.get(after.source or "")
        if source is None and after.way in (UPLOAD, KEPT):
            # Its person asks how far it is, and sends; of a kept copy, the service does.
            await services.pieces.do(services.pieces.open, after.id, after.round, wants)
            await publish(tx, after.owner, [changed(DATA)])
            return after
        if source is None:
            raise Conflict("The endpoint that has the data was removed", "Copy it from another.")
        # Before the source hears of it: it asks for the wants at once.
        await services.pieces.do(services.pieces.open, after.id, after.round, wants)
        await send(tx, [send_command(after, source)])
        return after

    row = await services.store.run(take)
    if row.way == KEPT:
        serve(services, row)
    return WantsTaken(row.round)


async def wants_part(services: Services, call: AgentCall, message: FetchWants) -> bytes:
    await _require(services, call, message.transfer, "source")
    return await wants_of(services, message.transfer, message.round)


async def take_piece(
    services: Services,
    call: AgentCall,
    transfer: str,
    place: PieceOf,
    parts: Sequence[bytes],
) -> PieceTaken:
    row = await _require(services, call, transfer, "source")
    if not row.passes_service and sum(map(len, parts)) > MOST_MESSAGE:
        raise Forbidden(
            "This data may not pass through the service: it belongs to a restricted project",
            "Name another way in the settings of both endpoints.",
            code="restricted",
        )
    return await put_piece(services, transfer, place, parts)


After = Callable[[Transaction, Sequence[Ended]], Awaitable[None]]
"""What slices above do in the transaction that ends something."""


async def piece_part(
    services: Services, call: AgentCall, message: FetchPiece, *, after: After
) -> Sequence[bytes]:
    """A piece of the stream; held while it is not here, and empty after a while. Earlier pieces count as received."""
    transfer = await _require(services, call, message.transfer, "goal")
    pieces, number = services.pieces, message.round
    deadline = time.monotonic() + HOLD_SECONDS
    with services.notifier.listen([topic(transfer.id)]) as bell:
        while True:
            bell.clear()
            parts = await pieces.do(pieces.get, transfer.id, number, message.n)
            services.notifier.wake([topic(transfer.id)])
            if parts is not None:
                return parts
            if await pieces.do(pieces.standing, transfer.id, number) is None:
                raise round_lost(transfer.id)
            if time.monotonic() > deadline or services.notifier.closing:
                break
            bell.clear()
            await wait(bell, LOOK_SECONDS)
    idle = await pieces.do(pieces.idle_seconds, transfer.id)
    if idle >= AGAIN_SECONDS and transfer.way == KEPT:
        serve(services, replace(transfer, round=number))  # whoever began has died
    elif idle >= AGAIN_SECONDS:
        await services.store.run(lambda tx: _wake_source(tx, transfer, idle, after))
    return []


async def _wake_source(tx: Transaction, transfer: TransferRow, idle: float, after: After) -> None:
    """Ask it again; one that is online and still sends nothing ends the transfer."""
    row = await store.find_transfer(tx.connection, transfer.id, lock=True)
    sources = await endpoints_by_id(tx.connection, {transfer.source or ""})
    source = sources.get(transfer.source or "")
    if row is not None and row.is_open and row.way == UPLOAD and idle > ABANDONED_SECONDS:
        message = "nothing was uploaded for a while; the same command continues it"
        await after(tx, [await end_transfer(tx, row, "failed", message)])
        return
    if row is None or not row.is_open or source is None or source.state != "online":
        return
    if idle <= STALLED_SECONDS:
        await send(tx, [send_command(row, source)])
        return
    minutes = round(STALLED_SECONDS / 60)
    message = f"{source.name} is online but sent nothing for {minutes} minutes. "
    message += f"Try again; if it stays so, see agent.log on {source.name}"
    await after(tx, [await end_transfer(tx, row, "failed", message)])


async def _require(services: Services, call: AgentCall, transfer: str, side: str) -> TransferRow:
    """Only who sends may add to it, and only who gets it may read it."""
    async with services.store.read() as connection:
        row = await store.find_transfer(connection, transfer)
    end = None if row is None else (row.source if side == "source" else row.goal)
    if row is None or not row.is_open or end != call.endpoint.id:
        raise _no_such_transfer(transfer)
    return row


def _no_such_transfer(transfer: str) -> NotFound:
    return NotFound(f"No open transfer {transfer!r} concerns this endpoint", "It may have ended.")
