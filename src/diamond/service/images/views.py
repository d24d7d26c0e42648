"""Images as the API shows them, and finding an image by name, id or digest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Conflict, NotFound
from diamond.images.comparing import build_differences
from diamond.runtimes.manifests import ImageManifest, manifest_data
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Principal, Role
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import endpoints_by_id
from diamond.service.images import request_store, schemas, store
from diamond.service.images.rows import CopyRow, ImageRow, TransferRow
from diamond.service.images.shared import shared_called


async def find_image(
    connection: AsyncConnection, principal: Principal, text: str, action: Action = Action.READ
) -> ImageRow:
    """By name, id, or the beginning of a digest."""
    images = await store.images_called(connection, principal.user, text)
    images = images or await shared_called(connection, principal.user, text)
    if len(images) > 1:
        some = ", ".join(image.called for image in images)
        raise Conflict(f"{text} means several images", f"Which one: {some}?")
    if not images:
        raise NotFound(f"There is no image {text!r}", "`diamond image list` lists what there is.")
    require(principal, action, owner=images[0].owner, shared=Role.VIEWER, what="image")
    return images[0]


async def show_images(
    connection: AsyncConnection, images: Sequence[ImageRow]
) -> list[schemas.Image]:
    """Each with its copies, transfers and uses, by a few queries for all."""
    ids = [image.id for image in images]
    if not ids:
        return []
    copies = await store.copies_of(connection, ids)
    transfers = await request_store.shown_transfers(connection, ids)
    uses = await store.count_uses(connection, ids)
    endpoints = await _endpoints(connection, copies, transfers)
    return [
        _show(image, copies[image.id], transfers[image.id], uses.get(image.id, (0, 0)), endpoints)
        for image in images
    ]


async def show_image(connection: AsyncConnection, image: ImageRow) -> schemas.Image:
    return (await show_images(connection, [image]))[0]


async def show_shared(
    connection: AsyncConnection, images: Sequence[ImageRow]
) -> list[schemas.Image]:
    """To others than the owner: what is inside, not on which of the owner's machines it is or who used it."""
    return [
        image.model_copy(
            update={
                "copies": [],
                "moves": [],
                "uses": 0,
                "in_use": 0,
                "differences": [],
                "built": image.built.model_copy(update={"host": "", "user": ""}),
            }
        )
        for image in await show_images(connection, images)
    ]


async def show_transfer(connection: AsyncConnection, transfer: TransferRow) -> schemas.ImageMove:
    places = {place for place in (transfer.endpoint, transfer.source) if place}
    return _transfer(transfer, await endpoints_by_id(connection, places))


async def _endpoints(
    connection: AsyncConnection,
    copies: Mapping[str, Sequence[CopyRow]],
    transfers: Mapping[str, Sequence[TransferRow]],
) -> dict[str, EndpointRow]:
    places = {copy.endpoint for some in copies.values() for copy in some}
    for transfer in (transfer for some in transfers.values() for transfer in some):
        places |= {transfer.endpoint, transfer.source or transfer.endpoint}
    return await endpoints_by_id(connection, places) if places else {}


def _show(
    image: ImageRow,
    copies: Sequence[CopyRow],
    transfers: Sequence[TransferRow],
    uses: tuple[int, int],
    endpoints: Mapping[str, EndpointRow],
) -> schemas.Image:
    manifest, environment = image.manifest, image.recipe.get("environment")
    return schemas.Image(
        id=image.id,
        name=image.name or "",
        owner=image.owner,
        identity=image.identity,
        platform=image.platform,
        environment=environment if isinstance(environment, dict) else {},
        base=schemas.ImageBase.model_validate(manifest.base),
        python=manifest.python,
        size=manifest.size,
        packages=sum(len(packages) for packages in manifest.packages.values()),
        labels=manifest.labels,
        built=_built(manifest),
        build=image.build,
        created=image.created,
        updated=image.updated,
        copies=[_copy(copy, endpoints) for copy in copies if copy.endpoint in endpoints],
        moves=[_transfer(transfer, endpoints) for transfer in transfers],
        uses=uses[0],
        in_use=uses[1],
        differences=build_differences([manifest_data(copy.manifest) for copy in copies]),
    )


def _built(manifest: ImageManifest) -> schemas.ImageBuilt:
    known = {name: value for name, value in manifest.built.items() if value is not None}
    return schemas.ImageBuilt.model_validate({"runtime": manifest.runtime, **known})


def _copy(copy: CopyRow, endpoints: Mapping[str, EndpointRow]) -> schemas.ImageCopy:
    manifest = copy.manifest
    return schemas.ImageCopy.model_validate(
        {
            "endpoint": endpoints[copy.endpoint].name,
            "format": copy.format,
            "sha256": copy.sha256,
            "size": manifest.size,
            "file": manifest.file,
            "runtime": manifest.runtime,
            "shared": manifest.shared,
            "at": copy.at,
        }
    )


def _transfer(transfer: TransferRow, endpoints: Mapping[str, EndpointRow]) -> schemas.ImageMove:
    names = {key: endpoint.name for key, endpoint in endpoints.items()}
    return schemas.ImageMove.model_validate(
        {
            "id": transfer.id,
            "kind": transfer.kind,
            "image": transfer.image,
            "endpoint": names.get(transfer.endpoint, ""),
            "source": names.get(transfer.source or "", ""),
            "reference": transfer.reference,
            "words": transfer.words,
            "state": transfer.state,
            "bytes": transfer.bytes,
            "size": transfer.size,
            "message": transfer.message or _waits_for(transfer, endpoints),
            "created": transfer.created,
            "updated": transfer.updated,
        }
    )


def _waits_for(transfer: TransferRow, endpoints: Mapping[str, EndpointRow]) -> str:
    """Which end of an open transfer is away, and what to do about it."""
    if transfer.state not in request_store.OPEN_STATES:
        return ""
    for place in (transfer.source or "", transfer.endpoint):
        endpoint = endpoints.get(place)
        if endpoint is None or endpoint.state == "online":
            continue
        if endpoint.state == "sign-in":
            return f"waiting for {endpoint.name}: diamond endpoint connect {endpoint.name}"
        return f"waiting for {endpoint.name}, which is offline"
    return ""
