from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from diamond.service.platform.database.rows import TypedRow


class Direction(StrEnum):
    IN = "in"
    """The task used it."""
    OUT = "out"
    """The task made it."""


class Kind(StrEnum):
    CODE = "code"
    IMAGE = "image"
    TREE = "tree"
    """Data: a version of a dataset or a model, or the results of a run."""


@dataclass(frozen=True)
class EdgeRow(TypedRow):
    """A task used something, or made it."""

    task: str
    direction: str
    kind: str
    digest: str
    role: str
    """The name under which the task knew it."""
    owner: str


@dataclass(frozen=True)
class StepRow(TypedRow):
    """A task as a node of the graph."""

    id: str
    owner: str
    name: str
    state: str
    endpoint_name: str
    created: float
