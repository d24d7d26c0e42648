"""While a spec is being written: its schema, its text, and a preview of the job."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from diamond.compose.spec import spec_schema
from diamond.service.composer import preview, schemas, spec_text
from diamond.service.people.caller import Person
from diamond.service.platform.http.routing import Service, problems

router = APIRouter(tags=["composing"])
SHORT_TEXT = 4096
"""Read at once: nearly every spec, in a few milliseconds. The worst text of this length takes 0.2 s."""


@router.get("/spec/schema", response_model=dict[str, Any], responses=problems())
async def get_schema(person: Person) -> dict[str, Any]:
    """JSON Schema of a spec, for forms and editors."""
    return spec_schema()


@router.post("/spec/parse", response_model=schemas.ParsedSpec, responses=problems())
async def parse_spec(
    body: schemas.YamlText, services: Service, person: Person
) -> schemas.ParsedSpec:
    """YAML to a spec, with every fault at its line."""
    if len(body.yaml) <= SHORT_TEXT:
        return spec_text.parse(body.yaml)
    return await services.workers.run(person.user, spec_text.parse, body.yaml)


@router.post("/spec/render", response_model=schemas.RenderedSpec, responses=problems())
async def render_spec(body: schemas.SpecBody, person: Person) -> schemas.RenderedSpec:
    """A spec to YAML: defaults are left out, sizes and times are written as people write them."""
    return schemas.RenderedSpec(yaml=spec_text.render(body.spec))


@router.post("/jobs/compose", response_model=schemas.Composition, responses=problems(404))
async def compose_job(
    body: schemas.ComposeRequest, services: Service, person: Person, script: bool = False
) -> schemas.Composition:
    """Show what a spec would run, even if it has faults. Nothing is submitted."""
    return await preview.compose(services, person, body, script=script)
