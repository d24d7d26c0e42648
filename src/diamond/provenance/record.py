"""A whole record: its entries put together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from diamond.provenance import entries as kinds
from diamond.provenance.bodies import (
    AttemptEnded,
    Body,
    FactsSeen,
    ImageUsed,
    MetricsSeen,
    OrderResolved,
    RecordImported,
    ResultLeft,
    TaskEnded,
    TaskReproduced,
    TaskSubmitted,
    body_of,
)
from diamond.provenance.entries import Entry


@dataclass(frozen=True)
class Record:
    """What is known about how a task came about and ended."""

    entries: tuple[Entry, ...]
    submitted: TaskSubmitted | None = None
    resolved: OrderResolved | None = None
    image: ImageUsed | None = None
    facts: tuple[FactsSeen, ...] = ()
    attempts: tuple[AttemptEnded, ...] = ()
    ended: TaskEnded | None = None
    metrics: MetricsSeen | None = None
    results: tuple[ResultLeft, ...] = ()
    reproduced: tuple[TaskReproduced, ...] = ()
    imported: RecordImported | None = None
    sealed: dict[str, Any] = field(default_factory=dict)
    """Sealed values that the reader has, by name: who, endpoint, project, spec and order of the first entry, message of the last."""

    @property
    def order(self) -> dict[str, Any]:
        """As it was sent to the machine."""
        if self.resolved is not None:
            return self.resolved.order
        return self.submitted.order if self.submitted is not None else {}

    @property
    def seeds(self) -> dict[str, str]:
        """From the parameters and from the job itself, which knows better."""
        seen = dict(self.submitted.seeds) if self.submitted else {}
        for facts in self.facts:
            seen.update(facts.seeds)
        return seen


def assemble(entries: Iterable[Entry]) -> Record:
    """In their order; of those that refine an earlier one, the last counts. Raises `BadRequest`."""
    known = tuple(entries)
    return Record(
        entries=known,
        submitted=_last(known, kinds.SUBMITTED, TaskSubmitted),
        resolved=_last(known, kinds.RESOLVED, OrderResolved),
        image=_last(known, kinds.IMAGE, ImageUsed),
        facts=tuple(_all(known, kinds.FACTS, FactsSeen)),
        attempts=_newest_attempts(_all(known, kinds.ATTEMPT, AttemptEnded)),
        ended=_last(known, kinds.ENDED, TaskEnded),
        metrics=_last(known, kinds.METRICS, MetricsSeen),
        results=tuple(_all(known, kinds.RESULT, ResultLeft)),
        reproduced=tuple(_all(known, kinds.REPRODUCED, TaskReproduced)),
        imported=_last(known, kinds.IMPORTED, RecordImported),
        sealed={name: one.value for entry in known for name, one in entry.sealed.items()},
    )


def _all(entries: Sequence[Entry], kind: str, body: type[Body]) -> list[Body]:
    return [body_of(entry, body) for entry in entries if entry.kind == kind]


def _last(entries: Sequence[Entry], kind: str, body: type[Body]) -> Body | None:
    found = [entry for entry in entries if entry.kind == kind]
    return body_of(found[-1], body) if found else None


def _newest_attempts(attempts: list[AttemptEnded]) -> tuple[AttemptEnded, ...]:
    """An attempt whose reason was refined has two entries."""
    newest = {one.attempt: one for one in attempts}
    return tuple(sorted(newest.values(), key=lambda one: one.number))
