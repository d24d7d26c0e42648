"""An environment while it is being written: faults, the definition it becomes, and files it is read from."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from diamond.compose.environment import ImageEnvironmentSpec, freeze
from diamond.compose.faults import Faults, from_validation
from diamond.compose.spec_check import check_inline
from diamond.core.errors import BadRequest, InvalidSpec
from diamond.core.order import Build, Environment
from diamond.images.accelerators import for_cpu, has_gpus, needs_choice
from diamond.images.importing import import_text
from diamond.images.plan import make_plan
from diamond.images.recipe import Recipe, environment_data
from diamond.images.rendering import form_for, render
from diamond.notation.yaml_reader import YamlSyntaxError, read_text
from diamond.notation.yaml_writer import write_text
from diamond.service.access.principal import Principal
from diamond.service.endpoints import store as endpoint_rows
from diamond.service.endpoints.facts import effective_facts
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.images.image_requests import request_key
from diamond.service.images.request_store import requested_image
from diamond.service.images.schemas import EnvironmentPreview, ImportAnswer, PreviewStep
from diamond.service.images.step_estimates import estimated_seconds, past_steps
from diamond.service.images.transfers import runtimes_with
from diamond.service.platform.services import Services

PREFERRED = ("apptainer", "singularity", "charliecloud", "podman", "docker")


def read_environment(raw: dict[str, Any]) -> Environment:
    """Raises `InvalidSpec` with all faults."""
    environment, faults = examine_environment(raw)
    if environment is None:
        first = faults[0]
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise InvalidSpec(f"{first['message']}{more}", first["hint"], faults=faults)
    return environment


def wanted_runtime(raw: dict[str, Any] | None, said: str = "") -> str:
    """What is to build it: as said beside the environment, or in it; '' leaves it to the site."""
    return said or str((raw or {}).get("runtime") or "")


def examine_environment(
    raw: dict[str, Any],
) -> tuple[Environment | None, list[dict[str, str]]]:
    """The environment, or everything that is wrong with it."""
    faults = Faults()
    try:
        spec = ImageEnvironmentSpec.model_validate(raw)
    except ValidationError as error:
        return None, [_beneath(fault) for fault in from_validation(error, ["environment"])]
    check_inline(spec, faults, prefix="")
    return (None, faults.items) if faults.items else (freeze(spec), [])


async def preview(
    services: Services, principal: Principal, raw: dict[str, Any], endpoint: str, runtime: str
) -> EnvironmentPreview:
    """What it would become; nothing is made."""
    place = await _endpoint(services, principal, endpoint)
    wanted = wanted_runtime(raw, runtime)
    builder = wanted or _builder(raw, place)
    environment, faults = examine_environment(raw)
    form = form_for(builder)
    shown = EnvironmentPreview.model_validate(
        {
            "ok": not faults,
            "faults": faults,
            "runtime": builder,
            "form": form,
            "definition": "",
            "steps": [],
            "yaml": write_text(raw),
            "image": None,
        }
    )
    if environment is None:
        return shown
    return shown.model_copy(
        update={
            "definition": render(Recipe(environment, lock=environment.lock), form),
            "steps": await _expected(services, place, planned_steps(environment, builder)),
            "yaml": environment_yaml(environment, str(raw.get("runtime") or "")),
            "image": await _known(services, place, Build(_chosen(environment, place), wanted)),
        }
    )


def planned_steps(environment: Environment, builder: str) -> list[PreviewStep]:
    plan = make_plan(Recipe(environment, lock=environment.lock), builder or "apptainer")
    return [PreviewStep(name=step.name, title=step.title) for step in plan.steps]


def import_file(name: str, text: str) -> ImportAnswer:
    """The environment that a file describes, and what could not be imported."""
    try:
        imported = import_text(text, name, lambda text: read_text(text).data)
    except YamlSyntaxError as error:
        raise BadRequest(
            f"{name} is not valid YAML: {error.message}", "Check its indentation."
        ) from None
    return ImportAnswer(
        environment=environment_data(imported.environment),
        yaml=environment_yaml(imported.environment),
        left_out=imported.left_out,
        copies=imported.copies,
    )


def environment_yaml(environment: Environment, runtime: str = "") -> str:
    """As a person writes it: the base first."""
    data = {**environment_data(environment), **({"runtime": runtime} if runtime else {})}
    usual = ["base", "accelerator", "system", "python", "requirements"]
    ordered = {name: data[name] for name in usual if name in data}
    return write_text({**ordered, **data})


async def _endpoint(services: Services, principal: Principal, name: str) -> EndpointRow | None:
    async with services.store.read() as connection:
        endpoints = await endpoint_rows.list_endpoints(connection, principal.user)
    named = [row for row in endpoints if row.name == name.partition("/")[0]]
    return next(iter([*named, *(row for row in endpoints if row.is_default)]), None)


def _chosen(environment: Environment, endpoint: EndpointRow | None) -> Environment:
    """With the accelerator that a build there would choose."""
    has_none = endpoint is not None and has_gpus(effective_facts(endpoint)) is False
    return for_cpu(environment) if has_none and needs_choice(environment) else environment


async def _expected(
    services: Services, endpoint: EndpointRow | None, steps: list[PreviewStep]
) -> list[PreviewStep]:
    """Each with the time that it took in the last builds there."""
    if endpoint is None:
        return steps
    async with services.store.read() as connection:
        past = await past_steps(connection, endpoint.owner, endpoint.id)
    return [
        step.model_copy(update={"expected_seconds": estimated_seconds(step.name, step.title, past)})
        for step in steps
    ]


async def _known(services: Services, endpoint: EndpointRow | None, build: Build) -> str | None:
    """The image that is there already."""
    if endpoint is None:
        return None
    owner, place = endpoint.owner, endpoint.id
    async with services.store.read() as connection:
        return await requested_image(connection, owner, place, request_key(build))


def _builder(raw: dict[str, Any], endpoint: EndpointRow | None) -> str:
    if not raw.get("base"):
        return "venv"
    facts = effective_facts(endpoint) if endpoint else {}
    build = facts.get("build")
    wanted = str(build.get("runtime") or "") if isinstance(build, dict) else ""
    builds = runtimes_with(facts, "builds") or []
    return wanted or next((runtime for runtime in PREFERRED if runtime in builds), "apptainer")


def _beneath(fault: dict[str, str]) -> dict[str, str]:
    return {**fault, "field": fault["field"].removeprefix("environment.")}
