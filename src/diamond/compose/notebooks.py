"""Run a notebook instead of a command, and keep the executed copy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath

from diamond.compose.faults import Faults
from diamond.compose.spec import Spec
from diamond.core.order import Environment

EXECUTED = "executed.ipynb"
TOOLS = ("nbclient", "ipykernel")
"""Packages that execute a notebook; added to an environment created for it."""


def check_what_runs(spec: Spec, faults: Faults) -> None:
    """A spec needs exactly one of `run` and `notebook`."""
    if not spec.run and not spec.notebook and "notebook" in spec.model_fields_set:
        faults.add(
            "notebook", "notebook is empty", "Name a file, such as: notebook: analysis.ipynb"
        )
    elif not spec.run and not spec.notebook:
        faults.add("run", "run is missing", "Add a command, for example: run: python train.py")
    if spec.run and spec.notebook and "run" not in faults.unread:
        faults.add(
            "notebook",
            "A job runs a command or a notebook, not both",
            "Remove `run:` or `notebook:`.",
        )
    path = PurePosixPath(spec.notebook)
    if spec.notebook and (path.suffix != ".ipynb" or path.is_absolute() or ".." in path.parts):
        faults.add(
            "notebook",
            f"{spec.notebook!r} is not a notebook in the code folder",
            "Give a path relative to the code folder, such as: notebook: analysis.ipynb",
        )


def notebook_command(path: str) -> list[str]:
    return ["python", "-m", "diamond.training.notebook", path, EXECUTED]


def with_notebook_tools(spec: Spec, environment: Environment | None) -> Environment | None:
    """The environment with the notebook packages; a named image is not changed."""
    if not spec.notebook or isinstance(spec.environment, str):
        return environment
    made = environment or Environment()
    named = {line.partition("=")[0].strip().lower() for line in made.requirements}
    missing = [tool for tool in TOOLS if tool not in named]
    return replace(made, requirements=[*made.requirements, *missing])
