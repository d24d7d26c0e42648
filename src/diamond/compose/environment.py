"""The environment that an image is built from, as a file, a form or an SDK object."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import AfterValidator, Field, model_validator

from diamond.compose.fields import Identifier, Printable, Scalar, StrictModel, Whole
from diamond.compose.parameters import show_value
from diamond.compose.profile_facts import Runtime
from diamond.core.errors import BadRequest
from diamond.core.order import Environment, EnvironmentFile
from diamond.images.bases import read_base
from diamond.images.plan import check_environment
from diamond.images.scripts import system_script

_ACCELERATOR = re.compile(r"(cpu|(cuda|rocm)-\d+(\.\d+)*)?")


def _accelerator(value: str) -> str:
    if not _ACCELERATOR.fullmatch(value):
        raise ValueError(
            f"{value!r} is not an accelerator: write cpu, or for example cuda-12.4 or rocm-6.2"
        )
    return value


def _base(value: str) -> str:
    try:
        read_base(value)
    except BadRequest as error:
        raise ValueError(f"{error.message}. {error.hint}") from None
    return value


def _script(value: str) -> str:
    if "\0" in value:
        raise ValueError("a command cannot contain a NUL character")
    if not value.strip():
        raise ValueError("this command is empty")
    return value


Script = Annotated[str, AfterValidator(_script)]


class EnvironmentSpec(StrictModel):
    requirements: list[Printable] = []
    python: str = Field("", pattern=r"^(3\.\d{1,2})?$")
    variables: dict[Identifier, Scalar] = {}


class EnvironmentFileSpec(StrictModel):
    to: Printable
    text: str = ""
    digest: str = Field("", pattern=r"^(sha256:[0-9a-f]{64})?$")
    mode: Whole = Field(0o644, ge=0, le=0o777)


class ImageEnvironmentSpec(EnvironmentSpec):
    """An inline environment, plus the fields that only an image supports."""

    base: Annotated[Printable, AfterValidator(_base)] = Field(
        "", description="docker://NAME:TAG, sif:PATH, rootfs:PATH, …; default: no container"
    )
    accelerator: Annotated[str, AfterValidator(_accelerator)] = Field(
        "",
        description="cpu, cuda-12.4, rocm-6.2: selects the package index",
    )
    system: list[Printable] = Field(
        [], description="Packages for the base image's package manager (apt, dnf, …)"
    )
    lock: str = Field("", description="A lock file with hashes; default: created once and kept")
    inherit: bool = Field(False, description="Also use the Python packages of the base image")
    files: list[EnvironmentFileSpec] = []
    commands: list[Script] = Field([], description="Shell scripts, run in order")
    test: str = Field("", description="A command; if it fails, the build fails")
    labels: dict[Printable, Printable] = {}
    runtime: Runtime = Field(
        "",
        description="The tool that builds it; default: the site's preference. Not part of the image's identity",
    )

    @model_validator(mode="after")
    def _fits_together(self) -> ImageEnvironmentSpec:
        """Checks that involve several fields."""
        if self.runtime == "venv" and self.base:
            raise ValueError(
                "a virtual environment has no base image: remove `base`, or choose a container runtime"
            )
        if self.runtime not in ("", "venv") and not self.base:
            raise ValueError(f"{self.runtime} needs a base image: add `base: docker://…`")
        try:
            check_environment(freeze(self))
            system_script(self.system)
        except BadRequest as error:
            raise ValueError(f"{error.message}. {error.hint}".strip()) from None
        return self


def needs_image(spec: ImageEnvironmentSpec) -> bool:
    """Whether it needs more than a virtual environment, which is created while a task is prepared."""
    return any(getattr(spec, name) for name in _BEYOND_A_VENV)


def freeze(spec: ImageEnvironmentSpec) -> Environment:
    """The frozen form that orders contain and that the identity is computed from."""
    return Environment(
        requirements=list(spec.requirements),
        python=spec.python,
        variables={name: show_value(value) for name, value in spec.variables.items()},
        base=spec.base,
        accelerator=spec.accelerator,
        system=list(spec.system),
        lock=spec.lock,
        inherit=spec.inherit,
        files=[EnvironmentFile(file.to, file.text, file.digest, file.mode) for file in spec.files],
        commands=list(spec.commands),
        test=spec.test,
        labels=dict(spec.labels),
    )


def environment_schema() -> dict[str, Any]:
    """JSON Schema of an environment, for forms and editors."""
    return ImageEnvironmentSpec.model_json_schema(by_alias=True)


_BEYOND_A_VENV = sorted(set(ImageEnvironmentSpec.model_fields) - set(EnvironmentSpec.model_fields))
