"""Code as the API takes and shows it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from diamond.core import code_facts
from diamond.service.platform.http.schemas import Body, Preview


class CodeFacts(Body):
    """What the sender knows about the code of a snapshot."""

    model_config = ConfigDict(extra="forbid", from_attributes=True)

    snapshot: str = ""
    commit: str = ""
    dirty: bool = False
    diff: str = ""
    left_out: list[str] = []
    files: int = 0
    bytes: int = 0

    def facts(self) -> code_facts.CodeFacts:
        return code_facts.CodeFacts(**{**dict(self), "left_out": tuple(self.left_out)})


class FolderListing(Body):
    """What is in a folder that somebody wants to send."""

    paths: list[str] = Field(max_length=200_000)
    """Relative to the folder, with `/`."""
    rules: dict[str, str] = {}
    """The texts of its .gitignore and .diamondignore files by their paths."""


class UploadPlan(BaseModel):
    take: list[str]
    left_out: list[str]
    """Each with its reason, as in CodeFacts; what an ignore file names is not listed."""


class Digests(Body):
    digests: list[str] = Field(max_length=200_000)


class Missing(BaseModel):
    missing: list[str]


class Stored(BaseModel):
    stored: int


class StoredCode(BaseModel):
    """A snapshot of code in the service."""

    digest: str
    name: str
    """Of a task that ran it; empty if none did."""
    files: int
    bytes: int
    frees_bytes: int
    """What no other snapshot of the same person has: so much less is stored without it."""
    sent: float
    used: float
    tasks: int
    blocked_by: list[str]
    """While there is one of these, it cannot be removed."""
    recorded_by: list[str]
    """What would lose its code, and keep its record."""


class RemovedCode(BaseModel):
    digest: str
    """Empty: all that nothing needs."""
    bytes: int
    """How much less is stored now."""


class CodeFile(BaseModel):
    path: str
    size: int | None = None
    mode: str = ""
    link: str = ""
    """Where a symbolic link leads."""
    preview: Preview = "none"


class CodeListing(BaseModel):
    """The code as the task ran it."""

    kind: Literal["snapshot", "git", "none"]
    snapshot: str = ""
    git_url: str = ""
    git_commit: str = ""
    commit: str = ""
    """Of the work tree that the snapshot was taken from."""
    dirty: bool = False
    has_diff: bool = False
    """GET …/diff has the changes since `commit`."""
    left_out: list[str] = []
    files: list[CodeFile] = []
    removed: float | None = None
    """When its owner or a rule of theirs removed it from this service."""
