"""What the service stores of people."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from diamond.service.people.caller import Person
from diamond.service.platform.http.routing import Limit, Service, problems
from diamond.service.platform.http.schemas import Page
from diamond.service.storage import schemas, storage

router = APIRouter(tags=["storage"])
Search = Annotated[str, Query(max_length=200)]


@router.get("/storage", response_model=schemas.MyStorage, responses=problems())
async def my_storage(services: Service, person: Person) -> schemas.MyStorage:
    """What takes up space: the caller's code, logs and curves here, and images and run directories on their endpoints."""
    return await storage.my_storage(services, person)


@router.put("/storage/retention", response_model=schemas.Retention, responses=problems())
async def set_retention(
    body: schemas.Retention, services: Service, person: Person
) -> schemas.Retention:
    """For the caller's own tasks. The shortest of all rules counts."""
    return await storage.set_own_retention(services, person, body)


@router.get(
    "/projects/{project}/retention", response_model=schemas.Retention, responses=problems(404, 409)
)
async def get_project_retention(
    project: str, services: Service, person: Person
) -> schemas.Retention:
    return await storage.show_project_retention(services, person, project)


@router.put(
    "/projects/{project}/retention", response_model=schemas.Retention, responses=problems(404, 409)
)
async def set_project_retention(
    project: str, body: schemas.Retention, services: Service, person: Person
) -> schemas.Retention:
    """For tasks in the project; by a manager."""
    return await storage.set_project_retention(services, person, project, body)


@router.get("/storage/defaults", response_model=schemas.StorageDefaults, responses=problems())
async def get_defaults(services: Service, person: Person) -> schemas.StorageDefaults:
    return await storage.show_defaults(services)


@router.put("/storage/defaults", response_model=schemas.StorageDefaults, responses=problems())
async def set_defaults(
    body: schemas.StorageDefaults, services: Service, person: Person
) -> schemas.StorageDefaults:
    return await storage.set_defaults(services, person, body)


@router.get("/storage/people", response_model=Page[schemas.PersonStorage], responses=problems())
async def storage_of_people(
    services: Service, person: Person, search: Search = "", limit: Limit = 500
) -> Page[schemas.PersonStorage]:
    """Who stores how much; for administrators."""
    return Page(items=await storage.storage_of_people(services, search, limit))


@router.put("/users/{user}/quota", response_model=schemas.Quota, responses=problems(404))
async def set_quota(
    user: str, body: schemas.Quota, services: Service, person: Person
) -> schemas.Quota:
    return await storage.set_quota(services, person, user, body)
