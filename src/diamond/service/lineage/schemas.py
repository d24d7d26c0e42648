from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

NodeKind = Literal["task", "code", "image", "tree"]


class LineageNode(BaseModel):
    id: str
    """Of a task, else a digest."""
    kind: NodeKind
    name: str
    """As far as it has one: of a task, an image, a dataset or model version."""
    link: str
    """The page that shows it, such as /tasks/t1; '' if there is none."""
    state: str = ""
    endpoint: str = ""
    created: float | None = None
    is_own: bool = True
    depth: int
    """Steps from where the walk began: negative backward, positive forward."""


class LineageEdge(BaseModel):
    """From what was used to the task, or from the task to what it made."""

    source: str
    target: str
    role: str


class Lineage(BaseModel):
    start: str
    nodes: list[LineageNode]
    """Only what the caller may see."""
    edges: list[LineageEdge]
    tasks: int
    made: int
    """How many data versions, models and results the tasks made."""
    is_complete: bool
    """False: there is more than one answer holds."""
