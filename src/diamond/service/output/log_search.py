"""Searching a log: the parts that are stored here, and the middle on the cluster."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass, field
from math import inf

from pydantic import BaseModel

from diamond.code.searching import Question, find_lines
from diamond.core.errors import DiamondError
from diamond.service.access.principal import Principal
from diamond.service.endpoints.ask_agent import require_files, require_online
from diamond.service.output import log_store
from diamond.service.output.logs import LogWanted, OpenLog, Source, open_log, read_span
from diamond.service.output.rows import LogStreamRow
from diamond.service.output.schemas import LogMatch, LogMatches
from diamond.service.platform.services import Services


@dataclass(frozen=True)
class SearchWanted:
    text: str
    after: int
    limit: int
    case: bool


class ClusterMatches(BaseModel):
    """What an agent answers."""

    items: list[LogMatch]
    next: int


@dataclass
class Search:
    """A search through one log."""

    services: Services
    log: OpenLog
    question: Question
    at: int
    items: list[LogMatch] = field(default_factory=list)
    places: list[Source] = field(default_factory=list)
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
        matches = [LogMatch(**asdict(match)) for match in found.items]
        self._take("kept", matches, found.next)

    async def _on_cluster(self, end: int) -> None:
        """While the endpoint is offline its part is skipped, and `reason` says so."""
        try:
            matches = await self._ask(end)
        except DiamondError as error:
            self.reason = f"{error.message}: a part of the log is only there"
            self.at = end
            return
        self._take("cluster", matches.items, matches.next)
        self.is_stopped = self.at < end

    async def _ask(self, end: int) -> ClusterMatches:
        stream = self.log.stream
        assert stream is not None
        require_files(self.log.task)
        await require_online(self.services, self.log.task)
        left = self._left()
        answer = await self.services.relay.ask_json(
            self.log.task.endpoint,
            "search-log",
            task=stream.task,
            attempt=stream.attempt,
            run=stream.run,
            rank=stream.rank,
            stream=stream.stream,
            text=left.text,
            case=left.case,
            limit=left.limit,
            start=self.at,
            end=end,
        )
        return ClusterMatches.model_validate(answer)

    def _left(self) -> Question:
        limit = self.question.limit - len(self.items)
        return Question(self.question.text, self.question.case, limit)

    def _take(self, place: Source, items: list[LogMatch], next_at: int) -> None:
        self.items += items
        self.at = next_at
        if place not in self.places:
            self.places.append(place)


async def search(
    services: Services, principal: Principal, task: str, which: LogWanted, wanted: SearchWanted
) -> LogMatches:
    log = await open_log(services, principal, task, which)
    question = Question(wanted.text, wanted.case, wanted.limit)
    through = Search(services, log, question, min(wanted.after, log.size))
    await through.go(await _kept(services, log.stream))
    is_more = through.at < log.size and through.is_over
    return LogMatches(
        items=through.items,
        next=through.at if is_more else None,
        complete=not through.reason,
        reason=through.reason,
        searched_on=through.places,
        size=log.size,
    )


async def _kept(services: Services, stream: LogStreamRow | None) -> list[tuple[int, int]]:
    if stream is None:
        return []
    async with services.store.read() as connection:
        return await log_store.kept_ranges(connection, stream.id)
