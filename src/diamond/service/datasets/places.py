"""Where versions are: copy, look, check, pin, remove, and make room."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.artifacts import PREFIX
from diamond.core.errors import Conflict, NotFound
from diamond.data.eviction import HeldCopy, choose_evictions, is_last
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.datasets import room, schemas, store
from diamond.service.datasets.find import find_dataset, find_version, named_versions
from diamond.service.datasets.rows import DatasetRow, VersionRow
from diamond.service.datasets.staging import stage
from diamond.service.datasets.views import show_transfer
from diamond.service.datasets.ways import ways_to_others
from diamond.service.endpoints.endpoints import find_endpoint
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import endpoints_by_id, list_endpoints
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.idempotency import Once, once_as
from diamond.service.platform.services import Services
from diamond.service.trees import store as tree_store
from diamond.service.trees.rows import ScanRow, TransferRow, TreePlaceRow
from diamond.service.trees.scans import start_check
from diamond.service.trees.transfers import DATA, ReadyTree, cancel_transfer
from diamond.service.trees.trees import pin_place, places_of, remove_place

MANY = 100


async def copy(
    services: Services,
    principal: Principal,
    dataset: str,
    body: schemas.DataCopyRequest,
    key: str | None,
) -> schemas.DataCopyAnswer:
    """To one of the caller's own endpoints."""

    async def work(tx: Transaction) -> schemas.DataCopyAnswer:
        row = await find_dataset(tx.connection, principal, dataset)
        version = await find_version(tx.connection, row, body.version)
        endpoint = await find_endpoint(tx.connection, principal, body.endpoint, Action.WRITE)
        layout = body.layout or row.layout
        advice = room.advice(endpoint, row.name, version, layout)
        found = await stage(tx, row, version, endpoint, layout)
        if isinstance(found, ReadyTree):
            words = f"{row.name}@{version.name} is on {endpoint.name}: {found.place.path}"
            return schemas.DataCopyAnswer(how="here", words=words, advice=advice)
        transfer = await tree_store.find_transfer(tx.connection, found.id)
        assert transfer is not None
        shown = await _shown(tx.connection, transfer, row.name, version.name)
        return schemas.DataCopyAnswer(
            how="transfer", words=transfer.words, transfer=shown, advice=advice
        )

    asked = Once.of(key, "POST /datasets/copies", [dataset, body.model_dump()])
    return await once_as(schemas.DataCopyAnswer, services.store, principal, asked, work)


async def get_transfer(
    services: Services, principal: Principal, transfer: str
) -> schemas.DataTransfer:
    async with services.store.read() as connection:
        row = await _transfer(connection, principal, transfer)
        return await _named(connection, principal, row)


async def cancel(services: Services, principal: Principal, transfer: str) -> schemas.DataTransfer:
    async def work(tx: Transaction) -> schemas.DataTransfer:
        row = await _transfer(tx.connection, principal, transfer)
        return await _named(tx.connection, principal, await cancel_transfer(tx, row))

    return await services.store.run(work)


async def where(
    services: Services, principal: Principal, dataset: str, version: str
) -> schemas.DatasetPlaces:
    """Copies on the caller's own endpoints, of all versions or of one."""
    async with services.store.read() as connection:
        row = await find_dataset(connection, principal, dataset)
        wanted = await _versions(connection, row, version)
        held = await _held(connection, principal.user, {one.tree for one in wanted})
        endpoints = await endpoints_by_id(connection, {place.endpoint for place in held})
        checked = await store.last_checks(connection, principal.user, [one.tree for one in wanted])
        in_use = await store.open_uses_on(connection, [row.id], principal.user)
        by_tree = {one.tree: one for one in wanted}
        copies = [_copy(place, by_tree[place.digest], 0) for place in held]
        items = [
            _place(place, by_tree[place.digest], endpoints, checked, in_use, is_last(one, copies))
            for place, one in zip(held, copies, strict=True)
            if place.endpoint in endpoints
        ]
        advice = [
            text
            for place in held
            if place.endpoint in endpoints
            for text in room.advice(
                endpoints[place.endpoint], row.name, by_tree[place.digest], place.layout
            )
        ]
        ways = await ways_to_others(connection, principal.user, row, wanted)
    return schemas.DatasetPlaces(items=items, ways=ways, advice=sorted(set(advice)))


async def check(
    services: Services, principal: Principal, dataset: str, body: schemas.DataCheckRequest
) -> schemas.DataChecks:
    """Have each copy looked at by its own endpoint; `full` reads every byte."""

    async def work(tx: Transaction) -> schemas.DataChecks:
        chosen, endpoints, versions = await _choose(tx.connection, principal, dataset, body)
        items = []
        for place in chosen:
            scan = await start_check(tx, endpoints[place.endpoint], place.digest, recheck=body.full)
            items.append(show_check(scan, endpoints, versions[place.digest]))
        await publish(tx, principal.user, [changed(DATA)])
        return schemas.DataChecks(items=items)

    return await services.store.run(work)


async def get_check(services: Services, principal: Principal, check: str) -> schemas.DataCheck:
    async with services.store.read() as connection:
        scan = await tree_store.find_scan(connection, check)
        if scan is None or scan.owner != principal.user or scan.act not in ("check", "look"):
            raise NotFound(f"There is no check {check!r}", "It may belong to somebody else.")
        endpoints = await endpoints_by_id(connection, {scan.endpoint})
        versions = await named_versions(connection, principal, [scan.tree])
    version = versions.get(scan.tree)
    return show_check(scan, endpoints, version.name if version else "")


async def pin(
    services: Services, principal: Principal, dataset: str, body: schemas.DataPinRequest
) -> schemas.DatasetPlaces:
    """A pinned copy is never removed to make room."""

    async def work(tx: Transaction) -> None:
        chosen, _, _ = await _choose(tx.connection, principal, dataset, body)
        for place in chosen:
            await pin_place(tx, place, pinned=body.pinned)
        await publish(tx, principal.user, [changed(DATA)])

    await services.store.run(work)
    return await where(services, principal, dataset, body.version)


async def remove_copies(
    services: Services, principal: Principal, dataset: str, body: schemas.RemoveCopiesRequest
) -> schemas.DatasetPlaces:
    """Managed copies on the caller's endpoints; data registered in place are forgotten, never removed."""

    async def work(tx: Transaction) -> None:
        chosen, endpoints, versions = await _choose(tx.connection, principal, dataset, body)
        for place in chosen:
            name = f"{dataset}@{versions[place.digest]} on {endpoints[place.endpoint].name}"
            if place.digest in await store.trees_in_use(tx.connection, place.endpoint):
                raise Conflict(
                    f"A task needs {name}", "Cancel it, or wait for its end.", code="in-use"
                )
            held = await _held(tx.connection, principal.user, {place.digest})
            others = [one for one in held if one != place and not one.changed]
            if not others and not body.force and not place.changed:
                raise Conflict(
                    f"{name} is the last copy",
                    "Copy it elsewhere first, or add --force.",
                    code="last-copy",
                )
            await remove_place(tx, place)
        await publish(tx, principal.user, [changed(DATA)])

    await services.store.run(work)
    return await where(services, principal, dataset, "")


async def make_room(
    services: Services, principal: Principal, body: schemas.DataGcRequest
) -> schemas.DataGcAnswer:
    """What may go from the caller's endpoints, least recently used first; removed only without `dry_run`."""

    async def work(tx: Transaction) -> schemas.DataGcAnswer:
        connection = tx.connection
        own = {row.id: row for row in await list_endpoints(connection, principal.user)}
        if body.endpoint:
            named = await find_endpoint(connection, principal, body.endpoint, Action.WRITE)
            among = [named.id]
        else:
            among = sorted(own)
        places = await tree_store.places_of_owner(connection, principal.user)
        by_tree = await named_versions(connection, principal, [one.digest for one in places])
        needed = {(tree, key) for key in own for tree in await store.trees_in_use(connection, key)}
        held = [
            (place, _copy(place, by_tree[place.digest], (place.digest, place.endpoint) in needed))
            for place in places
            if place.digest in by_tree
        ]
        before = time.time() - 86400 * body.unused_days
        chosen = choose_evictions(
            [one for _, one in held],
            among=among,
            unused_before=before,
            free_bytes=body.free_bytes,
        )
        names = await store.datasets_by_id(connection, {one.dataset for one in by_tree.values()})
        if not body.dry_run:
            for place, one in held:
                if one in chosen.evicted:
                    await remove_place(tx, place)
            await publish(tx, principal.user, [changed(DATA)])
        return _answer(chosen.evicted, chosen.kept, own, by_tree, names, dry_run=body.dry_run)

    return await services.store.run(work)


def _answer(
    evicted: Sequence[HeldCopy],
    kept: Sequence[tuple[HeldCopy, str]],
    endpoints: Mapping[str, EndpointRow],
    versions: Mapping[str, VersionRow],
    datasets: Mapping[str, DatasetRow],
    *,
    dry_run: bool,
) -> schemas.DataGcAnswer:
    def name(one: HeldCopy) -> str:
        return datasets[versions[one.tree].dataset].name

    def endpoint(one: HeldCopy) -> str:
        return endpoints[one.endpoint].name if one.endpoint in endpoints else ""

    items = [
        schemas.RemovableCopy.model_validate(
            {
                "dataset": name(one),
                "version": versions[one.tree].name,
                "endpoint": endpoint(one),
                "layout": "archive" if one.kind == "archive" else "files",
                "bytes": one.size,
                "inodes": one.inodes,
                "used": one.used,
                "why": "another copy is known",
            }
        )
        for one in evicted
    ]
    reasons = [
        f"{name(one)}@{versions[one.tree].name} on {endpoint(one)}: {why}" for one, why in kept
    ]
    return schemas.DataGcAnswer(
        items=items,
        kept=reasons[:MANY],
        bytes=sum(one.size for one in evicted),
        inodes=sum(one.inodes for one in evicted),
        dry_run=dry_run,
    )


async def _choose(
    connection: AsyncConnection,
    principal: Principal,
    dataset: str,
    body: schemas.DataPlaceRequest,
) -> tuple[list[TreePlaceRow], dict[str, EndpointRow], dict[str, str]]:
    """The copies that a request means, on the caller's own endpoints."""
    row = await find_dataset(connection, principal, dataset)
    wanted = await _versions(connection, row, body.version)
    held = await _held(connection, principal.user, {one.tree for one in wanted})
    endpoints = await endpoints_by_id(connection, {place.endpoint for place in held})
    if body.endpoint:
        endpoint = await find_endpoint(connection, principal, body.endpoint, Action.WRITE)
        held = [place for place in held if place.endpoint == endpoint.id]
    layout = getattr(body, "layout", None)
    held = [place for place in held if layout in (None, place.layout)]
    if not held:
        where_ = f" on {body.endpoint}" if body.endpoint else ""
        raise NotFound(
            f"{row.name} is not{where_}" if where_ else f"{row.name} is nowhere",
            f"`diamond data where {row.name}` lists its copies.",
        )
    return held, endpoints, {one.tree: one.name for one in wanted}


async def _versions(connection: AsyncConnection, row: DatasetRow, version: str) -> list[VersionRow]:
    if version:
        return [await find_version(connection, row, version)]
    return (await store.versions_of(connection, [row.id]))[row.id]


async def _held(connection: AsyncConnection, user: str, trees: set[str]) -> list[TreePlaceRow]:
    if not trees:
        return []
    found = await places_of(connection, user, trees)
    return [place for some in found.values() for place in some]


def _copy(place: TreePlaceRow, version: VersionRow, needed: bool | int) -> HeldCopy:
    return HeldCopy(
        tree=place.digest,
        endpoint=place.endpoint,
        kind=place.kind,
        size=version.bytes,
        inodes=1 if place.kind == "archive" else version.files,
        used=place.used,
        is_pinned=place.pinned,
        is_needed=bool(needed),
        is_changed=bool(place.changed),
    )


def _place(
    place: TreePlaceRow,
    version: VersionRow,
    endpoints: Mapping[str, EndpointRow],
    checked: Mapping[tuple[str, str], float],
    in_use: Mapping[tuple[int, str], int],
    last: bool,
) -> schemas.DatasetPlace:
    return schemas.DatasetPlace.model_validate(
        {
            "version": version.name,
            "digest": PREFIX + place.digest,
            "endpoint": endpoints[place.endpoint].name,
            "kind": place.kind,
            "layout": place.layout,
            "path": place.path,
            "pinned": place.pinned,
            "used": place.used,
            "at": place.at,
            "checked": checked.get((place.digest, place.endpoint)),
            "changed": list(place.changed),
            "in_use": in_use.get((version.n, place.endpoint), 0),
            "is_last": last,
        }
    )


def show_check(
    scan: ScanRow, endpoints: Mapping[str, EndpointRow], version: str
) -> schemas.DataCheck:
    endpoint = endpoints.get(scan.endpoint)
    return schemas.DataCheck.model_validate(
        {
            "id": scan.id,
            "version": version,
            "endpoint": endpoint.name if endpoint else "",
            "state": scan.state,
            "message": scan.message,
            "bytes": scan.bytes,
            "size": scan.size,
            "seconds_left": scan.seconds_left,
            "changed": list(scan.named),
            "source_changed": None if scan.origin is None else not scan.origin.is_same,
        }
    )


async def _transfer(
    connection: AsyncConnection, principal: Principal, transfer: str
) -> TransferRow:
    row = await tree_store.find_transfer(connection, transfer)
    if row is None or row.owner != principal.user:
        raise NotFound(f"There is no transfer {transfer!r}", "It may belong to somebody else.")
    return row


async def _named(
    connection: AsyncConnection, principal: Principal, row: TransferRow
) -> schemas.DataTransfer:
    version = (await named_versions(connection, principal, [row.tree])).get(row.tree)
    names = await store.datasets_by_id(connection, {version.dataset} if version else set())
    called = names[version.dataset].name if version else ""
    return await _shown(connection, row, called, version.name if version else "")


async def _shown(
    connection: AsyncConnection, row: TransferRow, dataset: str, version: str
) -> schemas.DataTransfer:
    """The source of another person is not named."""
    found = await endpoints_by_id(connection, {row.goal, row.source or row.goal})
    names = {key: one.name for key, one in found.items() if one.owner == row.owner}
    return show_transfer(row, names, dataset, version)
