from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from diamond.service.endpoints import browse, endpoints, load, schemas, secrets
from diamond.service.people.caller import Person
from diamond.service.platform.database.rows import JsonObject
from diamond.service.platform.http.routing import IdempotencyKey, Service, problems
from diamond.service.platform.http.schemas import Names, Nothing, Page, ProfileData

router = APIRouter(prefix="/endpoints", tags=["endpoints"])


@router.get("", response_model=Page[schemas.Endpoint], responses=problems())
async def list_endpoints(services: Service, person: Person) -> Page[schemas.Endpoint]:
    return Page(items=await endpoints.list_endpoints(services, person))


@router.post(
    "", status_code=201, response_model=schemas.EndpointAdded, responses=problems(404, 409)
)
async def add_endpoint(
    body: schemas.EndpointRequest, services: Service, person: Person, key: IdempotencyKey = None
) -> schemas.EndpointAdded:
    """https gives a pairing code and the line to paste; ssh and local give the key."""
    return await endpoints.add_endpoint(services, person, body, key)


@router.get("/{name}", response_model=schemas.Endpoint, responses=problems(404))
async def get_endpoint(name: str, services: Service, person: Person) -> schemas.Endpoint:
    return await endpoints.get_endpoint(services, person, name)


@router.patch("/{name}", response_model=schemas.Endpoint, responses=problems(404, 409))
async def change_endpoint(
    name: str, body: schemas.EndpointChange, services: Service, person: Person
) -> schemas.Endpoint:
    return await endpoints.change_endpoint(services, person, name, body)


@router.delete("/{name}", status_code=204, responses=problems(404, 409))
async def remove_endpoint(name: str, services: Service, person: Person) -> Response:
    """Rejected while tasks are open there."""
    await endpoints.remove_endpoint(services, person, name)
    return Response(status_code=204)


@router.post("/{name}/confirm", response_model=schemas.Endpoint, responses=problems(404, 409))
async def confirm_endpoint(
    name: str, body: schemas.Confirmation, services: Service, person: Person
) -> schemas.Endpoint:
    """Confirm that the host and user of a newly paired endpoint are right."""
    return await endpoints.confirm_endpoint(services, person, name, body.accept)


@router.post("/{name}/pairing", response_model=schemas.Pairing, responses=problems(404, 409))
async def renew_pairing(name: str, services: Service, person: Person) -> schemas.Pairing:
    """A fresh code for the same endpoint."""
    return await endpoints.renew_pairing(services, person, name)


@router.post("/{name}/key", response_model=schemas.Key, responses=problems(404, 409))
async def renew_key(name: str, services: Service, person: Person) -> schemas.Key:
    """A new key for the caller's bridge; older keys end."""
    return await endpoints.renew_key(services, person, name)


@router.post("/{name}/away", response_model=schemas.Endpoint, responses=problems(404))
async def carrier_closed(name: str, services: Service, person: Person) -> schemas.Endpoint:
    """The bridge says that its connection has closed."""
    return await endpoints.carrier_closed(services, person, name)


@router.get("/{name}/load", response_model=schemas.EndpointLoad, responses=problems(404))
async def read_load(
    name: str, services: Service, person: Person, days: Annotated[int, Query(ge=1, le=30)] = 7
) -> schemas.EndpointLoad:
    """How busy its partitions were, hour by hour, and how much the caller used there, day by day."""
    return await load.read_load(services, person, name, days)


@router.get("/{name}/profile", response_model=ProfileData, responses=problems(404))
async def export_profile(name: str, services: Service, person: Person) -> JsonObject:
    return await endpoints.export_profile(services, person, name)


@router.put("/{name}/profile", response_model=ProfileData, responses=problems(404))
async def import_profile(
    name: str, profile: ProfileData, services: Service, person: Person
) -> JsonObject:
    return await endpoints.import_profile(services, person, name, profile)


@router.post("/{name}/probe", status_code=202, response_model=Nothing, responses=problems(404))
async def probe_endpoint(
    name: str, body: schemas.ProbeRequest, services: Service, person: Person
) -> Nothing:
    """Probe the site again; with `compute`, also with a short job."""
    await endpoints.probe_endpoint(services, person, name, body.compute)
    return Nothing()


@router.post(
    "/{name}/upgrade", status_code=202, response_model=Nothing, responses=problems(404, 409)
)
async def upgrade_agent(name: str, services: Service, person: Person) -> Nothing:
    """The agent downloads the version that this service serves and restarts as it. Jobs keep running."""
    await endpoints.upgrade_agent(services, person, name)
    return Nothing()


@router.get(
    "/{name}/browse", response_model=schemas.BrowsedFolder, responses=problems(400, 403, 404, 503)
)
async def browse_endpoint(
    name: str,
    services: Service,
    person: Person,
    path: Annotated[str, Query(max_length=4096)] = "",
    start: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> schemas.BrowsedFolder:
    """Names in a folder of the machine, to find data; without a path, where to begin."""
    return await browse.browse(services, person, name, path, start)


@router.get("/{name}/secrets", response_model=Names, responses=problems(404, 503))
async def list_secrets(name: str, services: Service, person: Person) -> Names:
    """Names only."""
    return Names(items=await secrets.list_secrets(services, person, name))


@router.put("/{name}/secrets/{secret}", status_code=204, responses=problems(404, 503))
async def set_secret(
    name: str, secret: str, body: schemas.SecretValue, services: Service, person: Person
) -> Response:
    """The value passes through memory to the endpoint."""
    await secrets.set_secret(services, person, name, secret, body.value)
    return Response(status_code=204)


@router.delete("/{name}/secrets/{secret}", status_code=204, responses=problems(404, 503))
async def delete_secret(name: str, secret: str, services: Service, person: Person) -> Response:
    await secrets.delete_secret(services, person, name, secret)
    return Response(status_code=204)
