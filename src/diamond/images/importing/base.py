"""What is read from a file, and how its kind is recognised; what cannot be imported is reported, never dropped silently."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from typing import Dict, List, Mapping, Tuple

from diamond.core.errors import BadRequest
from diamond.core.order import Environment
from diamond.images.scripts import DEFAULT_PATH

KINDS = ("requirements", "conda", "dockerfile", "definition")


@dataclass(frozen=True)
class Imported:
    environment: Environment
    left_out: List[str] = field(default_factory=list)
    """A sentence for each thing that was not imported."""
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
        f"{name} is not a file that an environment can be read from",
        "Known are: requirements.txt, environment.yml, a Dockerfile, an Apptainer definition (.def).",
    )


def filled(text: str, known: Mapping[str, str]) -> Tuple[str, List[str]]:
    """A value with the names in it replaced, and those that are not known, which are left empty as a shell would.

    What a base sets is not known here; only its PATH is taken to be the usual one.
    """
    values, unknown = {"PATH": DEFAULT_PATH, **known}, []

    def replaced(match: re.Match[str]) -> str:
        name, fallback = match.group("braced") or match.group("plain"), match.group("fallback")
        if name not in values and fallback is None:
            unknown.append(name)
        return values.get(name) or fallback or ""

    pattern = r"\$(?:\{(?P<braced>\w+)(?::?-(?P<fallback>[^}]*))?\}|(?P<plain>\w+))"
    return re.sub(pattern, replaced, text), unknown


def split_words(text: str) -> List[str]:
    """As a shell would. Raises `BadRequest` for a quote that nobody closes."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise BadRequest(
            f"This cannot be read: {text.strip()[:80]}", f"{error}; close the quote."
        ) from error
