"""Who sees a thing besides its owner."""

from __future__ import annotations

from fastapi import APIRouter, Response

from diamond.service.endpoints import profiles
from diamond.service.endpoints.schemas import SharedProfile
from diamond.service.people.caller import Person
from diamond.service.people.shares import DATASET, IMAGE, JOB, MODEL, PIPELINE, PROFILE
from diamond.service.platform.http.routing import Limit, Service, problems
from diamond.service.platform.http.schemas import Page
from diamond.service.projects import schemas
from diamond.service.projects.schemas import Holder, Share, SharedThing, ShareRequest
from diamond.service.sharing import sharing

router = APIRouter(tags=["sharing"])
Shares = Page[Share]


@router.get("/jobs/{job}/shares", response_model=Shares, responses=problems(404))
async def list_job_shares(job: str, services: Service, person: Person) -> Shares:
    return Page(items=await sharing.list_shares(services, person, JOB, job))


@router.post("/jobs/{job}/shares", response_model=Shares, responses=problems(404, 409))
async def share_job(job: str, body: ShareRequest, services: Service, person: Person) -> Shares:
    """Share a job and its results with one more person or project, or with everyone on this Diamond."""
    return Page(items=await sharing.share(services, person, JOB, job, body.with_kind, body.with_id))


@router.delete("/jobs/{job}/shares", status_code=204, responses=problems(404))
async def stop_sharing_job(
    job: str, with_kind: Holder, services: Service, person: Person, with_id: str = ""
) -> Response:
    await sharing.stop_sharing(services, person, JOB, job, with_kind, with_id)
    return Response(status_code=204)


@router.get("/shares", response_model=Page[SharedThing], responses=problems())
async def shared_with_me(
    services: Service, person: Person, limit: Limit = 200
) -> Page[SharedThing]:
    """What others share with the caller or with everyone; the newest first."""
    return Page(items=await sharing.shared_with_me(services, person, limit))


@router.get("/images/{image}/shares", response_model=Shares, responses=problems(404, 409))
async def list_image_shares(image: str, services: Service, person: Person) -> Shares:
    return Page(items=await sharing.list_shares(services, person, IMAGE, image))


@router.post("/images/{image}/shares", response_model=Shares, responses=problems(404, 409))
async def share_image(image: str, body: ShareRequest, services: Service, person: Person) -> Shares:
    """Others see its contents, and may copy it to their own endpoints."""
    items = await sharing.share(services, person, IMAGE, image, body.with_kind, body.with_id)
    return Page(items=items)


@router.delete("/images/{image}/shares", status_code=204, responses=problems(404, 409))
async def stop_sharing_image(
    image: str, with_kind: Holder, services: Service, person: Person, with_id: str = ""
) -> Response:
    """Copies that others made already stay theirs."""
    await sharing.stop_sharing(services, person, IMAGE, image, with_kind, with_id)
    return Response(status_code=204)


@router.get("/datasets/{dataset}/shares", response_model=Shares, responses=problems(404, 409))
async def list_dataset_shares(dataset: str, services: Service, person: Person) -> Shares:
    return Page(items=await sharing.list_shares(services, person, DATASET, dataset))


@router.post("/datasets/{dataset}/shares", response_model=Shares, responses=problems(404, 409))
async def share_dataset(
    dataset: str, body: ShareRequest, services: Service, person: Person
) -> Shares:
    """Others see its files, and may copy it to endpoints that it may be on."""
    items = await sharing.share(services, person, DATASET, dataset, body.with_kind, body.with_id)
    return Page(items=items)


@router.delete("/datasets/{dataset}/shares", status_code=204, responses=problems(404, 409))
async def stop_sharing_dataset(
    dataset: str, with_kind: Holder, services: Service, person: Person, with_id: str = ""
) -> Response:
    """Copies that others made already stay theirs."""
    await sharing.stop_sharing(services, person, DATASET, dataset, with_kind, with_id)
    return Response(status_code=204)


@router.get("/models/{model}/shares", response_model=Shares, responses=problems(404))
async def list_model_shares(model: str, services: Service, person: Person) -> Shares:
    return Page(items=await sharing.list_shares(services, person, MODEL, model))


@router.post("/models/{model}/shares", response_model=Shares, responses=problems(404, 409))
async def share_model(model: str, body: ShareRequest, services: Service, person: Person) -> Shares:
    """Others see its card and versions, and may download them."""
    items = await sharing.share(services, person, MODEL, model, body.with_kind, body.with_id)
    return Page(items=items)


@router.delete("/models/{model}/shares", status_code=204, responses=problems(404))
async def stop_sharing_model(
    model: str, with_kind: Holder, services: Service, person: Person, with_id: str = ""
) -> Response:
    """Copies that others made already stay theirs."""
    await sharing.stop_sharing(services, person, MODEL, model, with_kind, with_id)
    return Response(status_code=204)


@router.get("/pipelines/{pipeline}/shares", response_model=Shares, responses=problems(404, 409))
async def list_pipeline_shares(pipeline: str, services: Service, person: Person) -> Shares:
    return Page(items=await sharing.list_shares(services, person, PIPELINE, pipeline))


@router.post("/pipelines/{pipeline}/shares", response_model=Shares, responses=problems(404, 409))
async def share_pipeline(
    pipeline: str, body: ShareRequest, services: Service, person: Person
) -> Shares:
    """Others see it with the tasks of its steps, their logs, curves and results."""
    items = await sharing.share(services, person, PIPELINE, pipeline, body.with_kind, body.with_id)
    return Page(items=items)


@router.delete("/pipelines/{pipeline}/shares", status_code=204, responses=problems(404, 409))
async def stop_sharing_pipeline(
    pipeline: str, with_kind: Holder, services: Service, person: Person, with_id: str = ""
) -> Response:
    await sharing.stop_sharing(services, person, PIPELINE, pipeline, with_kind, with_id)
    return Response(status_code=204)


@router.get("/endpoints/{name}/shares", response_model=Shares, responses=problems(404))
async def list_profile_shares(name: str, services: Service, person: Person) -> Shares:
    return Page(items=await sharing.list_shares(services, person, PROFILE, name))


@router.post("/endpoints/{name}/shares", response_model=Shares, responses=problems(404, 409))
async def share_profile(name: str, body: ShareRequest, services: Service, person: Person) -> Shares:
    """Only its profile: others pair their own agents there, and never run as its owner."""
    items = await sharing.share(services, person, PROFILE, name, body.with_kind, body.with_id)
    return Page(items=items)


@router.delete("/endpoints/{name}/shares", status_code=204, responses=problems(404))
async def stop_sharing_profile(
    name: str, with_kind: Holder, services: Service, person: Person, with_id: str = ""
) -> Response:
    await sharing.stop_sharing(services, person, PROFILE, name, with_kind, with_id)
    return Response(status_code=204)


@router.get("/profiles", response_model=Page[SharedProfile], responses=problems())
async def list_profiles(services: Service, person: Person) -> Page[SharedProfile]:
    """Profiles of others' endpoints that are shared with the caller."""
    shared = await profiles.list_profiles(services, person)
    return Page(items=[SharedProfile.model_validate(profile) for profile in shared])


@router.get("/profiles/{profile}", response_model=SharedProfile, responses=problems(404))
async def get_profile(profile: str, services: Service, person: Person) -> SharedProfile:
    return await profiles.get_profile(services, person, profile)


@router.put("/jobs/{job}/project", status_code=204, responses=problems(404, 409))
async def move_job(
    job: str, body: schemas.ProjectRef, services: Service, person: Person
) -> Response:
    """Move a job to another project, or out of any."""
    await sharing.move_job(services, person, job, body.project)
    return Response(status_code=204)
