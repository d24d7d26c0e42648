"""Models: names, versions, aliases, cards."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from starlette.responses import StreamingResponse

from diamond.service.models import aliases, cards, download, models, schemas, tuning, versions
from diamond.service.people.caller import Person
from diamond.service.platform.http.routing import BYTES, Limit, PageCursor, Service, problems
from diamond.service.platform.http.schemas import Page

router = APIRouter(prefix="/models", tags=["models"])
Search = Annotated[str, Query(max_length=200)]
VersionWord = Annotated[str, Path(max_length=80)]
FilePath = Annotated[str, Query(min_length=1, max_length=4096)]
WantedVersion = Annotated[str, Query(max_length=80)]


@router.get("", response_model=Page[schemas.Model], responses=problems())
async def list_models(
    services: Service,
    person: Person,
    search: Search = "",
    limit: Limit = 50,
    cursor: PageCursor = None,
) -> Page[schemas.Model]:
    """The caller's own and those shared with them, the last changed first."""
    return await models.list_models(services, person, search=search, limit=limit, cursor=cursor)


@router.post("", status_code=201, response_model=schemas.Model, responses=problems(409))
async def make_model(body: schemas.NewModel, services: Service, person: Person) -> schemas.Model:
    """A name without versions yet."""
    return await models.make_model(services, person, body)


@router.get("/{model}", response_model=schemas.Model, responses=problems(404))
async def get_model(model: str, services: Service, person: Person) -> schemas.Model:
    """By name or id."""
    return await models.get_model(services, person, model)


@router.patch("/{model}", response_model=schemas.Model, responses=problems(404, 409))
async def change_model(
    model: str, body: schemas.ChangeModel, services: Service, person: Person
) -> schemas.Model:
    return await models.change_model(services, person, model, body)


@router.delete("/{model}", status_code=204, responses=problems(404, 409))
async def delete_model(model: str, services: Service, person: Person) -> Response:
    """Rejected while an alias points to one of its versions."""
    await models.delete_model(services, person, model)
    return Response(status_code=204)


@router.get("/{model}/versions", response_model=Page[schemas.ModelVersion], responses=problems(404))
async def list_versions(
    model: str, services: Service, person: Person, limit: Limit = 50, cursor: PageCursor = None
) -> Page[schemas.ModelVersion]:
    """The newest first."""
    return await models.list_versions(services, person, model, limit=limit, cursor=cursor)


@router.post(
    "/{model}/versions",
    status_code=201,
    response_model=schemas.ModelVersion,
    responses=problems(404, 409),
)
async def add_version(
    model: str, body: schemas.NewVersion, services: Service, person: Person
) -> schemas.ModelVersion:
    """A new version from a result of a task; a name that is new is made. The same files again are the same version."""
    return await versions.add_version(services, person, model, body)


@router.get(
    "/{model}/versions/{version}", response_model=schemas.ModelVersion, responses=problems(404)
)
async def get_version(
    model: str, version: VersionWord, services: Service, person: Person
) -> schemas.ModelVersion:
    """`v3`, an alias, `sha256:…`, or `newest`."""
    return await models.get_version(services, person, _reference(model, version))


@router.patch(
    "/{model}/versions/{version}", response_model=schemas.ModelVersion, responses=problems(404)
)
async def change_version(
    model: str,
    version: VersionWord,
    body: schemas.ChangeVersion,
    services: Service,
    person: Person,
) -> schemas.ModelVersion:
    """Its note and tags; the files of a version never change."""
    return await models.change_version(services, person, _reference(model, version), body)


@router.get(
    "/{model}/versions/{version}/safety", response_model=schemas.Safety, responses=problems(404)
)
async def get_safety(
    model: str, version: VersionWord, services: Service, person: Person
) -> schemas.Safety:
    """Whether a copy is where nobody purges it."""
    return await models.get_safety(services, person, _reference(model, version))


@router.post(
    "/{model}/versions/{version}/keep",
    status_code=202,
    response_model=schemas.Safety,
    responses=problems(404, 409),
)
async def keep_version(
    model: str, version: VersionWord, services: Service, person: Person
) -> schemas.Safety:
    """Copy its files to this service, verified, so that they outlive their endpoint."""
    return await models.keep_version(services, person, _reference(model, version))


@router.get(
    "/{model}/versions/{version}/tuning", response_model=schemas.Tuning, responses=problems(404)
)
async def get_tuning(
    model: str, version: VersionWord, services: Service, person: Person
) -> schemas.Tuning:
    """A spec that continues from this version: of the run that made it, with the version under `data`."""
    return await tuning.tuning_of(services, person, _reference(model, version))


@router.get(
    "/{model}/versions/{version}/manifest",
    response_class=StreamingResponse,
    responses={**problems(404, 409), 200: BYTES},
)
async def get_manifest(
    model: str, version: VersionWord, services: Service, person: Person
) -> StreamingResponse:
    """The list of its files with sizes and digests (docs/internals/data.md)."""
    return _download(await download.read_manifest(services, person, _reference(model, version)))


@router.get(
    "/{model}/versions/{version}/content",
    response_class=StreamingResponse,
    responses={**problems(404, 409), 200: BYTES},
)
async def get_content(
    model: str,
    version: VersionWord,
    path: FilePath,
    services: Service,
    person: Person,
    start: Annotated[int, Query(ge=0)] = 0,
) -> StreamingResponse:
    """The bytes of one file, from `start` on: an interrupted download continues."""
    reference = _reference(model, version)
    return _download(await download.read_file(services, person, reference, path, start))


@router.get("/{model}/card", response_model=schemas.ModelCard, responses=problems(404))
async def get_card(
    model: str, services: Service, person: Person, version: WantedVersion = "newest"
) -> schemas.ModelCard:
    """In Markdown: written from the record until somebody edits it."""
    return await cards.get_card(services, person, _reference(model, version))


@router.get(
    "/{model}/versions/{version}/curves",
    response_class=Response,
    responses={**problems(404), 200: {"content": {"image/svg+xml": {}}}},
)
async def get_curves(
    model: str, version: VersionWord, services: Service, person: Person
) -> Response:
    """A picture of what the run that made it logged."""
    picture = await cards.get_curves(services, person, _reference(model, version))
    return Response(picture, media_type="image/svg+xml")


@router.put("/{model}/aliases/{alias}", response_model=Page[schemas.Alias], responses=problems(404))
async def set_alias(
    model: str, alias: str, body: schemas.SetAlias, services: Service, person: Person
) -> Page[schemas.Alias]:
    """Point it to a version, from wherever it pointed before."""
    return Page(items=await aliases.set_alias(services, person, model, alias, body.version))


@router.delete("/{model}/aliases/{alias}", status_code=204, responses=problems(404))
async def remove_alias(model: str, alias: str, services: Service, person: Person) -> Response:
    await aliases.remove_alias(services, person, model, alias)
    return Response(status_code=204)


@router.get("/{model}/aliases", response_model=Page[schemas.AliasMove], responses=problems(404))
async def alias_history(model: str, services: Service, person: Person) -> Page[schemas.AliasMove]:
    """Who moved which alias when, the newest first."""
    return Page(items=await aliases.alias_history(services, person, model))


def _download(part: download.FilePart) -> StreamingResponse:
    headers = {"Content-Length": str(part.length), "Content-Disposition": "attachment"}
    return StreamingResponse(part.blocks, media_type="application/octet-stream", headers=headers)


def _reference(model: str, version: str) -> str:
    return model if version == "newest" else f"{model}@{version}"
