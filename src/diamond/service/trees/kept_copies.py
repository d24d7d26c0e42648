"""Copies that the service itself keeps: the service is the goal of a transfer, in rounds like any other goal.

What is on scratch is purged one day; a named model must outlive it. The bytes come as pieces of the pack stream, are
written and verified as they come, and never are here twice.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core import ids
from diamond.core.artifacts import SERVICE
from diamond.core.errors import Conflict, DiamondError
from diamond.data.arriving import Arrival
from diamond.data.manifest import load_manifest
from diamond.data.wants import encode_wants
from diamond.service.endpoints.commands import send
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import endpoints_by_id
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.services import Services
from diamond.service.storage.storage import OVER_QUOTA, require_room
from diamond.service.trees import store
from diamond.service.trees.rows import COPY, IN_PLACE, Ended, TransferRow, TreePlaceRow, TreeRow
from diamond.service.trees.transfers import DATA, UPLOAD, end_transfer, send_command
from diamond.service.trees.trees import pin_place

log = logging.getLogger("diamond.service")
LOOK_SECONDS = 2.0
AT_ONCE = 4
"""Copies that one process takes at the same time."""
MOST_WAITING = 100
"""Copies of one person that wait or run."""
MOST_ENTRIES = 1_000_000
"""Files, links and folders of a tree that the service keeps: its list is held in memory meanwhile."""
PIECE_SECONDS = 0.02
GIVEN_UP_SECONDS = 30.0
"""A process that has not touched a transfer for this long has died."""
SIGN_SECONDS = 5.0
SILENT_SECONDS = 300.0
"""A source that sends nothing for this long, though it is online, will not send."""
ABANDONED_SECONDS = 900.0
"""An upload that nobody continues for this long ends; what has arrived stays for the next try."""
After = Callable[[Transaction, Sequence[Ended]], Awaitable[None]]
"""What slices above do in the transaction that ends a transfer."""


async def start_keeping(tx: Transaction, tree: TreeRow) -> TransferRow | None:
    """Have a copy brought to the service; None if one is here. Raises `Conflict` where no copy can be taken."""
    places = await store.places_of(tx.connection, {tree.owner}, [tree.digest])
    if any(place.endpoint == SERVICE for place in places):
        return None
    for transfer in await store.open_transfers_of(tx.connection, SERVICE):
        if (transfer.owner, transfer.tree) == (tree.owner, tree.digest):
            return transfer
    await _require_bounds(tx.connection, tree)
    source = await _source(tx.connection, tree, places)
    return await _add(tx, tree, source.id, "service", f"copied from {source.name} to this service")


async def start_push(tx: Transaction, tree: TreeRow) -> TransferRow:
    """Have a person's own computer send it; one that is under way continues."""
    for transfer in await store.open_transfers_of(tx.connection, SERVICE):
        if (transfer.owner, transfer.tree) == (tree.owner, tree.digest):
            return transfer
    await _require_bounds(tx.connection, tree)
    return await _add(tx, tree, None, UPLOAD, "uploaded to this service")


async def _add(
    tx: Transaction, tree: TreeRow, source: str | None, way: str, words: str
) -> TransferRow:
    now = time.time()
    transfer = TransferRow(
        id=ids.new_id(ids.TRANSFER),
        owner=tree.owner,
        tree=tree.digest,
        source=source,
        goal=SERVICE,
        way=way,
        layout="files",
        words=words,
        state="waiting",
        created=now,
        updated=now,
        size=tree.size,
        files=tree.files,
    )
    await store.add_transfer(tx, transfer)
    await publish(tx, transfer.owner, [changed(DATA)])
    return transfer


async def keep_in_background(services: Services, after: After) -> None:
    """Takes some transfers at once, one copy of each person and their uploads, until the service stops."""
    running: dict[str, asyncio.Task[None]] = {}
    try:
        while not services.notifier.closing:
            running = {turn: task for turn, task in running.items() if not task.done()}
            try:
                for transfer in await _next_transfers(services, set(running)):
                    if await services.store.run(partial(_claim, transfer=transfer.id)):
                        keeping = _keep(services, transfer, after)
                        running[_turn(transfer)] = asyncio.create_task(keeping)
            except Exception:
                log.exception("keeping copies failed; trying again")
            await asyncio.sleep(LOOK_SECONDS)
    finally:
        for task in running.values():
            task.cancel()
        await asyncio.gather(*running.values(), return_exceptions=True)


async def _next_transfers(services: Services, busy: set[str]) -> list[TransferRow]:
    """The oldest of each person who has none running: whoever has a source that is silent delays nobody else."""
    async with services.store.read() as connection:
        waiting = await store.open_transfers_of(connection, SERVICE)
    first: dict[str, TransferRow] = {}
    for transfer in sorted(waiting, key=lambda row: row.created):
        if _turn(transfer) not in busy:
            first.setdefault(_turn(transfer), transfer)
    return list(first.values())[: max(AT_ONCE - len(busy), 0)]


def _turn(transfer: TransferRow) -> str:
    """An upload waits for its person, and holds up nothing else of theirs."""
    return transfer.id if transfer.way == UPLOAD else transfer.owner


async def _claim(tx: Transaction, transfer: str) -> bool:
    """Whether this process is to take it: nobody has begun, or whoever did has been silent for long."""
    row = await store.find_transfer(tx.connection, transfer, lock=True)
    if row is None or not row.is_open:
        return False
    if row.state == "running" and time.time() - row.updated < GIVEN_UP_SECONDS:
        return False
    await store.change_transfer(tx, row.id, state="running")
    return True


async def _keep(services: Services, transfer: TransferRow, after: After) -> None:
    """Repeatable at any point: what an earlier try has left is verified and continued."""
    try:
        manifest = services.manifests.find(transfer.tree)
        entries = await asyncio.to_thread(load_manifest, manifest, transfer.tree)
        arrival = Arrival(services.kept_trees.arriving(transfer.id), entries)
        await _require_room(services, transfer, sum(file.size for file in arrival.files))
        try:
            await asyncio.to_thread(arrival.begin)
            while not (wants := arrival.wants(set())).is_empty:
                await _round(services, transfer, arrival, encode_wants(wants))
                await asyncio.to_thread(arrival.end_round)
            await asyncio.to_thread(arrival.finish)
        finally:
            arrival.close()
        await asyncio.to_thread(services.kept_trees.settle, transfer.id, transfer.tree)
        await services.store.run(lambda tx: _kept(tx, transfer, arrival, after))
    except (DiamondError, OSError) as error:
        message = error.message if isinstance(error, DiamondError) else str(error)
        # The next try is another transfer: what has come would be here, counted by nobody.
        await asyncio.to_thread(services.kept_trees.clear, transfer.id)
        await services.store.run(lambda tx: _failed(tx, transfer, message, after))
    finally:
        services.pieces.drop(transfer.id)


async def _require_bounds(connection: AsyncConnection, tree: TreeRow) -> None:
    waiting = await store.open_transfers_of(connection, SERVICE)
    if sum(row.owner == tree.owner for row in waiting) >= MOST_WAITING:
        raise Conflict(
            f"{MOST_WAITING} of your copies are waiting already", "Wait for some of them to end."
        )
    if tree.entries > MOST_ENTRIES:
        raise Conflict(
            f"It has {tree.entries} files and folders, and this service keeps at most {MOST_ENTRIES} in one copy",
            "Pack them into fewer files, such as one archive.",
        )


async def _require_room(services: Services, transfer: TransferRow, arrived: int) -> None:
    """Also while it arrives: what else the person stores may grow meanwhile."""
    try:
        await require_room(services, transfer.owner, arrived)
    except Conflict as error:
        message = f"there is no room for it: {error.message}"
        raise Conflict(message, error.hint, code=OVER_QUOTA) from None


async def _round(services: Services, transfer: TransferRow, arrival: Arrival, wants: bytes) -> None:
    """Ask the source for what is missing, and write it as it comes."""
    number = await services.store.run(lambda tx: _begin_round(services, tx, transfer, wants))
    n, heard, shown = 0, time.monotonic(), time.monotonic()
    while True:
        parts = await asyncio.to_thread(services.pieces.get, transfer.id, number, n)
        if parts is None:
            await _require_open(services, transfer, silent=time.monotonic() - heard)
            if time.monotonic() - shown > SIGN_SECONDS:
                shown = time.monotonic()
                await _require_room(services, transfer, arrival.bytes)
                await services.store.run(lambda tx: _show_progress(tx, transfer, arrival))
            await asyncio.sleep(PIECE_SECONDS)
            continue
        is_end = await asyncio.to_thread(arrival.take, b"".join(parts))
        n, heard = n + 1, time.monotonic()
        if heard - shown > 1 or is_end:
            shown = heard
            await _require_room(services, transfer, arrival.bytes)
            await services.store.run(lambda tx: _show_progress(tx, transfer, arrival))
        if is_end:
            return


async def _begin_round(
    services: Services, tx: Transaction, transfer: TransferRow, wants: bytes
) -> int:
    row = await store.find_transfer(tx.connection, transfer.id, lock=True)
    if row is None or not row.is_open:
        raise Conflict("the copy was cancelled")
    source = (await endpoints_by_id(tx.connection, {row.source or ""})).get(row.source or "")
    if source is None and row.way != UPLOAD:
        raise Conflict("the endpoint that has the files was removed")
    after = await store.change_transfer(
        tx, row.id, round=row.round + 1, state="running", started=row.started or time.time()
    )
    # Before the source hears of it: it asks for the wants at once.
    await asyncio.to_thread(services.pieces.open, after.id, after.round, wants)
    if source is not None:
        await send(tx, [send_command(after, source)])
    await publish(tx, row.owner, [changed(DATA)])
    return after.round


async def _require_open(services: Services, transfer: TransferRow, *, silent: float) -> None:
    """Raises `Conflict` once it was cancelled, has failed at its source, or the source has been silent for too long."""
    if services.notifier.closing:
        raise asyncio.CancelledError
    if silent < 1:
        return
    async with services.store.read() as connection:
        row = await store.find_transfer(connection, transfer.id)
        source = (await endpoints_by_id(connection, {transfer.source or ""})).get(
            transfer.source or ""
        )
    if row is None or not row.is_open:
        raise Conflict(row.message if row and row.message else "the copy was cancelled")
    if silent > ABANDONED_SECONDS and row.way == UPLOAD:
        raise Conflict("nothing was uploaded for a while; the same command continues it")
    if silent > SILENT_SECONDS and source is not None and source.state == "online":
        raise Conflict(f"{source.name} is online but sent nothing for {silent / 60:.0f} minutes")
    await asyncio.sleep(min(silent / 10, LOOK_SECONDS))


async def _show_progress(tx: Transaction, transfer: TransferRow, arrival: Arrival) -> None:
    row = await store.find_transfer(tx.connection, transfer.id, lock=True)
    if row is None or not row.is_open:
        return
    seconds = max(time.time() - (row.started or row.created), 0.1)
    values = {"bytes": arrival.bytes, "files_done": arrival.files_done}
    await store.change_transfer(tx, row.id, **values, rate=arrival.bytes / seconds)
    await publish(tx, row.owner, [changed(DATA)])


async def _kept(tx: Transaction, transfer: TransferRow, arrival: Arrival, after: After) -> None:
    now = time.time()
    place = TreePlaceRow(
        owner=transfer.owner,
        digest=transfer.tree,
        endpoint=SERVICE,
        kind=COPY,
        path="",
        pinned=True,
        used=now,
        changed=(),
        at=now,
    )
    await store.put_tree_place(tx, place, sum(file.size for file in arrival.files))
    for other in await store.places_of(tx.connection, {transfer.owner}, [transfer.tree]):
        if other.kind == IN_PLACE and other.pinned:  # it was the last copy, and is not any more
            await pin_place(tx, other, pinned=False)
    row = await store.find_transfer(tx.connection, transfer.id, lock=True)
    if row is not None and row.is_open:
        done = {"bytes": transfer.size, "files_done": transfer.files, "moved": arrival.bytes}
        ended = await store.change_transfer(tx, row.id, state="done", message="", **done)
        await after(tx, [ended])
    await publish(tx, transfer.owner, [changed(DATA), changed("models")])


async def _failed(tx: Transaction, transfer: TransferRow, message: str, after: After) -> None:
    row = await store.find_transfer(tx.connection, transfer.id, lock=True)
    if row is not None and row.is_open:
        await after(tx, [await end_transfer(tx, row, "failed", message)])


async def _source(
    connection: AsyncConnection, tree: TreeRow, places: list[TreePlaceRow]
) -> EndpointRow:
    endpoints = await endpoints_by_id(connection, {place.endpoint for place in places})
    good = [
        endpoints[place.endpoint]
        for place in places
        if place.endpoint in endpoints and place.layout == "files" and not place.changed
    ]
    leaves = [endpoint for endpoint in good if endpoint.policy.egress == "all"]
    if not tree.has_manifest or not leaves:
        raise Conflict(
            "No copy of these files may leave its machine",
            "The policy of the endpoint keeps them there: see egress.",
        )
    return min(leaves, key=lambda endpoint: endpoint.state != "online")
