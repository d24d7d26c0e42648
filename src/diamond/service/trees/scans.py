"""Scans: folders on endpoints are read to make or check manifests."""

from __future__ import annotations

import time
from dataclasses import dataclass

from diamond.core import ids
from diamond.core.artifacts import plain_digest
from diamond.core.decoding import Line, MaybeHex, MaybeName, encode
from diamond.core.errors import Conflict
from diamond.core.protocol import WITH_TREES
from diamond.service.endpoints.commands import Command, send
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import JsonObject
from diamond.service.trees import store
from diamond.service.trees.rows import ScanRow


@dataclass(frozen=True)
class ImportAsked:
    """How a source is to be read."""

    secret: MaybeName = ""
    """The name of a secret on the endpoint; its value never comes here."""
    server: Line = ""
    sha256: MaybeHex = ""
    unpack: bool = False


async def start_scan(
    tx: Transaction, endpoint: EndpointRow, path: str, *, recheck: bool = False
) -> ScanRow:
    """Have a folder of an endpoint read; nothing is moved or copied. Its end comes as `Ended` (sync)."""
    data: JsonObject = {"act": "scan", "path": path, "recheck": recheck}
    return await _start(tx, endpoint, data, path=path)


async def start_check(
    tx: Transaction, endpoint: EndpointRow, tree: str, *, recheck: bool = False
) -> ScanRow:
    """Have a tree on an endpoint looked at; with `recheck` every byte is read."""
    tree = plain_digest(tree)
    data: JsonObject = {"act": "check", "tree": tree, "recheck": recheck}
    return await _start(tx, endpoint, data, tree=tree)


async def start_import(
    tx: Transaction, endpoint: EndpointRow, source: str, asked: ImportAsked, *, known: str = ""
) -> ScanRow:
    """Have an endpoint fetch data from an address into a managed copy. `known`: the revision it had before."""
    data: JsonObject = {"act": "import", "source": source, "known": known, **encode(asked)}
    return await _start(tx, endpoint, data, path=source)


async def start_look(
    tx: Transaction,
    endpoint: EndpointRow,
    source: str,
    asked: ImportAsked,
    *,
    known: str,
    tree: str,
) -> ScanRow:
    """Have an endpoint say whether a source is as it was when this tree came from it."""
    data: JsonObject = {"act": "import", "source": source, "known": known, **encode(asked)}
    return await _start(tx, endpoint, {**data, "look": True}, path=source, tree=tree, act="look")


async def start_preview(tx: Transaction, endpoint: EndpointRow, tree: str) -> ScanRow:
    tree = plain_digest(tree)
    return await _start(tx, endpoint, {"act": "preview", "tree": tree}, tree=tree)


async def cancel_scan(tx: Transaction, scan: ScanRow) -> ScanRow:
    """It ends at once; its endpoint stops when it gets the command. Cancelling twice is fine."""
    if not scan.is_open:
        return scan
    data: JsonObject = {"act": "cancel", "name": scan.id}
    await send(tx, [Command("data", scan.endpoint, scan.owner, data=data)])
    return await store.change_scan(tx, scan.id, state="cancelled", message="it was cancelled")


def require_trees(endpoint: EndpointRow) -> None:
    """Raises `Conflict` for an agent that knows nothing of trees. One that never said hello gets it when it does."""
    if endpoint.generation and endpoint.protocol < WITH_TREES:
        raise Conflict(
            f"The agent of {endpoint.name} is too old for datasets",
            f"Upgrade it: diamond endpoint upgrade {endpoint.name}",
            code="agent-outdated",
        )


async def _start(
    tx: Transaction,
    endpoint: EndpointRow,
    data: JsonObject,
    *,
    path: str = "",
    tree: str = "",
    act: str = "",
) -> ScanRow:
    require_trees(endpoint)
    now = time.time()
    scan = ScanRow(
        id=ids.new_id(ids.SCAN),
        owner=endpoint.owner,
        endpoint=endpoint.id,
        act=act or str(data["act"]),
        path=path,
        tree=tree,
        state="waiting",
        created=now,
        updated=now,
    )
    await store.add_scan(tx, scan)
    command = Command("data", endpoint.id, endpoint.owner, data={**data, "scan": scan.id})
    await send(tx, [command])
    return scan
