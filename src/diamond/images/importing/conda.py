"""The pip part of a conda `environment.yml`."""

from __future__ import annotations

import re
from typing import Any, List

from diamond.core.errors import BadRequest
from diamond.core.order import Environment
from diamond.images.importing.base import Imported

_PYTHON = re.compile(r"^python\s*=+\s*(3\.\d+)")


def from_conda(data: Any) -> Imported:
    """Python's version and the packages under `pip:`. conda's own packages are named as not taken."""
    if not isinstance(data, dict) or not isinstance(data.get("dependencies", []), list):
        raise BadRequest("This is no conda environment", "It needs a list under `dependencies:`.")
    python, requirements, others = "", [], []
    for one in data.get("dependencies") or []:
        found = _PYTHON.match(str(one)) if isinstance(one, str) else None
        if isinstance(one, dict):
            requirements += [str(line) for line in one.get("pip") or []]
        elif found:
            python = found.group(1)
        elif str(one).split("=")[0].strip() not in ("pip", "python"):
            others.append(str(one))
    variables = {str(k): str(v) for k, v in (data.get("variables") or {}).items()}
    environment = Environment(requirements=requirements, python=python, variables=variables)
    return Imported(environment, _left_out(data, others))


def _left_out(data: Any, others: List[str]) -> List[str]:
    said = []
    if others:
        said.append(
            "packages of conda are not taken, name their counterparts under `requirements:` or `system:`: "
            + ", ".join(others)
        )
    for name in ("channels", "prefix"):
        if data.get(name):
            said.append(f"`{name}:` is conda's own and is not taken")
    return said
