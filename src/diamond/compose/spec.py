"""The spec: what a person asks for, as a `diamond.yaml`, a form or an SDK object."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from diamond.core.errors import DiamondError
from diamond.core.ids import IDENTIFIER
from diamond.core.units import parse_megabytes, parse_minutes, parse_seconds

NAME_WORDS = "letters, digits, spaces and . _ - (at most 100, the first a letter or digit)"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,99}")
_SITE_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.,:+@/&|*()\[\]-]{0,199}")

CONTINUE_CAUSES = ("exit-75", "wall-time", "preempted", "node-lost", "out-of-memory", "exit-code")


def _name(value: str) -> str:
    if not _NAME.fullmatch(value):
        raise ValueError(f"{value!r} is not a name: use {NAME_WORDS}")
    return value


def _identifier(value: str) -> str:
    if not IDENTIFIER.fullmatch(value):
        raise ValueError(
            f"{value!r} is not usable here: use letters, digits and _, not beginning with a digit"
        )
    return value


def site_word(value: str) -> str:
    if value and not _SITE_WORD.fullmatch(value):
        raise ValueError(f"{value!r} is no name that a batch system knows")
    return value


def _printable(value: str) -> str:
    if any(ord(char) < 32 or ord(char) == 127 for char in value):
        raise ValueError(f"{value!r} holds a control character")
    return value


def _read(parse: Callable[[Any], int], value: Any) -> int:
    try:
        return parse(value)
    except DiamondError as error:
        raise ValueError(f"{error.message}. {error.hint}".strip()) from None


def _command(value: str | list[str]) -> str | list[str]:
    words = [value] if isinstance(value, str) else value
    if not words or not words[0].strip():
        raise ValueError("there is nothing to run; write a command such as: python train.py")
    if any("\0" in word for word in words):
        raise ValueError("a command cannot hold a NUL character")
    return value


Identifier = Annotated[str, AfterValidator(_identifier)]
SiteWord = Annotated[str, AfterValidator(site_word)]
Printable = Annotated[str, AfterValidator(_printable)]
# In forms and editors: what a person may write, not what is made of it.
_SIZE = WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "integer"}], "examples": ["4GB"]})
_SPAN = WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "integer"}], "examples": ["2h"]})
Megabytes = Annotated[int, BeforeValidator(lambda value: _read(parse_megabytes, value)), _SIZE]
Minutes = Annotated[int, BeforeValidator(lambda value: _read(parse_minutes, value)), _SPAN]
Seconds = Annotated[int, BeforeValidator(lambda value: _read(parse_seconds, value)), _SPAN]
Scalar = str | int | float | bool | None
LaunchKind = Literal[
    "auto", "single", "torchrun", "per-rank", "mpi", "accelerate", "jax", "tensorflow"
]


class Model(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class ResourcesSpec(Model):
    nodes: int = Field(1, ge=1, le=100_000)
    gpus_per_node: int = Field(0, ge=0, le=64)
    gpu_type: SiteWord = ""
    cpus_per_task: int = Field(1, ge=1, le=4096)
    memory: Megabytes = Field(0, description="Per node, such as 4GB; left out: the site's default")
    tasks_per_node: int = Field(
        0, ge=0, le=4096, description="Processes on each node; left out: one for each GPU, or one"
    )
    walltime: Minutes = Field(
        0, description="Such as 30m, 2h or 1d12h; left out: 1h, or the most the site allows"
    )


class EnvironmentSpec(Model):
    requirements: list[Printable] = []
    python: str = Field("", pattern=r"^(3\.\d{1,2})?$")
    variables: dict[Identifier, Scalar] = {}


class ContinueSpec(Model):
    on: list[
        Literal["exit-75", "wall-time", "preempted", "node-lost", "out-of-memory", "exit-code"]
    ] = ["exit-75"]
    from_: Printable = Field("", alias="from")
    lead: Seconds = 120
    max_attempts: int = Field(20, ge=1, le=1000)


class LaunchSpec(Model):
    kind: LaunchKind = "auto"
    hang: Seconds = Field(
        0, description="End it after so long without a step; left out: 20 times the longest gap"
    )


class Spec(Model):
    name: Annotated[str, AfterValidator(_name)] = "job"
    run: Annotated[str | list[str], AfterValidator(_command)] | None = None
    notebook: Printable = Field(
        "", description="Run from top to bottom in place of `run`; executed.ipynb keeps the result"
    )
    params: dict[Identifier, Scalar | list[Scalar]] = {}
    code: Printable | None = None
    environment: Printable | EnvironmentSpec | None = None
    data: dict[Identifier, Printable] = {}
    secrets: list[Identifier] = []
    launch: LaunchKind | LaunchSpec = "auto"
    resources: ResourcesSpec = Field(default_factory=lambda: ResourcesSpec.model_validate({}))
    on: Printable | list[Printable] = "auto"
    partition: SiteWord = ""
    account: SiteWord = "auto"
    qos: SiteWord = ""
    reservation: SiteWord = ""
    constraint: SiteWord = ""
    continue_: ContinueSpec | None = Field(None, alias="continue")
    budget: Annotated[str, Field(pattern=r"^\d+(\.\d+)? node-hours$")] | None = None
    options: dict[Identifier, dict[Printable, Scalar]] = {}


def spec_schema() -> dict[str, Any]:
    """JSON Schema of a spec, for forms and editors."""
    return Spec.model_json_schema(by_alias=True)
