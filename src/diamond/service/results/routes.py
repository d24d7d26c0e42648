"""Results of tasks."""

from __future__ import annotations

from fastapi import APIRouter

from diamond.service.datasets.schemas import AboutDataset, DatasetVersion
from diamond.service.people.caller import Person
from diamond.service.platform.http.routing import Service, problems
from diamond.service.platform.http.schemas import Page
from diamond.service.results import as_dataset, results, schemas

router = APIRouter(tags=["results"])


@router.get(
    "/tasks/{task}/results", response_model=Page[schemas.RunResult], responses=problems(404, 409)
)
async def list_results(task: str, services: Service, person: Person) -> Page[schemas.RunResult]:
    """What it left behind, with digests and places."""
    return Page(items=await results.list_results(services, person, task))


@router.post(
    "/tasks/{task}/results",
    status_code=202,
    response_model=schemas.RunResult,
    responses=problems(404, 409),
)
async def name_result(
    task: str, body: schemas.NewResult, services: Service, person: Person
) -> schemas.RunResult:
    """Name a file or folder of an ended task as a result: it is hashed where it is."""
    return await results.name_result(services, person, task, body)


@router.post(
    "/tasks/{task}/results/{result}/dataset",
    status_code=201,
    response_model=DatasetVersion,
    responses=problems(404, 409),
)
async def add_to_dataset(
    task: str, result: str, body: AboutDataset, services: Service, person: Person
) -> DatasetVersion:
    """Make a result a version of a dataset of the caller's. Nothing is moved or copied."""
    return await as_dataset.add_result_to_dataset(services, person, task, result, body)
