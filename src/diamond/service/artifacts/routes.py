from __future__ import annotations

from fastapi import APIRouter

from diamond.core.artifacts import ArtifactKind
from diamond.service.artifacts import artifacts
from diamond.service.artifacts.schemas import Artifact
from diamond.service.people.caller import Person
from diamond.service.platform.http.routing import Limit, PageCursor, Service, problems
from diamond.service.platform.http.schemas import Page

router = APIRouter(prefix="/artifacts", tags=["artifacts"])


@router.get("", response_model=Page[Artifact], responses=problems(404))
async def list_artifacts(
    services: Service,
    person: Person,
    kind: ArtifactKind | None = None,
    endpoint: str = "",
    limit: Limit = 50,
    cursor: PageCursor = None,
) -> Page[Artifact]:
    """The caller's own, the newest first. Without a `kind`, the single files of code are left out."""
    return await artifacts.list_artifacts(
        services, person, kind=kind, endpoint=endpoint, limit=limit, cursor=cursor
    )


@router.get("/{digest}", response_model=Artifact, responses=problems(404))
async def get_artifact(digest: str, services: Service, person: Person) -> Artifact:
    return await artifacts.get_artifact(services, person, digest)
