"""Whether the files of a version are safe: a copy on storage that nobody purges, or a date until which they are there."""

from __future__ import annotations

import time

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.artifacts import SERVICE
from diamond.core.errors import Conflict
from diamond.core.units import show_bytes
from diamond.service.endpoints.attention import purge_days
from diamond.service.endpoints.store import endpoints_by_id
from diamond.service.models.rows import VersionRow
from diamond.service.models.schemas import Safety
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.services import Services
from diamond.service.storage.storage import quota_used
from diamond.service.trees import store as tree_store
from diamond.service.trees.keeping import start_keeping
from diamond.service.trees.rows import TransferRow

DAY = 86400.0


async def secure(services: Services, version: VersionRow) -> None:
    """Have a copy brought to this service, unless its owner's quota is full: then the version says so."""
    if await quota_used(services, version.owner) >= 1:
        return

    async def keep(tx: Transaction) -> None:
        tree = await tree_store.find_tree(tx.connection, version.owner, version.tree)
        if tree is not None:
            await start_keeping(tx, tree)

    try:
        await services.store.run(keep)
    except Conflict:
        return


async def safety_of(connection: AsyncConnection, version: VersionRow) -> Safety:
    """Where its files lie, for a person."""
    places = await tree_store.places_of(connection, {version.owner}, [version.tree])
    if any(place.endpoint == SERVICE for place in places):
        return Safety(state="kept", message="A verified copy lies in this service.")
    transfers = await tree_store.transfers_of_tree(
        connection, version.owner, [version.tree], since=time.time() - DAY
    )
    transfer = next((row for row in transfers if row.goal == SERVICE), None)
    if transfer is not None and transfer.is_open:
        return Safety(
            state="copying", message=_progress(transfer), seconds_left=transfer.seconds_left
        )
    endpoints = await endpoints_by_id(connection, {place.endpoint for place in places})
    usable = [place for place in places if place.endpoint in endpoints and not place.changed]
    if not usable:
        return Safety(state="lost", message="No copy is left that Diamond knows.")
    why = f" Copying it failed: {transfer.message}." if transfer and transfer.message else ""
    limits = [purge_days(endpoints[place.endpoint]) for place in usable]
    if any(limit is None for limit in limits):
        names = sorted({endpoints[place.endpoint].name for place in usable})
        message = f"It lies on {', '.join(names)} only.{why} Copy it here: diamond model keep."
        return Safety(state="on-endpoint", message=message)
    last = max(place.at + (limit or 0) * DAY for place, limit in zip(usable, limits, strict=True))
    date = time.strftime("%Y-%m-%d", time.gmtime(last))
    message = f"It lies on scratch and is purged on {date} at the latest.{why}"
    return Safety(state="purged-soon", message=message, purged=last)


def _progress(transfer: TransferRow) -> str:
    done, size = show_bytes(transfer.bytes), show_bytes(transfer.size)
    return f"It is being {transfer.words}: {done} of {size}."
