"""Environments from the files that people already have."""

from __future__ import annotations

from typing import Any, Callable

from diamond.images.importing.base import Imported, kind_of
from diamond.images.importing.conda import from_conda
from diamond.images.importing.definition import from_definition
from diamond.images.importing.dockerfile import from_dockerfile
from diamond.images.importing.requirements import from_requirements

__all__ = ["Imported", "import_text"]

_READERS: dict[str, Callable[[str], Imported]] = {
    "requirements": from_requirements,
    "dockerfile": from_dockerfile,
    "definition": from_definition,
}


def import_text(text: str, name: str, parse_yaml: Callable[[str], Any]) -> Imported:
    """Read a file by its name and content. `parse_yaml` is handed in, since code that runs on clusters must not import YAML."""
    kind = kind_of(text, name)
    return from_conda(parse_yaml(text)) if kind == "conda" else _READERS[kind](text)
