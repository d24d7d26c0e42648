"""Free space on an endpoint: the service decides which images nobody needs; the agent finds other leftovers."""

from __future__ import annotations

import time
from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import NotFound
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Principal
from diamond.service.endpoints.ask_agent import require_endpoint_online
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import find_endpoint
from diamond.service.images import store
from diamond.service.images.rows import CopyRow
from diamond.service.images.schemas import Prunable, Pruned
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import News, publish
from diamond.service.platform.services import Services

DAY = 86400.0


async def prune(
    services: Services, principal: Principal, *, endpoint: str, unused_days: float, dry_run: bool
) -> Pruned:
    """What would be freed, or what was."""
    async with services.store.read() as connection:
        place = await find_endpoint(connection, principal.user, endpoint)
        if place is None:
            raise NotFound(f"There is no endpoint {endpoint!r}", "See `diamond endpoint list`.")
        require(principal, Action.WRITE, owner=place.owner, what="endpoint")
        copies = await store.copies_on(connection, place.id)
        unwanted = await _unwanted(connection, copies, time.time() - unused_days * DAY)
    require_endpoint_online(services, place)
    files = [
        {"sha256": copy.sha256, "identity": copy.manifest.identity, "format": copy.format}
        for copy in unwanted
    ]
    answer = await services.relay.ask_json(
        place.id, "prune-images", images=files, days=unused_days, dry_run=dry_run
    )
    if not dry_run:
        await services.store.run(lambda tx: _forget(tx, place, unwanted))
    items = [Prunable.model_validate(item) for item in answer.get("items") or []]
    return Pruned(items=items, bytes=sum(item.bytes for item in items), dry_run=dry_run)


async def _unwanted(
    connection: AsyncConnection, copies: Sequence[CopyRow], before: float
) -> list[CopyRow]:
    """Copies of images without a name that no task used since, and that none uses now."""
    ids = sorted({copy.image for copy in copies})
    images = await store.images_by_id(connection, ids) if ids else {}
    last = await store.last_uses(connection, ids) if ids else {}
    uses = await store.count_uses(connection, ids) if ids else {}

    def is_unwanted(copy: CopyRow) -> bool:
        image = images[copy.image]
        used = max(last.get(image.id, 0.0), image.created)
        return not image.name and not uses.get(image.id, (0, 0))[1] and used < before

    return [copy for copy in copies if is_unwanted(copy)]


async def _forget(tx: Transaction, endpoint: EndpointRow, gone: Sequence[CopyRow]) -> None:
    await store.drop_copies(tx, [(copy.image, copy.endpoint, copy.format) for copy in gone])
    news = [News("image", image) for image in sorted({copy.image for copy in gone})]
    await publish(tx, endpoint.owner, news)
