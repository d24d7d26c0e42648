"""What people ask for: an image on an endpoint, in a registry or from one."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Conflict, NotFound
from diamond.images.bases import read_base
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Principal
from diamond.service.endpoints.commands import send
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import find_endpoint, list_endpoints
from diamond.service.images import request_store
from diamond.service.images.builds import start_build
from diamond.service.images.image_requests import ReadyImage
from diamond.service.images.rows import TransferRow
from diamond.service.images.schemas import (
    BuildRequest,
    CopyAnswer,
    CopyRequest,
    ImageMove,
    PullAnswer,
    PullRequest,
)
from diamond.service.images.transfers import (
    any_copy,
    end_transfer,
    provide_image,
    start_transfer,
    transfer_command,
)
from diamond.service.images.views import find_image, show_transfer
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.idempotency import Once, once_as
from diamond.service.platform.services import Services
from diamond.service.tasks.tasks import as_now_known, find_task


async def copy_image(
    services: Services, principal: Principal, image: str, body: CopyRequest, key: str | None
) -> CopyAnswer:
    """Bring an image to an endpoint, and say which way was taken."""

    async def copy(tx: Transaction) -> CopyAnswer:
        row = await find_image(tx.connection, principal, image)
        place = await _endpoint(tx, principal, body.endpoint)
        provided = await provide_image(
            tx, place, row.id, body.how, on=body.endpoint, account=body.account
        )
        if isinstance(provided, ReadyImage):
            return CopyAnswer(how="here", words=f"it is on {place.name} already")
        move = await request_store.find_transfer(tx.connection, provided.id)
        why = provided.message.removeprefix("its image is ").removeprefix("being ")
        if move is not None:
            shown_move = await show_transfer(tx.connection, move)
            return CopyAnswer(how="move", words=why, move=shown_move)
        task = await find_task(tx.connection, principal, provided.id)
        shown = (await as_now_known(tx.connection, [task]))[0]
        return CopyAnswer(how="rebuild", words=why, build=shown)

    request = Once.of(key, "copy", [image, body.model_dump()])
    return await once_as(CopyAnswer, services.store, principal, request, copy)


async def push_image(
    services: Services,
    principal: Principal,
    image: str,
    reference: str,
    endpoint: str,
    key: str | None,
) -> ImageMove:
    """Into a registry, by an endpoint that has the file and signs in there as the person."""

    async def push(tx: Transaction) -> ImageMove:
        row = await find_image(tx.connection, principal, image, Action.WRITE)
        place = await _endpoint(tx, principal, endpoint) if endpoint else None
        copy = await any_copy(tx, row, place)
        endpoints = await list_endpoints(tx.connection, principal.user)
        move = await start_transfer(
            tx,
            kind="push",
            endpoint=next(row for row in endpoints if row.id == copy.endpoint),
            image=row,
            source=copy,
            reference=_address(reference),
            words=f"pushed to {reference}",
        )
        return await show_transfer(tx.connection, move)

    request = Once.of(key, "push", [image, reference, endpoint])
    return await once_as(ImageMove, services.store, principal, request, push)


async def pull_image(
    services: Services, principal: Principal, body: PullRequest, key: str | None
) -> PullAnswer:
    """A SIF is fetched as it is; an OCI image becomes one of this endpoint's own form by a build."""
    base = read_base(body.reference)
    if base.kind != "oras":
        build = BuildRequest(
            environment={"base": base.reference}, name=body.name, endpoint=body.endpoint
        )
        begun = await start_build(services, principal, build, key)
        return PullAnswer(build=begun.build, image=begun.image)
    require(principal, Action.WRITE, owner=principal.user)

    async def pull(tx: Transaction) -> PullAnswer:
        place = await _endpoint(tx, principal, body.endpoint)
        move = await start_transfer(
            tx,
            kind="pull",
            endpoint=place,
            reference=base.address,
            name=body.name,
            words=f"pulled from {base.reference}",
        )
        return PullAnswer(move=await show_transfer(tx.connection, move))

    request = Once.of(key, "pull", body.model_dump())
    return await once_as(PullAnswer, services.store, principal, request, pull)


async def get_move(services: Services, principal: Principal, move: str) -> ImageMove:
    async with services.store.read() as connection:
        transfer = await _own_transfer(connection, principal, move)
        return await show_transfer(connection, transfer)


async def cancel_move(services: Services, principal: Principal, move: str) -> ImageMove:
    """The transfer ends at once; its endpoint stops and cleans up when it gets the command. Cancelling twice is fine."""

    async def cancel(tx: Transaction) -> TransferRow:
        row = await _own_transfer(tx.connection, principal, move)
        require(principal, Action.WRITE, owner=row.owner)
        if row.state in request_store.OPEN_STATES:
            await end_transfer(tx, row, "cancelled", "it was cancelled")
            await send(tx, [transfer_command(row, "cancel", row.endpoint)])
        elif row.state != "cancelled":
            raise Conflict(
                f"The transfer has ended already: {row.state}", "There is nothing to do."
            )
        return row

    row = await services.store.run(cancel)
    async with services.store.read() as connection:
        if row.sha256 and not await request_store.open_transfers_of_file(connection, row.sha256):
            services.image_files.drop(row.sha256)
    return await get_move(services, principal, move)


async def _own_transfer(
    connection: AsyncConnection, principal: Principal, transfer: str
) -> TransferRow:
    row = await request_store.find_transfer(connection, transfer)
    if row is None or row.owner != principal.user:
        raise NotFound(f"There is no transfer {transfer!r}", "See `diamond image show NAME`.")
    return row


def _address(reference: str) -> str:
    """HOST/NAME:TAG, however it is written."""
    return read_base(reference).address


async def _endpoint(tx: Transaction, principal: Principal, name: str) -> EndpointRow:
    if name == "auto":
        every = await list_endpoints(tx.connection, principal.user)
        chosen = [row for row in every if row.is_default] or every
        if chosen:
            return chosen[0]
    row = await find_endpoint(tx.connection, principal.user, name.partition("/")[0])
    if row is None:
        raise NotFound(f"There is no endpoint {name!r}", "See `diamond endpoint list`.")
    require(principal, Action.WRITE, owner=row.owner, what="endpoint")
    return row
