"""From a spec to a job with its first task."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.compose.spec_check import Composed, KnownImages, check
from diamond.core import ids
from diamond.core.errors import Conflict, InvalidSpec, NotFound
from diamond.core.order import order_data
from diamond.core.task import Phase
from diamond.service.authorize import Action, require
from diamond.service.principal import Principal
from diamond.service.services import Services
from diamond.service.store import images as image_rows
from diamond.service.store import jobs as job_rows
from diamond.service.store.audit import about_call
from diamond.service.store.engine import Transaction
from diamond.service.store.pages import Page
from diamond.service.store.rows import Row
from diamond.service.use_cases.access import visible
from diamond.service.use_cases.community import usable_endpoints
from diamond.service.use_cases.idempotency import Once, once
from diamond.service.use_cases.image_sharing import shared_called
from diamond.service.use_cases.keeping import image_of
from diamond.service.use_cases.making import Awaited, make_task
from diamond.service.use_cases.moving import bring
from diamond.service.use_cases.places import NOWHERE, Place, place_of
from diamond.service.use_cases.wanting import (
    Ready,
    copy_on,
    endpoint_facts,
    image_facts,
    image_name,
    want_build,
    wanted_build,
)
from diamond.service.views import show_job, show_task

Spec = dict[str, Any]
Code = dict[str, Any] | None


async def check_job(
    services: Services, principal: Principal, spec: Spec, code: Code, project: str = ""
) -> Composed:
    """All faults at once, and nothing made."""
    require(principal, Action.WRITE, owner=principal.user)
    async with services.store.read() as connection:
        place = await place_of(connection, principal, project)
        found = place.among(await usable_endpoints(connection, principal.user))
        images = await known_images(connection, principal.user, spec, found)
    place.require_no_store(spec, code)
    return _compose(services, found, place.settled(spec), code, images)


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
    composed = _compose(services, found, place.settled(spec), code, images)
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
        page: Page = await job_rows.list_jobs(
            connection, principal.user, limit=limit, cursor=cursor
        )
        tasks = await job_rows.tasks_of_jobs(connection, [row["id"] for row in page.rows])
    return [show_job(row, tasks[row["id"]]) for row in page.rows], page.next


async def get_job(services: Services, principal: Principal, job: str) -> dict[str, Any]:
    async with services.store.read() as connection:
        row = await _find(connection, principal, job)
        tasks = await job_rows.tasks_of_jobs(connection, [row["id"]])
    return show_job(row, tasks[row["id"]])


async def known_images(
    connection: AsyncConnection, owner: str, spec: Spec, endpoints: list[Row]
) -> KnownImages:
    """What the environment's name in a spec may mean."""
    wanted = spec.get("environment")
    if not isinstance(wanted, str):
        return KnownImages()
    found = await image_rows.images_called(connection, owner, wanted)
    found = found or await shared_called(connection, owner, wanted)
    if len(found) != 1:
        return KnownImages(names=await image_rows.image_names(connection, owner))
    copies = (await image_rows.copies_of(connection, [found[0]["id"]]))[found[0]["id"]]
    return KnownImages(image_facts(found[0], copies, {row["id"]: row["name"] for row in endpoints}))


async def add_run_task(
    tx: Transaction,
    endpoint: Row,
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
        replace(composed.order, image=image.found) if isinstance(image, Ready) else composed.order
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
    if isinstance(image, Ready):
        await image_rows.add_use(tx, image=image.image, task=task["id"], owner=task["owner"])
    return task


def _compose(
    services: Services, endpoints: list[Row], spec: Spec, code: Code, images: KnownImages
) -> Composed:
    require_snapshot(services, code)
    known = [endpoint_facts(row) for row in endpoints]
    return check(spec, endpoints=known, code=code, images=images)


async def make_job(
    tx: Transaction,
    endpoint: Row,
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


def new_job(composed: Composed, owner: str, code: Code, project: str = "") -> dict[str, Any]:
    return {
        "id": ids.new_id(ids.JOB),
        "owner": owner,
        "name": composed.order.name,
        "spec": composed.spec,
        "code": code,
        "digest": composed.order.digest,
        "created": time.time(),
        "project": project,
    }


async def image_for(
    tx: Transaction, endpoint: Row, composed: Composed, owner: str
) -> Ready | Awaited | None:
    """The image that a job needs: there, or on its way."""
    if endpoint["owner"] != owner and (composed.image or composed.build):
        return await _guests_image(tx, endpoint, composed)
    placement = composed.order.placement
    on = "/".join(part for part in (composed.endpoint, placement.partition) if part)
    payer = placement.account or "auto"
    if composed.image is not None:
        return await bring(tx, endpoint, composed.image.id, on=on, account=payer)
    if composed.build is None:
        return None
    wanted, _ = wanted_build(
        composed.build,
        name=image_name(composed.order.name),
        on=on,
        endpoints=[endpoint_facts(endpoint)],
        account=payer,
    )
    return await want_build(tx, endpoint, wanted)


async def _guests_image(tx: Transaction, endpoint: Row, composed: Composed) -> Ready:
    """On a community account its owner looks after the images: others use those that are there."""
    copy = await copy_on(tx, composed.image.id, endpoint["id"]) if composed.image else None
    if copy is None:
        raise Conflict(
            f"This image is not on {endpoint['name']}, and only the owner of that account puts one there",
            "Ask her to build it and share it with you.",
        )
    return Ready(copy["image"], image_of(copy["record"]))


def require_snapshot(services: Services, code: Code) -> None:
    snapshot = (code or {}).get("snapshot")
    if snapshot and services.blobs.missing([snapshot]):
        words = f"the snapshot {snapshot} was not uploaded"
        fault = {
            "field": "code.snapshot",
            "message": words,
            "hint": "Send it to POST /blobs first.",
        }
        raise InvalidSpec("The code is not here", fault["hint"], faults=[fault])


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
