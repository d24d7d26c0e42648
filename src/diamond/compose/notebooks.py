"""A notebook in place of a command: run from top to bottom, its executed copy kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath

from diamond.compose.faults import Faults
from diamond.compose.spec import Spec
from diamond.core.order import Environment

EXECUTED = "executed.ipynb"
TOOLS = ("nbclient", "ipykernel")
"""What runs a notebook; added to an environment that is made for it."""


def check_what_runs(spec: Spec, faults: Faults) -> None:
    """Either a command or a notebook."""
    if not spec.run and not spec.notebook and "notebook" in spec.model_fields_set:
        faults.add("notebook", "The notebook is not named", "Such as: notebook: analysis.ipynb")
    elif not spec.run and not spec.notebook:
        faults.add("run", "run is missing", "Say what to run, for example: run: python train.py")
    if spec.run and spec.notebook and "run" not in faults.unread:
        faults.add("notebook", "A job runs a command or a notebook, not both", "Leave out `run:`.")
    path = PurePosixPath(spec.notebook)
    if spec.notebook and (path.suffix != ".ipynb" or path.is_absolute() or ".." in path.parts):
        faults.add(
            "notebook",
            f"{spec.notebook!r} is not a notebook in the code's folder",
            "Name it from there, such as: notebook: analysis.ipynb",
        )


def notebook_command(path: str) -> list[str]:
    return ["python", "-m", "diamond.training.notebook", path, EXECUTED]


def with_notebook_tools(spec: Spec, environment: Environment | None) -> Environment | None:
    """An environment in which a notebook can run; one that the person brings whole is left as it is."""
    if not spec.notebook or isinstance(spec.environment, str):
        return environment
    made = environment or Environment()
    named = {line.partition("=")[0].strip().lower() for line in made.requirements}
    missing = [tool for tool in TOOLS if tool not in named]
    return replace(made, requirements=[*made.requirements, *missing])
