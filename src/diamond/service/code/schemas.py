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
    """What lies in a folder that somebody wants to send."""

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
