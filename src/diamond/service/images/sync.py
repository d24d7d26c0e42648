"""What agents report about images: bytes of files on their way, how transfers go, and what they have."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from diamond.core.agent_messages import (
    FetchImagePart,
    ImageInventory,
    TransferReport,
    TransferReports,
)
from diamond.core.errors import BadRequest, NotFound
from diamond.core.protocol import ImageBytesTaken
from diamond.runtimes.manifests import ImageManifest, manifest_from
from diamond.service.endpoints.commands import send
from diamond.service.endpoints.pairing import AgentCall
from diamond.service.endpoints.store import endpoints_by_id
from diamond.service.images import request_store, store
from diamond.service.images.arrivals import fail_waiting, release, store_copy, store_image
from diamond.service.images.rows import CopyRow, ImageRow, TransferRow
from diamond.service.images.shared import known_digests
from diamond.service.images.transfers import (
    end_transfer,
    sending_name,
    transfer_command,
    transfer_id,
)
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import News, publish
from diamond.service.platform.image_files import ImageFiles
from diamond.service.platform.services import Services

BLOCK, MOST_AT_ONCE = 1 << 20, 64 << 20
HOLD_SECONDS = 20.0
AGAIN_SECONDS = 60.0
"""A source that sends nothing for this long is asked again."""
STALLED_SECONDS = 300.0
"""A source that is online and sends nothing for this long will not send: the transfer fails, and says so."""
LOOK_SECONDS = 0.02

log = logging.getLogger(__name__)


async def take_image_bytes(
    services: Services, call: AgentCall, sha256: str, offset: int, size: int, parts: list[bytes]
) -> ImageBytesTaken:
    await _transfers(services, call, sha256, "source")
    have = await asyncio.to_thread(services.image_files.append, sha256, offset, parts, size)
    return ImageBytesTaken(have)


@dataclass(frozen=True)
class Piece:
    """Bytes of a file that are here."""

    length: int
    blocks: AsyncIterator[bytes]


async def image_part(services: Services, call: AgentCall, message: FetchImagePart) -> Piece:
    """What is here from `offset` on; held while nothing is. The source is asked to send what is missing."""
    sha256, offset = message.sha256, message.offset
    transfers = await _transfers(services, call, sha256, "endpoint")
    files, size = services.image_files, transfers[0].size
    if files.have(sha256) < size and files.idle_seconds(sha256) > AGAIN_SECONDS:
        await services.store.run(lambda tx: _ask_source(tx, transfers))
        await services.store.run(lambda tx: _end_stalled(tx, files, transfers))
    deadline = time.monotonic() + HOLD_SECONDS
    while files.have(sha256) <= offset and time.monotonic() < deadline:
        await asyncio.sleep(LOOK_SECONDS)
    most = min(message.most or MOST_AT_ONCE, MOST_AT_ONCE)
    length = min(max(files.have(sha256) - offset, 0), most)
    return Piece(length, _blocks(files, sha256, offset, offset + length))


async def take_transfers(services: Services, call: AgentCall, message: TransferReports) -> None:
    """How transfers of this endpoint go; one that has ended stays ended."""

    async def take(tx: Transaction) -> list[str]:
        failed = []
        for report in message.items:
            known = transfer_id(report.move)
            transfer = await request_store.find_transfer(tx.connection, known, lock=True)
            if transfer is None:
                continue
            if report.move == sending_name(known):
                await _take_senders_report(tx, call, transfer, report)
            elif transfer.endpoint == call.endpoint.id:
                await _take_report(tx, transfer, report)
                failed += [transfer.sha256] if report.state == "failed" else []
        return failed

    for sha256 in filter(None, await services.store.run(take)):
        services.image_files.drop(sha256)


async def take_inventory(services: Services, call: AgentCall, message: ImageInventory) -> None:
    """What an endpoint has now; copies that were made since it looked are left alone."""
    looked = time.time() - message.age - 1.0
    manifests = [
        manifest for item in message.items if (manifest := _read_manifest(item)) is not None
    ]

    async def take(tx: Transaction) -> None:
        endpoint, owner = call.endpoint.id, call.endpoint.owner
        known = await store.copies_on(tx.connection, endpoint)
        here = {(manifest.identity, manifest.format) for manifest in manifests}
        gone = [copy for copy in known if _key(copy) not in here and copy.at < looked]
        await store.drop_copies(tx, [(copy.image, endpoint, copy.format) for copy in gone])
        changed = {copy.image for copy in gone}
        recorded = {(*_key(copy), copy.sha256) for copy in known}
        for manifest in manifests:
            if (manifest.identity, manifest.format, manifest.sha256) in recorded:
                continue
            image = await store.image_of_identity(tx.connection, owner, manifest.identity)
            if image is not None and await _counts_as(tx, image, manifest):
                await store_copy(
                    tx,
                    owner=owner,
                    endpoint=endpoint,
                    image=image.id,
                    manifest=manifest,
                )
                changed.add(image.id)
        await publish(tx, owner, [News("image", image) for image in sorted(changed)])

    await services.store.run(take)


def _read_manifest(item: dict[str, Any]) -> ImageManifest | None:
    """None for a manifest that this version cannot read: it must not hold up the others."""
    try:
        return manifest_from(item)
    except BadRequest as error:
        log.info("the manifest of an image is left out: %s", error.message)
        return None


async def _take_report(tx: Transaction, transfer: TransferRow, report: TransferReport) -> None:
    if transfer.state not in request_store.OPEN_STATES:
        return
    manifest = _complete(transfer, manifest_from(report.record)) if report.record else None
    values: dict[str, Any] = {
        "state": report.state,
        "bytes": report.bytes or transfer.bytes,
        "size": report.size or transfer.size,
        "message": report.message[:2000],
    }
    if transfer.started is None and report.state == "running":
        values["started"] = time.time()
    image = transfer.image
    fault = await _fault(tx, transfer, manifest) if report.state == "done" else ""
    if fault:
        values |= {"state": "failed", "message": fault}
    elif report.state == "done" and transfer.kind != "push":
        image = await _arrived(tx, transfer, report, manifest)
        values["image"] = image
    await request_store.change_transfer(tx, transfer.id, **values)
    if values["state"] == "failed":
        message = f"its image did not arrive: {values['message']}"
        await fail_waiting(tx, transfer.id, message)
    if image:
        await publish(tx, transfer.owner, [News("image", image)])


async def _take_senders_report(
    tx: Transaction, call: AgentCall, transfer: TransferRow, report: TransferReport
) -> None:
    """Of the endpoint that sends only its failure counts; who receives sees everything else."""
    is_open = transfer.state in request_store.OPEN_STATES
    if is_open and transfer.source == call.endpoint.id and report.state == "failed":
        why = report.message[:1000] or "it gave no reason"
        await end_transfer(tx, transfer, "failed", f"{call.endpoint.name} could not send it: {why}")


async def _end_stalled(
    tx: Transaction, files: ImageFiles, transfers: Sequence[TransferRow]
) -> None:
    """An endpoint sends one file after the other, so one that waits behind another is not stalled."""
    places = await endpoints_by_id(
        tx.connection, {open_transfer.source for open_transfer in transfers if open_transfer.source}
    )
    for transfer in transfers:
        source = places.get(transfer.source or "")
        waited = time.time() - (transfer.started or transfer.created)
        if source is None or source.state != "online" or waited < STALLED_SECONDS:
            continue
        others = await request_store.open_transfers_of(tx.connection, source.id)
        if min(files.idle_seconds(other.sha256) for other in others) > STALLED_SECONDS:
            minutes = round(STALLED_SECONDS / 60)
            message = f"{source.name} is online but sent nothing for {minutes} minutes. "
            message += f"Try again; if it stays so, see agent.log on {source.name}"
            await end_transfer(tx, transfer, "failed", message)


def _complete(transfer: TransferRow, reported: ImageManifest) -> ImageManifest:
    """A machine that lets only states leave reports no more than the digest: the rest is what was sent to it."""
    sent = transfer.manifest
    if reported.file or sent is None or sent.sha256 != reported.sha256:
        return reported
    return replace(sent, file="", arrived=reported.arrived, version=reported.version)


async def _counts_as(tx: Transaction, image: ImageRow, manifest: ImageManifest) -> bool:
    """A file that came from elsewhere may claim any recipe: only what was asked for becomes a copy of the image."""
    return not manifest.arrived or manifest.sha256 in await known_digests(tx, image)


async def _fault(tx: Transaction, transfer: TransferRow, manifest: ImageManifest | None) -> str:
    """Why what arrived is rejected, as a message for its owner."""
    if manifest is None or transfer.kind == "push":
        return ""
    if transfer.kind == "copy":
        return "" if manifest.sha256 == transfer.sha256 else "another file came than was asked for"
    owner = transfer.owner
    known = await store.image_of_identity(tx.connection, owner, manifest.identity)
    if known is None or manifest.sha256 in await known_digests(tx, known):
        return ""
    return (
        f"it claims the recipe of your image {known.name or known.id}, with other bytes. "
        f"Delete that one first if you want this one: diamond image delete {known.name or known.id}"
    )


async def _arrived(
    tx: Transaction, transfer: TransferRow, report: TransferReport, manifest: ImageManifest | None
) -> str:
    if manifest is None:
        raise BadRequest("A finished transfer must name the manifest of its image")
    if transfer.kind == "copy" and transfer.image:
        await store_copy(
            tx,
            owner=transfer.owner,
            endpoint=transfer.endpoint,
            image=transfer.image,
            manifest=manifest,
        )
        await release(tx, transfer.id, transfer.image, manifest)
        return transfer.image
    return await store_image(
        tx,
        owner=transfer.owner,
        endpoint=transfer.endpoint,
        manifest=manifest,
        recipe=report.recipe or {"environment": {}, "platform": manifest.platform},
        name=transfer.name,
    )


async def _transfers(
    services: Services, call: AgentCall, sha256: str, side: str
) -> list[TransferRow]:
    """Only who sends a file may add to it, and only who gets it may read it."""
    place = call.endpoint.id
    async with services.store.read() as connection:
        candidates = await request_store.transfers_of_file(connection, sha256, place)
    transfers = [
        transfer
        for transfer in candidates
        if (transfer.source if side == "source" else transfer.endpoint) == place
    ]
    if not transfers:
        raise NotFound(f"No transfer of {sha256[:12]} concerns this endpoint", "It may have ended.")
    return transfers


async def _ask_source(tx: Transaction, transfers: Sequence[TransferRow]) -> None:
    for transfer in transfers:
        recent = time.time() - transfer.updated < AGAIN_SECONDS
        if transfer.state == "running" and recent:
            continue
        source = transfer.source or ""
        await send(tx, [transfer_command(transfer, "send", source, name=sending_name(transfer.id))])
        await request_store.change_transfer(tx, transfer.id, state="running")


async def _blocks(files: ImageFiles, sha256: str, at: int, end: int) -> AsyncIterator[bytes]:
    while at < end:
        data = await asyncio.to_thread(files.read, sha256, at, min(BLOCK, end - at))
        if not data:
            return
        at += len(data)
        yield data


def _key(copy: CopyRow) -> tuple[str, str]:
    return copy.manifest.identity, copy.format
