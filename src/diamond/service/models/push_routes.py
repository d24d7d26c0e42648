"""Folders on their way to become versions of models."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from diamond.service.models import pushes, schemas
from diamond.service.people.caller import Person
from diamond.service.platform.http.bodies import body_parts
from diamond.service.platform.http.routing import BYTES, Service, problems
from diamond.service.trees.rounds import check_place

router = APIRouter(tags=["models"])
MAX_PIECE = 16 << 20
Round = Annotated[int, Query(ge=0)]


@router.post(
    "/models/{model}/pushes",
    status_code=202,
    response_model=schemas.Push,
    responses=problems(404, 409),
)
async def push(
    model: str, body: schemas.NewPush, services: Service, person: Person
) -> schemas.Push:
    """Begin or continue. A folder of an endpoint is read where it is; of an upload, the service asks round by round."""
    return await pushes.push(services, person, model, body)


@router.get("/model-pushes/{push}", response_model=schemas.Push, responses=problems(404))
async def get_push(push: str, services: Service, person: Person) -> schemas.Push:
    return await pushes.get_push(services, person, push)


@router.get(
    "/model-pushes/{push}/wants",
    response_class=Response,
    responses={**problems(404), 200: BYTES},
)
async def get_wants(push: str, services: Service, person: Person, round: Round = 0) -> Response:
    """Which files and ranges the service still lacks (docs/internals/data.md)."""
    content = await pushes.wants(services, person, push, round)
    return Response(content, media_type="application/octet-stream")


@router.post(
    "/model-pushes/{push}/pieces",
    response_model=schemas.PieceWanted,
    responses=problems(404, 413),
    openapi_extra={"requestBody": BYTES},
)
async def take_piece(
    push: str, request: Request, services: Service, person: Person, round: Round = 0, n: Round = 0
) -> schemas.PieceWanted:
    """A piece of the pack stream; held while the pieces before it are being written."""
    parts = await body_parts(request, MAX_PIECE)
    place = check_place(round, n)
    return schemas.PieceWanted(next=await pushes.take_piece(services, person, push, place, parts))
