from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from diamond.service.datasets import (
    additions,
    datasets,
    places,
    previews,
    schemas,
    source_checks,
    uploads,
)
from diamond.service.people.caller import Person
from diamond.service.platform.http.bodies import body_parts
from diamond.service.platform.http.routing import (
    BYTES,
    IdempotencyKey,
    Limit,
    PageCursor,
    Service,
    problems,
)
from diamond.service.platform.http.schemas import Nothing, Page
from diamond.service.tasks.schemas import Task
from diamond.service.trees.rounds import check_place

router = APIRouter(prefix="/datasets", tags=["datasets"])
Words = Annotated[str, Query(max_length=200)]
MAX_PIECE = 16 << 20
Version = Annotated[str, Query(max_length=80)]
Path = Annotated[str, Query(max_length=4096)]


@router.get("", response_model=Page[schemas.Dataset], responses=problems())
async def list_datasets(
    services: Service,
    person: Person,
    search: Words = "",
    shared: bool = False,
    limit: Limit = 50,
    cursor: PageCursor = None,
) -> Page[schemas.Dataset]:
    """`search`: each word in the name or description. `shared`: those of others that the caller may use."""
    if shared:
        return Page(items=await datasets.list_shared(services, person, search))
    return await datasets.list_datasets(services, person, search=search, limit=limit, cursor=cursor)


@router.post("", status_code=202, response_model=schemas.DataAddition, responses=problems(404, 409))
async def add_data(
    body: schemas.AddDataRequest, services: Service, person: Person, key: IdempotencyKey = None
) -> schemas.DataAddition:
    """A path on an endpoint is read in place; the files of a URL are fetched by the endpoint."""
    return await additions.add_data(services, person, body, key)


@router.get("/reference", response_model=schemas.DatasetReferred, responses=problems(404, 409))
async def refer(text: Words, services: Service, person: Person) -> schemas.DatasetReferred:
    """What `era5`, `era5@v2`, `era5@sha256:…` or `ada@example.org/era5` means now."""
    return await datasets.refer(services, person, text)


@router.post("/gc", response_model=schemas.DataGcAnswer, responses=problems(404, 409))
async def gc(
    body: schemas.DataGcRequest, services: Service, person: Person
) -> schemas.DataGcAnswer:
    """Copies that may go, least recently used first; removed only without `dry_run`."""
    return await places.make_room(services, person, body)


@router.post(
    "/manifests/{digest}",
    response_model=schemas.ManifestTaken,
    responses=problems(413),
    openapi_extra={"requestBody": BYTES},
)
async def take_manifest(
    digest: str, request: Request, services: Service, person: Person, offset: int = 0, size: int = 0
) -> schemas.ManifestTaken:
    """The list of files of a folder that is about to be uploaded, in parts."""
    parts = await body_parts(request, MAX_PIECE)
    return await uploads.take_manifest(services, person, digest, offset, size, parts)


@router.post(
    "/uploads",
    status_code=202,
    response_model=schemas.DataAddition,
    responses=problems(404, 409),
)
async def upload(
    body: schemas.DataUploadRequest, services: Service, person: Person, key: IdempotencyKey = None
) -> schemas.DataAddition:
    """Begin or continue: the endpoint then asks, round by round, for what it lacks."""
    return await uploads.start(services, person, body, key)


@router.get("/uploads/{upload}/wants", response_class=Response, responses=problems(404))
async def wants(upload: str, services: Service, person: Person, round: int = 0) -> Response:
    content = await uploads.wants(services, person, upload, round)
    return Response(content, media_type="application/octet-stream")


@router.post(
    "/uploads/{upload}/pieces",
    response_model=schemas.PieceTaken,
    responses=problems(404, 413),
    openapi_extra={"requestBody": BYTES},
)
async def take_piece(
    upload: str, request: Request, services: Service, person: Person, round: int = 0, n: int = 0
) -> schemas.PieceTaken:
    """A piece of the pack stream; held while the endpoint has yet to take the ones before it."""
    parts = await body_parts(request, MAX_PIECE)
    return await uploads.take_piece(services, person, upload, check_place(round, n), parts)


@router.get("/additions/{addition}", response_model=schemas.DataAddition, responses=problems(404))
async def get_addition(addition: str, services: Service, person: Person) -> schemas.DataAddition:
    return await additions.get_addition(services, person, addition)


@router.post(
    "/additions/{addition}/cancel", response_model=schemas.DataAddition, responses=problems(404)
)
async def cancel_addition(addition: str, services: Service, person: Person) -> schemas.DataAddition:
    return await additions.cancel_addition(services, person, addition)


@router.get("/transfers/{transfer}", response_model=schemas.DataTransfer, responses=problems(404))
async def get_transfer(transfer: str, services: Service, person: Person) -> schemas.DataTransfer:
    return await places.get_transfer(services, person, transfer)


@router.post(
    "/transfers/{transfer}/cancel", response_model=schemas.DataTransfer, responses=problems(404)
)
async def cancel_transfer(transfer: str, services: Service, person: Person) -> schemas.DataTransfer:
    """What has arrived is kept; tasks that waited for it fail."""
    return await places.cancel(services, person, transfer)


@router.get("/checks/{check}", response_model=schemas.DataCheck, responses=problems(404))
async def get_check(check: str, services: Service, person: Person) -> schemas.DataCheck:
    return await places.get_check(services, person, check)


@router.get("/{dataset}", response_model=schemas.Dataset, responses=problems(404, 409))
async def get_dataset(dataset: str, services: Service, person: Person) -> schemas.Dataset:
    """By name or id."""
    return await datasets.get_dataset(services, person, dataset)


@router.patch("/{dataset}", response_model=schemas.Dataset, responses=problems(404, 409))
async def change_dataset(
    dataset: str, body: schemas.DatasetChange, services: Service, person: Person
) -> schemas.Dataset:
    """Versions never change; what is said about them does."""
    return await datasets.change_dataset(services, person, dataset, body)


@router.delete("/{dataset}", response_model=Nothing, responses=problems(404, 409))
async def remove_dataset(
    dataset: str, services: Service, person: Person, version: Version = ""
) -> Nothing:
    """The name with all versions, or one version. Files stay where they are."""
    await datasets.remove_dataset(services, person, dataset, version)
    return Nothing()


@router.get("/{dataset}/files", response_model=schemas.DatasetListing, responses=problems(404, 409))
async def list_files(
    dataset: str,
    services: Service,
    person: Person,
    version: Version = "",
    folder: Path = "",
    after: Path = "",
    limit: Limit = 200,
) -> schemas.DatasetListing:
    """One folder of a version, from its manifest."""
    return await datasets.list_files(
        services, person, dataset, version=version, folder=folder, after=after, limit=limit
    )


@router.get("/{dataset}/uses", response_model=Page[Task], responses=problems(404, 409))
async def uses(
    dataset: str, services: Service, person: Person, limit: Limit = 50, cursor: PageCursor = None
) -> Page[Task]:
    """The caller's tasks that read it, newest first."""
    items, after = await datasets.uses(services, person, dataset, limit=limit, cursor=cursor)
    return Page(items=items, next=after)


@router.get("/{dataset}/places", response_model=schemas.DatasetPlaces, responses=problems(404, 409))
async def where(
    dataset: str, services: Service, person: Person, version: Version = ""
) -> schemas.DatasetPlaces:
    """Every copy on the caller's endpoints."""
    return await places.where(services, person, dataset, version)


@router.post(
    "/{dataset}/copies",
    status_code=202,
    response_model=schemas.DataCopyAnswer,
    responses=problems(404, 409),
)
async def copy(
    dataset: str,
    body: schemas.DataCopyRequest,
    services: Service,
    person: Person,
    key: IdempotencyKey = None,
) -> schemas.DataCopyAnswer:
    """Bring a version to one of the caller's endpoints; only what is missing there moves."""
    return await places.copy(services, person, dataset, body, key)


@router.post(
    "/{dataset}/copies/remove", response_model=schemas.DatasetPlaces, responses=problems(404, 409)
)
async def remove_copies(
    dataset: str, body: schemas.RemoveCopiesRequest, services: Service, person: Person
) -> schemas.DatasetPlaces:
    return await places.remove_copies(services, person, dataset, body)


@router.post(
    "/{dataset}/checks",
    status_code=202,
    response_model=schemas.DataChecks,
    responses=problems(404, 409),
)
async def check(
    dataset: str, body: schemas.DataCheckRequest, services: Service, person: Person
) -> schemas.DataChecks:
    """Have copies looked at by their endpoints: size, time and inode, or every byte; or have the source looked at."""
    if body.source:
        return await source_checks.check_source(services, person, dataset, body)
    return await places.check(services, person, dataset, body)


@router.get(
    "/{dataset}/preview", response_model=schemas.DatasetPreview, responses=problems(404, 409)
)
async def get_preview(
    dataset: str, services: Service, person: Person, version: Version = ""
) -> schemas.DatasetPreview:
    """Columns, dimensions, first rows and small pictures of a version."""
    return await previews.get_preview(services, person, dataset, version)


@router.post(
    "/{dataset}/preview",
    status_code=202,
    response_model=schemas.DatasetPreview,
    responses=problems(404, 409),
)
async def make_preview(
    dataset: str, body: schemas.DataPreviewRequest, services: Service, person: Person
) -> schemas.DatasetPreview:
    """Make the preview again. Every version gets one automatically."""
    return await previews.make_preview(services, person, dataset, body)


@router.post("/{dataset}/pin", response_model=schemas.DatasetPlaces, responses=problems(404, 409))
async def pin(
    dataset: str, body: schemas.DataPinRequest, services: Service, person: Person
) -> schemas.DatasetPlaces:
    return await places.pin(services, person, dataset, body)
