from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from starlette.responses import PlainTextResponse

from diamond.compose.environment import environment_schema
from diamond.service.images import builds, environments, images, schemas, transfer_requests
from diamond.service.images import prune as image_prune
from diamond.service.people.caller import Person
from diamond.service.platform.http.routing import (
    IdempotencyKey,
    Limit,
    PageCursor,
    Service,
    problems,
)
from diamond.service.platform.http.schemas import Nothing, Page
from diamond.service.tasks.schemas import Task

router = APIRouter(prefix="/images", tags=["images"])
Words = Annotated[str, Query(max_length=200)]
Form = Literal["", "definition", "dockerfile", "script"]


@router.get("", response_model=Page[schemas.Image], responses=problems(404))
async def list_images(
    services: Service,
    person: Person,
    search: Words = "",
    endpoint: str = "",
    shared: bool = False,
    limit: Limit = 50,
    cursor: PageCursor = None,
) -> Page[schemas.Image]:
    """`search`: each word in the name, the base, a package, a label, or the beginning of a digest.

    `shared`: images that others share with the caller, instead of the caller's own.
    """
    if shared:
        return Page(items=await images.list_shared(services, person, search))
    return await images.list_images(
        services, person, search=search, endpoint=endpoint, limit=limit, cursor=cursor
    )


@router.get("/schema", responses=problems())
async def schema(person: Person) -> dict[str, Any]:
    """JSON Schema of an environment, for forms and editors."""
    return environment_schema()


@router.post("/preview", response_model=schemas.EnvironmentPreview, responses=problems())
async def preview(
    body: schemas.PreviewRequest, services: Service, person: Person
) -> schemas.EnvironmentPreview:
    """Check an environment as it is typed: its faults, and the file that it becomes."""
    return await environments.preview(
        services, person, body.environment, body.endpoint, body.runtime
    )


@router.post("/import", response_model=schemas.ImportAnswer, responses=problems())
async def import_file(body: schemas.ImportRequest, person: Person) -> schemas.ImportAnswer:
    """An environment from a requirements.txt, an environment.yml, a Dockerfile or a definition file."""
    return environments.import_file(body.name, body.text)


@router.post(
    "/builds", status_code=201, response_model=schemas.BuildAnswer, responses=problems(404, 409)
)
async def start_build(
    body: schemas.BuildRequest, services: Service, person: Person, key: IdempotencyKey = None
) -> schemas.BuildAnswer:
    """Build an image, join a running build of the same environment, or return the image that exists already."""
    return await builds.start_build(services, person, body, key)


@router.get("/builds/{task}", response_model=schemas.Build, responses=problems(404, 409))
async def get_build(task: str, services: Service, person: Person) -> schemas.Build:
    return await builds.get_build(services, person, task)


@router.post(
    "/builds/{task}/resume",
    status_code=201,
    response_model=schemas.BuildAnswer,
    responses=problems(404, 409),
)
async def resume_build(
    task: str,
    body: schemas.ResumeRequest,
    services: Service,
    person: Person,
    key: IdempotencyKey = None,
) -> schemas.BuildAnswer:
    """Continue a build that has ended, with a step edited; what was done comes from the cache."""
    return await builds.resume_build(services, person, task, body, key)


@router.post(
    "/pull", status_code=202, response_model=schemas.PullAnswer, responses=problems(404, 409)
)
async def pull(
    body: schemas.PullRequest, services: Service, person: Person, key: IdempotencyKey = None
) -> schemas.PullAnswer:
    return await transfer_requests.pull_image(services, person, body, key)


@router.post("/prune", response_model=schemas.Pruned, responses=problems(404, 503))
async def prune(body: schemas.PruneRequest, services: Service, person: Person) -> schemas.Pruned:
    """List what nobody needs on an endpoint; with `dry_run` false, remove it."""
    return await image_prune.prune(
        services, person, endpoint=body.endpoint, unused_days=body.unused_days, dry_run=body.dry_run
    )


@router.get("/diff", response_model=schemas.ImageDiff, responses=problems(404, 409))
async def diff(a: str, b: str, services: Service, person: Person) -> schemas.ImageDiff:
    return await images.diff(services, person, a, b)


@router.get("/moves/{move}", response_model=schemas.ImageMove, responses=problems(404))
async def get_move(move: str, services: Service, person: Person) -> schemas.ImageMove:
    return await transfer_requests.get_move(services, person, move)


@router.post(
    "/moves/{move}/cancel", response_model=schemas.ImageMove, responses=problems(403, 404, 409)
)
async def cancel_move(move: str, services: Service, person: Person) -> schemas.ImageMove:
    """Cancel it. The part that has arrived is removed, and tasks that wait for it fail."""
    return await transfer_requests.cancel_move(services, person, move)


@router.get("/{image}", response_model=schemas.Image, responses=problems(404, 409))
async def get_image(image: str, services: Service, person: Person) -> schemas.Image:
    """By name, id, or the beginning of a digest (of the recipe or of a file)."""
    return await images.get_image(services, person, image)


@router.patch("/{image}", response_model=schemas.Image, responses=problems(404, 409))
async def rename_image(
    image: str, body: schemas.RenameImage, services: Service, person: Person
) -> schemas.Image:
    return await images.rename_image(services, person, image, body.name)


@router.delete("/{image}", response_model=Nothing, responses=problems(404, 409))
async def delete_image(image: str, services: Service, person: Person) -> Nothing:
    """Delete it on every endpoint. Rejected while a task needs it."""
    await images.delete_image(services, person, image)
    return Nothing()


@router.get("/{image}/contents", response_model=schemas.Contents, responses=problems(404, 409))
async def contents(image: str, services: Service, person: Person) -> schemas.Contents:
    return await images.contents(services, person, image)


@router.get("/{image}/uses", response_model=Page[Task], responses=problems(404, 409))
async def uses(
    image: str, services: Service, person: Person, limit: Limit = 50, cursor: PageCursor = None
) -> Page[Task]:
    """The tasks that ran inside it, newest first."""
    items, after = await images.uses(services, person, image, limit=limit, cursor=cursor)
    return Page(items=items, next=after)


@router.get("/{image}/definition", response_class=PlainTextResponse, responses=problems(404, 409))
async def definition(
    image: str, services: Service, person: Person, form: Form = ""
) -> PlainTextResponse:
    """The exact definition file or Dockerfile. It also works without Diamond."""
    text = await images.definition(services, person, image, form)
    return PlainTextResponse(text)


@router.post(
    "/{image}/copies",
    status_code=202,
    response_model=schemas.CopyAnswer,
    responses=problems(404, 409),
)
async def copy_image(
    image: str,
    body: schemas.CopyRequest,
    services: Service,
    person: Person,
    key: IdempotencyKey = None,
) -> schemas.CopyAnswer:
    """Bring it to an endpoint: by its file, or by building it there, whichever is faster."""
    return await transfer_requests.copy_image(services, person, image, body, key)


@router.post(
    "/{image}/push",
    status_code=202,
    response_model=schemas.ImageMove,
    responses=problems(404, 409),
)
async def push_image(
    image: str,
    body: schemas.PushRequest,
    services: Service,
    person: Person,
    key: IdempotencyKey = None,
) -> schemas.ImageMove:
    return await transfer_requests.push_image(
        services, person, image, body.reference, body.endpoint, key
    )
