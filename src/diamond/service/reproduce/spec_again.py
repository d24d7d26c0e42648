"""The spec of a second run on another machine or by another person, pinned to what the first one had."""

from __future__ import annotations

from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.compose.data import is_path
from diamond.compose.raw_spec import RawSpec, needs_image_file, on_partition
from diamond.core.artifacts import PREFIX, plain_digest
from diamond.images.bases import REGISTRIES, read_base
from diamond.images.pins import pinned
from diamond.images.recipe import Recipe, environment_data, recipe_from
from diamond.provenance.record import Record
from diamond.service.access.principal import Principal
from diamond.service.images import store as image_store
from diamond.service.reproduce.recorded import packages_of, recipe_of, record_of
from diamond.service.tasks.rows import JobRow, TaskRow

SITE_FIELDS = ("partition", "account", "qos", "reservation", "constraint", "options")
"""Of the machine where it ran, and unknown to another."""


async def spec_again(
    connection: AsyncConnection, principal: Principal, original: TaskRow, job: JobRow, on: str
) -> RawSpec:
    order = original.order
    elsewhere = bool(on) and on.partition("/")[0] != original.endpoint_name
    gone = SITE_FIELDS if elsewhere else ()
    spec: RawSpec = {name: value for name, value in job.spec.items() if name not in gone}
    same_place = on_partition(spec, original.endpoint_name, order.placement.partition)
    spec["on"] = on or same_place["on"]
    resources = dict(spec.get("resources") or {})
    spec["resources"] = {**resources, "nodes": order.resources.nodes}
    spec["params"] = {**(spec.get("params") or {}), **order.params}
    found = await record_of(connection, original.id)
    environment = await _environment(connection, principal, original, job, found)
    if environment:
        spec["environment"] = environment
    if order.trees:
        spec["data"] = _data(principal, original, spec)
    return spec


def _data(principal: Principal, original: TaskRow, spec: RawSpec) -> dict[str, Any]:
    """Versions by digest. Names without an owner are the first person's."""
    data: dict[str, Any] = dict(spec.get("data") or {})
    for name, tree in original.order.trees.items():
        given = data.get(name, name)
        options = dict(given) if isinstance(given, dict) else {"dataset": given}
        dataset = str(options.get("dataset") or name)
        if options.get("tree") or is_path(dataset):  # a digest already, or no version at all
            continue
        owner, slash, rest = dataset.rpartition("/")
        called = rest.partition("@")[0]
        if not slash and original.owner != principal.user:
            owner = original.owner
        prefix = f"{owner}/" if owner and owner != principal.user else ""
        options["dataset"] = f"{prefix}{called}@{PREFIX}{plain_digest(tree.digest)}"
        data[name] = {**options, "layout": tree.layout}
    return data


async def _environment(
    connection: AsyncConnection,
    principal: Principal,
    original: TaskRow,
    job: JobRow,
    found: Record,
) -> str | RawSpec:
    """The image by name, which is copied or built again from its lock; else its recipe; else the packages that were there."""
    used = await image_store.image_used_by(connection, original.id)
    row = await image_store.image_by_id(connection, used) if used else None
    if row is not None and row.owner == principal.user:
        return row.name or row.id
    recipe = {}
    if original.owner == principal.user:  # a recipe is as private as its image
        recipe = await recipe_of(connection, original.owner, found)
    if recipe:
        return environment_of(recipe_from(recipe))
    given = job.spec.get("environment")
    if isinstance(given, dict) and given.get("requirements") and not needs_image_file(job.spec):
        packages = await packages_of(connection, original.owner, found)
        return {**given, "requirements": pinned(given["requirements"], packages)}
    return ""


def environment_of(recipe: Recipe) -> RawSpec:
    """A recipe as a spec describes it: the lock in its text, and a base of a registry by digest."""
    base = read_base(recipe.environment.base)
    described: RawSpec = dict(environment_data(recipe.environment))
    if recipe.lock:
        described["lock"] = recipe.lock
    if base.kind in REGISTRIES and recipe.base_digest and not base.digest:
        described["base"] = f"{base.reference}@{recipe.base_digest}"
    if not base.kind:
        described["runtime"] = "venv"
    return described
