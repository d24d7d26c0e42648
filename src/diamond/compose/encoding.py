"""Texts that no file, shell or database could hold: found before a spec is read."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from diamond.compose.faults import Faults, drop_field

FieldPath = tuple[int | str, ...]


def without_invalid_text(raw: dict[str, Any], faults: Faults) -> dict[str, Any]:
    """The spec without texts that are not UTF-8; each is noted."""
    broken = list(invalid_texts(raw))
    if not broken:
        return raw
    rest = copy.deepcopy(raw)
    for place, text in broken:
        # Written out, as the answer itself could not hold it either.
        where = ascii(".".join(str(part) for part in place))[1:-1]
        faults.add(where, f"{text!a} is not UTF-8", "Write it in UTF-8, or leave it out.")
        drop_field(rest, place)
    faults.take_as_unread(".".join(str(part) for part in place) for place, _ in broken)
    return rest


def invalid_texts(value: Any, place: FieldPath = ()) -> Iterator[tuple[FieldPath, str]]:
    """Each text that is not UTF-8, with the way to it."""
    if isinstance(value, str) and not _is_utf8(value):
        yield place, value
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from invalid_texts(one, (*place, number))
    elif isinstance(value, dict):
        for name, one in value.items():
            is_broken = isinstance(name, str) and not _is_utf8(name)
            yield from [((*place, name), name)] if is_broken else invalid_texts(one, (*place, name))


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
