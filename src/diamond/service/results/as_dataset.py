"""A result of a run becomes a version of a dataset: it stays in place, and lineage says what it was made from."""

from __future__ import annotations

from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.datasets.additions import dataset_for, put_version
from diamond.service.datasets.limits import require_fits_shares
from diamond.service.datasets.preview_requests import preview_new
from diamond.service.datasets.rows import VersionRow
from diamond.service.datasets.schemas import AboutDataset, DatasetVersion
from diamond.service.datasets.views import show_version
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.services import Services
from diamond.service.results.results import find_ready
from diamond.service.tasks.rows import TaskRow
from diamond.service.trees import store as tree_store
from diamond.service.trees.transfers import DATA
from diamond.service.trees.trees import pin_place


async def add_result_to_dataset(
    services: Services, principal: Principal, task: str, result: str, body: AboutDataset
) -> DatasetVersion:
    """The same files again are the version that they are already."""

    async def add(tx: Transaction) -> DatasetVersion:
        row, found = await find_ready(tx.connection, principal, task, result, Action.WRITE)
        version = await version_of_result(tx, principal, row, found.name, found.tree, body)
        return show_version(version)

    return await services.store.run(add)


async def version_of_result(
    tx: Transaction,
    principal: Principal,
    task: TaskRow,
    result: str,
    tree: str,
    about: AboutDataset,
) -> VersionRow:
    """In the run directory it is pinned: cleaning up leaves it there."""
    dataset = await dataset_for(tx, principal, about)
    await require_fits_shares(tx.connection, dataset, tree)
    source = f"task {task.id}, {result}"
    version, is_new = await put_version(tx, dataset.id, tree=tree, source=source)
    if is_new:
        for place in await tree_store.places_of(tx.connection, {task.owner}, [tree]):
            if place.endpoint == task.endpoint and not place.pinned:
                await pin_place(tx, place, pinned=True)
        await preview_new(tx, dataset.id, version, task.endpoint)
    await publish(tx, dataset.owner, [changed(DATA)])
    return version
