"""From a spec to a job with its first task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.compose.spec_check import Composed
from diamond.core.errors import Conflict, NotFound
from diamond.core.order import order_data
from diamond.core.task import Phase
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Principal
from diamond.service.composer.compose import Code, Spec, compose, known_images
from diamond.service.endpoints.community import usable_endpoints
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.images import store as image_rows
from diamond.service.images.arrivals import image_of
from diamond.service.images.image_requests import (
    ReadyImage,
    copy_on,
    endpoint_facts,
    image_name,
    plan_build,
    request_build,
)
from diamond.service.images.transfers import provide_image
from diamond.service.platform.audit import about_call
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.idempotency import Once, once
from diamond.service.platform.services import Services
from diamond.service.projects.terms import NOWHERE, Place, place_of
from diamond.service.projects.visibility import visible
from diamond.service.tasks import job_store as job_rows
from diamond.service.tasks.create import Awaited, make_task, new_job
from diamond.service.tasks.views import show_job, show_task


async def submit_job(
    services: Services,
    principal: Principal,
    spec: Spec,
    code: Code,
    key: str | None,
    project: str = "",
    prediction: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """`project`: whose members will see it; the caller is one that may add to it."""
    require(principal, Action.WRITE, owner=principal.user)

    async def make(tx: Transaction) -> dict[str, Any]:
        return await submit_into(
            services,
            tx,
            principal,
            spec,
            code,
            await place_of(tx.connection, principal, project),
            prediction=prediction,
        )

    goal = (prediction or {}).get("goal")
    body = {"spec": spec, "code": code, "project": project, **({"goal": goal} if goal else {})}
    wanted = Once.of(key, "POST /jobs", body)
    return await once(services.store, principal, wanted, make)


async def submit_into(
    services: Services,
    tx: Transaction,
    principal: Principal,
    spec: Spec,
    code: Code,
    place: Place,
    *,
    prediction: dict[str, Any] | None = None,
    assignment: str = "",
    signature: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Compose it as its project asks, and make it."""
    found = place.among(await usable_endpoints(tx.connection, principal.user))
    place.require_no_store(spec, code)
    images = await known_images(tx.connection, principal.user, spec, found)
    composed = compose(services, found, place.settled(spec), code, images)
    endpoint = next(row for row in found if row["name"] == composed.endpoint)
    about = {
        "prediction": prediction,
        "assignment": assignment,
        "signature": signature,
        "owner": principal.user,
    }
    return await make_job(tx, endpoint, composed, code, place, about)


async def list_jobs(
    services: Services, principal: Principal, *, limit: int, cursor: str | None
) -> tuple[list[dict[str, Any]], str | None]:
    async with services.store.read() as connection:
        page = await job_rows.list_jobs(connection, principal.user, limit=limit, cursor=cursor)
        tasks = await job_rows.tasks_of_jobs(connection, [row["id"] for row in page.rows])
    return [show_job(row, tasks[row["id"]]) for row in page.rows], page.next


async def get_job(services: Services, principal: Principal, job: str) -> dict[str, Any]:
    async with services.store.read() as connection:
        row = await _find(connection, principal, job)
        tasks = await job_rows.tasks_of_jobs(connection, [row["id"]])
    return show_job(row, tasks[row["id"]])


async def add_run_task(
    tx: Transaction,
    endpoint: EndpointRow,
    job: Mapping[str, Any],
    composed: Composed,
    retry_of: str | None = None,
    kind: str = "run",
    place: Place = NOWHERE,
) -> dict[str, Any]:
    """A task that runs, or waits for its image first."""
    image = await image_for(tx, endpoint, composed, job["owner"])
    moves = isinstance(image, Awaited) and image.phase is not Phase.BUILDING
    place.require_unmoved(moves)
    order = (
        replace(composed.order, image=image.image)
        if isinstance(image, ReadyImage)
        else composed.order
    )
    awaited = image if isinstance(image, Awaited) else None
    task = await make_task(
        tx,
        job=job,
        endpoint=endpoint,
        order=order_data(order),
        retry_of=retry_of,
        awaited=awaited,
        kind=kind,
        chain={"signature": job["signature"]} if job.get("signature") else None,
    )
    if isinstance(image, ReadyImage):
        await image_rows.add_use(tx, image=image.id, task=task["id"], owner=task["owner"])
    return task


async def make_job(
    tx: Transaction,
    endpoint: EndpointRow,
    composed: Composed,
    code: Code,
    place: Place,
    about: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """`about`: `owner`, `prediction`, `assignment` and `signature`, where there are any."""
    told = dict(about or {})
    job = {
        **new_job(composed, told.get("owner") or endpoint["owner"], code, place.id),
        "assignment": told.get("assignment") or "",
    }
    about_call(job=job["id"], digest=job["digest"], endpoint=endpoint["name"])
    await job_rows.add_job(tx, job)
    of_task = {**job, "prediction": told.get("prediction"), "signature": told.get("signature")}
    task = await add_run_task(tx, endpoint, of_task, composed, place=place)
    shown = {"job": show_job(job, [task["id"]]), "tasks": [show_task(task)]}
    return {**shown, "warnings": composed.warnings}


async def image_for(
    tx: Transaction, endpoint: EndpointRow, composed: Composed, owner: str
) -> ReadyImage | Awaited | None:
    """The image that a job needs: there, or on its way."""
    if endpoint["owner"] != owner and (composed.image or composed.build):
        return await _guests_image(tx, endpoint, composed)
    placement = composed.order.placement
    on = "/".join(part for part in (composed.endpoint, placement.partition) if part)
    payer = placement.account or "auto"
    if composed.image is not None:
        return await provide_image(tx, endpoint, composed.image.id, on=on, account=payer)
    if composed.build is None:
        return None
    wanted, _ = plan_build(
        composed.build,
        name=image_name(composed.order.name),
        on=on,
        endpoints=[endpoint_facts(endpoint)],
        account=payer,
    )
    return await request_build(tx, endpoint, wanted)


async def _guests_image(tx: Transaction, endpoint: EndpointRow, composed: Composed) -> ReadyImage:
    """On a community account its owner looks after the images: others use those that are there."""
    copy = await copy_on(tx, composed.image.id, endpoint["id"]) if composed.image else None
    if copy is None:
        raise Conflict(
            f"This image is not on {endpoint['name']}, and only the owner of that account puts one there",
            "Ask her to build it and share it with you.",
        )
    return ReadyImage(copy["image"], image_of(copy.record))


async def _find(connection: AsyncConnection, principal: Principal, job: str) -> Mapping[str, Any]:
    exact = await job_rows.find_job(connection, job)
    row, _ = await visible(connection, principal, "job", job, exact)
    if row is not None:
        return row
    found = await job_rows.jobs_with_prefix(connection, principal.user, job) if job else []
    if not found:
        raise NotFound(f"There is no job {job}", "`diamond tasks` lists what there is.")
    if len(found) > 1:
        raise Conflict(
            f"{job} is the beginning of several jobs", ", ".join(row["id"] for row in found)
        )
    return found[0]
