"""Many runs in one table."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from diamond.service.people.caller import Person
from diamond.service.platform.http import safe_download
from diamond.service.platform.http.routing import CSV, PageCursor, Service, problems
from diamond.service.runs import compare, imports, runs, schemas, table
from diamond.service.runs.runs import MOST_ROWS, Window

router = APIRouter(prefix="/runs", tags=["runs"])
Words = Annotated[list[Annotated[str, Query(max_length=400)]], Query()]
ProjectName = Annotated[str, Query(max_length=200)]


@router.get("", response_model=schemas.RunTable, responses=problems(404))
async def list_runs(
    services: Service,
    person: Person,
    column: Words = [],  # noqa: B006
    filter: Words = [],  # noqa: B006
    sort: Words = [],  # noqa: B006
    group: Words = [],  # noqa: B006
    project: ProjectName = "",
    limit: Annotated[int, Query(ge=1, le=MOST_ROWS)] = 100,
    cursor: PageCursor = None,
) -> Response:
    """The caller's runs, or a project's, newest first. `column`: state, param.lr, metric.loss, best.acc …
    `filter`: param.lr>0.01, state=failed, name~resnet. `sort`: a column, with - in front from high to low.
    `group`: mean and spread of each column for each value of this one."""
    asked = table.read_request(column, filter, sort, group)
    window = Window(limit, cursor)
    body = await runs.run_table(services, person, asked, window, project=project)
    return Response(body, media_type="application/json")


@router.get("/columns", response_model=schemas.ColumnNames, responses=problems(404))
async def list_columns(
    services: Service, person: Person, project: ProjectName = ""
) -> schemas.ColumnNames:
    """What the runs have, to choose columns from."""
    return await runs.column_names(services, person, project=project)


@router.get("/export", response_class=Response, responses={200: CSV, **problems(404)})
async def export_runs(
    services: Service,
    person: Person,
    column: Words = [],  # noqa: B006
    filter: Words = [],  # noqa: B006
    sort: Words = [],  # noqa: B006
    project: ProjectName = "",
) -> Response:
    """All rows as CSV. A text that a spreadsheet would take for a formula has an apostrophe in front."""
    asked = table.read_request(column, filter, sort, ())
    text = await runs.run_csv(services, person, asked, project=project)
    headers = {**safe_download.SAFE, **safe_download.attachment("diamond-runs.csv")}
    return Response(text, media_type="text/csv", headers=headers)


@router.get("/compare", response_model=schemas.Comparison, responses=problems(404, 409))
async def compare_runs(
    services: Service,
    person: Person,
    run: Annotated[list[Annotated[str, Query(max_length=64)]], Query(min_length=1, max_length=20)],
) -> schemas.Comparison:
    """Two to ten tasks or imported runs side by side: parameters, data, code, packages, resources, metrics, endings."""
    return await compare.compare_runs(services, person, run)


@router.post(
    "/imports", status_code=201, response_model=schemas.ImportedRun, responses=problems(404)
)
async def import_run(
    body: schemas.ImportedRunBody, services: Service, person: Person
) -> schemas.ImportedRun:
    """A run of MLflow or W&B as a read-only row of the table."""
    return await imports.import_run(services, person, body)


@router.get("/imports/{imported}", response_model=schemas.ImportedRun, responses=problems(404))
async def get_imported(imported: str, services: Service, person: Person) -> schemas.ImportedRun:
    return await imports.get_imported(services, person, imported)


@router.get(
    "/imports/{imported}/curves", response_model=schemas.ImportedCurves, responses=problems(404)
)
async def imported_curves(
    imported: str, services: Service, person: Person
) -> schemas.ImportedCurves:
    """All points that were imported."""
    return await imports.imported_curves(services, person, imported)


@router.delete("/imports/{imported}", status_code=204, responses=problems(404))
async def remove_imported(imported: str, services: Service, person: Person) -> None:
    """Remove it from the table; the tool it comes from keeps it."""
    await imports.remove_imported(services, person, imported)
