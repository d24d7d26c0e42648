"""Images on their way: to another endpoint by their file or by a new build, to a registry, from a registry."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from diamond.core import ids
from diamond.core.dependencies import Dependency, DependencyKind
from diamond.core.errors import Conflict, NotFound
from diamond.core.order import Build
from diamond.images.recipe import recipe_from
from diamond.images.travel import File, Goal, Way, choose_way, measured_speed
from diamond.runtimes.manifests import ImageManifest, manifest_data
from diamond.service.endpoints.commands import Command, send
from diamond.service.endpoints.facts import effective_facts
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import endpoints_by_id
from diamond.service.images import request_store, store
from diamond.service.images.arrivals import fail_waiting, image_of
from diamond.service.images.image_requests import (
    ReadyImage,
    copy_on,
    endpoint_facts,
    image_name,
    plan_build,
    request_build,
)
from diamond.service.images.rows import CopyRow, ImageRow, TransferRow
from diamond.service.images.shared import files_to_take, own_image
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import JsonObject
from diamond.service.platform.event_log import News, publish

UNKNOWN_BUILD_SECONDS = 60.0
_SENDING = "-send"


async def provide_image(
    tx: Transaction,
    endpoint: EndpointRow,
    image: str,
    how: str = "auto",
    *,
    on: str = "",
    account: str = "auto",
) -> ReadyImage | Dependency:
    """The image on this endpoint, or what must be waited for until it is there.

    `on` (endpoint/partition) and `account` are used for a build, if one is needed.
    """
    image = await own_image(tx, endpoint.owner, image)
    copy = await copy_on(tx, image, endpoint.id)
    if copy is not None:
        return ReadyImage(image, image_of(copy.manifest))
    under_way = await request_store.open_transfer_to(tx, image, endpoint.id)
    if under_way is not None:
        return _waits_for_transfer(under_way)
    row = await store.image_by_id(tx.connection, image)
    assert row is not None
    source, way = await _way(tx, row, endpoint, how)
    if way.how == "rebuild":
        build = await _rebuild(tx, row, endpoint, on=on or endpoint.name, account=account)
        if isinstance(build, ReadyImage):
            return build
        return replace(build, message=f"its image is {way.words} ({build.id})")
    if way.how != "move" or source is None:
        raise Conflict(
            f"{row.called} cannot come to {endpoint.name}: {way.words}",
            "Build it there from its definition: diamond image show NAME --definition",
        )
    move = await start_transfer(
        tx, kind="copy", endpoint=endpoint, image=row, source=source, words=way.words
    )
    return _waits_for_transfer(move)


async def start_transfer(
    tx: Transaction,
    *,
    kind: str,
    endpoint: EndpointRow,
    image: ImageRow | None = None,
    source: CopyRow | None = None,
    words: str = "",
    reference: str = "",
    name: str = "",
) -> TransferRow:
    """Store it, and send it to the endpoint that acts. `source` is the copy that is used."""
    now, manifest = time.time(), source.manifest if source else None
    transfer = TransferRow(
        id=ids.new_id(ids.MOVE),
        owner=endpoint.owner,
        kind=kind,
        image=image.id if image else None,
        endpoint=endpoint.id,
        source=source.endpoint if source and kind == "copy" else None,
        reference=reference,
        name=name,
        sha256=source.sha256 if source else "",
        manifest=manifest,
        words=words,
        state="waiting",
        bytes=0,
        size=manifest.size if manifest else 0,
        message="",
        created=now,
        started=None,
        updated=now,
    )
    await request_store.add_transfer(tx, transfer)
    recipe = image.recipe if image and kind == "push" else None
    act = "fetch" if kind == "copy" else kind
    await send(tx, [transfer_command(transfer, act, endpoint.id, recipe=recipe)])
    if image:
        await publish(tx, transfer.owner, [News("image", image.id)])
    return transfer


def transfer_command(
    transfer: TransferRow,
    act: str,
    endpoint: str,
    *,
    name: str = "",
    recipe: JsonObject | None = None,
) -> Command:
    """Tells an endpoint what to do with the file; `name` if it differs from the transfer's."""
    data: JsonObject = {
        "act": act,
        "move": name or transfer.id,
        "reference": transfer.reference,
        "record": manifest_data(transfer.manifest) if transfer.manifest else {},
    }
    if recipe is not None:
        data["recipe"] = recipe
    return Command("image", endpoint, transfer.owner, data=data)


def sending_name(transfer: str) -> str:
    """How the source's part of a copy is called: it may be the endpoint that receives, too."""
    return transfer + _SENDING


def transfer_id(name: str) -> str:
    """The transfer that a report is about, whichever end sends it."""
    return name.removesuffix(_SENDING)


async def end_transfer(tx: Transaction, transfer: TransferRow, state: str, message: str) -> None:
    """It will not arrive: tasks that waited for it fail with the reason."""
    await request_store.change_transfer(tx, transfer.id, state=state, message=message)
    await fail_waiting(tx, transfer.id, f"its image did not arrive: {message}")
    if transfer.image:
        await publish(tx, transfer.owner, [News("image", transfer.image)])


async def any_copy(tx: Transaction, image: ImageRow, endpoint: EndpointRow | None) -> CopyRow:
    """A file of this image: on the endpoint that is named, or the newest."""
    copies = (await store.copies_of(tx.connection, [image.id]))[image.id]
    there = [copy for copy in copies if endpoint is None or copy.endpoint == endpoint.id]
    files = [copy for copy in there if copy.format != "venv"]
    if files:
        return files[-1]
    if there:
        raise Conflict(
            "A virtual environment is not a file that a registry accepts",
            "Build it with a `base:`, or run it elsewhere: it is rebuilt from its lock.",
        )
    raise NotFound("The image is on no such endpoint", "`diamond image show` says where it is.")


async def forget_endpoint(tx: Transaction, endpoint: str) -> None:
    """An endpoint is removed: its files are out of reach, and what was to come from there never will."""
    for transfer in await request_store.open_transfers_of(tx.connection, endpoint):
        await end_transfer(tx, transfer, "failed", "the endpoint was removed")
    copies = await store.copies_on(tx.connection, endpoint)
    await store.drop_copies(tx, [(copy.image, endpoint, copy.format) for copy in copies])


async def _way(
    tx: Transaction, image: ImageRow, endpoint: EndpointRow, how: str
) -> tuple[CopyRow | None, Way]:
    """The best of all files, those of endpoints that answer first; a venv has none to move."""
    copies = await files_to_take(tx, image)
    if not copies:
        why = "rebuilt there: no file of it is left"
        return None, Way("rebuild", why, build_seconds(image.manifest))
    places = await endpoints_by_id(tx.connection, {copy.endpoint for copy in copies})
    online = {key for key, row in places.items() if row.state == "online"}
    ways = [
        (copy, choose_way(_file(copy), await _goal(tx, copy, endpoint), how)) for copy in copies
    ]
    possible = [pair for pair in ways if pair[1].how]
    return min(
        possible,
        key=lambda pair: (pair[0].endpoint not in online, pair[1].seconds),
        default=ways[0],
    )


def _file(copy: CopyRow) -> File:
    manifest = copy.manifest
    return File(copy.format, manifest.size, manifest.platform, build_seconds(manifest))


def build_seconds(manifest: ImageManifest) -> float:
    """From nothing: the last build may have found most of it in the cache."""
    built = manifest.built
    seconds = built.get("whole_seconds") or built.get("seconds") or UNKNOWN_BUILD_SECONDS
    return float(seconds)


async def _goal(tx: Transaction, copy: CopyRow, endpoint: EndpointRow) -> Goal:
    facts = effective_facts(endpoint)
    speed = await _speed(tx, copy.endpoint, endpoint.id)
    platform = str(facts.get("platform") or "")
    return Goal(runtimes_with(facts, "runs"), runtimes_with(facts, "builds"), platform, speed)


async def _speed(tx: Transaction, source: str, goal: str) -> float:
    """As measured by the last copies between these two, else from or to one of them."""
    past = await request_store.past_transfers(tx.connection, {source, goal})
    same = [row for row in past if {row.source, row.endpoint} == {source, goal}]
    timed = [(row.bytes, row.updated - row.started) for row in same or past if row.started]
    return measured_speed(timed)


def runtimes_with(facts: Mapping[str, Any], ability: str) -> list[str] | None:
    """Runtimes that can `run` or `build` on compute nodes, else on the login node; None: not probed."""
    builders = facts.get("builders")
    if not isinstance(builders, dict):
        return None
    node = builders.get("compute") or builders.get("login")
    known = node.get("runtimes") if isinstance(node, dict) else None
    if not isinstance(known, dict):
        return None
    return [name for name, fact in known.items() if isinstance(fact, dict) and fact.get(ability)]


async def _rebuild(
    tx: Transaction, image: ImageRow, endpoint: EndpointRow, *, on: str, account: str
) -> ReadyImage | Dependency:
    """From the same lock and the same base: where the platform is the same, so is the identity."""
    recipe = recipe_from(image.recipe)
    environment = replace(recipe.environment, lock=recipe.lock)
    base_digest = recipe.base_digest if environment.base else ""
    wanted, _ = plan_build(
        Build(environment=environment, base_digest=base_digest),
        name=image.name or image_name(endpoint.name),
        on=on,
        account=account,
        endpoints=[endpoint_facts(endpoint)],
    )
    return await request_build(tx, endpoint, wanted)


def _waits_for_transfer(transfer: TransferRow) -> Dependency:
    message = f"its image is being {transfer.words}"
    return Dependency(DependencyKind.TRANSFER, transfer.id, message=message)
