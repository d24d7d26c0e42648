"""Jobs, and the code that travels with them."""

from __future__ import annotations

from pydantic import BaseModel, Field

from diamond.service.schemas.common import Body, OrderData, SpecData
from diamond.service.schemas.goals import Goal


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


class Signature(Body):
    """Of the order that `POST /jobs/check` answers, by a key of the person's own (docs/security.md)."""

    version: int = Field(default=1, ge=1, le=1000)
    """Of the signed statement."""
    digest: str = Field(max_length=80)
    """Of the order; another one is refused."""
    until: float = Field(ge=0, le=1e11)
    signature: str = Field(max_length=10_000)


class JobRequest(Body):
    spec: SpecData | None = None
    """Left out with `recipe`: the recipe's own."""
    code: CodeFacts | None = None
    recipe: str = Field(default="", pattern=r"^[a-z0-9-]{0,64}$")
    """The code of this recipe travels along."""
    project: str = Field(default="", max_length=64)
    """The name or id of the project that the job belongs to."""
    goal: Goal | None = None
    """How much it is to train: a plan is made of it, kept, and shown beside what happens."""
    signature: Signature | None = None
    """For machines that take only signed specs."""


class Job(BaseModel):
    id: str
    name: str
    created: float
    owner: str
    project: str = ""
    spec: SpecData
    code: CodeFacts | None
    digest: str
    tasks: list[str]


class Checked(BaseModel):
    order: OrderData
    endpoint: str
    warnings: list[str]
    script: str | None = None


class Digests(Body):
    digests: list[str] = Field(max_length=200_000)


class Missing(BaseModel):
    missing: list[str]


class Stored(BaseModel):
    stored: int
