"""What is read from a file, and how its kind is told; what cannot be taken over is said, never dropped in silence."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Dict, List

from diamond.core.errors import BadRequest
from diamond.core.order import Environment

KINDS = ("requirements", "conda", "dockerfile", "definition")


@dataclass(frozen=True)
class Imported:
    environment: Environment
    left_out: List[str] = field(default_factory=list)
    """A sentence for each thing that was not taken."""
    copies: Dict[str, str] = field(default_factory=dict)
    """Files of the person's own machine that the recipe wants: path -> place in the image."""


def kind_of(text: str, name: str) -> str:
    """Which of `KINDS` a file is. Raises `BadRequest`."""
    base = name.rsplit("/", 1)[-1].lower()
    if re.search(r"^\s*bootstrap\s*:", text, re.I | re.M) or base.endswith(".def"):
        return "definition"
    if "dockerfile" in base or "containerfile" in base or re.match(r"\s*(#.*\n\s*)*FROM\s", text):
        return "dockerfile"
    if base.endswith((".yml", ".yaml")):
        return "conda"
    if base.endswith((".txt", ".in")):
        return "requirements"
    raise BadRequest(
        f"{name} is no file that an environment can be read from",
        "Known are: requirements.txt, environment.yml, a Dockerfile, an Apptainer definition (.def).",
    )
