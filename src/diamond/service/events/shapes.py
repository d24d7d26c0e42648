"""Data that is passed on as it was stored, and events: shapes that no call answers with, by name."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from diamond.compose.environment import ImageEnvironmentSpec
from diamond.compose.profile_facts import Account, Flags, Folder, Partition, Qos, Scheduler
from diamond.compose.spec import Spec
from diamond.core.order import Order
from diamond.service.images.schemas import ImageEvent
from diamond.service.output.schemas import (
    ChangedEvent,
    EndpointEvent,
    LogEvent,
    MetricEvent,
    NoteEvent,
    TaskEvent,
)
from diamond.service.people.schemas import NotificationEvent
from diamond.service.planning.scale_schemas import ScaleEvent

T = TypeVar("T")


class Fact(BaseModel, Generic[T]):
    """A value with where it is from: `source` when probed, `by` when a person corrected it."""

    value: T
    source: str | None = None
    by: str | None = None
    at: float | None = None


class FreeNow(BaseModel):
    nodes_idle: int | None = None
    nodes_total: int | None = None
    cpus_idle: int | None = None
    gpus_idle: int | None = None
    pending: int | None = None


class FolderNow(Folder):
    type: str | None = None
    free_bytes: int | None = None
    free_files: int | None = None


class Facts(BaseModel):
    """docs/internals/site-profile.md; what is not known is left out."""

    model_config = ConfigDict(extra="allow")

    scheduler: Fact[Scheduler] | None = None
    cluster: Fact[str] | None = None
    partitions: Fact[list[Partition]] | None = None
    accounts: Fact[list[Account]] | None = None
    qos: Fact[list[Qos]] | None = None
    free: Fact[dict[str, FreeNow]] | None = None
    flags: Fact[Flags] | None = None
    folders: Fact[dict[str, FolderNow]] | None = None
    runtimes: Fact[dict[str, dict[str, str] | None]] | None = None
    internet: Fact[dict[str, bool | None]] | None = None
    python: Fact[dict[str, str | None]] | None = None
    cores: Fact[int] | None = None
    memory_mb: Fact[int] | None = None
    gpus: Fact[dict[str, int]] | None = None
    modules: Fact[list[str]] | None = None
    charge: Fact[dict[str, float]] | None = None


class Profile(BaseModel):
    """A correction wins over the probed fact of its name; both are shown."""

    version: int
    probed_at: float | None
    facts: Facts
    corrections: Facts
    values: dict[str, Any] = {}
    """What holds of each, a correction laid over what was probed; only of an endpoint of one's own."""


class StreamEvents(BaseModel):
    """The JSON in `data:` of each event of GET /events, by the event's name."""

    ready: dict[str, Any]
    task: TaskEvent
    note: NoteEvent
    endpoint: EndpointEvent
    log: LogEvent
    metric: MetricEvent
    notification: NotificationEvent
    scale: ScaleEvent
    changed: ChangedEvent
    image: ImageEvent


SHAPES: dict[str, Any] = {
    "Order": Order,
    "Spec": Spec,
    "Environment": ImageEnvironmentSpec,
    "Profile": Profile,
    "StreamEvents": StreamEvents,
}
