"""Trees on their way to endpoints. One transfer serves all tasks that wait for it."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from pydantic import JsonValue
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core import ids
from diamond.core.artifacts import SERVICE as AT_SERVICE
from diamond.core.data_settings import read_data_settings
from diamond.core.dependencies import Dependency, DependencyKind
from diamond.core.errors import Conflict
from diamond.core.protocol import WITH_WAYS
from diamond.core.task import Reason
from diamond.core.units import show_bytes
from diamond.data.ways import (
    CONVERT,
    MEASURING_BYTES,
    SERVICE,
    STORAGE,
    WAYS,
    Copy,
    Ends,
    Reach,
    Way,
    choose_way,
    measured_speeds,
    possible_ways,
    reaches_of,
)
from diamond.service.endpoints.commands import Command, send
from diamond.service.endpoints.facts import effective_facts
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import endpoints_by_id
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import JsonObject
from diamond.service.platform.event_log import changed, publish
from diamond.service.tasks.dependency_store import waiting_for
from diamond.service.tasks.stepping import Steps
from diamond.service.trees import store
from diamond.service.trees.rows import Ended, TransferRow, TreePlaceRow, TreeRow
from diamond.service.trees.scans import require_trees
from diamond.service.trees.stored_copies import is_stored_for
from diamond.service.trees.trees import find_tree

UPLOAD, KEPT = "upload", "kept"
"""The source is a person's own computer, or the copy that the service keeps."""
FAILED_SECONDS = 6 * 3600.0
"""A way that failed is not tried again for this long, unless no other is left."""
DATA = "data"
"""What other windows of a person ask for again when a scan or a transfer moves on."""


@dataclass(frozen=True)
class ReadyTree:
    """It is on the endpoint."""

    place: TreePlaceRow


async def provide_tree(
    tx: Transaction,
    endpoint: EndpointRow,
    tree: str,
    *,
    layout: str = "files",
    also_of: Collection[str] = (),
    may_pass: bool = True,
) -> ReadyTree | Dependency:
    """The tree on this endpoint, or the transfer that must be waited for.

    The owner of the endpoint must know the tree (`trees.give_tree`). `also_of`: people whose copies may be the source,
    because they share it. `may_pass`: whether its bytes may pass through the service.
    Raises `NotFound`, and `Conflict` where no copy can be taken.
    """
    require_trees(endpoint)
    row = await find_tree(tx.connection, endpoint.owner, tree)
    under_way = await store.open_transfer_to(tx, row.digest, endpoint.id, layout)
    if under_way is not None:
        return _waits_for(under_way)
    places = await store.places_of(tx.connection, {endpoint.owner, *also_of}, [row.digest])
    way = await plan_way(tx.connection, row, endpoint, places, layout, may_pass=may_pass)
    way = await _from_storage(tx.connection, row, places, way, endpoint)
    way = _from_service(row, places, way)
    if way.how == "here":
        return ReadyTree(_here(places, endpoint, layout))
    if not way.how:
        raise Conflict(
            f"The data {row.digest[:12]} cannot come to {endpoint.name}: {way.words}",
            "Its page lists its copies.",
            code="conflict" if may_pass else "restricted",
        )
    return _waits_for(await start_transfer(tx, row, endpoint, way, layout))


async def start_transfer(
    tx: Transaction, tree: TreeRow, goal: EndpointRow, way: Way, layout: str
) -> TransferRow:
    now = time.time()
    transfer = TransferRow(
        id=ids.new_id(ids.TRANSFER),
        owner=goal.owner,
        tree=tree.digest,
        source=way.source or None,
        goal=goal.id,
        way=way.how,
        layout=layout,
        words=way.words,
        state="waiting",
        created=now,
        updated=now,
        size=tree.size,
        files=tree.files,
        ways=way.ways,
    )
    await store.add_transfer(tx, transfer)
    sources = await endpoints_by_id(tx.connection, {way.source})
    name = sources[way.source].name if way.source in sources else ""
    await send(tx, [_first_command(transfer, name)])
    await publish(tx, transfer.owner, [changed(DATA)])
    return transfer


async def start_upload(
    tx: Transaction, tree: TreeRow, goal: EndpointRow, *, is_here: bool
) -> TransferRow:
    """From a person's own computer, which sends pieces as an agent would. `is_here`: there is nothing to send."""
    require_trees(goal)
    now = time.time()
    transfer = TransferRow(
        id=ids.new_id(ids.TRANSFER),
        owner=goal.owner,
        tree=tree.digest,
        source=None,
        goal=goal.id,
        way=UPLOAD,
        layout="files",
        words="uploaded",
        state="done" if is_here else "waiting",
        created=now,
        updated=now,
        bytes=tree.size if is_here else 0,
        size=tree.size,
        files=tree.files,
    )
    await store.add_transfer(tx, transfer)
    if not is_here:
        await send(tx, [_first_command(transfer, "")])
    return transfer


def send_command(transfer: TransferRow, source: EndpointRow) -> Command:
    """Asks the source for what the goal wants in the transfer's present round."""
    data: JsonObject = {
        "act": "send",
        "transfer": transfer.id,
        "tree": transfer.tree,
        "round": transfer.round,
        "through_service": transfer.passes_service,
    }
    return Command("data", source.id, source.owner, data=data)


async def cancel_transfer(tx: Transaction, transfer: TransferRow) -> TransferRow:
    """It ends at once, and tasks that wait for it fail; its endpoints stop when they hear of it. Asking twice is fine."""
    if not transfer.is_open:
        return transfer
    ended = await end_transfer(tx, transfer, "cancelled", "the transfer was cancelled")
    data: JsonObject = {"act": "cancel", "name": transfer.id}
    ends = {transfer.goal, transfer.source or transfer.goal}
    owners = await endpoints_by_id(tx.connection, ends)
    await send(tx, [Command("data", row.id, row.owner, data=data) for row in owners.values()])
    return ended


async def end_transfer(
    tx: Transaction, transfer: TransferRow, state: str, message: str
) -> TransferRow:
    """It will not arrive: tasks that waited for it fail with the reason."""
    ended = await store.change_transfer(tx, transfer.id, state=state, message=message)
    for row in await waiting_for(tx.connection, transfer.id):
        steps = Steps(row.owner)
        await steps.fail(tx, row, transfer.id, f"its data did not arrive: {message}", Reason.DATA)
        await steps.save(tx)
    await publish(tx, transfer.owner, [changed(DATA)])
    return ended


async def release(tx: Transaction, transfer: TransferRow) -> None:
    """The tasks that waited for it are submitted if nothing else is missing."""
    for row in await waiting_for(tx.connection, transfer.id):
        if row.cancel_requested:
            continue
        steps = Steps(row.owner)
        await steps.meet(tx, row, transfer.id, "the data is there")
        await steps.save(tx)


async def forget_endpoint(tx: Transaction, endpoint: str) -> list[Ended]:
    """An endpoint is removed: its places are out of reach, and what was to come from there never will."""
    ended: list[Ended] = []
    for transfer in await store.open_transfers_of(tx.connection, endpoint):
        ended.append(await end_transfer(tx, transfer, "failed", "the endpoint was removed"))
    for scan in await store.open_scans_of(tx.connection, endpoint):
        message = "the endpoint was removed"
        ended.append(await store.change_scan(tx, scan.id, state="failed", message=message))
    for place in await store.places_on(tx.connection, endpoint):
        await store.drop_tree_place(tx, place)
    return ended


def _first_command(transfer: TransferRow, source: str) -> Command:
    data: JsonObject = {"transfer": transfer.id, "tree": transfer.tree}
    if transfer.way == CONVERT and transfer.layout == "archive":
        return Command("data", transfer.goal, transfer.owner, data={"act": "archive", **data})
    data |= {"size": transfer.size, "files": transfer.files}
    # Agents that know no other ways go by `way` alone.
    way = CONVERT if transfer.way == CONVERT else SERVICE
    ways: list[JsonValue] = list(transfer.ways)
    data |= {"layout": transfer.layout, "way": way, "ways": ways, "source": source}
    return Command("data", transfer.goal, transfer.owner, data={"act": "fetch", **data})


async def plan_way(
    connection: AsyncConnection,
    tree: TreeRow,
    goal: EndpointRow,
    places: Sequence[TreePlaceRow],
    layout: str,
    *,
    may_pass: bool = True,
) -> Way:
    """How it would come: by what is set and what was measured; nothing is begun."""
    rows = await endpoints_by_id(connection, {place.endpoint for place in places})
    copies = [
        Copy(
            endpoint=place.endpoint,
            name=source_name(rows[place.endpoint], goal.owner),
            layout=place.layout,
            is_online=rows[place.endpoint].state == "online",
            may_leave=tree.has_manifest and rows[place.endpoint].policy.egress == "all",
            is_unchanged=not place.changed,
            reaches=await _reaches(connection, rows[place.endpoint], goal, may_pass=may_pass),
        )
        for place in places
        if place.endpoint in rows
    ]
    return choose_way(copies, goal.id, layout, tree.size)


async def _from_storage(
    connection: AsyncConnection,
    tree: TreeRow,
    places: Sequence[TreePlaceRow],
    way: Way,
    goal: EndpointRow,
) -> Way:
    """The copy in S3 storage, where no endpoint can send one now."""
    source = (await endpoints_by_id(connection, {way.source})).get(way.source)
    if source is not None and source.state == "online":
        return way
    if not any(is_stored_for(goal, place) for place in places):
        return way
    return Way(STORAGE, "", f"copied from S3 storage: {show_bytes(tree.size)}", (STORAGE,))


def _from_service(tree: TreeRow, places: Sequence[TreePlaceRow], way: Way) -> Way:
    """The copy that the service keeps, where no endpoint can send one."""
    is_kept = any(place.endpoint == AT_SERVICE for place in places)
    if way.how or not is_kept:
        return way
    return Way(KEPT, "", f"copied from this service: {show_bytes(tree.size)}")


def source_name(source: EndpointRow | None, owner: str) -> str:
    """Where other people have copies is not said."""
    if source is None:
        return "an endpoint that was removed"
    return source.name if source.owner == owner else "an endpoint of its owner"


async def _reaches(
    connection: AsyncConnection, source: EndpointRow, goal: EndpointRow, *, may_pass: bool
) -> tuple[Reach, ...]:
    if source.id == goal.id:
        return ()
    past = await store.past_transfers(connection, source.id, goal.id, least=MEASURING_BYTES)
    timed = [(row.way, row.moved, row.updated - row.started) for row in past if row.started]
    since = time.time() - FAILED_SECONDS
    failed = await store.failed_ways(connection, source.id, goal.id, since=since)
    ways = possible_ways(_ends(source, goal, may_pass=may_pass))
    return reaches_of(ways, measured_speeds(timed), failed)


def _ends(source: EndpointRow, goal: EndpointRow, *, may_pass: bool) -> Ends:
    of_source = read_data_settings(effective_facts(source).get("data"))
    of_goal = read_data_settings(effective_facts(goal).get("data"))
    return Ends(
        is_same_owner=source.owner == goal.owner,
        goal_knows_host=bool(of_goal.hosts.get(source.name)),
        has_same_bucket=of_goal.s3 is not None and of_goal.s3.is_same(of_source.s3),
        has_collections=of_goal.globus is not None and of_source.globus is not None,
        may_pass_service=may_pass,
        know_ways=min(source.protocol, goal.protocol) >= WITH_WAYS,
        allowed=tuple(
            way for way in WAYS if all(way in (of.ways or WAYS) for of in (of_source, of_goal))
        ),
    )


def _here(places: Sequence[TreePlaceRow], endpoint: EndpointRow, layout: str) -> TreePlaceRow:
    return next(
        place
        for place in places
        if place.endpoint == endpoint.id and place.layout == layout and not place.changed
    )


def _waits_for(transfer: TransferRow) -> Dependency:
    message = f"its data is being {transfer.words}"
    return Dependency(DependencyKind.TRANSFER, transfer.id, message=message)
