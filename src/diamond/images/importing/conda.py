"""The pip part of a conda `environment.yml`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, List

from diamond.core.errors import BadRequest
from diamond.images.importing.base import Imported
from diamond.images.importing.requirements import from_requirements

_TOOL = re.compile(r"^(pip|python)\s*([<>=!~ ]|$)")
_PYTHON = re.compile(r"^python\s*=+\s*(3\.\d+)")


def from_conda(data: Any) -> Imported:
    """Python's version and the packages under `pip:`. conda's own packages are listed as not imported."""
    if not isinstance(data, dict) or not isinstance(data.get("dependencies", []), list):
        raise BadRequest(
            "This is not a conda environment", "It needs a list under `dependencies:`."
        )
    python, listed, others = "", [], []
    for dependency in data.get("dependencies") or []:
        match = _PYTHON.match(str(dependency)) if isinstance(dependency, str) else None
        if isinstance(dependency, dict):
            listed += [str(line) for line in dependency.get("pip") or []]
        elif match:
            python = match.group(1)
        elif str(dependency).strip() not in ("pip", "python"):
            others.append(str(dependency))
    pip = from_requirements("\n".join(listed))
    variables = {str(k): str(v) for k, v in (data.get("variables") or {}).items()}
    environment = replace(pip.environment, python=python, variables=variables)
    return Imported(environment, [*_left_out(data, others), *pip.left_out])


def _left_out(data: Any, listed: List[str]) -> List[str]:
    said = []
    others = [package for package in listed if not _TOOL.match(package)]
    for package in listed:
        if package not in others and package.startswith("python"):
            said.append(
                f"`{package}` is not a single version: write one as `python:`, such as 3.12"
            )
    if others:
        said.append(
            "conda packages are not imported; name their counterparts under `requirements:` or `system:`: "
            + ", ".join(others)
        )
    for name in ("channels", "prefix"):
        if data.get(name):
            said.append(f"`{name}:` is conda's own and is not imported")
    return said
