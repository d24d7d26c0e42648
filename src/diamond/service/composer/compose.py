"""From a spec to a checked order: what its names mean, and every fault at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.compose.spec_check import Composed, KnownImages, check
from diamond.core.errors import InvalidSpec
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Principal
from diamond.service.endpoints.community import usable_endpoints
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.images import store as image_rows
from diamond.service.images.image_requests import endpoint_facts, image_facts
from diamond.service.images.shared import shared_called
from diamond.service.platform.services import Services
from diamond.service.projects.terms import place_of

Spec = dict[str, Any]


Code = dict[str, Any] | None


async def known_images(
    connection: AsyncConnection, owner: str, spec: Spec, endpoints: Sequence[EndpointRow]
) -> KnownImages:
    """What the environment's name in a spec may mean."""
    wanted = spec.get("environment")
    if not isinstance(wanted, str):
        return KnownImages()
    found = await image_rows.images_called(connection, owner, wanted)
    found = found or await shared_called(connection, owner, wanted)
    if len(found) != 1:
        return KnownImages(names=await image_rows.image_names(connection, owner))
    copies = (await image_rows.copies_of(connection, [found[0]["id"]]))[found[0]["id"]]
    return KnownImages(image_facts(found[0], copies, {row["id"]: row["name"] for row in endpoints}))


def require_snapshot(services: Services, code: Code) -> None:
    snapshot = (code or {}).get("snapshot")
    if snapshot and services.blobs.missing([snapshot]):
        words = f"the snapshot {snapshot} was not uploaded"
        fault = {
            "field": "code.snapshot",
            "message": words,
            "hint": "Send it to POST /blobs first.",
        }
        raise InvalidSpec("The code is not here", fault["hint"], faults=[fault])


async def check_job(
    services: Services, principal: Principal, spec: Spec, code: Code, project: str = ""
) -> Composed:
    """All faults at once, and nothing made."""
    require(principal, Action.WRITE, owner=principal.user)
    async with services.store.read() as connection:
        place = await place_of(connection, principal, project)
        found = place.among(await usable_endpoints(connection, principal.user))
        images = await known_images(connection, principal.user, spec, found)
    place.require_no_store(spec, code)
    return compose(services, found, place.settled(spec), code, images)


def compose(
    services: Services,
    endpoints: Sequence[EndpointRow],
    spec: Spec,
    code: Code,
    images: KnownImages,
) -> Composed:
    require_snapshot(services, code)
    known = [endpoint_facts(row) for row in endpoints]
    return check(spec, endpoints=known, code=code, images=images)
