"""Copies that the service keeps, on their way to an endpoint: the service is the source of a transfer."""

from __future__ import annotations

import asyncio
import logging

from diamond.core.errors import DiamondError, NotFound
from diamond.data.manifest import files_of, load_manifest
from diamond.data.packing import Source, plan_pieces
from diamond.data.wants import decode_wants
from diamond.service.platform.services import Services
from diamond.service.trees.rounds import PieceOf, put_piece, wants_of
from diamond.service.trees.rows import TransferRow

log = logging.getLogger("diamond.service")
PIECE = 4 << 20
_serving: set[asyncio.Task[None]] = set()
"""Holds them until they end: a task that nobody holds may be collected."""


def serve(services: Services, transfer: TransferRow) -> None:
    """Send what the goal wants in this round, in the background. Two processes that both do so send the same pieces."""
    task = asyncio.create_task(_serve(services, transfer))
    _serving.add(task)
    task.add_done_callback(_serving.discard)


async def _serve(services: Services, transfer: TransferRow) -> None:
    """A round that is over ends quietly: the next one asks for what is still missing."""
    try:
        await _send(services, transfer)
    except NotFound:
        return
    except (DiamondError, OSError) as error:
        log.warning("sending %s from the service failed: %s", transfer.id, error)


async def _send(services: Services, transfer: TransferRow) -> None:
    manifest = services.manifests.find(transfer.tree)
    entries = await asyncio.to_thread(load_manifest, manifest, transfer.tree)
    files = files_of(entries)
    wants = decode_wants(await wants_of(services, transfer.id, transfer.round), files)
    source = Source(str(services.kept_trees.folder(transfer.tree)), files)
    try:
        pieces = plan_pieces(files, wants, piece=PIECE, extents=source.extents)
        n = 0
        while frames := await asyncio.to_thread(next, pieces, None):
            parts = await asyncio.to_thread(source.fill, frames)
            place = PieceOf(transfer.round, n)
            while not services.notifier.closing:
                if (await put_piece(services, transfer.id, place, parts)).next > n:
                    break
            n += 1
    finally:
        source.close()
