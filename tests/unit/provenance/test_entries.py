"""A record that was changed says where."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diamond.core.errors import BadRequest
from diamond.provenance.entries import (
    START,
    Draft,
    Entry,
    Head,
    KeptEntry,
    canonical,
    digest,
    find_fault,
    follow,
    read_entry,
    sealed_text,
)

Kept = list[KeptEntry]


@dataclass(frozen=True)
class Body:
    text: str
    value: Any = None


def record(count: int = 5) -> Kept:
    head, kept = START, []
    for n in range(count):
        entry = follow(head, Draft("note", 10.0 + n, Body(f"step {n}"), {"who": "ada"}))
        head = entry.head
        kept.append(as_kept(entry))
    return kept


def as_kept(entry: Entry) -> KeptEntry:
    return KeptEntry(entry.n, entry.line, entry.hash, sealed_text(entry))


def head_of(kept: Kept) -> Head:
    return Head(kept[-1].n, kept[-1].hash)


def test_a_whole_record_has_no_fault() -> None:
    kept = record()
    assert find_fault(kept, head_of(kept)) is None
    assert find_fault([], START) is None


def test_an_entry_is_read_back_as_it_was_written() -> None:
    kept = record(2)[1]
    entry = read_entry(kept.line, kept.sealed)
    assert (entry.n, entry.kind, entry.body["text"], entry.hash) == (2, "note", "step 1", kept.hash)
    assert entry.opened["who"] == "ada"


def _changed(kept: Kept) -> Kept:
    return [*kept[:2], replace(kept[2], line=kept[2].line.replace("step 2", "step 7")), *kept[3:]]


def _changed_with_its_hash(kept: Kept) -> Kept:
    line = kept[2].line.replace("step 2", "step 7")
    return [*kept[:2], replace(kept[2], line=line, hash=digest(line)), *kept[3:]]


def _deleted(kept: Kept) -> Kept:
    return [*kept[:2], *kept[3:]]


def _deleted_and_numbered_again(kept: Kept) -> Kept:
    return [*kept[:2], *(replace(one, n=one.n - 1) for one in kept[3:])]


def _cut_off(kept: Kept) -> Kept:
    return kept[:-1]


def _swapped(kept: Kept) -> Kept:
    second, third = replace(kept[2], n=2), replace(kept[1], n=3)
    return [kept[0], second, third, *kept[3:]]


def _inserted(kept: Kept) -> Kept:
    line = canonical({"n": 3, "at": 1.0, "kind": "note", "body": {}, "before": kept[1].hash})
    later = [replace(one, n=one.n + 1) for one in kept[2:]]
    return [*kept[:2], KeptEntry(3, line, digest(line)), *later]


def _added_at_the_end(kept: Kept) -> Kept:
    return [*kept, as_kept(follow(head_of(kept), Draft("note", 1.0, Body("more"))))]


def _last_replaced(kept: Kept) -> Kept:
    other = follow(Head(kept[-2].n, kept[-2].hash), Draft("note", 1.0, Body("other")))
    return [*kept[:-1], as_kept(other)]


def _name_changed(kept: Kept) -> Kept:
    return [*kept[:2], replace(kept[2], sealed=kept[2].sealed.replace("ada", "eve")), *kept[3:]]


@pytest.mark.parametrize(
    ("tamper", "n", "words"),
    [
        (_changed, 3, "was changed"),
        (_changed_with_its_hash, 4, "does not follow"),
        (_deleted, 3, "is missing"),
        (_deleted_and_numbered_again, 3, "was moved"),
        (_cut_off, 5, "is missing"),
        (_swapped, 2, "was moved"),
        (_inserted, 4, "was moved"),
        (_added_at_the_end, 6, "was put in"),
        (_last_replaced, 5, "was replaced"),
        (_name_changed, 3, "who was changed"),
    ],
)
def test_a_record_that_was_tampered_with_says_where(
    tamper: Callable[[Kept], Kept], n: int, words: str
) -> None:
    kept = record()
    fault = find_fault(tamper(kept), head_of(kept))
    assert fault is not None
    assert fault.n == n
    assert words in fault.message


def test_a_record_verifies_without_what_is_sealed() -> None:
    kept = [replace(one, sealed="") for one in record()]
    assert find_fault(kept, head_of(kept)) is None
    assert all('"ada"' not in one.line for one in kept)


def test_equal_names_are_sealed_differently() -> None:
    first, second = record(2)
    assert json.loads(first.line)["sealed"] != json.loads(second.line)["sealed"]


@given(st.text(), st.floats())
def test_any_text_and_number_is_kept_as_ascii(text: str, number: float) -> None:
    entry = follow(START, Draft("note", 1.0, Body(text, number), {"beside": [text, number]}))
    assert entry.line.isascii()
    assert "\n" not in entry.line
    assert find_fault([as_kept(entry)], entry.head) is None


@pytest.mark.parametrize(
    "line", ["", "[]", "{}", '{"n": true}', "[" * 100_000, '{"n":"1","at":1,"kind":"","body":{}}']
)
def test_what_is_not_an_entry_is_rejected(line: str) -> None:
    with pytest.raises(BadRequest):
        read_entry(line)
