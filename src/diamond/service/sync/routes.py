"""The calls of agents: `docs/internals/sync-protocol.md`."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import Request
from starlette.responses import StreamingResponse

from diamond.core.decoding import encode
from diamond.service.code.ownership import require_readable
from diamond.service.endpoints import pairing
from diamond.service.images import sync as image_sync
from diamond.service.platform.http.bodies import body_parts
from diamond.service.platform.http.routing import Service, problems
from diamond.service.sync import data_routes, intake, sync
from diamond.service.sync.caller import Agent, NewAgent
from diamond.service.sync.message import (
    AdoptMessage,
    BlobsMessage,
    EventsMessage,
    HelloMessage,
    ImagePartMessage,
    InventoryMessage,
    PairMessage,
    PollMessage,
    ProfileMessage,
    TransfersMessage,
)
from diamond.service.sync.router import router
from diamond.service.tasks import adopt

__all__ = ["data_routes", "router"]
MAX_ANSWER = 16 << 20
MAX_PIECE = 32 << 20
Answer = dict[str, Any]


@router.post("/pair", responses=problems())
async def pair(services: Service, message: PairMessage) -> Answer:
    return encode(await pairing.pair(services, message))


@router.post("/hello", responses=problems())
async def hello(services: Service, agent: NewAgent, message: HelloMessage) -> Answer:
    return encode(await sync.hello(services, agent, message))


@router.post("/events", responses=problems(409))
async def events(services: Service, agent: Agent, message: EventsMessage) -> Answer:
    return encode(await sync.take_events(services, agent, message))


@router.post("/adopt", responses=problems(409))
async def adopt_task(services: Service, agent: Agent, message: AdoptMessage) -> Answer:
    await adopt.adopt_task(services, agent, message)
    return {}


@router.post("/commands", responses=problems(409))
async def commands(services: Service, agent: Agent, message: PollMessage) -> Answer:
    return encode(await sync.next_commands(services, agent, message))


@router.post(
    "/bytes",
    responses=problems(409, 413),
    openapi_extra={"requestBody": {"content": {"application/octet-stream": {}}}},
)
async def take_bytes(request: Request, services: Service, agent: Agent) -> Answer:
    body = await _whole_body(request, intake.MAX_BYTES)
    return encode(await intake.take_bytes(services, agent, body))


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
) -> Answer:
    body = await _whole_body(request, MAX_ANSWER)
    endpoint = agent.endpoint.id
    await services.relay.answer(endpoint, answered, body, ok=status == "ok", more=more)
    return {}


@router.post("/blobs", response_class=StreamingResponse, responses=problems(404, 409))
async def blobs(services: Service, agent: Agent, message: BlobsMessage) -> StreamingResponse:
    """A tar, one member a blob."""
    await require_readable(services, agent.endpoint.owner, message.digests)
    tar = services.blobs.stream_tar(message.digests)
    return StreamingResponse(tar, media_type="application/x-tar")


@router.post("/images", responses=problems(409))
async def images(services: Service, agent: Agent, message: InventoryMessage) -> Answer:
    await image_sync.take_inventory(services, agent, message)
    return {}


@router.post("/moves", responses=problems(409))
async def moves(services: Service, agent: Agent, message: TransfersMessage) -> Answer:
    await image_sync.take_transfers(services, agent, message)
    return {}


@router.post("/image-part", response_class=StreamingResponse, responses=problems(404, 409))
async def image_part(
    services: Service, agent: Agent, message: ImagePartMessage
) -> StreamingResponse:
    """The bytes of a file from an offset on, as far as they have arrived; empty: not yet."""
    piece = await image_sync.image_part(services, agent, message)
    headers = {"Content-Length": str(piece.length)}
    return StreamingResponse(piece.blocks, media_type="application/octet-stream", headers=headers)


@router.post(
    "/image-bytes/{sha256}",
    responses=problems(404, 409, 413),
    openapi_extra={"requestBody": {"content": {"application/octet-stream": {}}}},
)
async def image_bytes(
    sha256: str, request: Request, services: Service, agent: Agent, offset: int = 0, size: int = 0
) -> Answer:
    parts = await body_parts(request, MAX_PIECE)
    taken = await image_sync.take_image_bytes(services, agent, sha256, offset, size, parts)
    return encode(taken)


@router.post("/profile", responses=problems(409))
async def profile(services: Service, agent: Agent, message: ProfileMessage) -> Answer:
    await sync.store_profile(services, agent, message)
    return {}


async def _whole_body(request: Request, limit: int) -> bytes:
    return b"".join(await body_parts(request, limit))
