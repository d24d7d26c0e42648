from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request

from diamond.core.artifacts import Artifact, ArtifactKind
from diamond.core.errors import TooLarge
from diamond.core.ids import new_id
from diamond.core.units import show_bytes
from diamond.service.code.ownership import missing_blobs, record_files
from diamond.service.code.schemas import Digests, Missing, Stored
from diamond.service.people.caller import Person
from diamond.service.platform.blob_store import Blob
from diamond.service.platform.http.routing import ForProject, Service, announced_bytes, problems
from diamond.service.platform.services import Services
from diamond.service.projects.terms import require_uploads_allowed
from diamond.service.storage.storage import require_room

router = APIRouter(prefix="/blobs", tags=["blobs"])
MAX_BYTES = 1 << 30
"""More than a snapshot may hold, so that its largest file fits in one call. It is written to disk as it arrives."""


@router.post("/missing", response_model=Missing, responses=problems())
async def missing(body: Digests, services: Service, person: Person) -> Missing:
    """List what the caller still has to send. The answer never reveals whether somebody else has sent the same bytes."""
    return Missing(missing=await missing_blobs(services, person.user, body.digests))


@router.post(
    "",
    status_code=201,
    response_model=Stored,
    responses=problems(404, 409, 413),
    openapi_extra={"requestBody": {"content": {"application/x-tar": {}}, "required": True}},
)
async def add_blobs(
    request: Request, services: Service, person: Person, project: ForProject = ""
) -> Stored:
    """A tar stream, one member a blob under its digest; at most 1 GB. Rejected for a restricted project."""
    await require_uploads_allowed(services, person, project)
    await require_room(services, person.user, announced_bytes(request))
    blobs = await _take(request, services, person.user)
    files = [Artifact(blob.digest, ArtifactKind.FILE, blob.size) for blob in blobs]
    await record_files(services, person.user, files)
    return Stored(stored=len(blobs))


async def _take(request: Request, services: Services, user: str) -> list[Blob]:
    """The stream is kept in a scratch file until it is complete and checked."""
    aside, size = services.settings.scratch / new_id("u"), 0
    try:
        with aside.open("wb") as out:
            async for block in request.stream():
                size += len(block)
                if size > MAX_BYTES:
                    raise TooLarge(
                        f"More than {show_bytes(MAX_BYTES)} in one call",
                        "Send the blobs in several calls. A single larger file is data: "
                        "give its path under `data:`.",
                    )
                out.write(block)
        await require_room(services, user, size)
        return await asyncio.to_thread(services.blobs.add_tar, aside)
    finally:
        aside.unlink(missing_ok=True)
