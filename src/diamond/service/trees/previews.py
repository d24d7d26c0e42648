"""Previews of trees: small, made on an endpoint, checked here, kept once for each owner and tree."""

from __future__ import annotations

import json
import time

from diamond.core.decoding import encode
from diamond.core.errors import BadRequest, NotFound
from diamond.core.previews import read_preview
from diamond.service.endpoints.pairing import AgentCall
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.services import Services
from diamond.service.trees import store
from diamond.service.trees.rows import PreviewRow, ScanRow
from diamond.service.trees.scans import start_preview


async def request_preview(
    tx: Transaction, endpoint: EndpointRow, tree: str, *, again: bool = False
) -> ScanRow | None:
    """Have one made where the tree is; None if there is one, or one is on its way."""
    known = await store.find_preview(tx.connection, endpoint.owner, tree)
    if known is not None and not again:
        scan = await store.find_scan(tx.connection, known.scan)
        if known.content is not None or (scan is not None and scan.is_open):
            return None
    scan = await start_preview(tx, endpoint, tree)
    row = PreviewRow(endpoint.owner, tree, scan.id, None, time.time())
    await store.put_preview(tx, row)
    return scan


async def take_preview(services: Services, call: AgentCall, scan: str, content: bytes) -> None:
    """What an endpoint made. Every field, length and picture is checked; none of it is executed or rendered here."""
    try:
        preview = read_preview(json.loads(content))
    except (ValueError, RecursionError):
        raise BadRequest("A preview is JSON", "Send it again.") from None

    async def take(tx: Transaction) -> None:
        row = await store.find_scan(tx.connection, scan, lock=True)
        is_theirs = row is not None and row.endpoint == call.endpoint.id and row.act == "preview"
        if row is None or not is_theirs or not row.is_open:
            raise NotFound(f"There is no open preview {scan!r}", "It may have ended.")
        await store.fill_preview(tx, scan, encode(preview))

    await services.store.run(take)
