"""An image for a task: it is there, on its way, or its build is begun; of many who ask at once, one begins."""

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
from diamond.images.accelerators import cpu_note, for_cpu, has_gpus, needs_choice
from diamond.images.recipe import digest_of, environment_data
from diamond.service.endpoints.facts import effective_facts
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.images import request_store, store
from diamond.service.images.arrivals import image_of
from diamond.service.images.rows import CopyRow, ImageRow, RequestRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.tasks import job_store as job_rows
from diamond.service.tasks.create import make_task
from diamond.service.tasks.rows import JobRow
from diamond.service.tasks.store import find_task

BUILD_RESOURCES = {"cpus_per_task": 2}
CONTINUES = Continue(on=["exit-75", "preempted", "node-lost", "wall-time"], max_attempts=5)
"""The steps that are done are in the cache: a build that was interrupted continues."""


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
        return request_key(self.build)


def request_key(build: Build) -> str:
    """The same for whoever asks for the same."""
    asked = {
        "environment": environment_data(build.environment),
        "runtime": build.runtime,
        "base_digest": build.base_digest,
    }
    return digest_of(asked)


def plan_build(
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
    place = next(endpoint for endpoint in endpoints if endpoint.name == composed.endpoint)
    if has_gpus(place.facts) is False and needs_choice(build.environment):
        build = replace(build, environment=for_cpu(build.environment))
        note = cpu_note(f"{place.name} has no GPU")
        composed = replace(composed, warnings=[*composed.warnings, note])
    order = replace(composed.order, command="", build=build, resume=CONTINUES)
    shown = {**composed.spec, "environment": environment_data(build.environment)}
    return WantedBuild(build, name, order, shown), composed


async def request_build(
    tx: Transaction,
    endpoint: EndpointRow,
    wanted: WantedBuild,
    *,
    retry_of: str | None = None,
    always_new: bool = False,
) -> ReadyImage | Dependency:
    """The image if it exists, the build that is making it, or a new build. `always_new`: always a new build."""
    owner, place = endpoint.owner, endpoint.id
    request = await request_store.find_request(tx, owner, place, wanted.key)
    if request is not None and not wanted.build.upgrade:
        ready = None if always_new else await _ready_image(tx, request.image, place)
        if ready:
            return ready
        task = await find_task(tx.connection, request.build)
        is_resumed = request.build == retry_of
        if task is not None and task.state not in FINAL_WORDS and not is_resumed:
            return _waits_for(task.id)
    build = await _begin(tx, endpoint, wanted, retry_of)
    made = RequestRow(owner, place, wanted.key, build=build, image=None)
    await request_store.save_request(tx, made, is_new=request is None)
    return _waits_for(build)


async def copy_on(tx: Transaction, image: str, endpoint: str) -> CopyRow | None:
    """The newest file of an image on an endpoint."""
    copies = (await store.copies_of(tx.connection, [image]))[image]
    return next((copy for copy in reversed(copies) if copy.endpoint == endpoint), None)


def image_facts(row: ImageRow, copies: Sequence[CopyRow], names: Mapping[str, str]) -> ImageFacts:
    """`names`: endpoints by id."""
    there = {
        names[copy.endpoint]: image_of(copy.manifest) for copy in copies if copy.endpoint in names
    }
    return ImageFacts(row.id, row.name or "", row.identity, there)


def endpoint_facts(row: EndpointRow, account_of: str = "") -> EndpointFacts:
    return EndpointFacts(
        name=row.name,
        state=row.state,
        default=row.is_default,
        facts=effective_facts(row),
        secrets=row.secrets,
        account_of=account_of,
    )


def image_name(text: str) -> str:
    """A name for an image from a name of something else."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-._")[:60] or "image"


async def _ready_image(tx: Transaction, image: str | None, endpoint: str) -> ReadyImage | None:
    copy = await copy_on(tx, image, endpoint) if image else None
    return ReadyImage(copy.image, image_of(copy.manifest)) if copy else None


async def _begin(
    tx: Transaction, endpoint: EndpointRow, wanted: WantedBuild, retry_of: str | None
) -> str:
    """The id of the build."""
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
    made = await make_task(
        tx, job=job, endpoint=endpoint, order=wanted.order, retry_of=retry_of, kind="build"
    )
    return made.id


def _waits_for(build: str) -> Dependency:
    message = f"its image is being built by {build}"
    return Dependency(DependencyKind.BUILD, build, message=message)
