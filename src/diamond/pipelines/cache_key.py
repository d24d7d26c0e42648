"""The key of a step: equal for steps that would do the same work on the same bytes. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from diamond.core.order import canonical

VERSION = 1
"""Of the key: raised when what is in it changes."""


@dataclass(frozen=True)
class CodeFile:
    path: str
    digest: str
    mode: str = ""


@dataclass(frozen=True)
class Work:
    """Everything that decides what a step makes; not where it runs, nor how many nodes it has."""

    command: str | list[str]
    notebook: str
    params: Mapping[str, Any]
    code: str
    environment: Any
    """As written, or the identity of an image."""
    inputs: Mapping[str, str]
    """Digests by name."""
    outputs: Mapping[str, list[str]]
    """Path and kind by name."""
    secrets: Sequence[str] = field(default=())


def key_of(work: Work) -> str:
    return hashlib.sha256(canonical([VERSION, asdict(work)])).hexdigest()


def code_digest(files: Sequence[CodeFile], *, without: str = "", only: Sequence[str] = ()) -> str:
    """Of the files that count: not the spec's own file, and with `only` those that match a pattern or are in a folder."""
    kept = [
        [file.path, file.digest, file.mode]
        for file in sorted(files, key=lambda file: file.path)
        if file.path != without and (not only or any(_matches(file.path, one) for one in only))
    ]
    return hashlib.sha256(canonical(kept)).hexdigest()


def _matches(path: str, pattern: str) -> bool:
    folder = pattern.rstrip("/")
    return fnmatchcase(path, pattern) or path == folder or path.startswith(f"{folder}/")
