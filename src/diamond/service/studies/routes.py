from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from diamond.service.models.schemas import ModelVersion
from diamond.service.people.caller import Person
from diamond.service.platform.http.routing import (
    CSV,
    IdempotencyKey,
    Limit,
    PageCursor,
    Service,
    problems,
)
from diamond.service.platform.http.schemas import Page
from diamond.service.studies import ask_tell, control, imports, read, register, schemas, start, tune
from diamond.service.studies.schemas import Study, StudyDetail, Trial

router = APIRouter(prefix="/studies", tags=["studies"])
Number = Annotated[int, Path(ge=0, le=2**31 - 1)]
States = Annotated[list[schemas.TrialWord], Query()]


@router.post("", status_code=201, response_model=Study, responses=problems(404, 409, 503))
async def start_study(
    body: schemas.StudyRequest, services: Service, person: Person, key: IdempotencyKey = None
) -> Study:
    """Search the params of a spec: its `study:` block says what to try. Trials are tasks of kind `trial`."""
    return await start.start_study(services, person, body, key)


@router.post("/tune", status_code=201, response_model=Study, responses=problems(404, 409, 503))
async def tune_spec(
    body: schemas.TuneRequest, services: Service, person: Person, key: IdempotencyKey = None
) -> Study:
    """Precision, batch size, data-loader workers and learning rate: the highest throughput whose loss keeps up, on one node."""
    return await tune.start_tuning(services, person, body, key)


@router.get("", response_model=Page[Study], responses=problems())
async def list_studies(
    services: Service, person: Person, limit: Limit = 50, cursor: PageCursor = None
) -> Page[Study]:
    return await read.list_studies(services, person, limit=limit, cursor=cursor)


@router.post("/import", status_code=201, response_model=Study, responses=problems(409))
async def import_study(
    body: schemas.PortableStudy, services: Service, person: Person, key: IdempotencyKey = None
) -> Study:
    """A finished study of Optuna, trial by trial."""
    return await imports.import_study(services, person, body, key)


@router.get("/{study}", response_model=StudyDetail, responses=problems(404, 409))
async def get_study(study: str, services: Service, person: Person) -> StudyDetail:
    """By its id, a unique beginning of it, or its name."""
    return await read.get_study(services, person, study)


@router.patch("/{study}", response_model=StudyDetail, responses=problems(404, 409))
async def raise_limits(
    study: str, body: schemas.StudyChange, services: Service, person: Person
) -> StudyDetail:
    """Change trials, budget or parallel; a study that is done continues."""
    return await control.raise_limits(services, person, study, body)


@router.post("/{study}/pause", response_model=StudyDetail, responses=problems(404, 409))
async def pause_study(study: str, services: Service, person: Person) -> StudyDetail:
    """No new trial starts; those that run continue."""
    return await control.pause(services, person, study)


@router.post("/{study}/resume", response_model=StudyDetail, responses=problems(404, 409))
async def resume_study(study: str, services: Service, person: Person) -> StudyDetail:
    return await control.resume(services, person, study)


@router.post("/{study}/cancel", response_model=StudyDetail, responses=problems(404, 409))
async def cancel_study(study: str, services: Service, person: Person) -> StudyDetail:
    """End all its trials; asking twice, or too late, is fine."""
    return await control.cancel(services, person, study)


@router.post("/{study}/points", response_model=StudyDetail, responses=problems(404, 409))
async def add_points(
    study: str, body: schemas.PointsRequest, services: Service, person: Person
) -> StudyDetail:
    """Points to try before the sampler's own."""
    return await control.add_points(services, person, study, body.points)


@router.post(
    "/{study}/register",
    status_code=201,
    response_model=ModelVersion,
    responses=problems(404, 409),
)
async def register_best(
    study: str, body: schemas.Registration, services: Service, person: Person
) -> ModelVersion:
    """What the best trial left behind becomes a version of a model."""
    return await register.register_best(services, person, study, body)


@router.post("/{study}/ask", response_model=schemas.Asked, responses=problems(404, 409))
async def ask_points(
    study: str, body: schemas.AskRequest, services: Service, person: Person
) -> schemas.Asked:
    """Points that your own program tries; tell their values with /tell."""
    return await ask_tell.tell_and_ask(services, person, study, body)


@router.post("/{study}/tell", response_model=schemas.Asked, responses=problems(404, 409))
async def tell_values(
    study: str, body: schemas.TellRequest, services: Service, person: Person
) -> schemas.Asked:
    """The ends of points that were asked for; with `ask` the next ones come back."""
    return await ask_tell.tell_and_ask(services, person, study, body)


@router.get("/{study}/trials", response_model=Page[Trial], responses=problems(404, 409))
async def list_trials(
    study: str,
    services: Service,
    person: Person,
    state: States = [],  # noqa: B006
    limit: Limit = 50,
    cursor: PageCursor = None,
) -> Page[Trial]:
    """Newest first."""
    return await read.list_trials(services, person, study, states=state, limit=limit, cursor=cursor)


@router.get("/{study}/best", response_model=list[Trial], responses=problems(404, 409))
async def best_trials(study: str, services: Service, person: Person) -> list[Trial]:
    """The best trial; with several objectives all that no other one beats."""
    return await read.best(services, person, study)


@router.get("/{study}/columns", response_model=schemas.TrialColumns, responses=problems(404, 409))
async def trial_columns(study: str, services: Service, person: Person) -> schemas.TrialColumns:
    """All trials by column, for charts and tables."""
    return await read.columns(services, person, study)


@router.get("/{study}/curves", response_model=schemas.TrialCurves, responses=problems(404, 409))
async def trial_curves(study: str, services: Service, person: Person) -> schemas.TrialCurves:
    """Intermediate values of the best and the newest trials."""
    return await read.curves(services, person, study)


@router.get(
    "/{study}/importances", response_model=schemas.Importances, responses=problems(404, 409)
)
async def importances(
    study: str,
    services: Service,
    person: Person,
    objective: Annotated[str, Query(max_length=200)] = "",
    method: Annotated[str, Query(max_length=20)] = "ped-anova",
) -> schemas.Importances:
    """Which params decide the objective."""
    return await read.get_importances(services, person, study, objective, method)


@router.get("/{study}/export", response_class=Response, responses={200: CSV, **problems(404, 409)})
async def export_csv(study: str, services: Service, person: Person) -> Response:
    """All trials as CSV."""
    _, text = await read.export_csv(services, person, study)
    headers = {"Content-Disposition": 'attachment; filename="trials.csv"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)


@router.get("/{study}/portable", response_model=schemas.PortableStudy, responses=problems(404, 409))
async def portable_study(study: str, services: Service, person: Person) -> schemas.PortableStudy:
    """All ended trials with their intermediate values, as POST /studies/import takes them."""
    return await read.portable(services, person, study)


@router.get("/{study}/trials/{number}", response_model=schemas.TrialDetail, responses=problems(404))
async def get_trial(
    study: str, number: Number, services: Service, person: Person
) -> schemas.TrialDetail:
    return await read.get_trial(services, person, study, number)


@router.post(
    "/{study}/trials/{number}/stop", response_model=StudyDetail, responses=problems(404, 409)
)
async def stop_trial(study: str, number: Number, services: Service, person: Person) -> StudyDetail:
    """End one trial; it counts as pruned."""
    return await control.stop_trial(services, person, study, number)
