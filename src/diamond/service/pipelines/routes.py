"""Pipelines."""

from __future__ import annotations

from fastapi import APIRouter

from diamond.service.composer.schemas import ComposeRequest
from diamond.service.people.caller import Person
from diamond.service.pipelines import compose, end, find, retry, schemas, submit
from diamond.service.platform.http.routing import (
    IdempotencyKey,
    Limit,
    PageCursor,
    Service,
    problems,
)
from diamond.service.platform.http.schemas import Page

router = APIRouter(prefix="/pipelines", tags=["pipelines"])


@router.post(
    "", status_code=201, response_model=schemas.PipelineDetail, responses=problems(404, 409)
)
async def submit_pipeline(
    body: schemas.PipelineRequest, services: Service, person: Person, key: IdempotencyKey = None
) -> schemas.PipelineDetail:
    """Check a spec with a `pipeline:` block and start it."""
    return await submit.submit_pipeline(services, person, body, key)


@router.post("/check", response_model=schemas.PipelineChecked, responses=problems(404, 409))
async def check_pipeline(
    body: schemas.PipelineRequest, services: Service, person: Person
) -> schemas.PipelineChecked:
    """Find every fault of every stage. Nothing is submitted."""
    return await submit.check_pipeline(services, person, body)


@router.post("/compose", response_model=schemas.PipelineComposition, responses=problems(404))
async def compose_pipeline(
    body: ComposeRequest, services: Service, person: Person
) -> schemas.PipelineComposition:
    """Show the graph of a spec, even if it has faults. Nothing is submitted."""
    return await compose.compose_pipeline(services, person, body)


@router.get("", response_model=Page[schemas.Pipeline], responses=problems())
async def list_pipelines(
    services: Service, person: Person, limit: Limit = 50, cursor: PageCursor = None
) -> Page[schemas.Pipeline]:
    """Newest first."""
    return await find.list_pipelines(services, person, limit=limit, cursor=cursor)


@router.get("/{pipeline}", response_model=schemas.PipelineDetail, responses=problems(404, 409))
async def get_pipeline(pipeline: str, services: Service, person: Person) -> schemas.PipelineDetail:
    """By its id or a unique beginning of it."""
    return await find.get_pipeline(services, person, pipeline)


@router.post(
    "/{pipeline}/cancel", response_model=schemas.PipelineDetail, responses=problems(404, 409)
)
async def cancel_pipeline(
    pipeline: str, services: Service, person: Person
) -> schemas.PipelineDetail:
    """End its tasks; nothing new starts. Asking twice, or too late, is fine."""
    return await end.cancel_pipeline(services, person, pipeline)


@router.post(
    "/{pipeline}/retry", response_model=schemas.PipelineDetail, responses=problems(404, 409)
)
async def retry_pipeline(
    pipeline: str, body: schemas.RetryBody, services: Service, person: Person
) -> schemas.PipelineDetail:
    """Run what failed again, and what was stopped behind it. What is done stays."""
    return await retry.retry_pipeline(services, person, pipeline, body.stages)


@router.post(
    "/{pipeline}/again",
    status_code=201,
    response_model=schemas.PipelineDetail,
    responses=problems(404, 409),
)
async def run_pipeline_again(
    pipeline: str,
    body: schemas.AgainBody,
    services: Service,
    person: Person,
    key: IdempotencyKey = None,
) -> schemas.PipelineDetail:
    """The same spec and code as a new pipeline; what is done is not repeated, except from `start_from` on."""
    return await submit.run_again(services, person, pipeline, body, key)
