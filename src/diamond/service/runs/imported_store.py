"""Imported runs and their curves."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.service.access.authorize import Action, require, role_of
from diamond.service.access.principal import Principal
from diamond.service.output.curves import Curve, pack, unpack
from diamond.service.platform.database.batches import in_batches
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import row_of, values_of
from diamond.service.platform.database.tables import imported_curves, imported_runs
from diamond.service.runs.rows import ImportedRow


async def find_imported(
    connection: AsyncConnection, principal: Principal, run: str, action: Action = Action.READ
) -> ImportedRow | None:
    """None for what is absent and for what the caller may not see."""
    query = select(imported_runs).where(imported_runs.c.id == run)
    row = row_of(await connection.execute(query), ImportedRow)
    if row is None or role_of(principal, owner=row.owner, project=row.project) is None:
        return None
    require(principal, action, owner=row.owner, project=row.project, what="imported run")
    return row


async def known_import(
    connection: AsyncConnection, owner: str, source: str, key: str
) -> ImportedRow | None:
    of = imported_runs.c
    query = select(imported_runs).where(of.owner == owner, of.source == source, of.key == key)
    return row_of(await connection.execute(query), ImportedRow)


async def put_imported(tx: Transaction, row: ImportedRow, curves: Mapping[str, Curve]) -> None:
    """In place of what was imported under the same id."""
    await drop_imported(tx, row.id)
    await tx.connection.execute(insert(imported_runs), values_of(row))
    rows = [
        {"run": row.id, "name": name, "owner": row.owner, "data": pack(curve)}
        for name, curve in curves.items()
    ]
    for batch in in_batches(rows):
        await tx.connection.execute(insert(imported_curves), list(batch))


async def drop_imported(tx: Transaction, run: str) -> None:
    await tx.connection.execute(delete(imported_curves).where(imported_curves.c.run == run))
    await tx.connection.execute(delete(imported_runs).where(imported_runs.c.id == run))


async def curves_of_imported(connection: AsyncConnection, run: str) -> dict[str, Curve]:
    query = select(imported_curves.c.name, imported_curves.c.data).where(
        imported_curves.c.run == run
    )
    rows = await connection.execute(query.order_by(imported_curves.c.name))
    return {name: unpack(data) for name, data in rows}
