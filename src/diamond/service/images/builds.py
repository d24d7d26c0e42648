"""Builds: started once, followed step by step, edited and resumed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, replace

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import Conflict, NotFound
from diamond.core.order import Build, Environment, Resources
from diamond.core.task import FINAL_WORDS
from diamond.images.editing import editable_text, edited
from diamond.images.recipe import environment_data
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Principal
from diamond.service.endpoints import store as endpoint_rows
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.images import schemas, store
from diamond.service.images.build_steps import (
    BuildProgress,
    StepProgress,
    read_steps,
)
from diamond.service.images.environments import (
    planned_steps,
    read_environment,
    wanted_runtime,
)
from diamond.service.images.image_requests import (
    ReadyImage,
    WantedBuild,
    endpoint_facts,
    image_name,
    plan_build,
    request_build,
)
from diamond.service.images.request_store import image_of_build
from diamond.service.images.schemas import BuildAnswer, BuildRequest, ResumeRequest
from diamond.service.images.step_estimates import (
    build_lines,
    estimated_seconds,
    past_steps,
    standing_of,
)
from diamond.service.images.views import show_image
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import JsonObject
from diamond.service.platform.idempotency import Once, once_as
from diamond.service.platform.services import Services
from diamond.service.tasks.rows import TaskRow
from diamond.service.tasks.schemas import Task
from diamond.service.tasks.tasks import as_now_known, find_task


async def start_build(
    services: Services, principal: Principal, body: BuildRequest, key: str | None
) -> BuildAnswer:
    """The image that is there already, or the build that makes it. All faults at once."""
    require(principal, Action.WRITE, owner=principal.user)
    runtime = wanted_runtime(body.environment, body.runtime)
    environment = read_environment(
        {**body.environment, **({"runtime": runtime} if runtime else {})}
    )

    async def start(tx: Transaction) -> BuildAnswer:
        endpoints = await endpoint_rows.list_endpoints(tx.connection, principal.user)
        wanted, composed = plan_build(
            Build(environment, runtime, upgrade=body.upgrade),
            name=body.name or _own_name(environment),
            on=body.endpoint,
            account=body.account,
            endpoints=[endpoint_facts(row) for row in endpoints],
            resources=body.resources,
        )
        endpoint = next(row for row in endpoints if row.name == composed.endpoint)
        answer = await _begun(tx, principal, endpoint, wanted, name=body.name)
        return answer.model_copy(update={"warnings": composed.warnings})

    request = Once.of(key, "POST /images/builds", body.model_dump())
    return await once_as(BuildAnswer, services.store, principal, request, start)


async def resume_build(
    services: Services, principal: Principal, task: str, body: ResumeRequest, key: str | None
) -> BuildAnswer:
    """A new build with what was edited; the steps that are done come from the cache."""

    async def resume(tx: Transaction) -> BuildAnswer:
        row = await _find(tx.connection, principal, task, Action.WRITE)
        has_failed = read_steps(await build_lines(tx.connection, row)).failure is not None
        if row.state not in FINAL_WORDS and not has_failed:
            raise Conflict(f"{row.id} is still {row.state}", "Cancel it first.")
        endpoint = await endpoint_rows.endpoint_by_id(tx.connection, row.endpoint)
        if endpoint is None:
            raise Conflict(
                f"Endpoint {row.endpoint_name} is no longer there", "Build it elsewhere."
            )
        before = row.order.build or Build()
        changed = replace(
            before,
            environment=_changed(before.environment, body),
            runtime=wanted_runtime(body.environment) or before.runtime,
        )
        wanted, _ = plan_build(
            changed,
            name=row.name,
            on=_place(row),
            endpoints=[endpoint_facts(endpoint)],
            account=row.order.placement.account or "auto",
            resources=_resources(row.order.resources),
        )
        return await _begun(tx, principal, endpoint, wanted, retry_of=row.id)

    request = Once.of(key, f"resume {task}", body.model_dump())
    return await once_as(BuildAnswer, services.store, principal, request, resume)


async def get_build(services: Services, principal: Principal, task: str) -> schemas.Build:
    async with services.store.read() as connection:
        row = await _find(connection, principal, task)
        return await show_build(connection, row)


async def show_build(connection: AsyncConnection, row: TaskRow) -> schemas.Build:
    build = row.order.build or Build()
    progress = read_steps(await build_lines(connection, row))
    is_over = row.state in FINAL_WORDS or progress.failure is not None
    past = [] if is_over else await past_steps(connection, row.owner, row.endpoint)
    steps = _steps(progress, build, past)
    return schemas.Build.model_validate(
        {
            "task": _as_built((await as_now_known(connection, [row]))[0], progress),
            "name": row.name,
            "environment": environment_data(build.environment),
            "identity": progress.identity,
            "runtime": progress.runtime or build.runtime,
            "route": progress.route,
            "definition": progress.definition,
            "steps": steps,
            "standing": None if is_over else standing_of(steps, time.time()),
            "failure": _failure(progress, row),
            "image": await image_of_build(connection, row.id),
            "reused": progress.reused,
            "resumed_from": row.retry_of,
        }
    )


async def _begun(
    tx: Transaction,
    principal: Principal,
    endpoint: EndpointRow,
    wanted: WantedBuild,
    *,
    name: str = "",
    retry_of: str | None = None,
) -> BuildAnswer:
    begun = await request_build(tx, endpoint, wanted, retry_of=retry_of)
    if isinstance(begun, ReadyImage):
        await _take_name(tx, principal.user, begun.id, name)
        row = await store.image_by_id(tx.connection, begun.id)
        assert row is not None
        return BuildAnswer(build=None, image=await show_image(tx.connection, row))
    task = await find_task(tx.connection, principal, begun.id)
    return BuildAnswer(build=await show_build(tx.connection, task), image=None)


async def _take_name(tx: Transaction, owner: str, image: str, name: str) -> None:
    row = await store.image_by_id(tx.connection, image)
    if name and row is not None and row.name != name:
        await store.free_name(tx, owner, name)
        await store.change_image(tx, image, name=name)


async def _find(
    connection: AsyncConnection, principal: Principal, task: str, action: Action = Action.READ
) -> TaskRow:
    row = await find_task(connection, principal, task, action)
    if row.kind != "build":
        raise NotFound(f"{row.id} is not a build", "`diamond tasks --kind build` lists builds.")
    return row


def _steps(
    progress: BuildProgress, build: Build, past: Sequence[StepProgress]
) -> list[schemas.BuildStep]:
    environment = build.environment
    planned = [
        StepProgress(step.name, step.title) for step in planned_steps(environment, build.runtime)
    ]
    return [
        schemas.BuildStep(
            **asdict(step),
            editable=editable_text(environment, step.name),
            expected_seconds=estimated_seconds(step.name, step.title, past),
        )
        for step in progress.steps or planned
    ]


def _as_built(task: Task, progress: BuildProgress) -> Task:
    """A build that has reported its failure has failed, though its job may take a minute to leave the batch system."""
    failure = progress.failure
    if failure is None or task.state in FINAL_WORDS:
        return task
    return task.model_copy(update={"state": "failed", "phase": "", "message": failure.message})


def _failure(progress: BuildProgress, row: TaskRow) -> schemas.BuildFailure | None:
    if progress.failure is not None:
        return progress.failure
    if row.state == "failed":
        return schemas.BuildFailure(step="", message=row.message or "the build failed")
    return None


def _changed(environment: Environment, body: ResumeRequest) -> Environment:
    if body.environment is not None:
        environment = read_environment(body.environment)
    for step, text in body.edits.items():
        environment = edited(environment, step, text)
    return read_environment(environment_data(environment))


def _place(row: TaskRow) -> str:
    partition = row.order.placement.partition
    return "/".join(part for part in (row.endpoint_name, partition) if part)


def _resources(ordered: Resources) -> JsonObject:
    """As a person writes them."""
    written: JsonObject = {
        "nodes": ordered.nodes,
        "gpus_per_node": ordered.gpus_per_node,
        "gpu_type": ordered.gpu_type,
        "cpus_per_task": ordered.cpus_per_task,
        "walltime": f"{ordered.walltime_minutes}m",
    }
    return {**written, **({"memory": f"{ordered.memory_mb}MB"} if ordered.memory_mb else {})}


def _own_name(environment: Environment) -> str:
    """After its first package or its base."""
    first = next(iter([*environment.requirements, environment.base.rsplit("/", 1)[-1]]), "")
    return image_name(first.split("@")[0])
