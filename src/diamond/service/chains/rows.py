"""The attempts of a task and what holds them together, as frozen values; stored as JSON in the task's row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from diamond.core.order import Continue, Order, Resources, order_from, resources_from, resume_from
from diamond.core.task import Reached
from diamond.service.platform.database.rows import JsonObject, TypedRow, filled

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

NOWHERE = Reached()


@dataclass(frozen=True)
class RunRow(TypedRow):
    """One execution of an attempt."""

    run: int
    node: str = ""
    started: float | None = None
    ended: float | None = None
    exit_code: int | None = None


@dataclass(frozen=True)
class AttemptRow(TypedRow):
    """One batch-system job of a task."""

    id: str
    number: int
    native_id: str = ""
    run: int = 0
    runs: tuple[RunRow, ...] = ()
    exit_code: int | None = None
    exit_run: int = 0
    reached: Reached = NOWHERE
    queued: float | None = None
    arrived: float | None = None
    started: float | None = None
    ended: float | None = None
    reason: str = ""
    limit_seconds: float | None = None
    """As the batch system last reported; None: as requested."""
    script: str = ""
    """Digest of its batch script, as its agent reported it."""
    more: JsonObject = field(default_factory=dict)
    """Stored by another version, and kept."""


@dataclass(frozen=True)
class BudgetRow(TypedRow):
    """A limit for all attempts together, with the price of a node-hour that was settled at the start."""

    amount: float
    unit: str
    rate: float


@dataclass(frozen=True)
class ChainRow(TypedRow):
    """What holds the attempts of a task together."""

    budget: BudgetRow | None = None
    allowed: int | None = None
    """So many attempts may begin before its owner is asked; None: the default."""
    follow_up: str = ""
    """The attempt that is queued ahead."""
    reached: Reached = NOWHERE
    stalled: int = 0
    ended: int | None = None
    """How many attempts came before the present one; None: all of a lower number."""
    limit_hours: float | None = None
    """Node-hours that limits left for all attempts together when it was last granted some; None: no limit."""
    signature: JsonObject | None = None
    continues: str = ""
    """The task whose run directory it uses."""
    person: JsonObject | None = None
    """Who a task on a community account is for."""
    share: JsonObject | None = None
    """Of a trial: how many of its study may be at work on its endpoint at the same time."""
    more: JsonObject = field(default_factory=dict)
    """Stored by another version, and kept."""


@dataclass(frozen=True)
class ChainedTaskRow(TypedRow):
    """The part of a task's row that decisions about its chain are made from."""

    id: str
    owner: str
    kind: str
    endpoint: str
    state: str
    phase: str
    reason: str
    attempt: str
    attempts: tuple[AttemptRow, ...]
    chain: ChainRow
    order_json: JsonObject
    """As it was stored: what the agent gets, and what the API shows."""
    started: float | None
    cleaned: float | None

    @cached_property
    def order(self) -> Order:
        return order_from(self.order_json)

    @cached_property
    def resources(self) -> Resources:
        """Of the order, without reading the rest of it."""
        return resources_from(self.order_json)

    @cached_property
    def resume(self) -> Continue:
        """Of the order, without reading the rest of it."""
        return resume_from(self.order_json)


Stored = Mapping[str, Any]
Kind = TypeVar("Kind", bound="DataclassInstance")
_KINDS = (RunRow, AttemptRow, BudgetRow, ChainRow, Reached)
_KNOWN: dict[type, frozenset[str]] = {
    kind: frozenset(column.name for column in fields(kind)) - {"more"} for kind in _KINDS
}
_DEFAULTS: dict[type, dict[str, Any]] = {
    kind: {column.name: column.default for column in fields(kind) if column.default is not MISSING}
    for kind in _KINDS
}


def attempts_from(stored: Sequence[Stored]) -> tuple[AttemptRow, ...]:
    return tuple(attempt_from(entry) for entry in stored)


def attempt_from(stored: Stored) -> AttemptRow:
    known, more = _split(AttemptRow, stored)
    known["runs"] = tuple(_row(RunRow, run) for run in known["runs"] or ())
    known["reached"] = _reached(stored)
    known["more"] = more
    return filled(AttemptRow, known)


def attempts_json(attempts: Sequence[AttemptRow]) -> list[JsonObject]:
    return [_attempt_json(attempt) for attempt in attempts]


def chain_from(stored: Stored | None) -> ChainRow:
    given = stored or {}
    known, more = _split(ChainRow, given)
    if known["budget"]:
        known["budget"] = _row(BudgetRow, known["budget"])
    known["reached"] = _reached(given)
    known["more"] = more
    return filled(ChainRow, known)


def chain_json(chain: ChainRow) -> JsonObject:
    values = {**chain.more, **vars(chain)}
    for name in ("ended", "limit_hours", "signature", "person", "share"):
        if values[name] is None:
            del values[name]
    del values["more"]
    values["budget"] = vars(chain.budget) if chain.budget else None
    values["reached"] = vars(chain.reached)
    return values


def _attempt_json(attempt: AttemptRow) -> JsonObject:
    values = {**attempt.more, **vars(attempt)}
    del values["more"]
    values["runs"] = [vars(run) for run in attempt.runs]
    values["reached"] = vars(attempt.reached)
    return values


def _split(kind: type, stored: Stored) -> tuple[dict[str, Any], JsonObject]:
    """A value for every field of this class, and what is stored beyond."""
    known = _KNOWN[kind]
    if stored.keys() <= known:
        return {**_DEFAULTS[kind], **stored}, {}
    more = {name: value for name, value in stored.items() if name not in known}
    values = {name: value for name, value in stored.items() if name in known}
    return {**_DEFAULTS[kind], **values}, more


def _row(kind: type[Kind], stored: Stored) -> Kind:
    return filled(kind, _split(kind, stored)[0])


def _reached(stored: Stored) -> Reached:
    given = stored.get("reached")
    return _row(Reached, given) if given else NOWHERE
