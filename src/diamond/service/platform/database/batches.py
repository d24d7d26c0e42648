"""Long lists in SQL: PostgreSQL takes at most 32 767 values in one statement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")
AT_ONCE = 500


def in_batches(items: Sequence[Item], size: int = AT_ONCE) -> Iterator[Sequence[Item]]:
    return (items[at : at + size] for at in range(0, len(items), size))
