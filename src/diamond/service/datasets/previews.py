"""Previews of versions: shown to everyone who may see the dataset, made again by its owner."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Conflict
from diamond.core.previews import read_preview
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.datasets import schemas
from diamond.service.datasets.find import find_dataset, find_version
from diamond.service.datasets.rows import DatasetRow, VersionRow
from diamond.service.datasets.rules import may_pass_service
from diamond.service.endpoints.endpoints import find_endpoint
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import endpoints_by_id
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.services import Services
from diamond.service.trees import store as tree_store
from diamond.service.trees.previews import request_preview
from diamond.service.trees.transfers import DATA
from diamond.service.trees.trees import places_of

RESTRICTED = "It belongs to a restricted project: its content stays on its endpoints."
NONE = "There is no preview of this version yet."


async def get_preview(
    services: Services, principal: Principal, dataset: str, version: str
) -> schemas.DatasetPreview:
    async with services.store.read() as connection:
        row = await find_dataset(connection, principal, dataset)
        found = await find_version(connection, row, version)
        return await _show(connection, row, found)


async def make_preview(
    services: Services, principal: Principal, dataset: str, body: schemas.DataPreviewRequest
) -> schemas.DatasetPreview:
    """Once more, on an endpoint where the version is as files."""

    async def make(tx: Transaction) -> schemas.DatasetPreview:
        row = await find_dataset(tx.connection, principal, dataset, Action.WRITE)
        found = await find_version(tx.connection, row, body.version)
        if not await may_pass_service(tx.connection, row):
            raise Conflict(RESTRICTED, "Look at its files on the endpoint.", code="restricted")
        endpoint = await _endpoint(tx.connection, principal, row, found, body.endpoint)
        await request_preview(tx, endpoint, found.tree, again=True)
        await publish(tx, row.owner, [changed(DATA)])
        return await _show(tx.connection, row, found)

    return await services.store.run(make)


async def _endpoint(
    connection: AsyncConnection,
    principal: Principal,
    row: DatasetRow,
    version: VersionRow,
    named: str,
) -> EndpointRow:
    if named:
        return await find_endpoint(connection, principal, named, Action.WRITE)
    places = (await places_of(connection, principal.user, [version.tree]))[version.tree]
    fitting = [one.endpoint for one in places if one.layout == "files" and not one.changed]
    known = await endpoints_by_id(connection, set(fitting))
    for endpoint in fitting:
        if endpoint in known:
            return known[endpoint]
    raise Conflict(
        f"{row.name}@{version.name} is not on any of your endpoints as files",
        f"Copy it first: diamond data copy {row.name} --to ENDPOINT",
    )


async def _show(
    connection: AsyncConnection, row: DatasetRow, version: VersionRow
) -> schemas.DatasetPreview:
    known = await tree_store.find_preview(connection, version.owner, version.tree)
    if known is None:
        message = NONE if await may_pass_service(connection, row) else RESTRICTED
        return schemas.DatasetPreview(version=version.name, state="none", message=message)
    if known.content is not None:
        return schemas.DatasetPreview(
            version=version.name,
            state="done",
            message="",
            created=known.created,
            preview=read_preview(known.content),
        )
    scan = await tree_store.find_scan(connection, known.scan)
    return schemas.DatasetPreview.model_validate(
        {
            "version": version.name,
            "state": scan.state if scan and scan.state != "done" else "failed",
            "message": scan.message if scan else "It is no longer known how it ended.",
            "created": known.created,
        }
    )
