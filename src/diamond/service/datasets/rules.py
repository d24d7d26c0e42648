"""Where a dataset may be, and what may carry it."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Conflict
from diamond.service.datasets.rows import DatasetRow
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import endpoints_by_id
from diamond.service.projects.store import find_project


async def may_lie_on(
    connection: AsyncConnection, dataset: DatasetRow, endpoint: EndpointRow
) -> bool:
    """On a listed endpoint, or on another one of the same cluster: a colleague's agent there is another endpoint."""
    allowed = await allowed_endpoints(connection, dataset)
    if allowed is None or endpoint.id in allowed:
        return True
    clusters = {row.cluster for row in allowed.values() if row.cluster}
    return endpoint.cluster in clusters


async def require_may_lie_on(
    connection: AsyncConnection, dataset: DatasetRow, endpoint: EndpointRow
) -> None:
    if await may_lie_on(connection, dataset, endpoint):
        return
    allowed = await allowed_endpoints(connection, dataset) or {}
    names = ", ".join(sorted(row.name for row in allowed.values())) or "none that is left"
    own = endpoint.owner == dataset.owner
    raise Conflict(
        f"{dataset.name} may not be on {endpoint.name}",
        f"It may be on: {names}." if own else "Its owner limits the endpoints it may be on.",
        code="restricted",
    )


async def allowed_endpoints(
    connection: AsyncConnection, dataset: DatasetRow
) -> dict[str, EndpointRow] | None:
    """What the dataset lists and what a restricted project allows; None: any."""
    wanted = None if dataset.endpoints is None else set(dataset.endpoints)
    project = await find_project(connection, dataset.project) if dataset.project else None
    if project is not None and project.endpoints is not None:
        listed = set(project.endpoints)
        wanted = listed if wanted is None else wanted & listed
    if wanted is None:
        return None
    return await endpoints_by_id(connection, wanted) if wanted else {}


async def may_pass_service(connection: AsyncConnection, dataset: DatasetRow) -> bool:
    """Data of a restricted project never do."""
    if not dataset.project:
        return True
    project = await find_project(connection, dataset.project)
    return project is None or project.endpoints is None


async def require_may_pass(connection: AsyncConnection, dataset: DatasetRow) -> None:
    if not await may_pass_service(connection, dataset):
        raise Conflict(
            f"{dataset.name} belongs to a restricted project: its files may not pass through this service",
            "Register it in place on each endpoint: diamond data add NAME PATH --on ENDPOINT",
            code="restricted",
        )


async def require_shareable_data(connection: AsyncConnection, dataset: DatasetRow) -> None:
    """Data of a restricted project are for its members alone."""
    if not await may_pass_service(connection, dataset):
        raise Conflict(
            f"{dataset.name} belongs to a restricted project: only its members may use it",
            "Invite the person into the project.",
            code="restricted",
        )
