"""Artifacts of a person: list them, and find where one is."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.artifacts import PREFIX, SERVICE, ArtifactKind, plain_digest
from diamond.core.errors import NotFound
from diamond.service.access.principal import Principal
from diamond.service.artifacts import store
from diamond.service.artifacts.rows import ArtifactRow, PlaceRow
from diamond.service.artifacts.schemas import Artifact, ArtifactPlace
from diamond.service.endpoints.store import endpoints_by_id, find_endpoint
from diamond.service.platform.http.schemas import Page
from diamond.service.platform.services import Services


async def list_artifacts(
    services: Services,
    principal: Principal,
    *,
    kind: ArtifactKind | None,
    endpoint: str,
    limit: int,
    cursor: str | None,
) -> Page[Artifact]:
    """`endpoint` is a name, or `service`."""
    async with services.store.read() as connection:
        page = await store.list_artifacts(
            connection,
            principal.user,
            kind=kind.value if kind else "",
            place=await _place(connection, principal, endpoint),
            limit=limit,
            cursor=cursor,
        )
        return Page(items=await _show(connection, principal.user, page.rows), next=page.next)


async def get_artifact(services: Services, principal: Principal, digest: str) -> Artifact:
    async with services.store.read() as connection:
        row = await store.find_artifact(connection, principal.user, plain_digest(digest))
        if row is None:
            raise NotFound(
                f"There is no artifact {digest!r}", "`diamond storage list` lists what there is."
            )
        return (await _show(connection, principal.user, [row]))[0]


async def _place(connection: AsyncConnection, principal: Principal, endpoint: str) -> str:
    if endpoint in ("", SERVICE):
        return endpoint
    row = await find_endpoint(connection, principal.user, endpoint)
    if row is None:
        raise NotFound(
            f"There is no endpoint {endpoint!r}",
            f"`diamond endpoint list` lists yours; {SERVICE} is the service itself.",
        )
    return row.id


async def _show(
    connection: AsyncConnection, owner: str, rows: Sequence[ArtifactRow]
) -> list[Artifact]:
    places = await store.places_of(connection, owner, [row.digest for row in rows])
    ids = {place.place for some in places.values() for place in some} - {SERVICE}
    endpoints = await endpoints_by_id(connection, ids) if ids else {}
    names = {SERVICE: "", **{key: endpoint.name for key, endpoint in endpoints.items()}}
    return [
        Artifact(
            digest=PREFIX + row.digest,
            kind=ArtifactKind(row.kind),
            size=row.size,
            created=row.created,
            used=row.used,
            places=[_shown(place, names) for place in places[row.digest] if place.place in names],
        )
        for row in rows
    ]


def _shown(place: PlaceRow, names: dict[str, str]) -> ArtifactPlace:
    return ArtifactPlace(
        endpoint=names[place.place], path=place.path, format=place.format, at=place.at
    )
