"""The calls of agents about data: `docs/internals/data.md`."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from starlette.responses import Response

from diamond.core.decoding import encode
from diamond.core.previews import MOST_BYTES
from diamond.service.platform.http.bodies import body_parts
from diamond.service.platform.http.routing import Service, problems
from diamond.service.sync import data
from diamond.service.sync.caller import Agent
from diamond.service.sync.message import (
    DataPartMessage,
    DataReportsMessage,
    ManifestPartMessage,
    TreesMessage,
    WantsPartMessage,
)
from diamond.service.sync.router import router
from diamond.service.trees import relayed_pieces
from diamond.service.trees.previews import take_preview
from diamond.service.trees.rounds import check_place

MAX_PIECE = 16 << 20
MAX_WANTS = 256 << 20
OF_BYTES: dict[str, Any] = {"requestBody": {"content": {"application/octet-stream": {}}}}
Answer = dict[str, Any]


@router.post("/trees", responses=problems(409))
async def trees(services: Service, agent: Agent, message: TreesMessage) -> Answer:
    """`again`: a copy that was made as the agent looked is not in its list, so it looks once more."""
    return {"again": await data.take_trees(services, agent, message)}


@router.post("/data-reports", responses=problems(409))
async def data_reports(services: Service, agent: Agent, message: DataReportsMessage) -> Answer:
    await data.take_data_reports(services, agent, message)
    return {}


@router.post("/manifest-bytes/{tree}", responses=problems(404, 409, 413), openapi_extra=OF_BYTES)
async def manifest_bytes(
    tree: str, request: Request, services: Service, agent: Agent, offset: int = 0, size: int = 0
) -> Answer:
    parts = await body_parts(request, MAX_PIECE)
    return encode(await relayed_pieces.take_manifest(services, agent, tree, offset, size, parts))


@router.post("/manifest-part", response_class=Response, responses=problems(404, 409))
async def manifest_part(services: Service, agent: Agent, message: ManifestPartMessage) -> Response:
    """The bytes of a manifest from an offset on; none at its end."""
    content = await relayed_pieces.manifest_part(services, agent, message)
    return Response(content, media_type="application/octet-stream")


@router.post("/preview-bytes/{scan}", responses=problems(404, 409, 413), openapi_extra=OF_BYTES)
async def preview_bytes(scan: str, request: Request, services: Service, agent: Agent) -> Answer:
    content = b"".join(await body_parts(request, MOST_BYTES))
    await take_preview(services, agent, scan, content)
    return {}


@router.post("/data-wants/{transfer}", responses=problems(404, 409, 413), openapi_extra=OF_BYTES)
async def data_wants(transfer: str, request: Request, services: Service, agent: Agent) -> Answer:
    wants = b"".join(await body_parts(request, MAX_WANTS))
    return encode(await relayed_pieces.take_wants(services, agent, transfer, wants))


@router.post("/data-wants-part", response_class=Response, responses=problems(404, 409))
async def data_wants_part(services: Service, agent: Agent, message: WantsPartMessage) -> Response:
    content = await relayed_pieces.wants_part(services, agent, message)
    return Response(content, media_type="application/octet-stream")


@router.post("/data-bytes/{transfer}", responses=problems(404, 409, 413), openapi_extra=OF_BYTES)
async def data_bytes(
    transfer: str,
    request: Request,
    services: Service,
    agent: Agent,
    round: int = 0,
    n: int = 0,
) -> Answer:
    parts = await body_parts(request, MAX_PIECE)
    place = check_place(round, n)
    return encode(await relayed_pieces.take_piece(services, agent, transfer, place, parts))


@router.post("/data-part", response_class=Response, responses=problems(404, 409))
async def data_part(services: Service, agent: Agent, message: DataPartMessage) -> Response:
    """A piece of a transfer's stream; empty: not yet."""
    parts = await relayed_pieces.piece_part(services, agent, message, after=data.after_data)
    # Joined: 64 small writes cost more than one copy.
    return Response(b"".join(parts), media_type="application/octet-stream")
