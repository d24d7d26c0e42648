"""A tree that somebody takes with them: its files in order, verified as they come from where it is. None of it stays here."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from dataclasses import dataclass

from diamond.core import ids
from diamond.core.artifacts import SERVICE
from diamond.core.errors import Conflict
from diamond.data.checking import FilesInOrder
from diamond.data.manifest import FileEntry, files_of, load_manifest
from diamond.data.packing import BYTES, END, Frame, read_piece
from diamond.data.wants import Wants, encode_wants
from diamond.service.endpoints.commands import send
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import endpoints_by_id
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.services import Services
from diamond.service.platform.wakeups.notifier import wait
from diamond.service.trees import store
from diamond.service.trees.kept_as_source import serve
from diamond.service.trees.rounds import topic
from diamond.service.trees.rows import TransferRow, TreeRow
from diamond.service.trees.transfers import KEPT, send_command

READER = "reader"
"""The goal of such a transfer: whoever waits for the answer of the service."""
LOOK_SECONDS = 1.0
SILENT_SECONDS = 120.0
"""A source that sends nothing for this long will not send."""
_ZEROS = bytes(1 << 20)


@dataclass(frozen=True)
class Block:
    """Bytes of a file, in order. The last one of a file comes once all of it is verified."""

    file: FileEntry
    content: memoryview | bytes
    is_last: bool


async def require_readable(services: Services, tree: TreeRow, also_of: Collection[str]) -> None:
    """Before anything is sent. Raises `Conflict` where no copy answers."""
    await services.store.run(lambda tx: _source(tx, tree, also_of))


async def tree_blocks(
    services: Services, tree: TreeRow, also_of: Collection[str] = ()
) -> AsyncIterator[Block]:
    """`also_of`: people who share it. Raises `Conflict` where no copy answers, `DataChanged` for other bytes."""
    manifest = services.manifests.find(tree.digest)
    files = files_of(await asyncio.to_thread(load_manifest, manifest, tree.digest))
    wants = Wants()
    for position in range(len(files)):
        wants.want_file(position)
    if wants.is_empty:
        return
    wanted = encode_wants(wants)
    transfer = await services.store.run(lambda tx: _begin(services, tx, tree, also_of, wanted))
    if transfer.way == KEPT:
        serve(services, transfer)
    checking = FilesInOrder(files)
    state = "failed"
    try:
        async for piece in _pieces(services, transfer):
            for frame, view in read_piece(piece, files):
                if frame.kind == END:
                    state = "done"
                    return
                for part, block in parts_of(frame, view, files):
                    # In a thread: a file may have terabytes of zeros, which one frame stands for.
                    await asyncio.to_thread(checking.take, part, block.content)
                    yield block
    finally:
        services.pieces.drop(transfer.id)
        ended = state
        await services.store.run(lambda tx: store.change_transfer(tx, transfer.id, state=ended))


def parts_of(
    frame: Frame, view: memoryview, files: Sequence[FileEntry]
) -> Iterator[tuple[Frame, Block]]:
    """Zeros in parts of at most 1 MB: nothing is verified or sent at once that a frame only claims."""
    entry = files[frame.file]
    if frame.kind == BYTES:
        yield frame, Block(entry, view, frame.offset + frame.length == entry.size)
        return
    for at in range(frame.offset, frame.offset + max(frame.length, 1), len(_ZEROS)):
        content = memoryview(_ZEROS)[: frame.offset + frame.length - at]
        part = Frame(frame.file, BYTES, at, len(content))
        yield part, Block(entry, content, at + len(content) == entry.size)


async def _pieces(services: Services, transfer: TransferRow) -> AsyncIterator[bytes]:
    pieces, n, heard = services.pieces, 0, time.monotonic()
    with services.notifier.listen([topic(transfer.id)]) as bell:
        while True:
            bell.clear()
            parts = await pieces.do(pieces.get, transfer.id, transfer.round, n)
            if parts is not None:
                services.notifier.wake([topic(transfer.id)])
                yield b"".join(parts)
                n, heard = n + 1, time.monotonic()
                continue
            await _require_alive(services, transfer, silent=time.monotonic() - heard)
            await wait(bell, LOOK_SECONDS if n == 0 else LOOK_SECONDS / 10)


async def _require_alive(services: Services, transfer: TransferRow, *, silent: float) -> None:
    async with services.store.read() as connection:
        row = await store.find_transfer(connection, transfer.id)
    if row is None or not row.is_open:
        raise Conflict(row.message if row and row.message else "The export was cancelled")
    if silent > SILENT_SECONDS or services.notifier.closing:
        raise Conflict(
            f"{transfer.tree[:12]} did not come: its endpoint sent nothing",
            "See whether it is online: diamond endpoint list",
        )


async def _begin(
    services: Services, tx: Transaction, tree: TreeRow, also_of: Collection[str], wanted: bytes
) -> TransferRow:
    source = await _source(tx, tree, also_of)
    now = time.time()
    transfer = TransferRow(
        id=ids.new_id(ids.TRANSFER),
        owner=tree.owner,
        tree=tree.digest,
        source=source.id if source else None,
        goal=READER,
        way="service" if source else KEPT,
        layout="files",
        words="read for an export",
        state="running",
        created=now,
        updated=now,
        started=now,
        size=tree.size,
        files=tree.files,
        round=1,
        ways=("service",),
    )
    await store.add_transfer(tx, transfer)
    # Before the source hears of it: it asks for the wants at once.
    await services.pieces.do(services.pieces.open, transfer.id, transfer.round, wanted)
    if source is not None:
        await send(tx, [send_command(transfer, source)])
    return transfer


async def _source(tx: Transaction, tree: TreeRow, also_of: Collection[str]) -> EndpointRow | None:
    """None: the copy that the service keeps."""
    places = await store.places_of(tx.connection, {tree.owner, *also_of}, [tree.digest])
    if any(place.endpoint == SERVICE for place in places):
        return None
    rows = await endpoints_by_id(tx.connection, {place.endpoint for place in places})
    usable = [
        rows[place.endpoint] for place in places if place.endpoint in rows and not place.changed
    ]
    leaves = [row for row in usable if row.policy.egress == "all"]
    if not tree.has_manifest or not leaves:
        raise Conflict(
            f"No copy of {tree.digest[:12]} may leave its machine, or none is left",
            "Leave it out: --with code,lock",
        )
    online = [row for row in leaves if row.state == "online"]
    if not online:
        raise Conflict(
            f"The endpoints that have {tree.digest[:12]} are offline",
            "Try again when one of them is online, or leave it out: --with code,lock",
        )
    return online[0]
