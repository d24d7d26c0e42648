"""Data become versions: a folder on an endpoint is read in place, a URL is fetched, a person's own folder is uploaded."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core import ids
from diamond.core.data_messages import Origin
from diamond.core.errors import BadRequest, Conflict, NotFound
from diamond.core.redact import has_credentials
from diamond.data.sources.address import WebFile, read_address
from diamond.service.access.authorize import Action, require, require_scopes
from diamond.service.access.principal import Principal, Role, Scope
from diamond.service.datasets import schemas, store
from diamond.service.datasets.preview_requests import preview_new
from diamond.service.datasets.rows import AdditionRow, DatasetRow, VersionRow
from diamond.service.datasets.rules import require_may_lie_on
from diamond.service.datasets.views import show_addition
from diamond.service.endpoints.endpoints import find_endpoint
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import list_endpoints
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.idempotency import Once, once_as
from diamond.service.platform.services import Services
from diamond.service.projects.projects import find_project
from diamond.service.trees import store as tree_store
from diamond.service.trees.rows import Ended, ScanRow
from diamond.service.trees.scans import ImportAsked, cancel_scan, start_import, start_scan
from diamond.service.trees.transfers import DATA, cancel_transfer


async def add_data(
    services: Services, principal: Principal, body: schemas.AddDataRequest, key: str | None
) -> schemas.DataAddition:
    """Nothing is moved or copied for a path; a URL is fetched by the endpoint itself."""
    require(principal, Action.WRITE, owner=principal.user)
    _check_source(body)

    async def add(tx: Transaction) -> schemas.DataAddition:
        endpoint = await goal_endpoint(tx.connection, principal, body.endpoint)
        dataset = await dataset_for(tx, principal, body)
        await require_may_lie_on(tx.connection, dataset, endpoint)
        if body.path:
            work = await start_scan(tx, endpoint, body.path)
        else:
            known = await _known_revision(tx.connection, dataset, body.url)
            work = await start_import(tx, endpoint, body.url, _asked(body), known=known)
        source = f"{endpoint.name}:{body.path}" if body.path else body.url
        row = AdditionRow(
            id=work.id,
            owner=principal.user,
            dataset=dataset.id,
            kind="scan" if body.path else "import",
            endpoint=endpoint.id,
            source=source,
            created=time.time(),
            asked=_asked(body) if body.url else None,
        )
        await store.add_addition(tx, row)
        await publish(tx, principal.user, [changed(DATA)])
        return await show_addition(tx.connection, row, dataset)

    asked = Once.of(key, "POST /datasets", body.model_dump())
    return await once_as(schemas.DataAddition, services.store, principal, asked, add)


async def get_addition(
    services: Services, principal: Principal, addition: str
) -> schemas.DataAddition:
    async with services.store.read() as connection:
        row, dataset = await find_addition(connection, principal, addition)
        return await show_addition(connection, row, dataset)


async def cancel_addition(
    services: Services, principal: Principal, addition: str
) -> schemas.DataAddition:
    """What an endpoint has read so far is kept there: the same command continues."""

    async def cancel(tx: Transaction) -> schemas.DataAddition:
        row, dataset = await find_addition(tx.connection, principal, addition)
        if row.kind == "upload":
            transfer = await tree_store.find_transfer(tx.connection, row.id, lock=True)
            if transfer is not None:
                await cancel_transfer(tx, transfer)
        else:
            scan = await tree_store.find_scan(tx.connection, row.id, lock=True)
            if scan is not None:
                await cancel_scan(tx, scan)
        await publish(tx, principal.user, [changed(DATA)])
        return await show_addition(tx.connection, row, dataset)

    return await services.store.run(cancel)


async def find_addition(
    connection: AsyncConnection, principal: Principal, addition: str
) -> tuple[AdditionRow, DatasetRow]:
    row = await store.find_addition(connection, addition)
    if row is None or row.owner != principal.user:
        raise NotFound(f"There is no addition {addition!r}", "It may belong to somebody else.")
    return row, (await store.datasets_by_id(connection, [row.dataset]))[row.dataset]


async def settle_additions(tx: Transaction, ended: Sequence[Ended]) -> None:
    """What has been read or has arrived becomes a version, in the transaction that ends it."""
    for work in ended:
        row = await store.find_addition(tx.connection, work.id)
        if row is None or row.version:
            continue
        if work.state == "done" and work.tree:
            await _settle(tx, row, work)
        await publish(tx, row.owner, [changed(DATA)])


async def _settle(tx: Transaction, row: AdditionRow, work: Ended) -> None:
    version, is_new = await put_version(
        tx,
        row.dataset,
        tree=work.tree,
        source=row.source,
        counted=(work.files, work.size) if isinstance(work, ScanRow) else None,
        origin=work.origin if isinstance(work, ScanRow) else None,
    )
    await store.settle_addition(tx, row.id, version.n, is_new=is_new)
    await preview_new(tx, row.dataset, version, row.endpoint)


async def put_version(
    tx: Transaction,
    dataset: str,
    *,
    tree: str,
    source: str,
    counted: tuple[int, int] | None = None,
    origin: Origin | None = None,
) -> tuple[VersionRow, bool]:
    """The version that has this content: the same content twice is the same version."""
    row = await store.lock_dataset(tx, dataset)
    assert row is not None
    known = await store.versions_called(tx.connection, dataset, number=0, digest=tree)
    if known:
        return known[0], False
    facts = await tree_store.find_tree(tx.connection, row.owner, tree)
    files, size = (facts.files, facts.size) if facts else counted or (0, 0)
    version = VersionRow(
        dataset=dataset,
        n=row.last + 1,
        owner=row.owner,
        tree=tree,
        files=files,
        bytes=size,
        source=source,
        created=time.time(),
        origin=origin,
    )
    await store.add_version(tx, version)
    return version, True


async def _known_revision(connection: AsyncConnection, dataset: DatasetRow, url: str) -> str:
    """Of the source when the newest version was fetched from it; '' if none was."""
    versions = (await store.versions_of(connection, [dataset.id]))[dataset.id]
    origins = [row.origin for row in versions if row.source == url and row.origin is not None]
    return origins[0].revision if origins else ""


def _asked(body: schemas.AddDataRequest) -> ImportAsked:
    return ImportAsked(body.secret, body.server, body.sha256, body.unpack)


async def dataset_for(
    tx: Transaction,
    principal: Principal,
    body: schemas.AddDataRequest | schemas.DataUploadRequest | schemas.AboutDataset,
) -> DatasetRow:
    """The caller's dataset of that name, made now if there is none; what is said about it is kept."""
    known = await store.find_own(tx.connection, principal.user, body.name)
    said = {
        name: value
        for name in ("description", "license", "layout")
        if (value := getattr(body, name)) is not None
    }
    if body.endpoints is not None:
        said["endpoints"] = await endpoint_ids(tx.connection, principal, body.endpoints)
    if known is not None:
        if said.get("endpoints", known.endpoints) != known.endpoints:
            require_scopes(principal, {Scope.MANAGE})  # as PATCH asks for
        await _require_same_project(tx.connection, principal, known, body.project)
        if said:
            await store.change_dataset(tx, known.id, **said)
        return (await store.datasets_by_id(tx.connection, [known.id]))[known.id]
    now = time.time()
    project = await _project(tx.connection, principal, body.project)
    row = DatasetRow(
        id=ids.new_id(ids.DATASET),
        owner=principal.user,
        name=body.name,
        description=str(said.get("description", "")),
        license=str(said.get("license", "")),
        project=project,
        endpoints=said.get("endpoints"),
        layout=str(said.get("layout", "files")),
        last=0,
        created=now,
        updated=now,
    )
    await store.add_dataset(tx, row)
    return row


async def endpoint_ids(
    connection: AsyncConnection, principal: Principal, names: Sequence[str]
) -> tuple[str, ...]:
    return tuple([(await find_endpoint(connection, principal, name)).id for name in names])


async def goal_endpoint(
    connection: AsyncConnection, principal: Principal, name: str
) -> EndpointRow:
    """The one that is named, else the caller's default, else their only one."""
    if name:
        return await find_endpoint(connection, principal, name, Action.WRITE)
    own = await list_endpoints(connection, principal.user)
    default = [row for row in own if row.is_default]
    if default or len(own) == 1:
        return (default or list(own))[0]
    names = ", ".join(row.name for row in own)
    raise BadRequest(
        "Say on which endpoint the data are",
        f"Your endpoints: {names}." if own else "Add one: diamond endpoint add NAME",
    )


async def _project(connection: AsyncConnection, principal: Principal, project: str) -> str:
    if not project:
        return ""
    return (await find_project(connection, principal, project, Role.MEMBER)).id


async def _require_same_project(
    connection: AsyncConnection, principal: Principal, row: DatasetRow, project: str
) -> None:
    if project and (await _project(connection, principal, project)) != row.project:
        raise Conflict(
            f"{row.name} is already a dataset outside of that project",
            "Choose another name.",
        )


def _check_source(body: schemas.AddDataRequest) -> None:
    if bool(body.path) == bool(body.url):
        raise BadRequest("Name either a path on an endpoint or a URL", "Not both, and not none.")
    if body.path and not body.path.startswith(("/", "~", "$")):
        raise BadRequest(
            f"{body.path[:80]!r} is not an absolute path on the endpoint",
            "Write the full path; it may begin with /, ~ or a variable such as $WORK.",
        )
    if body.path and (body.secret or body.server or body.sha256 or body.unpack):
        raise BadRequest(
            "A secret, a server, a digest or unpacking belong to a URL, not to a path",
            "Leave them out.",
        )
    if not body.url:
        return
    address = read_address(body.url)
    if body.sha256 and not isinstance(address, WebFile):
        raise BadRequest(
            "A SHA-256 can be given for the file of an http(s) URL alone",
            "Leave it out: other sources state digests or revisions of their own.",
        )
    if body.server and not re.fullmatch(r"https?://[^\s/@]+(?:/[^\s@]*)?", body.server):
        raise BadRequest(
            f"{body.server[:80]!r} is not the address of a server", "Write https://HOST[:PORT]."
        )
    if has_credentials(body.url):
        raise BadRequest(
            "The URL contains a password or token, but sources are stored and shown",
            "Keep it as a secret of the endpoint: diamond secret set NAME --on ENDPOINT, then --secret NAME",
        )
