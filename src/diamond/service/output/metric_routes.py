"""Curves of several tasks in one call."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from diamond.service.output import metrics, schemas, summary
from diamond.service.output.metrics import CurvesWanted
from diamond.service.people.caller import Person
from diamond.service.platform.http.routing import Service, problems
from diamond.service.platform.http.schemas import Page

router = APIRouter(prefix="/metrics", tags=["output"])


@router.get("", response_model=schemas.MetricSet, responses=problems(404, 409))
async def compare_metrics(
    services: Service,
    person: Person,
    task: Annotated[list[str], Query(min_length=1, max_length=50)],
    name: Annotated[list[str], Query(max_length=200)] = [],  # noqa: B006
    points: Annotated[int, Query(ge=2, le=50_000)] = 1000,
    from_step: float | None = None,
    to_step: float | None = None,
    from_time: float | None = None,
    to_time: float | None = None,
    usage: bool = False,
) -> Response:
    """Each curve in about `points` points that keep its peaks; a narrower range refines it."""
    sources = metrics.USAGE if usage else metrics.TRAINING
    ranges = (from_step, to_step), (from_time, to_time)
    wanted = CurvesWanted(sources, frozenset(name), points, *ranges)
    body = await metrics.compare(services, person, task, wanted)
    return Response(body, media_type="application/json")


@router.get("/summaries", response_model=Page[schemas.TaskSummary], responses=problems(404, 409))
async def task_summaries(
    services: Service,
    person: Person,
    task: Annotated[list[str], Query(min_length=1, max_length=100)],
    sparks: bool = False,
) -> Page[schemas.TaskSummary]:
    """For each task: its progress, the time left, and the last, lowest and highest value of each metric."""
    return Page(items=await summary.summaries(services, person, task, sparks=sparks))
