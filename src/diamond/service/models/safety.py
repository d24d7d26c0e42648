"""Whether the files of a version are safe: a copy on storage that nobody purges, or a date until which they are there.

The safe place of a model is this service, or an endpoint of its owner whose work folder the site does not purge.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.artifacts import SERVICE
from diamond.core.dependencies import Dependency
from diamond.core.errors import Conflict, NotFound
from diamond.core.units import show_bytes
from diamond.service.datasets.bounds import Bounds, bounds_of
from diamond.service.endpoints.attention import purge_days
from diamond.service.endpoints.facts import folder_facts
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import endpoints_by_id
from diamond.service.models import store
from diamond.service.models.rows import ModelRow, VersionRow
from diamond.service.models.schemas import Safety
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.services import Services
from diamond.service.storage.storage import quota_used
from diamond.service.trees import store as tree_store
from diamond.service.trees.kept_copies import start_keeping
from diamond.service.trees.rows import TransferRow, TreePlaceRow, TreeRow, storage_place
from diamond.service.trees.stored_copies import keeper_of, require_storage, start_storing
from diamond.service.trees.transfers import provide_tree
from diamond.service.trees.trees import pin_place

DAY = 86400.0
S3 = "s3:"
"""In front of the name of an endpoint: the S3 storage that it names."""


async def secure(services: Services, version: VersionRow) -> None:
    """Have a copy brought to the model's safe place, unless its owner's quota is full: then the version says so."""
    is_full = await quota_used(services, version.owner) >= 1

    async def keep(tx: Transaction) -> None:
        tree = await tree_store.find_tree(tx.connection, version.owner, version.tree)
        model = await store.model_by_id(tx.connection, version.model)
        if tree is not None and model is not None and (model.kept_on or not is_full):
            await secure_tree(tx, model, tree)

    await services.store.run(keep)


async def secure_tree(tx: Transaction, model: ModelRow, tree: TreeRow) -> None:
    """Until the copy is there, the one that is in a run directory is not cleaned up."""
    places = await tree_store.places_of(tx.connection, {tree.owner}, [tree.digest])
    if await _is_safe(tx.connection, model, places):
        return
    for place in places:
        if place.endpoint != SERVICE and not place.pinned:
            await pin_place(tx, place, pinned=True)
    bounds = await bounds_of(tx.connection, tree.owner, tree.digest)
    try:
        keeper = await _storage_keeper(tx.connection, model)
        if keeper is not None:
            if bounds.may_lie_in_service:
                await start_storing(tx, keeper, tree)
        elif model.kept_on:
            await _bring(tx, model.kept_on, tree, bounds)
        elif bounds.may_lie_in_service:
            await start_keeping(tx, tree)
    except (Conflict, NotFound):
        return  # `safety_of` says what is there


async def keep_on(connection: AsyncConnection, owner: str, endpoint: EndpointRow | None) -> str:
    """Where copies of a model are kept from now on. Raises `Conflict` for a machine that is purged."""
    if endpoint is None:
        return ""
    days = purge_days(endpoint)
    if days is not None:
        raise Conflict(
            f"{endpoint.name} purges files after {days:g} days: it is not a safe place",
            "Choose an endpoint whose work folder is not purged, or the service.",
        )
    _require_own(endpoint, owner)
    return endpoint.id


def keep_in_storage(owner: str, endpoint: EndpointRow) -> str:
    """The S3 storage that this endpoint names. Raises `Conflict`."""
    _require_own(endpoint, owner)
    require_storage(endpoint)
    return storage_place(endpoint.id)


def kept_on_words(kept_on: str, endpoints: Mapping[str, EndpointRow]) -> str:
    """As a person chose it: an endpoint, or s3:ENDPOINT."""
    keeper = keeper_of(kept_on)
    if keeper:
        return f"{S3}{endpoints[keeper].name}" if keeper in endpoints else ""
    return endpoints[kept_on].name if kept_on in endpoints else ""


def _require_own(endpoint: EndpointRow, owner: str) -> None:
    if endpoint.owner != owner:
        raise Conflict(f"{endpoint.name} is another person's account", "Choose one of your own.")


async def safety_of(connection: AsyncConnection, version: VersionRow) -> Safety:
    """Where its files are, for a person."""
    model = await store.model_by_id(connection, version.model)
    goal = (model.kept_on if model else "") or SERVICE
    places = await tree_store.places_of(connection, {version.owner}, [version.tree])
    ends = {goal, *(place.endpoint for place in places)}
    keepers = {keeper_of(end) for end in ends} - {""}
    endpoints = await endpoints_by_id(connection, ends | keepers)
    usable = [
        place
        for place in places
        if place.endpoint == SERVICE
        or keeper_of(place.endpoint)
        or (place.endpoint in endpoints and not place.changed)
    ]
    names = sorted({_name(place.endpoint, endpoints) for place in usable})
    if model and await _is_safe(connection, model, usable):
        where = "in this service" if goal == SERVICE else f"on {_name(goal, endpoints)}"
        return Safety(state="kept", message=f"A verified copy is {where}.", places=names)
    transfers = await tree_store.transfers_of_tree(
        connection, version.owner, [version.tree], since=time.time() - DAY
    )
    transfer = next((row for row in transfers if row.goal == goal), None)
    if transfer is not None and transfer.is_open:
        left = transfer.seconds_left
        return Safety(state="copying", message=_progress(transfer), seconds_left=left, places=names)
    if not usable:
        return Safety(state="lost", message="No copy is left that Diamond knows.", places=[])
    bounds = await bounds_of(connection, version.owner, version.tree)
    note = _limit(bounds, endpoints.get(goal)) or _failure(transfer)
    return _unsafe(usable, endpoints, names, note)


def _limit(bounds: Bounds, goal: EndpointRow | None) -> str:
    """Why its safe place may not have it. No endpoint: the service."""
    is_fine = bounds.admits(goal) if goal else bounds.may_lie_in_service
    if is_fine:
        return ""
    place = goal.name if goal else "this service"
    return (
        f" It may not be copied to {place}: {bounds.because} limits where it may be."
        " Choose an endpoint where it may: diamond model keep NAME --on ENDPOINT."
    )


def _failure(transfer: TransferRow | None) -> str:
    why = f" Copying it failed: {transfer.message}." if transfer and transfer.message else ""
    return f"{why} Copy it: diamond model keep."


def _unsafe(
    usable: Sequence[TreePlaceRow],
    endpoints: Mapping[str, EndpointRow],
    names: list[str],
    note: str,
) -> Safety:
    ends = [_purged(place, endpoints) for place in usable]
    if any(end is None for end in ends):
        where = " and ".join("this service" if name == SERVICE else name for name in names)
        message = f"It is on {where} only.{note}"
        return Safety(state="on-endpoint", message=message, places=names)
    last = max(end for end in ends if end is not None)
    date = time.strftime("%Y-%m-%d", time.gmtime(last))
    message = f"It is on scratch and is purged on {date} at the latest.{note}"
    return Safety(state="purged-soon", message=message, purged=last, places=names)


def _purged(place: TreePlaceRow, endpoints: Mapping[str, EndpointRow]) -> float | None:
    """When the site removes it; only what is in the work folder is known to be purged."""
    endpoint = endpoints.get(place.endpoint)
    days = purge_days(endpoint) if endpoint else None
    if endpoint is None or days is None:
        return None
    work = folder_facts(endpoint).get("work")
    root = work.path if work else ""
    if root and place.path and not f"{place.path}/".startswith(f"{root.rstrip('/')}/"):
        return None
    return place.at + days * DAY


async def _is_safe(
    connection: AsyncConnection, model: ModelRow, places: Sequence[TreePlaceRow]
) -> bool:
    """Whether one is where its owner wants it kept: in the service, or as a managed copy on the endpoint."""
    if not model.kept_on or keeper_of(model.kept_on):
        return any(place.endpoint == (model.kept_on or SERVICE) for place in places)
    endpoint = (await endpoints_by_id(connection, {model.kept_on})).get(model.kept_on)
    return (
        endpoint is not None
        and purge_days(endpoint) is None
        and any(
            place.endpoint == model.kept_on and place.is_managed and not place.changed
            for place in places
        )
    )


async def _storage_keeper(connection: AsyncConnection, model: ModelRow) -> EndpointRow | None:
    """None where it is not kept in S3 storage. Raises `Conflict` once the endpoint is gone."""
    keeper = keeper_of(model.kept_on)
    found = (await endpoints_by_id(connection, {keeper})).get(keeper) if keeper else None
    if keeper and found is None:
        raise Conflict("The endpoint whose S3 storage keeps this model was removed")
    return found


async def _bring(tx: Transaction, endpoint: str, tree: TreeRow, bounds: Bounds) -> None:
    goal = (await endpoints_by_id(tx.connection, {endpoint})).get(endpoint)
    if goal is None:
        raise Conflict("The endpoint that keeps this model was removed", "Choose another.")
    bounds.require(goal, "This model")
    found = await provide_tree(tx, goal, tree.digest, may_pass=bounds.passes_service)
    if not isinstance(found, Dependency) and not found.place.pinned:
        await pin_place(tx, found.place, pinned=True)


def _name(endpoint: str, endpoints: Mapping[str, EndpointRow]) -> str:
    keeper = keeper_of(endpoint)
    if keeper:
        return f"S3 storage of {endpoints[keeper].name}" if keeper in endpoints else "S3 storage"
    return SERVICE if endpoint == SERVICE else endpoints[endpoint].name


def _progress(transfer: TransferRow) -> str:
    done, size = show_bytes(transfer.bytes), show_bytes(transfer.size)
    return f"It is being {transfer.words}: {done} of {size}."
