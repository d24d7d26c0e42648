"""Storage as the API shows it."""

from __future__ import annotations

from pydantic import BaseModel, Field

from diamond.service.platform.http.schemas import Body

MOST_DAYS = 36_500


class Retention(Body):
    """A part that a call leaves out stays as it is. Null: no rule."""

    days: int | None = Field(default=None, ge=1, le=MOST_DAYS)
    """So long after its end, a task keeps its logs and curves in the service."""
    code_days: int | None = Field(default=None, ge=1, le=MOST_DAYS)
    """So long after the end of the last task that used it, code stays in the service."""


class StorageDefaults(Body):
    """For the whole service. Null: forever, or any number."""

    days: int | None = Field(default=None, ge=1, le=MOST_DAYS)
    code_days: int | None = Field(default=None, ge=1, le=MOST_DAYS)
    quota_bytes: int | None = Field(default=None, ge=0, le=1 << 62)


class Quota(Body):
    quota_bytes: int | None = Field(default=None, ge=0, le=1 << 62)
    """Null: the default applies."""


class StoredBytes(BaseModel):
    """Bytes in the service."""

    code: int
    logs: int
    curves: int
    copies: int
    """Of results, models and datasets that the service keeps."""
    total: int


class StoredTask(BaseModel):
    """A task, and how many bytes of logs and curves it keeps in the service."""

    id: str
    name: str
    ended: float | None
    bytes: int


class OnEndpoint(BaseModel):
    endpoint: str
    images: int
    run_directories: int
    """As last measured."""


class MyStorage(BaseModel):
    service: StoredBytes
    quota_bytes: int | None
    endpoints: list[OnEndpoint]
    largest: list[StoredTask]
    days: int | None
    """The person's own rule."""
    default_days: int | None
    """The rule of the service. For each task the shortest of all rules counts."""
    code_days: int | None
    """The person's own rule for code."""
    default_code_days: int | None


class PersonStorage(BaseModel):
    id: str
    name: str
    email: str
    service: StoredBytes
    quota_bytes: int | None


class Archived(BaseModel):
    task: str
    archived: float
    bytes: int
    """How much was freed in the service."""
