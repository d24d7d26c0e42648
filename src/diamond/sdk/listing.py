"""A paged list, fetched page by page while it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from diamond.sdk.transport import Query, Transport

Item = TypeVar("Item")
Other = TypeVar("Other")
PAGE = 200


class Listing(Generic[Item], Iterator[Item]):
    """After the last item, `next` is the cursor of the next page, or None at the end of the list."""

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
        """The same list with each item converted."""
        left, cursor = self._left, self.next or ""
        return Listing(self._transport, self._path, self._query, left, cursor, build=build)

    def _fetch(self) -> None:
        """The last page is cut at the limit, so its cursor continues exactly there."""
        size = None if self._left is None else min(self._left, PAGE)
        query = {**self._query, "limit": size, "cursor": self.next}
        page = self._transport.get(self._path, query)
        self._items, self.next = list(page["items"]), page.get("next")
        if self._left is not None:
            self._left -= len(self._items)
        self._has_more = bool(self.next) and self._left != 0
