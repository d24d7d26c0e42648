"""Where results and models may be: wherever all data that they were made from may be, and all projects they were made in.

A model can give away what it was trained on, so what holds for a dataset holds for everything that was made from it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Conflict
from diamond.service.datasets import store
from diamond.service.datasets.rows import DatasetRow
from diamond.service.datasets.rules import allowed_endpoints, may_pass_service
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import endpoints_by_id
from diamond.service.lineage import store as lineage
from diamond.service.projects.store import projects_by_id


@dataclass(frozen=True)
class Bound:
    """One limit: a dataset that lists endpoints, or a restricted project."""

    what: str
    endpoints: Mapping[str, EndpointRow]
    passes_service: bool

    def admits(self, endpoint: EndpointRow) -> bool:
        """As `may_lie_on`: another endpoint of the same cluster is fine."""
        clusters = {row.cluster for row in self.endpoints.values() if row.cluster}
        return endpoint.id in self.endpoints or endpoint.cluster in clusters


@dataclass(frozen=True)
class Bounds:
    """All limits that hold for some files; none: they may lie anywhere."""

    limits: Sequence[Bound] = ()

    @property
    def passes_service(self) -> bool:
        return all(limit.passes_service for limit in self.limits)

    @property
    def may_lie_in_service(self) -> bool:
        """Nobody lists the service among the endpoints."""
        return not self.limits

    @property
    def because(self) -> str:
        return " and ".join(limit.what for limit in self.limits)

    def admits(self, endpoint: EndpointRow) -> bool:
        return all(limit.admits(endpoint) for limit in self.limits)

    def require(self, endpoint: EndpointRow, what: str, *, is_own: bool = True) -> None:
        """Raises `Conflict` where these files may not be there. Names of datasets and endpoints are their owner's business."""
        for limit in self.limits:
            if limit.admits(endpoint):
                continue
            if not is_own:
                raise Conflict(
                    f"{what} may not be on {endpoint.name}",
                    "Its owner limits the endpoints it may be on.",
                    code="restricted",
                )
            names = ", ".join(sorted(row.name for row in limit.endpoints.values()))
            raise Conflict(
                f"{what} may not be on {endpoint.name}: {limit.what} limits where it may be",
                f"It may be on: {names or 'none that is left'}.",
                code="restricted",
            )


async def bounds_of(
    connection: AsyncConnection, owner: str, tree: str, *, is_named: bool = False
) -> Bounds:
    """Of a result, a model or any other tree of this person.

    `is_named`: it is meant as a version of one dataset, whose own limit is looked at elsewhere.
    """
    makers = await lineage.makers_behind(connection, owner, tree)
    if is_named and not makers:
        return Bounds()
    trees = set() if is_named else {tree}
    trees |= await lineage.trees_read_by(connection, makers) if makers else set()
    limits = await _of_datasets(connection, owner, trees, makers)
    limits += await _of_projects(connection, makers)
    return Bounds(tuple(limits))


async def _of_datasets(
    connection: AsyncConnection, owner: str, trees: Collection[str], makers: Sequence[str]
) -> list[Bound]:
    """Those that these tasks used, and the owner's own with the same files."""
    wanted = {
        version.dataset
        for version in await store.versions_of_tree(connection, trees)
        if version.owner == owner
    }
    wanted |= {use.dataset for use in await store.uses_by_tasks(connection, makers)}
    rows = await store.datasets_by_id(connection, wanted)
    found = [await _of_dataset(connection, rows[key]) for key in sorted(rows)]
    return [bound for bound in found if bound is not None]


async def _of_dataset(connection: AsyncConnection, row: DatasetRow) -> Bound | None:
    allowed = await allowed_endpoints(connection, row)
    if allowed is None:
        return None
    return Bound(f"the dataset {row.name}", allowed, await may_pass_service(connection, row))


async def _of_projects(connection: AsyncConnection, makers: Sequence[str]) -> list[Bound]:
    names = await lineage.projects_of(connection, makers)
    projects = await projects_by_id(connection, names) if names else []
    return [
        Bound(
            f"the restricted project {row.name}",
            await endpoints_by_id(connection, set(row.endpoints)),
            passes_service=False,
        )
        for row in projects
        if row.endpoints is not None
    ]
