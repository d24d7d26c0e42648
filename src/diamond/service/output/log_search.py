"""Searching a log: what is kept here, and the middle where it lies, on the cluster."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import inf
from typing import Any

from diamond.code.searching import Question, find_lines
from diamond.core.errors import DiamondError
from diamond.service.access.principal import Principal
from diamond.service.endpoints.ask_agent import require_files, require_online
from diamond.service.output import log_store as logs
from diamond.service.output.logs import LogWanted, OpenLog, open_log, read_span
from diamond.service.platform.services import Services


@dataclass(frozen=True)
class Asked:
    text: str
    after: int
    limit: int
    case: bool


@dataclass
class Search:
    """One search on its way through a log."""

    services: Services
    log: OpenLog
    question: Question
    at: int
    items: list[dict[str, Any]] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    reason: str = ""
    is_stopped: bool = False

    @property
    def is_over(self) -> bool:
        return self.is_stopped or len(self.items) >= self.question.limit

    async def go(self, kept: list[tuple[int, int]]) -> None:
        """Through what is kept and what is not, in turn."""
        for first, last in kept:
            if self.at < first and not self.is_over:
                await self._on_cluster(first)
            if self.at < last and not self.is_over:
                await self._here(last)
        if self.at < self.log.size and not self.is_over:
            await self._on_cluster(self.log.size)

    async def _here(self, end: int) -> None:
        is_last = end == self.log.size
        data, _ = await read_span(self.services, self.log, self.at, end)
        base = self.at
        found = await asyncio.to_thread(
            find_lines,
            lambda offset, length: data[offset - base : offset - base + length],
            self._left(),
            start=base,
            end=base + len(data),
            is_last=is_last,
            seconds=inf,
        )
        self._take("kept", [asdict(item) for item in found.items], found.next)

    async def _on_cluster(self, end: int) -> None:
        """While the endpoint is away its part is passed over, and said to be."""
        try:
            found = await self._ask(end)
        except DiamondError as error:
            self.reason = f"{error.message}: a part of the log lies there alone"
            self.at = end
            return
        self._take("cluster", found["items"], int(found["next"]))
        self.is_stopped = self.at < end

    async def _ask(self, end: int) -> dict[str, Any]:
        assert self.log.stream is not None
        require_files(self.log.task)
        await require_online(self.services, self.log.task)
        which = {
            name: self.log.stream[name] for name in ("task", "attempt", "run", "rank", "stream")
        }
        left = self._left()
        return await self.services.relay.ask_json(
            self.log.task["endpoint"],
            "search-log",
            **which,
            text=left.text,
            case=left.case,
            limit=left.limit,
            start=self.at,
            end=end,
        )

    def _left(self) -> Question:
        limit = self.question.limit - len(self.items)
        return Question(self.question.text, self.question.case, limit)

    def _take(self, place: str, items: list[dict[str, Any]], next_at: int) -> None:
        self.items += items
        self.at = next_at
        if place not in self.places:
            self.places.append(place)


async def search(
    services: Services, principal: Principal, task: str, wanted: LogWanted, asked: Asked
) -> dict[str, Any]:
    log = await open_log(services, principal, task, wanted)
    question = Question(asked.text, asked.case, asked.limit)
    through = Search(services, log, question, min(asked.after, log.size))
    await through.go(await _kept(services, log.stream))
    is_more = through.at < log.size and through.is_over
    return {
        "items": through.items,
        "next": through.at if is_more else None,
        "complete": not through.reason,
        "reason": through.reason,
        "searched_on": through.places,
        "size": log.size,
    }


async def _kept(services: Services, stream: Mapping[str, Any] | None) -> list[tuple[int, int]]:
    if stream is None:
        return []
    async with services.store.read() as connection:
        return await logs.kept_ranges(connection, stream["id"])
