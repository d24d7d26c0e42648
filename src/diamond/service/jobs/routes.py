from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from diamond.core.order import order_data
from diamond.service.composer.request import asked_for
from diamond.service.jobs import auto_nodes, schemas, signed
from diamond.service.jobs import submit as jobs
from diamond.service.output import files
from diamond.service.people.caller import Person
from diamond.service.planning import node_count
from diamond.service.planning.plans import predict
from diamond.service.platform.http.routing import (
    IdempotencyKey,
    Limit,
    PageCursor,
    Service,
    problems,
)
from diamond.service.platform.http.schemas import Page
from diamond.service.tasks.schemas import Job, Submitted

router = APIRouter(prefix="/jobs", tags=["jobs"])


@router.post("", status_code=201, response_model=Submitted, responses=problems(404, 409, 503))
async def submit_job(
    body: schemas.JobRequest, services: Service, person: Person, key: IdempotencyKey = None
) -> dict[str, Any]:
    """Check a spec and start it."""
    spec, code = await asked_for(services, body)
    foretold = (
        await predict(services, person, spec, code, body.goal, body.project) if body.goal else None
    )
    if body.signature:
        signature = body.signature.model_dump()
        return await signed.submit_signed(
            services, person, spec, code, key, body.project, foretold, signature
        )
    return await auto_nodes.submit_job(services, person, spec, code, key, body.project, foretold)


@router.post("/check", response_model=schemas.Checked, responses=problems(404, 409, 503))
async def check_job(
    body: schemas.JobRequest, services: Service, person: Person, script: bool = False
) -> dict[str, Any]:
    """Check a spec; nothing is made."""
    spec, code = await asked_for(services, body)
    composed = await node_count.check_job(services, person, spec, code, body.project)
    text = await files.preview_script(services, person, composed) if script else None
    return {
        "order": order_data(composed.order),
        "endpoint": composed.endpoint,
        "warnings": composed.warnings,
        "script": text,
    }


@router.get("", response_model=Page[Job], responses=problems())
async def list_jobs(
    services: Service, person: Person, limit: Limit = 50, cursor: PageCursor = None
) -> dict[str, Any]:
    items, after = await jobs.list_jobs(services, person, limit=limit, cursor=cursor)
    return {"items": items, "next": after}


@router.get("/{job}", response_model=Job, responses=problems(404, 409))
async def get_job(job: str, services: Service, person: Person) -> Job:
    return await jobs.get_job(services, person, job)
