"""Endpoints: machines with an agent."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, delete, exists, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.dependencies import DependencyState
from diamond.core.task import FINAL_WORDS
from diamond.service.endpoints.rows import CallingEndpointRow, EndpointRow, OpenTaskRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import encoded, row_of, rows_of, values_of
from diamond.service.platform.database.tables import commands, dependencies, endpoints, tasks, users

# Asked at every call of an agent or at every submission: built once.
_BY_ID = select(endpoints).where(endpoints.c.id == bindparam("of_id"))
_BY_ID_LOCKED = _BY_ID.with_for_update()
_BY_KEY = (
    select(endpoints, users.c.disabled)
    .join(users, users.c.id == endpoints.c.owner)
    .where(endpoints.c.key_hash == bindparam("of_key"))
)
_GENERATION = select(endpoints.c.generation).where(endpoints.c.id == bindparam("of_id"))
_TOOK_EVENTS = (
    update(endpoints)
    .where(endpoints.c.id == bindparam("of_id"))
    .values(epoch=bindparam("new_epoch"), have=bindparam("new_have"))
)
_ON_CLUSTER = select(func.count()).where(
    endpoints.c.cluster == bindparam("of_cluster"), endpoints.c.state == "online"
)
_OF_OWNER = (
    select(endpoints)
    .where(endpoints.c.owner == bindparam("of_owner"))
    .order_by(endpoints.c.created.desc(), endpoints.c.id)
)


async def add_endpoint(tx: Transaction, endpoint: EndpointRow) -> None:
    await tx.connection.execute(insert(endpoints), values_of(endpoint))


async def change_endpoint(tx: Transaction, endpoint: str, **values: Any) -> None:
    """Set some columns, named as the fields of `EndpointRow`."""
    changed = update(endpoints).where(endpoints.c.id == endpoint)
    await tx.connection.execute(changed.values(encoded(EndpointRow, values)))


async def save_endpoint(tx: Transaction, before: EndpointRow, after: EndpointRow) -> None:
    """Write the columns in which the two differ; what others changed meanwhile in the rest stays."""
    stored = values_of(before)
    values = {name: value for name, value in values_of(after).items() if value != stored[name]}
    changed = update(endpoints).where(endpoints.c.id == after.id)
    await tx.connection.execute(changed.values(values))


async def took_events(tx: Transaction, endpoint: str, *, epoch: str, have: int) -> None:
    values = {"of_id": endpoint, "new_epoch": epoch, "new_have": have}
    await tx.connection.execute(_TOOK_EVENTS, values)


async def drop_endpoint(tx: Transaction, endpoint: str) -> None:
    await tx.connection.execute(delete(commands).where(commands.c.endpoint == endpoint))
    await tx.connection.execute(delete(endpoints).where(endpoints.c.id == endpoint))


async def find_endpoint(
    connection: AsyncConnection, owner: str, name: str, *, lock: bool = False
) -> EndpointRow | None:
    query = select(endpoints).where(endpoints.c.owner == owner, endpoints.c.name == name)
    rows = await connection.execute(query.with_for_update() if lock else query)
    return row_of(rows, EndpointRow)


async def endpoint_by_id(
    connection: AsyncConnection, endpoint: str, *, lock: bool = False
) -> EndpointRow | None:
    rows = await connection.execute(_BY_ID_LOCKED if lock else _BY_ID, {"of_id": endpoint})
    return row_of(rows, EndpointRow)


async def endpoint_by_key(connection: AsyncConnection, key_hash: str) -> CallingEndpointRow | None:
    """With whether its owner's account is `disabled`."""
    return row_of(await connection.execute(_BY_KEY, {"of_key": key_hash}), CallingEndpointRow)


async def endpoint_by_pairing(connection: AsyncConnection, pairing_hash: str) -> EndpointRow | None:
    query = select(endpoints).where(endpoints.c.pairing_hash == pairing_hash)
    return row_of(await connection.execute(query), EndpointRow)


async def newest_generation(connection: AsyncConnection, endpoint: str) -> int:
    rows = await connection.execute(_GENERATION, {"of_id": endpoint})
    return int(rows.scalar_one_or_none() or 0)


async def list_endpoints(connection: AsyncConnection, owner: str) -> list[EndpointRow]:
    return rows_of(await connection.execute(_OF_OWNER, {"of_owner": owner}), EndpointRow)


async def endpoints_by_id(connection: AsyncConnection, ids: set[str]) -> dict[str, EndpointRow]:
    rows = await connection.execute(select(endpoints).where(endpoints.c.id.in_(ids)))
    return {row.id: row for row in rows_of(rows, EndpointRow)}


async def last_seen(connection: AsyncConnection, ids: set[str]) -> dict[str, float | None]:
    query = select(endpoints.c.id, endpoints.c.last_seen).where(endpoints.c.id.in_(ids))
    return {row.id: row.last_seen for row in await connection.execute(query)}


async def silent_endpoints(connection: AsyncConnection, before: float) -> list[EndpointRow]:
    """Those shown as online that have not called since `before`."""
    query = select(endpoints).where(endpoints.c.state == "online", endpoints.c.last_seen < before)
    return rows_of(await connection.execute(query), EndpointRow)


async def online_endpoints(connection: AsyncConnection) -> list[EndpointRow]:
    """Everybody's."""
    query = select(endpoints).where(endpoints.c.state == "online")
    return rows_of(await connection.execute(query), EndpointRow)


async def agents_on_cluster(connection: AsyncConnection, cluster: str) -> int:
    return int((await connection.execute(_ON_CLUSTER, {"of_cluster": cluster})).scalar_one())


async def clear_default(tx: Transaction, owner: str) -> None:
    others = update(endpoints).where(endpoints.c.owner == owner, endpoints.c.is_default)
    await tx.connection.execute(others.values(is_default=False))


async def rename_in_tasks(tx: Transaction, endpoint: str, name: str) -> None:
    named = update(tasks).where(tasks.c.endpoint == endpoint).values(endpoint_name=name)
    await tx.connection.execute(named)


async def open_tasks(connection: AsyncConnection, endpoint: str) -> list[OpenTaskRow]:
    waits = exists().where(
        dependencies.c.task == tasks.c.id, dependencies.c.state == DependencyState.WAITING.value
    )
    columns = (tasks.c.id, tasks.c.attempt, tasks.c.attempts, waits.label("is_waiting"))
    query = select(*columns).where(
        tasks.c.endpoint == endpoint, tasks.c.state.not_in(sorted(FINAL_WORDS))
    )
    return rows_of(await connection.execute(query.order_by(tasks.c.created)), OpenTaskRow)
