"""The items of a list, fetched page by page as they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from diamond.sdk.transport import Query, Transport

Item = TypeVar("Item")
Other = TypeVar("Other")
PAGE = 200


class Listing(Generic[Item], Iterator[Item]):
    """Once read to its end, `next` is the cursor of what follows, or None if that was all."""

    def __init__(
        self,
        transport: Transport,
        path: str,
        query: Query,
        limit: int | None = None,
        cursor: str = "",
        *,
        build: Callable[[Any], Item] = lambda item: item,
    ) -> None:
        self._transport, self._path, self._query = transport, path, dict(query)
        self._left, self._build = limit, build
        self._items: list[Any] = []
        self.next: str | None = cursor or None
        self._has_more = limit != 0

    def __next__(self) -> Item:
        while not self._items:
            if not self._has_more:
                raise StopIteration
            self._fetch()
        return self._build(self._items.pop(0))

    def of(self, build: Callable[[Any], Other]) -> Listing[Other]:
        """The same, each item made into something else."""
        left, cursor = self._left, self.next or ""
        return Listing(self._transport, self._path, self._query, left, cursor, build=build)

    def _fetch(self) -> None:
        """A page ends where the limit does, so the cursor that comes with it goes on from there."""
        size = None if self._left is None else min(self._left, PAGE)
        asked = {**self._query, "limit": size, "cursor": self.next}
        page = self._transport.get(self._path, asked)
        self._items, self.next = list(page["items"]), page.get("next")
        if self._left is not None:
            self._left -= len(self._items)
        self._has_more = bool(self.next) and self._left != 0
