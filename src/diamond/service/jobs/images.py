"""The image that a job runs in: on its endpoint already, or on its way there."""

from __future__ import annotations

from dataclasses import dataclass, replace

from diamond.compose.spec_check import Composed
from diamond.core.dependencies import Dependency, DependencyKind
from diamond.core.errors import Conflict
from diamond.core.order import Order
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.images.arrivals import image_of
from diamond.service.images.image_requests import (
    ReadyImage,
    copy_on,
    endpoint_facts,
    image_name,
    plan_build,
    request_build,
)
from diamond.service.images.record_entry import note_use
from diamond.service.images.transfers import provide_image
from diamond.service.platform.database.engine import Transaction
from diamond.service.projects.terms import ProjectTerms
from diamond.service.tasks.rows import TaskRow


@dataclass(frozen=True)
class OrderWithImage:
    order: Order
    image: str = ""
    """Its id, once it is on the endpoint."""
    waits_for: Dependency | None = None
    """Else its build or transfer."""


async def order_with_image(
    tx: Transaction, endpoint: EndpointRow, composed: Composed, owner: str, terms: ProjectTerms
) -> OrderWithImage:
    """The order as it can run now. A build or a transfer is started where the image is missing."""
    image = await _image_for(tx, endpoint, composed, owner)
    if isinstance(image, ReadyImage):
        return OrderWithImage(replace(composed.order, image=image.image), image.id)
    if image is not None and image.kind is DependencyKind.TRANSFER:
        terms.require_no_image_transfer()
    return OrderWithImage(composed.order, waits_for=image)


async def note_image_use(tx: Transaction, task: TaskRow, image: str) -> None:
    """An image that tasks use is not cleaned up."""
    if image:
        await note_use(tx, task, image)


async def _image_for(
    tx: Transaction, endpoint: EndpointRow, composed: Composed, owner: str
) -> ReadyImage | Dependency | None:
    if endpoint.owner != owner and (composed.image or composed.build):
        return await _guest_image(tx, endpoint, composed)
    placement = composed.order.placement
    on = "/".join(part for part in (composed.endpoint, placement.partition) if part)
    payer = placement.account or "auto"
    if composed.image is not None:
        return await provide_image(tx, endpoint, composed.image.id, on=on, account=payer)
    if composed.build is None:
        return None
    request, _ = plan_build(
        composed.build,
        name=image_name(composed.order.name),
        on=on,
        endpoints=[endpoint_facts(endpoint)],
        account=payer,
    )
    return await request_build(tx, endpoint, request)


async def _guest_image(tx: Transaction, endpoint: EndpointRow, composed: Composed) -> ReadyImage:
    """On a community account only its owner adds images; others use those that are there."""
    copy = await copy_on(tx, composed.image.id, endpoint.id) if composed.image else None
    if copy is None:
        raise Conflict(
            f"This image is not on {endpoint.name}, and only the owner of that account can add one",
            "Ask them to build it and share it with you.",
        )
    return ReadyImage(copy.image, image_of(copy.manifest))
