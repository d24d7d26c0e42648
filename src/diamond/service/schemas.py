"""What enters and leaves, as OpenAPI describes it."""

from __future__ import annotations

from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$"
Item = TypeVar("Item")


class Body(BaseModel):
    """A request body; an unknown field is answered with the known ones."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _only_known_fields(cls, data: Any) -> Any:
        unknown = sorted(set(data) - set(cls.model_fields)) if isinstance(data, dict) else []
        if unknown:
            known = ", ".join(cls.model_fields)
            raise PydanticCustomError(
                "unknown_field",
                "unknown field {names}; the fields are: {known}",
                {
                    "names": ", ".join(map(repr, unknown)),
                    "known": known,
                    "hint": f"Fields: {known}",
                },
            )
        return data


class Fault(BaseModel):
    field: str = ""
    message: str = ""
    hint: str = ""


class Problem(BaseModel):
    """RFC 9457, with a stable code and a hint."""

    type: str = "about:blank"
    title: str
    status: int
    code: str
    hint: str = ""
    retryable: bool = False
    faults: list[Fault] = []


class Page(BaseModel, Generic[Item]):
    items: list[Item]
    next: str | None = None


class Health(BaseModel):
    ok: bool
    version: str
    instance: str
    mode: str


class Me(BaseModel):
    id: str
    name: str


class CodeFacts(Body):
    """What the person's side knows about the code it snapshot."""

    snapshot: str = ""
    commit: str = ""
    dirty: bool = False
    diff: str = ""
    left_out: list[str] = []
    files: int = 0
    bytes: int = 0


class JobRequest(Body):
    spec: dict[str, Any]
    code: CodeFacts | None = None


class Job(BaseModel):
    id: str
    name: str
    created: float
    owner: str
    spec: dict[str, Any]
    code: dict[str, Any] | None
    digest: str
    tasks: list[str]


class Run(BaseModel):
    run: int
    node: str = ""
    started: float | None = None
    ended: float | None = None
    exit_code: int | None = None


class Attempt(BaseModel):
    id: str
    number: int
    native_id: str
    run: int
    runs: list[Run]
    started: float | None
    ended: float | None
    reason: str


class Task(BaseModel):
    id: str
    job: str
    name: str
    kind: str
    owner: str
    endpoint: str
    state: Literal["preparing", "pending", "running", "succeeded", "failed", "cancelled"]
    phase: str
    native_state: str
    native_id: str
    reason: str
    message: str
    exit_code: int | None
    signal: int | None
    as_of: float
    created: float
    updated: float
    started: float | None
    ended: float | None
    node: str
    attempt: str
    attempts: list[Attempt]
    retry_of: str | None
    order: dict[str, Any]
    digest: str
    code: dict[str, Any] | None
    cancel_requested: bool
    version: int
    run_dir: str
    cleaned: float | None
    """When the run directory was removed to make room; `run_dir` is then empty."""


class Submitted(BaseModel):
    job: Job
    tasks: list[Task]
    warnings: list[str] = []


class Checked(BaseModel):
    order: dict[str, Any]
    endpoint: str
    warnings: list[str]
    script: str | None = None


class HistoryLine(BaseModel):
    n: int
    at: float
    received: float
    type: str
    message: str
    data: dict[str, Any]


class LogStream(BaseModel):
    attempt: str
    run: int
    rank: int
    stream: str
    size: int
    kept: list[tuple[int, int]]


class Series(BaseModel):
    name: str
    points: list[tuple[float | None, float | None, float | None]]
    """[step, time, value]; a value of NaN or infinity is null"""
    thinned: bool


class FileEntry(BaseModel):
    model_config = ConfigDict(extra="allow")

    path: str
    kind: str
    size: int | None = None
    modified: float | None = None


class Endpoint(BaseModel):
    id: str
    name: str
    owner: str
    state: Literal["online", "offline", "sign-in", "pairing", "confirming"]
    carrier: Literal["https", "ssh", "local"]
    ssh_host: str
    host: str
    user: str
    agent_version: str
    last_seen: float | None
    since: float
    default: bool
    stays: str
    revive: str
    profile: dict[str, Any]
    retention: dict[str, Any]
    created: float


class EndpointRequest(Body):
    name: str = Field(pattern=NAME_PATTERN)
    carrier: Literal["https", "ssh", "local"] = "https"
    ssh_host: str = Field(default="", max_length=255, pattern=r"^[^\s-][^\s]*$|^$")


class EndpointAdded(BaseModel):
    endpoint: Endpoint
    pairing_code: str | None = None
    line: str | None = None
    key: str | None = None


class Pairing(BaseModel):
    pairing_code: str
    line: str


class Key(BaseModel):
    key: str


class Confirmation(Body):
    accept: bool


class Retention(Body):
    older_than_days: float | None = Field(default=None, gt=0)
    max_gigabytes: float | None = Field(default=None, gt=0)


class EndpointChange(Body):
    name: str | None = Field(default=None, pattern=NAME_PATTERN)
    default: bool | None = None
    corrections: dict[str, Any] | None = None
    retention: Retention | None = None


class ProbeRequest(Body):
    compute: bool = False


class SecretValue(Body):
    value: str = Field(max_length=65536)


class Names(BaseModel):
    items: list[str]


class CleanRequest(Body):
    older_than_days: float | None = Field(default=None, ge=0)
    tasks: list[str] | None = None
    dry_run: bool = True


class Cleanable(BaseModel):
    task: str
    name: str
    bytes: int
    ended: float | None


class Cleaned(BaseModel):
    items: list[Cleanable]
    bytes: int


class Digests(Body):
    digests: list[str] = Field(max_length=200_000)


class Missing(BaseModel):
    missing: list[str]


class Stored(BaseModel):
    stored: int


class TokenRequest(Body):
    name: str = Field(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]+$")
    days: float | None = Field(default=None, gt=0, le=3650)


class Token(BaseModel):
    id: str
    name: str
    created: float
    expires: float | None


class NewToken(Token):
    token: str


class Link(BaseModel):
    url: str
