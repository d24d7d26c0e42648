"""Whether a source is still as it was when a version was fetched from it."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import BadRequest
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.datasets import schemas, store
from diamond.service.datasets.additions import goal_endpoint
from diamond.service.datasets.find import find_dataset, find_version
from diamond.service.datasets.places import show_check
from diamond.service.datasets.rows import AdditionRow
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import endpoints_by_id
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.services import Services
from diamond.service.trees.scans import ImportAsked, start_look
from diamond.service.trees.transfers import DATA


async def check_source(
    services: Services, principal: Principal, dataset: str, body: schemas.DataCheckRequest
) -> schemas.DataChecks:
    """Looked at by the endpoint that fetched it, or the one that is named; the service itself reads no address."""

    async def work(tx: Transaction) -> schemas.DataChecks:
        row = await find_dataset(tx.connection, principal, dataset, Action.WRITE)
        version = await find_version(tx.connection, row, body.version)
        if version.origin is None:
            raise BadRequest(
                f"{row.name}@{version.name} was not fetched from a source",
                "Without --source, its copies are checked.",
            )
        fetched = await store.import_of(tx.connection, row.id, version.n)
        endpoint = await _endpoint(tx.connection, principal, fetched, body.endpoint)
        asked = fetched.asked if fetched and fetched.asked else ImportAsked()
        scan = await start_look(
            tx,
            endpoint,
            version.source,
            asked,
            known=version.origin.revision,
            tree=version.tree,
        )
        await publish(tx, principal.user, [changed(DATA)])
        return schemas.DataChecks(items=[show_check(scan, {endpoint.id: endpoint}, version.name)])

    return await services.store.run(work)


async def _endpoint(
    connection: AsyncConnection, principal: Principal, fetched: AdditionRow | None, named: str
) -> EndpointRow:
    if not named and fetched is not None:
        known = await endpoints_by_id(connection, {fetched.endpoint})
        if fetched.endpoint in known:
            return known[fetched.endpoint]
    return await goal_endpoint(connection, principal, named)
