"""A folder from the browser becomes a snapshot of code."""

from __future__ import annotations

from fastapi import APIRouter, Request

from diamond.code.folder_listing import choose_listed
from diamond.service.code import snapshots
from diamond.service.code.schemas import CodeFacts, FolderListing, UploadPlan
from diamond.service.people.caller import Person
from diamond.service.platform.http.routing import ForProject, Service, announced_bytes, problems
from diamond.service.projects.terms import require_uploads_allowed
from diamond.service.storage.storage import require_room

router = APIRouter(prefix="/snapshots", tags=["blobs"])
FILES = {
    "multipart/form-data": {
        "schema": {
            "type": "object",
            "properties": {
                "files": {"type": "array", "items": {"type": "string", "format": "binary"}}
            },
        }
    },
    "application/x-tar": {"schema": {"type": "string", "format": "binary"}},
}


@router.post(
    "",
    status_code=201,
    response_model=CodeFacts,
    responses=problems(404, 409, 413),
    openapi_extra={"requestBody": {"content": FILES, "required": True}},
)
async def add_snapshot(
    request: Request,
    services: Service,
    person: Person,
    strip: bool = False,
    project: ForProject = "",
) -> CodeFacts:
    """Files with their relative paths as file names, or a tar; the answer is the `code` of POST /jobs.

    `strip` takes off the first folder of each path, as a browser names the folder that was picked.
    Rejected for a restricted `project`.
    """
    await require_uploads_allowed(services, person, project)
    await require_room(services, person.user, announced_bytes(request))
    return CodeFacts.model_validate(
        await snapshots.take_upload(services, person.user, request, strip=strip)
    )


@router.post("/plan", response_model=UploadPlan, responses=problems())
async def plan_snapshot(body: FolderListing, services: Service, person: Person) -> UploadPlan:
    """Which files of a folder to send, judged by their names; nothing is kept."""
    chosen = await services.workers.run(person.user, choose_listed, body.paths, body.rules)
    return snapshots.upload_plan(chosen)
