"""An image for a task: it is there, on its way, or its build is begun; of many who ask at once one begins."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from diamond.compose.spec_check import Composed, EndpointFacts, ImageFacts, KnownImages, check
from diamond.core import ids
from diamond.core.dependencies import Dependency, DependencyKind
from diamond.core.order import Build, Continue, Image, Order
from diamond.core.task import FINAL_WORDS
from diamond.images.recipe import digest_of, environment_data
from diamond.service.endpoints.facts import effective_facts
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.images import request_store as wishes
from diamond.service.images import store as rows
from diamond.service.images.arrivals import image_of
from diamond.service.images.rows import CopyRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import Row
from diamond.service.tasks import job_store as job_rows
from diamond.service.tasks.create import make_task
from diamond.service.tasks.rows import JobRow, TaskRow
from diamond.service.tasks.store import find_task

BUILD_RESOURCES = {"cpus_per_task": 2}
CONTINUES = Continue(on=["exit-75", "preempted", "node-lost", "wall-time"], max_attempts=5)
"""The steps that are done are in the cache: a build that is broken off goes on."""


@dataclass(frozen=True)
class ReadyImage:
    """An image that is on the endpoint."""

    id: str
    image: Image


@dataclass(frozen=True)
class WantedBuild:
    """A build that somebody wants on an endpoint."""

    build: Build
    name: str
    order: Order
    """Where it runs, who pays; the rest is filled in."""
    spec: dict[str, Any]

    @property
    def key(self) -> str:
        return wish_key(self.build)


def wish_key(build: Build) -> str:
    """The same for whoever asks for the same."""
    told = {
        "environment": environment_data(build.environment),
        "runtime": build.runtime,
        "base_digest": build.base_digest,
    }
    return digest_of(told)


def wanted_build(
    build: Build,
    *,
    name: str,
    on: str,
    endpoints: list[EndpointFacts],
    account: str = "auto",
    resources: Mapping[str, Any] | None = None,
) -> tuple[WantedBuild, Composed]:
    """Checked like any job: partition, account and limits are the endpoint's. Raises `InvalidSpec`."""
    spec = {
        "name": name,
        "run": "build",
        "on": on,
        "account": account,
        "resources": {**BUILD_RESOURCES, **(resources or {})},
    }
    composed = check(spec, endpoints=endpoints, code=None, images=KnownImages())
    order = replace(composed.order, command="", build=build, resume=CONTINUES)
    shown = {**composed.spec, "environment": environment_data(build.environment)}
    return WantedBuild(build, name, order, shown), composed


async def want_build(
    tx: Transaction,
    endpoint: EndpointRow,
    wanted: WantedBuild,
    *,
    retry_of: str | None = None,
    afresh: bool = False,
) -> ReadyImage | Dependency:
    """The image if it is there, the build that is at work on it, or a new one. `afresh`: never an old image."""
    owner, place = endpoint["owner"], endpoint["id"]
    wish = await wishes.find_wish(tx, owner, place, wanted.key)
    if wish is not None and not wanted.build.upgrade:
        ready = None if afresh else await _there(tx, wish["image"], place)
        if ready:
            return ready
        task = await find_task(tx.connection, wish["build"])
        if task is not None and task["state"] not in FINAL_WORDS:
            return _waits_for(task["id"])
    row = await _begin(tx, endpoint, wanted, retry_of)
    made = {
        "owner": owner,
        "endpoint": place,
        "key": wanted.key,
        "build": row["id"],
        "image": None,
    }
    await wishes.put_wish(tx, made, is_new=wish is None)
    return _waits_for(row["id"])


async def copy_on(tx: Transaction, image: str, endpoint: str) -> CopyRow | None:
    """The newest file of an image on an endpoint."""
    copies = (await rows.copies_of(tx.connection, [image]))[image]
    return next((one for one in reversed(copies) if one["endpoint"] == endpoint), None)


def image_facts(row: Row, copies: Sequence[Row], names: Mapping[str, str]) -> ImageFacts:
    """`names`: endpoints by id."""
    there = {
        names[one["endpoint"]]: image_of(one["record"])
        for one in copies
        if one["endpoint"] in names
    }
    return ImageFacts(row["id"], row["name"] or "", row["identity"], there)


def endpoint_facts(row: EndpointRow) -> EndpointFacts:
    return EndpointFacts(
        name=row["name"],
        state=row["state"],
        default=row["is_default"],
        facts=effective_facts(row),
        secrets=row["secrets"],
    )


def image_name(text: str) -> str:
    """A name for an image from a name of something else."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-._")[:60] or "image"


async def _there(tx: Transaction, image: str | None, endpoint: str) -> ReadyImage | None:
    copy = await copy_on(tx, image, endpoint) if image else None
    return ReadyImage(copy["image"], image_of(copy["record"])) if copy else None


async def _begin(
    tx: Transaction, endpoint: EndpointRow, wanted: WantedBuild, retry_of: str | None
) -> TaskRow:
    job = JobRow(
        id=ids.new_id(ids.JOB),
        owner=endpoint.owner,
        name=wanted.name,
        spec=wanted.spec,
        code=None,
        digest=wanted.order.digest,
        project="",
        assignment="",
        created=time.time(),
    )
    await job_rows.add_job(tx, job)
    return await make_task(
        tx, job=job, endpoint=endpoint, order=wanted.order, retry_of=retry_of, kind="build"
    )


def _waits_for(build: str) -> Dependency:
    message = f"its image is being built by {build}"
    return Dependency(DependencyKind.BUILD, build, message=message)
