"""An environment while it is being written: faults, the definition it becomes, and files it is read from."""

from __future__ import annotations

from typing import Any

import yaml
from pydantic import ValidationError

from diamond.compose.checking import check_inline
from diamond.compose.environment import ImageEnvironmentSpec, freeze
from diamond.compose.faults import Faults, from_validation
from diamond.core.errors import BadRequest, InvalidSpec
from diamond.core.order import Environment
from diamond.images.importing import import_text
from diamond.images.plan import make_plan
from diamond.images.recipe import Recipe, environment_data
from diamond.images.rendering import form_for, render
from diamond.notation.writing import write_text
from diamond.service.principal import Principal
from diamond.service.services import Services
from diamond.service.store import endpoints as endpoint_rows
from diamond.service.use_cases.moving import able
from diamond.service.views import effective_facts

PREFERRED = ("apptainer", "singularity", "charliecloud", "podman", "docker")


def read_environment(raw: dict[str, Any]) -> Environment:
    """Raises `InvalidSpec` with all faults."""
    environment, faults = examine_environment(raw)
    if environment is None:
        first = faults[0]
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise InvalidSpec(f"{first['message']}{more}", first["hint"], faults=faults)
    return environment


def examine_environment(
    raw: dict[str, Any],
) -> tuple[Environment | None, list[dict[str, str]]]:
    """The environment, or everything that is wrong with it."""
    faults = Faults()
    try:
        spec = ImageEnvironmentSpec.model_validate(raw)
    except ValidationError as error:
        return None, [_beneath(one) for one in from_validation(error, ["environment"])]
    check_inline(spec, faults, prefix="")
    return (None, faults.items) if faults.items else (freeze(spec), [])


async def preview(
    services: Services, principal: Principal, raw: dict[str, Any], endpoint: str, runtime: str
) -> dict[str, Any]:
    """What it would become; nothing is made."""
    builder = runtime or await _builder(services, principal, raw, endpoint)
    environment, faults = examine_environment(raw)
    shown = {"ok": not faults, "faults": faults, "runtime": builder, "form": form_for(builder)}
    empty = {"definition": "", "steps": [], "yaml": write_text(raw)}
    if environment is None:
        return {**shown, **empty}
    recipe = Recipe(environment, lock=environment.lock)
    return {
        **shown,
        "definition": render(recipe, form_for(builder)),
        "steps": planned_steps(environment, builder),
        "yaml": environment_yaml(environment),
    }


def planned_steps(environment: Environment, builder: str) -> list[dict[str, Any]]:
    plan = make_plan(Recipe(environment, lock=environment.lock), builder or "apptainer")
    return [{"name": one.name, "title": one.title} for one in plan.steps]


def import_file(name: str, text: str) -> dict[str, Any]:
    """The environment that a file describes, and what of it was not taken."""
    try:
        found = import_text(text, name, yaml.safe_load)
    except yaml.YAMLError as error:
        raise BadRequest(f"{name} is not valid YAML: {error}", "Check its indentation.") from None
    return {
        "environment": environment_data(found.environment),
        "yaml": environment_yaml(found.environment),
        "left_out": found.left_out,
        "copies": found.copies,
    }


def environment_yaml(environment: Environment) -> str:
    """As a person writes it: the base first."""
    data = environment_data(environment)
    usual = ["base", "accelerator", "system", "python", "requirements"]
    ordered = {name: data[name] for name in usual if name in data}
    return write_text({**ordered, **data})


async def _builder(
    services: Services, principal: Principal, raw: dict[str, Any], endpoint: str
) -> str:
    if not raw.get("base"):
        return "venv"
    async with services.store.read() as connection:
        found = await endpoint_rows.list_endpoints(connection, principal.user)
    name = endpoint.partition("/")[0]
    chosen = [row for row in found if row["name"] == name] or [r for r in found if r["is_default"]]
    facts = effective_facts(chosen[0]) if chosen else {}
    wanted = (
        (facts.get("build") or {}).get("runtime") if isinstance(facts.get("build"), dict) else ""
    )
    builds = able(facts, "builds") or []
    return wanted or next((one for one in PREFERRED if one in builds), "apptainer")


def _beneath(fault: dict[str, str]) -> dict[str, str]:
    return {**fault, "field": fault["field"].removeprefix("environment.")}
