"""Find text that is not valid UTF-8 before a spec is read: no file, shell or database could hold it."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from diamond.compose.faults import Faults, drop_field

FieldPath = tuple[int | str, ...]


def without_invalid_text(raw: dict[str, Any], faults: Faults) -> dict[str, Any]:
    """The spec without text that is not UTF-8; each such text becomes a fault."""
    invalid = list(invalid_texts(raw))
    if not invalid:
        return raw
    rest = copy.deepcopy(raw)
    for path, text in invalid:
        # Escaped, because the JSON response could not contain it either.
        where = ascii(".".join(str(part) for part in path))[1:-1]
        faults.add(where, f"{text!a} is not UTF-8", "Write it in UTF-8, or remove it.")
        drop_field(rest, path)
    faults.take_as_unread(".".join(str(part) for part in path) for path, _ in invalid)
    return rest


def invalid_texts(value: Any, path: FieldPath = ()) -> Iterator[tuple[FieldPath, str]]:
    """Each text that is not UTF-8, with its path."""
    if isinstance(value, str) and not _is_utf8(value):
        yield path, value
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from invalid_texts(item, (*path, number))
    elif isinstance(value, dict):
        for name, item in value.items():
            is_invalid = isinstance(name, str) and not _is_utf8(name)
            yield from [((*path, name), name)] if is_invalid else invalid_texts(item, (*path, name))


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
