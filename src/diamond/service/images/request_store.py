"""Which environments were requested where, and the transfers of images."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import and_, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.images.travel import MEASURING_BYTES
from diamond.service.images.rows import RequestRow, TransferRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import row_of, rows_of, values_of
from diamond.service.platform.database.tables import image_moves, image_wishes, images

OPEN_STATES = ("waiting", "running")
DAY = 86400.0


async def find_request(tx: Transaction, owner: str, endpoint: str, key: str) -> RequestRow | None:
    """Locked: if many ask at once, one starts the build."""
    query = select(image_wishes).where(
        image_wishes.c.owner == owner,
        image_wishes.c.endpoint == endpoint,
        image_wishes.c.key == key,
    )
    return row_of(await tx.connection.execute(query.with_for_update()), RequestRow)


async def requested_image(
    connection: AsyncConnection, owner: str, endpoint: str, key: str
) -> str | None:
    """The image that a request has led to."""
    query = select(image_wishes.c.image).where(
        image_wishes.c.owner == owner,
        image_wishes.c.endpoint == endpoint,
        image_wishes.c.key == key,
    )
    return (await connection.execute(query)).scalar_one_or_none()


async def save_request(tx: Transaction, row: RequestRow, *, is_new: bool) -> None:
    """Of two who ask for the same for the first time at once, one runs again and finds the other's build."""
    if is_new:
        await tx.connection.execute(insert(image_wishes), values_of(row))
        return
    own = update(image_wishes).where(
        image_wishes.c.owner == row.owner,
        image_wishes.c.endpoint == row.endpoint,
        image_wishes.c.key == row.key,
    )
    await tx.connection.execute(own.values(build=row.build, image=row.image))


async def fulfil_requests(tx: Transaction, build: str, image: str) -> None:
    requested_image = update(image_wishes).where(image_wishes.c.build == build)
    await tx.connection.execute(requested_image.values(image=image))


async def image_of_build(connection: AsyncConnection, build: str) -> str | None:
    query = select(image_wishes.c.image).where(image_wishes.c.build == build)
    image = (await connection.execute(query)).scalars().first()
    if image:
        return str(image)
    built = select(images.c.id).where(images.c.build == build)
    return (await connection.execute(built)).scalars().first()


async def add_transfer(tx: Transaction, transfer: TransferRow) -> None:
    await tx.connection.execute(insert(image_moves), values_of(transfer))


async def find_transfer(
    connection: AsyncConnection, transfer: str, *, lock: bool = False
) -> TransferRow | None:
    query = select(image_moves).where(image_moves.c.id == transfer)
    return row_of(await connection.execute(query.with_for_update() if lock else query), TransferRow)


async def open_transfer_to(tx: Transaction, image: str, endpoint: str) -> TransferRow | None:
    """A transfer of this image to this endpoint that has not ended; it does not end before the caller waits for it."""
    query = select(image_moves).where(
        image_moves.c.image == image,
        image_moves.c.endpoint == endpoint,
        image_moves.c.kind == "copy",
        image_moves.c.state.in_(OPEN_STATES),
    )
    return row_of(await tx.connection.execute(query.limit(1).with_for_update()), TransferRow)


async def transfers_of_file(
    connection: AsyncConnection, sha256: str, endpoint: str
) -> list[TransferRow]:
    """Open transfers that send this file from the endpoint, or to it."""
    query = select(image_moves).where(
        image_moves.c.sha256 == sha256,
        image_moves.c.state.in_(OPEN_STATES),
        or_(image_moves.c.source == endpoint, image_moves.c.endpoint == endpoint),
    )
    return rows_of(await connection.execute(query), TransferRow)


async def open_transfers_of_file(connection: AsyncConnection, sha256: str) -> list[TransferRow]:
    query = select(image_moves).where(
        image_moves.c.sha256 == sha256, image_moves.c.state.in_(OPEN_STATES)
    )
    return rows_of(await connection.execute(query), TransferRow)


async def open_transfers_of(connection: AsyncConnection, endpoint: str) -> list[TransferRow]:
    """Open transfers from or to an endpoint."""
    query = select(image_moves).where(
        image_moves.c.state.in_(OPEN_STATES),
        or_(image_moves.c.source == endpoint, image_moves.c.endpoint == endpoint),
    )
    return rows_of(await connection.execute(query), TransferRow)


async def shown_transfers(
    connection: AsyncConnection, ids: Sequence[str]
) -> dict[str, list[TransferRow]]:
    """Of each image: those on their way, and failures of the last day."""
    recent = and_(image_moves.c.state == "failed", image_moves.c.updated > time.time() - DAY)
    query = select(image_moves).where(
        image_moves.c.image.in_(ids), or_(image_moves.c.state.in_(OPEN_STATES), recent)
    )
    transfers: dict[str, list[TransferRow]] = {image: [] for image in ids}
    for row in rows_of(
        await connection.execute(query.order_by(image_moves.c.created.desc())), TransferRow
    ):
        transfers[row.image or ""].append(row)
    return transfers


async def change_transfer(tx: Transaction, transfer: str, **values: Any) -> None:
    changed = update(image_moves).where(image_moves.c.id == transfer)
    await tx.connection.execute(changed.values(**values, updated=time.time()))


async def past_transfers(
    connection: AsyncConnection, endpoints: Collection[str]
) -> list[TransferRow]:
    """Finished copies to or from these endpoints, newest first: their speed predicts the next one's."""
    query = select(image_moves).where(
        image_moves.c.kind == "copy",
        image_moves.c.state == "done",
        image_moves.c.bytes >= MEASURING_BYTES,
        image_moves.c.started.is_not(None),
        or_(image_moves.c.endpoint.in_(endpoints), image_moves.c.source.in_(endpoints)),
    )
    return rows_of(
        await connection.execute(query.order_by(image_moves.c.created.desc()).limit(5)), TransferRow
    )
