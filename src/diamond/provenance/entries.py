"""Entries of a record. Each names the one before it by its hash, so that no later change goes unnoticed.

What must not leave with a record (who, on which machine, which paths) is sealed: the entry holds a salted hash of it, and
the value is beside the entry. A record without these values still verifies; whoever gets a value can check it too.
"""

from __future__ import annotations

import hashlib
import json
import math
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from diamond.core.decoding import plain_data
from diamond.core.errors import BadRequest

SUBMITTED, RESOLVED, IMAGE, FACTS = "submitted", "resolved", "image", "facts"
ATTEMPT, ENDED, METRICS, RESULT = "attempt", "ended", "metrics", "result"
REPRODUCED, IMPORTED = "reproduced", "imported"
KINDS = (
    SUBMITTED,
    RESOLVED,
    IMAGE,
    FACTS,
    ATTEMPT,
    ENDED,
    METRICS,
    RESULT,
    REPRODUCED,
    IMPORTED,
)
_SALT_BYTES = 16
_LONGEST_LINE = 8 << 20


@dataclass(frozen=True)
class Head:
    """How far a record goes: the number of its last entry and that entry's hash."""

    n: int = 0
    hash: str = ""


START = Head()


@dataclass(frozen=True)
class Sealed:
    """A value beside its entry. The salt keeps a short value, such as a name, from being guessed by its hash."""

    salt: str
    value: Any

    def commitment(self, name: str) -> str:
        return digest(canonical([self.salt, name, self.value]))


@dataclass(frozen=True)
class Draft:
    """An entry to be: what it says and what of it is sealed."""

    kind: str
    at: float
    body: Any
    """A dataclass of `bodies.py`."""
    sealed: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Entry:
    n: int
    at: float
    kind: str
    body: Mapping[str, Any]
    before: str = ""
    commitments: Mapping[str, str] = field(default_factory=dict)
    sealed: Mapping[str, Sealed] = field(default_factory=dict)
    """Those values that the reader has."""

    @cached_property
    def line(self) -> str:
        """The exact text that is hashed, kept and exported."""
        data = {"n": self.n, "at": self.at, "kind": self.kind, "body": self.body}
        data["before"] = self.before
        if self.commitments:
            data["sealed"] = self.commitments
        return canonical(data)

    @cached_property
    def hash(self) -> str:
        return digest(self.line)

    @property
    def opened(self) -> dict[str, Any]:
        """The body with all sealed values that the reader has."""
        return {**self.body, **{name: one.value for name, one in self.sealed.items()}}

    @property
    def head(self) -> Head:
        return Head(self.n, self.hash)


def canonical(data: Any) -> str:
    """One text for equal data: ASCII alone, so that no database or file can hold it differently."""
    try:
        return _one_text(data)
    except (TypeError, ValueError):
        return _one_text(_plain(data))


def _one_text(data: Any) -> str:
    return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def follow(head: Head, draft: Draft) -> Entry:
    """The draft as the entry that comes after `head`."""
    sealed = {
        name: Sealed(secrets.token_hex(_SALT_BYTES), plain_data(value))
        for name, value in draft.sealed.items()
        if value not in (None, "", {}, [])
    }
    return Entry(
        n=head.n + 1,
        at=draft.at,
        kind=draft.kind,
        body=plain_data(draft.body),
        before=head.hash,
        commitments={name: one.commitment(name) for name, one in sealed.items()},
        sealed=sealed,
    )


def sealed_text(entry: Entry) -> str:
    """What is kept beside the line."""
    values = {name: [one.salt, one.value] for name, one in entry.sealed.items()}
    return canonical(values) if values else ""


def read_entry(line: str, sealed: str = "") -> Entry:
    """An entry from its kept text. Raises `BadRequest` for what is not an entry."""
    if len(line) > _LONGEST_LINE:
        raise BadRequest(f"An entry of {len(line)} characters is not one of ours")
    try:
        data = json.loads(line)
        entry = Entry(
            n=_typed(data, "n", int),
            at=float(_typed(data, "at", (int, float))),
            kind=_typed(data, "kind", str),
            body=_typed(data, "body", dict),
            before=_typed(data, "before", str),
            commitments=_typed(data, "sealed", dict) if "sealed" in data else {},
            sealed=_opened(json.loads(sealed)) if sealed else {},
        )
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError) as error:
        raise BadRequest(f"This line is not an entry of a record: {error}") from None
    return entry


def _typed(data: Mapping[str, Any], name: str, kind: type | tuple[type, ...]) -> Any:
    value = data[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError(f"{name} is {type(value).__name__}")
    return value


def _opened(values: Mapping[str, Any]) -> dict[str, Sealed]:
    return {name: Sealed(str(salt), value) for name, (salt, value) in values.items()}


def _plain(value: Any) -> Any:
    """JSON has no NaN and no infinity: they become words."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value


@dataclass(frozen=True)
class KeptEntry:
    """An entry as it is kept: the text, the hash beside it, and its sealed values."""

    n: int
    line: str
    hash: str
    sealed: str = ""


@dataclass(frozen=True)
class Fault:
    """The first place where a record does not fit, and what is wrong there."""

    n: int
    message: str


def find_fault(kept: Iterable[KeptEntry], head: Head | None = None) -> Fault | None:
    """The first entry that was changed, left out, moved or put in; None if the record is whole. `head`: where it must end."""
    last = START
    for stored in kept:
        fault = _fault_of(stored, last)
        if fault is not None:
            return fault
        last = Head(stored.n, stored.hash)
    if head is not None and head != last:
        return _fault_of_end(head, last)
    return None


def _fault_of(stored: KeptEntry, last: Head) -> Fault | None:
    n = last.n + 1
    if stored.n != n:
        gap = f"entry {n} is missing" if stored.n > n else f"entry {stored.n} stands there twice"
        return Fault(min(n, stored.n), gap)
    if digest(stored.line) != stored.hash:
        return Fault(n, f"entry {n} was changed: its text does not have the hash {stored.hash}")
    try:
        entry = read_entry(stored.line, stored.sealed)
    except BadRequest as error:
        return Fault(n, f"entry {n} cannot be read: {error.message}")
    if entry.line != stored.line:
        return Fault(n, f"entry {n} is not written the way Diamond writes entries")
    if entry.n != n:
        return Fault(n, f"entry {n} was moved: it says that it is entry {entry.n}")
    if entry.before != last.hash:
        return Fault(n, f"entry {n} does not follow entry {last.n}: one was put in or taken out")
    return _sealed_fault(entry)


def _sealed_fault(entry: Entry) -> Fault | None:
    for name, value in entry.sealed.items():
        if entry.commitments.get(name) != value.commitment(name):
            return Fault(entry.n, f"entry {entry.n}: {name} was changed")
    return None


def _fault_of_end(head: Head, last: Head) -> Fault:
    if last.n < head.n:
        return Fault(last.n + 1, f"entry {last.n + 1} is missing: the record had {head.n} entries")
    if last.n > head.n:
        return Fault(head.n + 1, f"entry {head.n + 1} was put in after the end of the record")
    return Fault(last.n, f"entry {last.n} was replaced: the record ended with another one")
