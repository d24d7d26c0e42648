"""`nodes: auto`: the number that the newest fitting scale advises; without one, a task waits while probes find out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.compose.spec_check import Composed, check
from diamond.core import ids
from diamond.core.errors import Conflict
from diamond.core.order import order_data
from diamond.core.task import Phase
from diamond.service import schemas
from diamond.service.authorize import Action, require
from diamond.service.principal import Principal
from diamond.service.services import Services
from diamond.service.store import endpoints as endpoint_rows
from diamond.service.store import jobs as job_rows
from diamond.service.store.engine import Transaction
from diamond.service.store.rows import Row
from diamond.service.store.scales import newest_fitting
from diamond.service.use_cases import jobs
from diamond.service.use_cases.advising import TooDear, advice_within, is_whole
from diamond.service.use_cases.auto_release import settled_spec
from diamond.service.use_cases.idempotency import Once, once
from diamond.service.use_cases.making import Awaited, make_task
from diamond.service.use_cases.places import Place, place_of
from diamond.service.use_cases.scales import Waiting, add_scale, fits_digest
from diamond.service.use_cases.wanting import endpoint_facts
from diamond.service.views import show_job, show_task

AUTO = "auto"
GOAL = "efficiency:0.7"
"""What probes are asked that nobody asked for: many nodes, but none that mostly wait for each other."""
UNKEPT = "The plan is not kept with it: it was made for one node, and probes have yet to tell how many it gets."
Spec = dict[str, Any]
Code = dict[str, Any] | None


async def check_job(
    services: Services, principal: Principal, spec: Spec, code: Code, project: str = ""
) -> Composed:
    """As it would run: with the number of nodes, where that is known."""
    composed = await jobs.check_job(services, principal, spec, code, project)
    if not is_auto(spec):
        return composed
    async with services.store.read() as connection:
        found = await endpoint_rows.list_endpoints(connection, principal.user)
        if all(row["name"] != composed.endpoint for row in found):
            words = f"nodes: auto needs probes, and {composed.endpoint} is another's account"
            raise Conflict(words, "Say how many nodes.")
        known = await _known(connection, _of(found, composed), composed)
    if known is None:
        return replace(composed, warnings=[*composed.warnings, _waiting_words()])
    settled, words = known
    found_again = await jobs.check_job(services, principal, settled, code, project)
    return replace(found_again, warnings=[words, *found_again.warnings])


async def submit_job(
    services: Services,
    principal: Principal,
    spec: Spec,
    code: Code,
    key: str | None,
    project: str = "",
    prediction: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """A prediction of a task that still has no number of nodes would be one of another task: it is left out."""
    if not is_auto(spec):
        return await jobs.submit_job(services, principal, spec, code, key, project, prediction)
    require(principal, Action.WRITE, owner=principal.user)
    jobs.require_snapshot(services, code)

    async def make(tx: Transaction) -> dict[str, Any]:
        place = await place_of(tx.connection, principal, project)
        return await _make(tx, principal.user, place.settled(spec), code, place, prediction)

    wanted = Once.of(key, "POST /jobs", {"spec": spec, "code": code, "project": project})
    return await once(services.store, principal, wanted, make)


def is_auto(spec: Spec) -> bool:
    resources = spec.get("resources")
    return isinstance(resources, dict) and resources.get("nodes") == AUTO


async def _make(
    tx: Transaction,
    owner: str,
    spec: Spec,
    code: Code,
    place: Place,
    prediction: dict[str, Any] | None,
) -> dict[str, Any]:
    found = place.among(await endpoint_rows.list_endpoints(tx.connection, owner))
    place.require_no_store(spec, code)
    images = await jobs.known_images(tx.connection, owner, spec, found)
    facts = [endpoint_facts(row) for row in found]
    composed = check(spec, endpoints=facts, code=code, images=images)
    endpoint = _of(found, composed)
    known = await _known(tx.connection, endpoint, composed)
    if known is None:
        made = await _wait(tx, endpoint, composed, spec, code, place.id)
        return {**made, "warnings": [*made["warnings"], *([UNKEPT] if prediction else [])]}
    settled, words = known
    composed = check(settled, endpoints=facts, code=code, images=images)
    made = await jobs.make_job(tx, endpoint, composed, code, place, {"prediction": prediction})
    return {**made, "warnings": [words, *made["warnings"]]}


async def _known(
    connection: AsyncConnection, endpoint: Row, composed: Composed
) -> tuple[Spec, str] | None:
    """The spec with the number of nodes of the newest fitting scale, and words on where it is from."""
    fits = fits_digest(endpoint["id"], composed)
    row = await newest_fitting(connection, endpoint["owner"], fits)
    if row is None:
        return None
    advice = _affordable(row, composed)
    place = "/".join(one for one in (composed.endpoint, composed.order.placement.partition) if one)
    settled = {**settled_spec(composed.spec, advice), "on": place}
    words = f"nodes: auto is {advice['words']}, told by scale {row['id']}"
    return settled, words + ("" if is_whole(row["probes"]) else "; `diamond scale` probes anew")


def _affordable(scale: Row, composed: Composed) -> dict[str, Any]:
    """Where nothing is, the check of the spec says so."""
    minutes = composed.order.resources.walltime_minutes
    try:
        return advice_within(scale, composed.order.budget, minutes)
    except TooDear:
        return dict(scale["result"]["advice"])


async def _wait(
    tx: Transaction, endpoint: Row, composed: Composed, spec: Spec, code: Code, project: str
) -> dict[str, Any]:
    """A task that is submitted when its scale has told how many nodes it gets."""
    job = jobs.new_job(composed, endpoint["owner"], code, project)
    await job_rows.add_job(tx, job)
    scale = ids.new_id(ids.SCALE)
    words = f"short runs find out how many nodes it is worth, then it is queued (scale {scale})"
    awaited = Awaited(scale, words, Phase.PROBING)
    task = await make_task(
        tx, job=job, endpoint=endpoint, order=order_data(composed.order), awaited=awaited
    )
    body = schemas.ScaleRequest(goal=GOAL)
    await add_scale(tx, endpoint["owner"], spec, code, body, Waiting(task["id"], scale))
    shown = {"job": show_job(job, [task["id"]]), "tasks": [show_task(task)]}
    return {**shown, "warnings": [_waiting_words(), *composed.warnings]}


def _waiting_words() -> str:
    return f"nodes: auto: no scale of this spec has told a number yet, so probes run first ({GOAL})"


def _of(endpoints: list[Row], composed: Composed) -> Row:
    return next(row for row in endpoints if row["name"] == composed.endpoint)
