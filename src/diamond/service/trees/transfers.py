"""Trees on their way to endpoints. One transfer serves all tasks that wait for it."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from diamond.core import ids
from diamond.core.artifacts import SERVICE
from diamond.core.dependencies import Dependency, DependencyKind
from diamond.core.errors import Conflict
from diamond.core.task import Reason
from diamond.core.units import show_bytes
from diamond.data.ways import MEASURING_BYTES, Copy, Way, choose_way, measured_speed
from diamond.service.endpoints.commands import Command, send
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
from diamond.service.trees.trees import find_tree

UPLOAD, KEPT = "upload", "kept"
"""The source is a person's own computer, or the copy that the service keeps."""
DATA = "data"
"""What other windows of a person ask for again when a scan or a transfer moves on."""


@dataclass(frozen=True)
class ReadyTree:
    """It lies on the endpoint."""

    place: TreePlaceRow


async def provide_tree(
    tx: Transaction,
    endpoint: EndpointRow,
    tree: str,
    *,
    layout: str = "files",
    also_of: Collection[str] = (),
) -> ReadyTree | Dependency:
    """The tree on this endpoint, or the transfer that must be waited for.

    The owner of the endpoint must know the tree (`trees.give_tree`). `also_of`: people whose copies may be the source,
    because they share it. Raises `NotFound`, and `Conflict` where no copy can be taken.
    """
    require_trees(endpoint)
    row = await find_tree(tx.connection, endpoint.owner, tree)
    under_way = await store.open_transfer_to(tx, row.digest, endpoint.id, layout)
    if under_way is not None:
        return _waits_for(under_way)
    places = await store.places_of(tx.connection, {endpoint.owner, *also_of}, [row.digest])
    way = _from_service(row, places, await _way(tx, row, endpoint, places, layout))
    if way.how == "here":
        return ReadyTree(_here(places, endpoint, layout))
    if not way.how:
        raise Conflict(
            f"The data {row.digest[:12]} cannot come to {endpoint.name}: {way.words}",
            "Its page lists its copies.",
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
    )
    await store.add_transfer(tx, transfer)
    await send(tx, [_first_command(transfer)])
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
        await send(tx, [_first_command(transfer)])
    return transfer


def send_command(transfer: TransferRow, source: EndpointRow) -> Command:
    """Asks the source for what the goal wants in the transfer's present round."""
    data: JsonObject = {
        "act": "send",
        "transfer": transfer.id,
        "tree": transfer.tree,
        "round": transfer.round,
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


def _first_command(transfer: TransferRow) -> Command:
    data: JsonObject = {"transfer": transfer.id, "tree": transfer.tree}
    if transfer.way == "convert" and transfer.layout == "archive":
        return Command("data", transfer.goal, transfer.owner, data={"act": "archive", **data})
    data |= {"size": transfer.size, "files": transfer.files}
    way = "service" if transfer.way in (UPLOAD, KEPT) else transfer.way
    data |= {"layout": transfer.layout, "way": way}
    return Command("data", transfer.goal, transfer.owner, data={"act": "fetch", **data})


async def _way(
    tx: Transaction,
    tree: TreeRow,
    goal: EndpointRow,
    places: Sequence[TreePlaceRow],
    layout: str,
) -> Way:
    rows = await endpoints_by_id(tx.connection, {place.endpoint for place in places})
    copies = [
        Copy(
            endpoint=place.endpoint,
            name=rows[place.endpoint].name,
            layout=place.layout,
            is_online=rows[place.endpoint].state == "online",
            may_leave=tree.has_manifest and rows[place.endpoint].policy.egress == "all",
            is_unchanged=not place.changed,
            bytes_per_second=await _speed(tx, place.endpoint, goal.id),
        )
        for place in places
        if place.endpoint in rows
    ]
    return choose_way(copies, goal.id, layout, tree.size)


def _from_service(tree: TreeRow, places: Sequence[TreePlaceRow], way: Way) -> Way:
    """The copy that the service keeps, where no endpoint can send one."""
    is_kept = any(place.endpoint == SERVICE for place in places)
    if way.how or not is_kept:
        return way
    return Way(KEPT, "", f"copied from this service: {show_bytes(tree.size)}")


async def _speed(tx: Transaction, source: str, goal: str) -> float:
    past = await store.past_transfers(tx.connection, source, goal, least=MEASURING_BYTES)
    return measured_speed((row.moved, row.updated - row.started) for row in past if row.started)


def _here(places: Sequence[TreePlaceRow], endpoint: EndpointRow, layout: str) -> TreePlaceRow:
    return next(
        place
        for place in places
        if place.endpoint == endpoint.id and place.layout == layout and not place.changed
    )


def _waits_for(transfer: TransferRow) -> Dependency:
    message = f"its data is being {transfer.words}"
    return Dependency(DependencyKind.TRANSFER, transfer.id, message=message)
