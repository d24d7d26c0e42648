"""Code as the API takes and shows it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from diamond.service.platform.http.schemas import Body, Preview


class CodeFacts(Body):
    """What the person's side knows about the code it snapshot."""

    snapshot: str = ""
    commit: str = ""
    dirty: bool = False
    diff: str = ""
    left_out: list[str] = []
    files: int = 0
    bytes: int = 0


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
    """Of the person's work tree when the snapshot was taken."""
    dirty: bool = False
    has_diff: bool = False
    """GET …/diff has the changes since `commit`."""
    left_out: list[str] = []
    files: list[CodeFile] = []
