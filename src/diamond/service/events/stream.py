"""The event stream of a client, read from the database; wake-ups only say when to look."""

from __future__ import annotations

import asyncio
import codecs
import json
import random
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import NotFound
from diamond.core.kept import LOG_STREAMS
from diamond.core.task import FINAL_WORDS
from diamond.service.access.principal import Principal
from diamond.service.endpoints.store import endpoints_by_id
from diamond.service.endpoints.views import show_endpoint
from diamond.service.events.cursor import Cursor, decode
from diamond.service.events.visible_work import OthersWork
from diamond.service.images.store import images_by_id
from diamond.service.images.views import show_images
from diamond.service.notifications import store as notifications
from diamond.service.notifications.notifications import show_notifications
from diamond.service.output import log_store as logs
from diamond.service.output import metric_store as metrics
from diamond.service.output.curves import Triple
from diamond.service.output.metrics import TRAINING, USAGE
from diamond.service.output.rows import LogStreamRow, SeriesRow
from diamond.service.people.signed_in import is_still_valid
from diamond.service.planning.scale_store import scales_by_id
from diamond.service.planning.scales import show_scale
from diamond.service.platform import event_log as streams
from diamond.service.platform.rows import EventRow
from diamond.service.platform.services import Services
from diamond.service.platform.wakeups.notifier import owner_topic, task_topic, wait
from diamond.service.tasks.store import tasks_by_id
from diamond.service.tasks.tasks import find_task
from diamond.service.tasks.views import show_tasks

PING_SECONDS = 15.0
POLL_SECONDS = 15.0
"""Wake-ups announce what is new. Polling every 2 s as well cost, for 200 open streams, as much CPU as ten calls a second.

Each stream polls a little sooner than this, by a random amount: streams that were opened together (after a restart, all of them) would otherwise
poll at the same moment forever, and a call at that moment would wait for all of them."""
STILL_SECONDS = 30.0
"""How long a stream may outlive the sign-in, membership or share that opened it; clients reconnect by themselves."""
LOG_PIECE = 64 << 10
POINTS = 2000
BATCH = 64
TOGETHER_SECONDS = 0.1
"""Events this close together are read and sent in one batch; the first one does not wait."""
PING = ": ping\n\n"
Sent = tuple[str, dict[str, Any]]


class EventStream:
    """One client's stream. Call `open` before the first byte is sent, so that bad requests get a proper answer."""

    def __init__(self, services: Services, principal: Principal) -> None:
        self._services = services
        self._owner = principal.user
        self._principal = principal
        self._cursor = Cursor()
        self._watched: list[str] = []
        self._others = OthersWork(principal)
        self._read: dict[int, int] = {}
        """Sizes of the streams of metrics whose points were all sent."""

    async def open(self, watch: list[str], after: str) -> None:
        """`after`: a cursor; `now` for the end of everything; `start` for watched logs and curves from their start."""
        async with self._services.store.read() as connection:
            for task in watch:
                row = await find_task(connection, self._principal, task)
                self._watched.append(row.id)
                self._others.watch(row)
            if after not in ("now", "start"):
                self._cursor = decode(after)
                await self._rewind_beyond_the_end(connection)
                self._others.look_back()
                await self._to_the_end(connection, self._newly_watched())
                if not self._cursor.knows_logs:
                    await self._logs_to_the_end(connection, self._watched)
                if not self._cursor.knows_curves:
                    await self._curves_to_the_end(connection, self._watched)
            else:
                self._cursor.number = await streams.newest_number(connection, self._owner)
                if after == "now":
                    await self._to_the_end(connection, self._watched)
            self._cursor.watched = self._watched

    async def _rewind_beyond_the_end(self, connection: AsyncConnection) -> None:
        """A service restored from an older backup counts from a lower number; the reader would miss what follows."""
        if self._cursor.number > await streams.newest_number(connection, self._owner):
            self._cursor.number = 0

    async def lines(self) -> AsyncIterator[str]:
        topics = [owner_topic(self._owner), *map(task_topic, self._watched), *self._others.topics]
        notifier = self._services.notifier
        with notifier.listen(topics) as bell:
            yield self._format("ready", {})
            quiet_since = time.monotonic()
            looked_at = quiet_since - random.uniform(0.0, STILL_SECONDS / 2)
            while not notifier.closing:
                if time.monotonic() - looked_at >= STILL_SECONDS:
                    looked_at = time.monotonic()
                    if not await self._is_still_allowed():
                        return
                bell.clear()
                while batch := await self._batch():
                    quiet_since = time.monotonic()
                    yield "".join(batch)
                    if len(batch) < BATCH:
                        await asyncio.sleep(TOGETHER_SECONDS)
                        break
                if bell.is_set():
                    continue
                await wait(bell, POLL_SECONDS * random.uniform(0.6, 1.0))
                if _is_quiet(quiet_since):
                    quiet_since = time.monotonic()
                    yield PING

    async def _is_still_allowed(self) -> bool:
        async with self._services.store.read() as connection:
            try:
                for task in self._others.watched:
                    await find_task(connection, self._principal, task)
            except NotFound:
                return False
            return await is_still_valid(connection, self._principal)

    def _newly_watched(self) -> list[str]:
        """What these wrote before has its own calls, and may be very long."""
        before = self._cursor.watched
        return [] if before is None else [task for task in self._watched if task not in before]

    async def _to_the_end(self, connection: AsyncConnection, tasks: list[str]) -> None:
        await self._logs_to_the_end(connection, tasks)
        await self._curves_to_the_end(connection, tasks)

    async def _logs_to_the_end(self, connection: AsyncConnection, tasks: list[str]) -> None:
        for task in tasks:
            for stream in await logs.streams_of(connection, task):
                self._cursor.logs[stream.id] = stream.size

    async def _curves_to_the_end(self, connection: AsyncConnection, tasks: list[str]) -> None:
        for task in tasks:
            for series in await metrics.series_of(connection, [task], TRAINING + USAGE):
                self._cursor.curves[series.id] = series.count

    async def _batch(self) -> list[str]:
        """Some of the news, so that a slow reader never holds a database connection."""
        lines: list[str] = []
        async with (
            self._services.store.read() as connection,
            aclosing(self._news(connection)) as news,
        ):
            async for event, data in news:
                lines.append(self._format(event, data))
                if len(lines) == BATCH:
                    break
        return lines

    async def _news(self, connection: AsyncConnection) -> AsyncGenerator[Sent]:
        """All news, each piece yielded right after the cursor has moved past it."""
        for task in self._watched:
            written = await logs.streams_of(connection, task)
            async for sent in self._log_news(connection, written):
                yield sent
            async for sent in self._metric_news(connection, task, written):
                yield sent
        while rows := await streams.events_after(connection, self._owner, self._cursor.number):
            for sent in await self._render(connection, rows):
                self._cursor.number = sent[1]["n"]
                yield sent
            self._cursor.number = rows[-1].n
        async with aclosing(self._others.news(connection)) as others:
            async for shown in others:
                yield "task", {**shown.model_dump(), "n": self._cursor.number}

    async def _render(self, connection: AsyncConnection, rows: Sequence[EventRow]) -> list[Sent]:
        """Tasks and endpoints as they now are: of several events of one, the last is enough."""
        last = {(row.kind, row.subject): row.n for row in rows if row.kind != "note"}
        changed = await tasks_by_id(connection, {key for kind, key in last if kind == "task"})
        tasks = {task.id: task for task in await show_tasks(connection, list(changed.values()))}
        places = {key for kind, key in last if kind == "endpoint"}
        endpoints = await endpoints_by_id(connection, places) if places else {}
        notices = await self._notices(
            connection, {key for kind, key in last if kind == "notification"}
        )
        pictures = await self._images(connection, {key for kind, key in last if kind == "image"})
        scales = await scales_by_id(connection, {key for kind, key in last if kind == "scale"})
        sent: list[Sent] = []
        for row in rows:
            n, subject = row.n, row.subject
            if row.kind == "note":
                sent.append(("note", {"task": subject, **row.data, "n": n}))
            elif last[row.kind, subject] != n:
                continue
            elif row.kind == "changed":
                sent.append(("changed", {"what": subject, "n": n}))
            elif subject in tasks:
                sent.append(("task", {**tasks[subject].model_dump(), "n": n}))
            elif subject in endpoints:
                shown = show_endpoint(endpoints[subject], self._services.settings)
                sent.append(("endpoint", {**shown.model_dump(mode="json"), "n": n}))
            elif subject in scales:
                sent.append(("scale", {**show_scale(scales[subject]).model_dump(), "n": n}))
            elif subject in notices:
                sent.append(("notification", {**notices[subject], "n": n}))
            elif row.kind == "image":
                sent.append(("image", {"id": subject, "image": pictures.get(subject), "n": n}))
        return sent

    async def _images(self, connection: AsyncConnection, ids: set[str]) -> dict[str, Any]:
        images = await images_by_id(connection, ids) if ids else {}
        shown = await show_images(connection, list(images.values()))
        return {image.id: image.model_dump() for image in shown}

    async def _notices(self, connection: AsyncConnection, ids: set[str]) -> dict[str, Any]:
        if not ids:
            return {}
        notices = await notifications.notifications_by_id(connection, ids)
        unread = await notifications.count_unread(connection, self._owner)
        shown = await show_notifications(connection, list(notices.values()))
        return {notice.id: {**notice.model_dump(), "unread": unread} for notice in shown}

    async def _log_news(
        self, connection: AsyncConnection, written: Sequence[LogStreamRow]
    ) -> AsyncGenerator[Sent]:
        for stream in written:
            if stream.stream in LOG_STREAMS:
                async for sent in self._stream_news(connection, stream):
                    yield sent

    async def _stream_news(
        self, connection: AsyncConnection, stream: LogStreamRow
    ) -> AsyncGenerator[Sent]:
        key, size, which = stream.id, stream.size, _which(stream)
        while (at := self._cursor.logs.get(key, 0)) < size:
            start, data = await logs.read_kept(connection, key, at, LOG_PIECE)
            if not data:
                start = await logs.next_kept(connection, key, at) or size
            if start > at:
                self._cursor.logs[key] = start
                yield "log", {**which, "skipped": [at, start]}
            if data:
                length = whole_characters(data)
                if start + len(data) >= size and await self._has_ended(connection, stream.task):
                    length = len(data)
                if not length:
                    return
                self._cursor.logs[key] = start + length
                text = data[:length].decode("utf-8", "replace")
                yield "log", {**which, "offset": start, "length": length, "text": text}

    async def _has_ended(self, connection: AsyncConnection, task: str) -> bool:
        rows = await tasks_by_id(connection, {task})
        return task in rows and rows[task].state in FINAL_WORDS

    async def _metric_news(
        self, connection: AsyncConnection, task: str, written: Sequence[LogStreamRow]
    ) -> AsyncIterator[Sent]:
        """Series are read only where their stream has grown: an old chain has tens of thousands."""
        grown = [
            stream
            for stream in written
            if stream.stream not in LOG_STREAMS and self._read.get(stream.id) != stream.size
        ]
        if not grown:
            return
        attempts = sorted({stream.attempt for stream in grown})
        for series in await metrics.series_of(connection, [task], TRAINING + USAGE, attempts):
            at = self._cursor.curves.get(series.id, 0)
            while at < series.count:
                fresh = await metrics.points_after(connection, series, at, POINTS)
                at = fresh[-1][0] + 1 if len(fresh) == POINTS else series.count
                self._cursor.curves[series.id] = at
                if fresh:
                    points = [_point(series, curve.at(index)) for _, curve, index in fresh]
                    usage = series.source in USAGE
                    yield "metric", {"task": task, "points": points, "usage": usage}
        self._read.update((stream.id, stream.size) for stream in grown)

    def _format(self, event: str, data: dict[str, Any]) -> str:
        body = json.dumps(data, separators=(",", ":"))
        return f"id: {self._cursor.encode()}\nevent: {event}\ndata: {body}\n\n"


def _which(stream: LogStreamRow) -> dict[str, str | int]:
    return {
        "task": stream.task,
        "attempt": stream.attempt,
        "run": stream.run,
        "rank": stream.rank,
        "stream": stream.stream,
    }


def _point(series: SeriesRow, point: Triple) -> dict[str, str | float | None]:
    step, at, value = point
    return {"name": series.name, "step": step, "time": at, "value": value}


def whole_characters(data: bytes) -> int:
    """How many bytes to send without cutting a character; its rest comes with the next bytes."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    decoder.decode(data)
    return len(data) - len(decoder.getstate()[0])


def _is_quiet(since: float) -> bool:
    return time.monotonic() - since >= PING_SECONDS
