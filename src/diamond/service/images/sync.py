"""What agents say of images: bytes of files on their way, how moves go, and what they have."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

from diamond.core.errors import BadRequest, NotFound
from diamond.service.endpoints.commands import Command, send
from diamond.service.endpoints.pairing import AgentCall
from diamond.service.images import request_store as wishes
from diamond.service.images import store as rows
from diamond.service.images.arrivals import fail_waiting, keep_copy, keep_image, release
from diamond.service.images.shared import known_digests
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import Row
from diamond.service.platform.event_log import News, publish
from diamond.service.platform.image_files import ImageFiles
from diamond.service.platform.services import Services
from diamond.service.platform.text import clean

BLOCK, MOST_AT_ONCE = 1 << 20, 64 << 20
HOLD_SECONDS = 20.0
AGAIN_SECONDS = 60.0
"""A source that sends nothing for so long is asked again."""
LOOK_SECONDS = 0.02
STATES = ("running", "done", "failed")


async def take_image_bytes(
    services: Services, call: AgentCall, sha256: str, offset: int, size: int, parts: list[bytes]
) -> dict[str, Any]:
    await _moves(services, call, sha256, "source")
    have = await asyncio.to_thread(services.image_files.append, sha256, offset, parts, size)
    return {"have": have}


@dataclass(frozen=True)
class Piece:
    """Bytes of a file that are here."""

    length: int
    blocks: AsyncIterator[bytes]


async def image_part(services: Services, call: AgentCall, told: dict[str, Any]) -> Piece:
    """What is here from `offset` on; held while nothing is. The source is asked to send what lacks."""
    sha256, offset = str(told.get("sha256", "")), int(told.get("offset") or 0)
    moves = await _moves(services, call, sha256, "endpoint")
    files, size = services.image_files, int(moves[0]["size"])
    if files.have(sha256) < size and files.idle_seconds(sha256) > AGAIN_SECONDS:
        await services.store.run(lambda tx: _ask_source(tx, moves))
    deadline = time.monotonic() + HOLD_SECONDS
    while files.have(sha256) <= offset and time.monotonic() < deadline:
        await asyncio.sleep(LOOK_SECONDS)
    length = min(max(files.have(sha256) - offset, 0), MOST_AT_ONCE)
    return Piece(length, _blocks(files, sha256, offset, offset + length))


async def take_moves(services: Services, call: AgentCall, told: dict[str, Any]) -> dict[str, Any]:
    """How moves of this endpoint go; one that has ended stays so."""

    async def take(tx: Transaction) -> list[str]:
        wrong = []
        for item in clean(told.get("items") or []):
            named = str(item.get("move", ""))
            move = await wishes.find_move(tx.connection, named, lock=True)
            if move is not None and move["endpoint"] == call.endpoint["id"]:
                await _take_move(tx, move, item)
                wrong += [move["sha256"]] if item.get("state") == "failed" else []
        return wrong

    for sha256 in filter(None, await services.store.run(take)):
        services.image_files.drop(sha256)
    return {}


async def take_inventory(
    services: Services, call: AgentCall, told: dict[str, Any]
) -> dict[str, Any]:
    """What an endpoint has now; copies that were made since it looked are left alone."""
    looked = time.time() - float(told.get("age") or 0) - 1.0
    items = [one for one in clean(told.get("items") or []) if isinstance(one, dict)]

    async def take(tx: Transaction) -> dict[str, Any]:
        endpoint, owner = call.endpoint["id"], call.endpoint["owner"]
        known = await rows.copies_on(tx.connection, endpoint)
        here = {(str(one["identity"]), str(one["format"])) for one in items}
        gone = [one for one in known if _key(one) not in here and one["at"] < looked]
        await rows.drop_copies(tx, [(one["image"], endpoint, one["format"]) for one in gone])
        changed = {one["image"] for one in gone}
        recorded = {(*_key(one), one["sha256"]) for one in known}
        for record in items:
            if (record["identity"], record["format"], record["sha256"]) in recorded:
                continue
            image = await rows.image_of_identity(tx.connection, owner, str(record["identity"]))
            if image is not None and await _counts_as(tx, image, record):
                await keep_copy(
                    tx, owner=owner, endpoint=endpoint, image=image["id"], record=record
                )
                changed.add(image["id"])
        await publish(tx, owner, [News("image", image) for image in sorted(changed)])
        return {}

    return await services.store.run(take)


async def _take_move(tx: Transaction, move: Row, item: dict[str, Any]) -> None:
    if move["state"] not in wishes.OPEN_MOVES or item.get("state") not in STATES:
        return
    values = {
        "state": item["state"],
        "bytes": int(item.get("bytes") or move["bytes"]),
        "size": int(item.get("size") or move["size"]),
        "message": str(item.get("message") or "")[:2000],
    }
    if move["started"] is None and item["state"] == "running":
        values["started"] = time.time()
    image = move["image"]
    fault = await _fault(tx, move, item) if item["state"] == "done" else ""
    if fault:
        values |= {"state": "failed", "message": fault}
    elif item["state"] == "done" and move["kind"] != "push":
        image = await _arrived(tx, move, item)
        values["image"] = image
    await wishes.change_move(tx, move["id"], values)
    if values["state"] == "failed":
        words = f"its image did not arrive: {values['message']}"
        await fail_waiting(tx, move["id"], words)
    if image:
        await publish(tx, move["owner"], [News("image", image)])


async def _counts_as(tx: Transaction, image: Row, record: dict[str, Any]) -> bool:
    """A file that came from elsewhere may claim any recipe: only what was asked for becomes a copy of the image."""
    return not record.get("arrived") or record["sha256"] in await known_digests(tx, image)


async def _fault(tx: Transaction, move: Row, item: dict[str, Any]) -> str:
    """Why what arrived is not taken, in words for its person."""
    record = item.get("record")
    if not isinstance(record, dict) or move["kind"] == "push":
        return ""
    if move["kind"] == "copy":
        return "" if record["sha256"] == move["sha256"] else "another file came than was asked for"
    owner = move["owner"]
    known = await rows.image_of_identity(tx.connection, owner, str(record["identity"]))
    if known is None or record["sha256"] in await known_digests(tx, known):
        return ""
    return (
        f"it claims the recipe of your image {known['name'] or known['id']}, with other bytes. "
        f"Delete that one first if you want this one: diamond image delete {known['name'] or known['id']}"
    )


async def _arrived(tx: Transaction, move: Row, item: dict[str, Any]) -> str:
    record = item.get("record")
    if not isinstance(record, dict):
        raise BadRequest("A move that is done tells the record of its image")
    if move["kind"] == "copy":
        await keep_copy(
            tx, owner=move["owner"], endpoint=move["endpoint"], image=move["image"], record=record
        )
        await release(tx, move["id"], move["image"], record)
        return str(move["image"])
    return await keep_image(
        tx,
        owner=move["owner"],
        endpoint=move["endpoint"],
        record=record,
        recipe=item.get("recipe") or {"environment": {}, "platform": record["platform"]},
        name=move["name"],
    )


async def _moves(services: Services, call: AgentCall, sha256: str, side: str) -> Sequence[Row]:
    """Only who sends a file may add to it, and only who gets it may read it."""
    place = call.endpoint["id"]
    async with services.store.read() as connection:
        found = await wishes.moves_of_file(connection, sha256, place)
    moves = [one for one in found if one[side] == place]
    if not moves:
        raise NotFound(f"No move of {sha256[:12]} concerns this endpoint", "It may have ended.")
    return moves


async def _ask_source(tx: Transaction, moves: Sequence[Row]) -> None:
    for move in moves:
        recent = time.time() - move["updated"] < AGAIN_SECONDS
        if move["state"] == "running" and recent:
            continue
        told = {"act": "send", "move": f"{move['id']}-send", "record": move["record"]}
        await send(tx, [Command("image", move["source"], move["owner"], data=told)])
        await wishes.change_move(tx, move["id"], {"state": "running"})


async def _blocks(files: ImageFiles, sha256: str, at: int, end: int) -> AsyncIterator[bytes]:
    while at < end:
        data = await asyncio.to_thread(files.read, sha256, at, min(BLOCK, end - at))
        if not data:
            return
        at += len(data)
        yield data


def _key(copy: Row) -> tuple[str, str]:
    return str(copy["record"].get("identity", "")), str(copy["format"])
