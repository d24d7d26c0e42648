"""The data that a job reads: on its endpoint already, or on their way there."""

from __future__ import annotations

from collections.abc import Mapping

from diamond.compose.data import WantedData
from diamond.compose.spec_check import Composed
from diamond.core.dependencies import Dependency
from diamond.core.errors import Conflict
from diamond.core.order import OrderedTree
from diamond.service.datasets import store as dataset_store
from diamond.service.datasets.bounds import bounds_of
from diamond.service.datasets.rows import UseRow
from diamond.service.datasets.staging import stage
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.projects.terms import ProjectTerms
from diamond.service.tasks.rows import TaskRow
from diamond.service.trees.transfers import ReadyTree, provide_tree
from diamond.service.trees.trees import find_tree, give_tree


async def stage_data(
    tx: Transaction, endpoint: EndpointRow, owner: str, wanted: Mapping[str, WantedData]
) -> list[Dependency]:
    """A transfer for each version that is not there; one that is under way is waited for."""
    if wanted and endpoint.owner != owner:
        raise Conflict(
            f"{endpoint.name} is another person's account, and datasets are not copied there",
            "Name a path on that machine under `data:`.",
        )
    waits: dict[str, Dependency] = {}
    for one in wanted.values():
        if one.facts.is_model:
            model = await _stage_model(tx, endpoint, one)
            waits |= {model.id: model} if model else {}
            continue
        datasets = await dataset_store.datasets_by_id(tx.connection, [one.facts.dataset])
        version = await dataset_store.versions_called(
            tx.connection, one.facts.dataset, number=one.facts.version, digest=""
        )
        found = await stage(tx, datasets[one.facts.dataset], version[0], endpoint, one.layout)
        if isinstance(found, Dependency):
            message = f"{one.facts.reference} is being {found.message.rpartition(' being ')[2]}"
            waits[found.id] = Dependency(found.kind, found.id, message=message)
    return list(waits.values())


async def stage_trees(
    tx: Transaction, endpoint: EndpointRow, owner: str, composed: Composed, terms: ProjectTerms
) -> list[Dependency]:
    """Results that the spec names by digest: each must be the owner's. On another person's account, only what is there."""
    waits: dict[str, Dependency] = {}
    for name, tree in composed.order.trees.items():
        if name in composed.data:
            continue
        await find_tree(tx.connection, owner, tree.digest)
        found = await _provide(tx, endpoint, tree, owner, f"`data.{name}`")
        if not isinstance(found, Dependency):
            continue
        if endpoint.owner != owner:
            raise Conflict(
                f"{name} is not on {endpoint.name}, which is another person's account",
                "Run both on the same endpoint.",
            )
        terms.require_no_transfer(name)
        waits[found.id] = Dependency(found.kind, found.id, message=f"{name}: {found.message}")
    return list(waits.values())


async def _stage_model(
    tx: Transaction, endpoint: EndpointRow, wanted: WantedData
) -> Dependency | None:
    """Who uses a model that another shares knows its files from then on."""
    facts = wanted.facts
    bounds = await bounds_of(tx.connection, facts.shared_by or endpoint.owner, facts.tree)
    bounds.require(endpoint, facts.reference, is_own=not facts.shared_by)
    if facts.shared_by:
        await give_tree(tx, facts.shared_by, endpoint.owner, facts.tree)
    others = [facts.shared_by] if facts.shared_by else []
    found = await provide_tree(
        tx,
        endpoint,
        facts.tree,
        layout=wanted.layout,
        also_of=others,
        may_pass=bounds.passes_service,
    )
    if not isinstance(found, Dependency):
        return None
    message = f"{facts.reference} is being {found.message.rpartition(' being ')[2]}"
    return Dependency(found.kind, found.id, message=message)


async def _provide(
    tx: Transaction, endpoint: EndpointRow, tree: OrderedTree, owner: str, what: str
) -> ReadyTree | Dependency:
    """A tree that is named by its digest: what holds for the data that it was made from holds for it."""
    bounds = await bounds_of(tx.connection, owner, tree.digest)
    bounds.require(endpoint, what)
    return await provide_tree(
        tx, endpoint, tree.digest, layout=tree.layout, may_pass=bounds.passes_service
    )


async def note_data_uses(tx: Transaction, task: TaskRow, wanted: Mapping[str, WantedData]) -> None:
    """Data that tasks use are not evicted."""
    uses = [
        UseRow(one.facts.dataset, one.facts.version, task.id, name, task.owner)
        for name, one in wanted.items()
        if not one.facts.is_model
    ]
    await dataset_store.add_uses(tx, uses)


async def stage_again(tx: Transaction, endpoint: EndpointRow, old: TaskRow) -> list[Dependency]:
    """For a task that repeats another: exactly the same trees, wherever they are now."""
    uses = {use.name: use for use in await dataset_store.uses_by_task(tx.connection, old.id)}
    rows = await dataset_store.datasets_by_id(tx.connection, {use.dataset for use in uses.values()})
    waits: dict[str, Dependency] = {}
    for name, tree in old.order.trees.items():
        use = uses.get(name)
        if use is not None:
            version = await dataset_store.versions_called(
                tx.connection, use.dataset, number=use.n, digest=""
            )
            found = await stage(tx, rows[use.dataset], version[0], endpoint, tree.layout)
        else:
            found = await _provide(tx, endpoint, tree, old.owner, f"`data.{name}`")
        if isinstance(found, Dependency):
            waits[found.id] = found
    return list(waits.values())


async def repeat_uses(tx: Transaction, old: TaskRow, made: TaskRow) -> None:
    uses = await dataset_store.uses_by_task(tx.connection, old.id)
    again = [UseRow(use.dataset, use.n, made.id, use.name, made.owner) for use in uses]
    await dataset_store.add_uses(tx, again)
