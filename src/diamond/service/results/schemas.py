"""Results as the API takes and shows them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, JsonValue

from diamond.service.platform.http.schemas import NAME_PATTERN, Body

ResultName = Annotated[str, Field(pattern=NAME_PATTERN)]
ResultKind = Literal["files", "model", "dataset"]


class RunResult(BaseModel):
    """Something that a run left behind, hashed where it is."""

    task: str
    name: str
    path: str
    """Below the run directory."""
    kind: ResultKind
    format: str
    signature: dict[str, JsonValue]
    state: Literal["waiting", "ready", "failed", "lost"]
    """`lost`: no copy is left that Diamond knows."""
    message: str
    digest: str
    """`sha256:` of its manifest, once it is ready."""
    size: int
    files: int
    places: list[str]
    """Names of the endpoints where it is; `service` is this service."""
    created: float


class NewResult(Body):
    """Name something in the run directory of a task as a result."""

    path: str = Field(default="artifacts", min_length=1, max_length=1000)
    name: ResultName = "artifacts"
    kind: ResultKind = "files"
    format: str = Field(default="", pattern=r"^[a-z0-9._-]{0,32}$")
