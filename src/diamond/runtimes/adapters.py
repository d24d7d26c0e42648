"""All runtimes by name, and the choice among those that a node has."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Callable, Dict, List, Optional, Tuple

from diamond.core.errors import BadRequest, EnvironmentFailed
from diamond.core.order import Environment
from diamond.runtimes.apptainer import Apptainer
from diamond.runtimes.base import Runtime
from diamond.runtimes.charliecloud import Charliecloud
from diamond.runtimes.docker import Docker
from diamond.runtimes.podman import Podman
from diamond.runtimes.venv_build import Venv

RUNTIMES: Dict[str, Callable[[], Runtime]] = {
    "apptainer": Apptainer,
    "singularity": lambda: Apptainer("singularity"),
    "charliecloud": Charliecloud,
    "podman": Podman,
    "docker": Docker,
    "venv": Venv,
}
"""In the order of preference."""
PROGRAMS = {"charliecloud": "ch-image"}
"""Where a runtime's program has another name."""


def runtime(name: str) -> Runtime:
    make = RUNTIMES.get(name)
    if make is None:
        raise BadRequest(f"{name!r} is not a runtime", f"There are: {', '.join(RUNTIMES)}.")
    return make()


def choose_builder(environment: Environment, wanted: str, tmp: Path) -> Tuple[Runtime, str]:
    """The runtime to build with here, and why. Raises `EnvironmentFailed` if there is none."""
    if not environment.base:
        if wanted not in ("", "venv"):
            raise EnvironmentFailed(
                f"{wanted} needs a base image", "Add `base: docker://…` to the environment."
            )
        return Venv(), "no base image is named, so no container is made"
    names = [wanted] if wanted else [name for name in RUNTIMES if name != "venv"]
    reasons: List[str] = []
    for name in names:
        if name == "venv":
            raise EnvironmentFailed(
                "A virtual environment has no base image", "Leave out `base:`, or take a container."
            )
        problem = runtime(name).probe(tmp)
        if problem.builds:
            return runtime(name), f"{name} {problem.version}: {problem.why}"
        reasons.append(f"{name}: {problem.why}")
    raise EnvironmentFailed(
        "No container tool on this node can build an image:\n    " + "\n    ".join(reasons),
        "Load one in the site profile's `modules`, or build on another endpoint and move the image here.",
    )


def likely_builder(environment: Environment, wanted: str) -> Optional[Runtime]:
    """The one that `choose_builder` would take as far as can be seen without starting anything."""
    if not environment.base:
        return Venv() if wanted in ("", "venv") else None
    names = [wanted] if wanted else list(RUNTIMES)
    present = (name for name in names if name != "venv" and shutil.which(PROGRAMS.get(name, name)))
    return next((runtime(name) for name in present), None)


def choose_runner(form: str, tmp: Path, wanted: str = "") -> Runtime:
    """The runtime to run a file of this format with: the wanted one, where it runs this format at all."""
    fitting = [runtime(name) for name in RUNTIMES if runtime(name).format == form]
    fitting = [runner for runner in fitting if runner.name == wanted] or fitting
    for runner in fitting:
        if runner.probe(tmp).runs:
            return runner
    known = ", ".join(runner.name for runner in fitting)
    raise EnvironmentFailed(
        f"Nothing on this node runs a {form} image", f"It needs one of: {known}."
    )
