"""The calls of agents: `docs/internals/sync-protocol.md`."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import APIRouter, Request
from starlette.responses import StreamingResponse

from diamond.core.errors import BadRequest, TooLarge
from diamond.service.endpoints import pairing
from diamond.service.images import sync as image_sync
from diamond.service.platform.http.routing import Service, problems
from diamond.service.sync import intake, sync
from diamond.service.sync.caller import Agent, NewAgent
from diamond.service.tasks import adopt

router = APIRouter(prefix="/sync", tags=["sync"])
MAX_ANSWER = 16 << 20
MAX_PIECE = 32 << 20
Told = dict[str, Any]


@router.post("/pair", responses=problems())
async def pair(services: Service, told: Told) -> dict[str, Any]:
    return await pairing.pair(services, told)


@router.post("/hello", responses=problems())
async def hello(services: Service, agent: NewAgent, told: Told) -> dict[str, Any]:
    return await sync.hello(services, agent, told)


@router.post("/events", responses=problems(409))
async def events(services: Service, agent: Agent, told: Told) -> dict[str, Any]:
    return await sync.take_events(services, agent, told)


@router.post("/adopt", responses=problems(409))
async def adopt_task(services: Service, agent: Agent, told: Told) -> dict[str, Any]:
    await adopt.adopt_task(services, agent, told)
    return {}


@router.post("/commands", responses=problems(409))
async def commands(services: Service, agent: Agent, told: Told) -> dict[str, Any]:
    return await sync.next_commands(services, agent, told)


@router.post(
    "/bytes",
    responses=problems(409, 413),
    openapi_extra={"requestBody": {"content": {"application/octet-stream": {}}}},
)
async def take_bytes(request: Request, services: Service, agent: Agent) -> dict[str, Any]:
    body = await _whole_body(request, intake.MAX_BYTES)
    return await intake.take_bytes(services, agent, body)


@router.post(
    "/answers/{answered}",
    responses=problems(409, 413),
    openapi_extra={"requestBody": {"content": {"application/octet-stream": {}}}},
)
async def answer(
    answered: str,
    request: Request,
    services: Service,
    agent: Agent,
    status: Literal["ok", "error"] = "ok",
    more: bool = False,
) -> dict[str, Any]:
    body = await _whole_body(request, MAX_ANSWER)
    endpoint = agent.endpoint["id"]
    await services.relay.answer(endpoint, answered, body, ok=status == "ok", more=more)
    return {}


@router.post("/blobs", response_class=StreamingResponse, responses=problems(404, 409))
async def blobs(services: Service, agent: Agent, told: Told) -> StreamingResponse:
    """A tar, one member a blob."""
    digests = told.get("digests")
    if not isinstance(digests, list):
        raise BadRequest("digests is a list")
    tar = services.blobs.stream_tar([str(one) for one in digests])
    return StreamingResponse(tar, media_type="application/x-tar")


@router.post("/images", responses=problems(409))
async def images(services: Service, agent: Agent, told: Told) -> dict[str, Any]:
    return await image_sync.take_inventory(services, agent, told)


@router.post("/moves", responses=problems(409))
async def moves(services: Service, agent: Agent, told: Told) -> dict[str, Any]:
    return await image_sync.take_moves(services, agent, told)


@router.post("/image-part", response_class=StreamingResponse, responses=problems(404, 409))
async def image_part(services: Service, agent: Agent, told: Told) -> StreamingResponse:
    """The bytes of a file from an offset on, as far as they are here; none: not yet."""
    piece = await image_sync.image_part(services, agent, told)
    headers = {"Content-Length": str(piece.length)}
    return StreamingResponse(piece.blocks, media_type="application/octet-stream", headers=headers)


@router.post(
    "/image-bytes/{sha256}",
    responses=problems(404, 409, 413),
    openapi_extra={"requestBody": {"content": {"application/octet-stream": {}}}},
)
async def image_bytes(
    sha256: str, request: Request, services: Service, agent: Agent, offset: int = 0, size: int = 0
) -> dict[str, Any]:
    parts = await _parts(request, MAX_PIECE)
    return await image_sync.take_image_bytes(services, agent, sha256, offset, size, parts)


@router.post("/profile", responses=problems(409))
async def profile(services: Service, agent: Agent, told: Told) -> dict[str, Any]:
    await sync.store_profile(services, agent, told)
    return {}


async def _whole_body(request: Request, limit: int) -> bytes:
    return b"".join(await _parts(request, limit))


async def _parts(request: Request, limit: int) -> list[bytes]:
    """As they come: joining sixteen megabytes costs as much as writing them."""
    parts, size = [], 0
    async for block in request.stream():
        size += len(block)
        if size > limit:
            raise TooLarge(f"More than {limit} bytes in one call", "Send less at a time.")
        parts.append(block)
    return parts
