"""Sends logs and metrics by offset: nothing lost, nothing doubled, and never in the way of a cancel."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from diamond.agent.link.carriers import Link, answer_data, message_bytes
from diamond.agent.output.redacted_steps import redact_steps
from diamond.agent.tasks.machine.verdicts import LATE_SECONDS
from diamond.core import facts
from diamond.core.agent_messages import StreamPart, StreamParts
from diamond.core.decoding import decode
from diamond.core.kept import HEAD_BYTES, MOST_RANKS, TAIL_BYTES, own_log
from diamond.core.protocol import BytesTaken

log = logging.getLogger(__name__)

CALL_BYTES = 1_000_000
FIRST_BYTES = 65_536
"""The service may have more than a new agent knows, so the first part of a stream is small."""
QUICK_SECONDS, SLOW_SECONDS, RECORD_SECONDS = 0.2, 1.0, 2.0
"""How often the agent reads a busy log, a quiet log among many, and metrics. Those of trials are read like logs: a node
is given back sooner."""
QUIET_AFTER = 5.0
MANY_RUNS = 20
LAST_LOOK_SECONDS = 10.0
"""A shared file system may show the last bytes of another node late."""

LOGS = {"stdout": "stdout.log", "stderr": "stderr.log"}
STEPS = {"steps": "steps.jsonl"}
"""What a build reports about its steps; sent as often as a log."""
RECORDS = {"metrics": "metrics.jsonl", "tensorboard": "tensorboard.jsonl", "usage": "usage.jsonl"}
FACTS = {facts.STREAM: facts.FILE}
"""Only to a service that says it takes them: an older one would reject the whole call."""
OFTEN = frozenset({*LOGS, *STEPS})


@dataclass
class Stream:
    """One growing file. `offset` is how much the service has."""

    task: str
    attempt: str
    run: int
    name: str
    path: Path
    rank: int = 0
    is_awaited: bool = False
    """Something is decided by it: it is read as often as a log."""
    offset: int = 0
    is_known: bool = False
    """The service has said how much it has."""
    grew_at: float = field(default_factory=time.monotonic)
    looked_at: float = 0.0
    ended_at: float | None = None
    patience: float = LAST_LOOK_SECONDS
    is_done: bool = False

    def is_due(self, now: float, *, many: bool) -> bool:
        interval = QUICK_SECONDS
        if not (self.name in OFTEN or self.is_awaited or self._has_just_ended):
            interval = RECORD_SECONDS
        elif (many and now - self.grew_at > QUIET_AFTER) or self._is_read(now):
            interval = SLOW_SECONDS
        return not self.is_done and now - self.looked_at >= interval - 0.01

    @property
    def _has_just_ended(self) -> bool:
        """Its end is not reported before its last lines are sent."""
        return self.ended_at is not None and self.looked_at < self.ended_at + SLOW_SECONDS

    def _is_read(self, now: float) -> bool:
        """To its end, as far as can be seen."""
        return self.ended_at is not None and now - max(self.ended_at, self.grew_at) > SLOW_SECONDS

    def look(self, now: float) -> int:
        """How many bytes the service does not have."""
        self.looked_at = now
        try:
            behind = self._size() - self.offset
        except OSError:
            behind = 0
        if behind > 0:
            self.grew_at = now
        elif self.ended_at is not None and now - max(self.ended_at, self.grew_at) > self.patience:
            self.is_done = True
        return max(behind, 0)

    def is_whole(self) -> bool:
        """Whether the service has all of the file as it is now."""
        try:
            return self.offset >= self._size()
        except OSError:
            return True

    def _size(self) -> int:
        """As far as it is sent: facts are few, whatever a program writes there."""
        size = self.path.stat().st_size
        return min(size, facts.MOST_BYTES) if self.name in FACTS else size

    def take(self, behind: int, room: int) -> tuple[StreamPart, bytes]:
        """The next part, at most `room` bytes."""
        offset, jump = self.offset, 0
        if self.name in LOGS and self.is_known:
            offset, jump = _next_offset(self.offset, behind)
        limit = min(room, behind - jump) if self.is_known else min(room, behind, FIRST_BYTES)
        if self.name in LOGS and offset < HEAD_BYTES < offset + limit and behind > TAIL_BYTES:
            limit = HEAD_BYTES - offset
        with self.path.open("rb") as source:
            source.seek(offset)
            content = source.read(limit)
        return self._part(offset, len(content), skipped=jump > 0), content

    def confirm(self, offset: int) -> None:
        self.offset, self.is_known = offset, True

    def _part(self, offset: int, length: int, *, skipped: bool) -> StreamPart:
        return StreamPart(
            task=self.task,
            attempt=self.attempt,
            run=self.run,
            rank=self.rank,
            stream=self.name,
            offset=offset,
            length=length,
            skipped=skipped,
        )


class Streams:
    """All streams of all runs."""

    def __init__(self, may_leave: Callable[[], bool] = lambda: True) -> None:
        self._may_leave = may_leave
        self._lock = threading.Lock()
        self._streams: dict[tuple[str, int], list[Stream]] = {}
        self._takes_facts = False
        self.pause = SLOW_SECONDS
        """Seconds until the next look: longer among many runs, to stay polite on a login node."""

    def take_facts(self, is_taken: bool) -> None:
        """Whether the service takes what runs note for the record."""
        self._takes_facts = is_taken

    def follow(
        self,
        task: str,
        attempt: str,
        run: int,
        folder: Path,
        *,
        is_build: bool = False,
        is_trial: bool = False,
        ranks: int = 1,
    ) -> None:
        """Send the files of a run from now on. Repeats are harmless."""
        with self._lock:
            if (attempt, run) not in self._streams:
                more = {**(STEPS if is_build else {}), **(FACTS if self._takes_facts else {})}
                names = {**LOGS, **RECORDS, **more}.items()
                made = [Stream(task, attempt, run, name, folder / file) for name, file in names]
                for stream in made:
                    stream.is_awaited = is_trial and stream.name == "metrics"
                made += [
                    Stream(task, attempt, run, name, folder / rank_log(rank, name), rank)
                    for rank in range(1, min(ranks, MOST_RANKS))
                    for name in LOGS
                ]
                self._streams[attempt, run] = made

    def ended(self, attempt: str, run: int, *, exit_seen: bool) -> None:
        """The run is over: its files are sent to their end, then left alone."""
        for stream in self._streams.get((attempt, run), ()):
            stream.patience = LAST_LOOK_SECONDS if exit_seen else LATE_SECONDS
            if stream.ended_at is None:
                stream.ended_at = time.monotonic()

    def are_done(self, attempt: str) -> bool:
        with self._lock:
            mine = [
                s for key, streams in self._streams.items() if key[0] == attempt for s in streams
            ]
        return all(stream.is_done for stream in mine)

    def have_arrived(self, attempt: str, run: int, names: Collection[str]) -> bool:
        """Whether the service has all of these streams that there is now, or gets none of it."""
        streams = [each for each in self._streams.get((attempt, run), ()) if each.name in names]
        return bool(streams) and all(each.is_done or each.is_whole() for each in streams)

    def forget(self, attempt: str) -> None:
        with self._lock:
            for key in [key for key in self._streams if key[0] == attempt]:
                del self._streams[key]

    def start_again(self, tasks: Iterable[str]) -> None:
        """The service may have forgotten bytes of these tasks: a part from the beginning asks how much it has."""
        wanted = set(tasks)
        for stream in self._all():
            if stream.task in wanted:
                stream.offset, stream.is_known, stream.is_done = 0, False, False

    def send(self, link: Link) -> bool:
        """One call with what is due; False when nothing was."""
        redacted = not self._may_leave()
        if redacted:
            self._leave_here()
        parts, contents, streams = self._collect(time.monotonic(), redacted=redacted)
        if not parts:
            return False
        head = message_bytes(StreamParts(parts)) + b"\n"
        answer = link.call("bytes", head + b"".join(contents))
        taken = decode(BytesTaken, answer_data("bytes", answer))
        for stream, offset in zip(streams, taken.have):
            stream.confirm(offset)
        return True

    def _leave_here(self) -> None:
        """The machine's policy keeps logs and metrics here: do not wait for them."""
        for stream in self._all():
            if stream.name not in STEPS:
                stream.is_done = stream.ended_at is not None

    def _all(self) -> list[Stream]:
        with self._lock:
            return [stream for streams in self._streams.values() for stream in streams]

    def _collect(
        self, now: float, *, redacted: bool
    ) -> tuple[list[StreamPart], list[bytes], list[Stream]]:
        parts, contents, streams = [], [], []
        wanted = [each for each in self._all() if each.name in STEPS or not redacted]
        room, everything = CALL_BYTES, [stream for stream in wanted if not stream.is_done]
        many = len(everything) > MANY_RUNS * (len(LOGS) + len(RECORDS))
        self.pause = (2 * QUICK_SECONDS if many else QUICK_SECONDS) if everything else SLOW_SECONDS
        due = [stream for stream in everything if stream.is_due(now, many=many)]
        behind = [(stream, count) for stream in due for count in [stream.look(now)] if count]
        for position, (stream, count) in enumerate(behind):
            share = room // (len(behind) - position)
            if share <= 0:
                break
            try:
                part, content = stream.take(count, share)
            except OSError as error:
                log.warning("%s cannot be read: %s", stream.path, error.strerror)
                continue
            if redacted:
                content = redact_steps(content)
                part = replace(part, length=len(content))
            if not content:
                continue
            room -= len(content)
            parts.append(part)
            contents.append(content)
            streams.append(stream)
            stream.looked_at = 0.0
        return parts, contents, streams


def rank_log(rank: int, stream: str) -> str:
    """The file of a rank's own log; rank 0 has the run's log, with the lines of all ranks."""
    return own_log(rank, stream) if rank else LOGS[stream]


def _next_offset(offset: int, behind: int) -> tuple[int, int]:
    """Where to continue, and how many bytes that skips: head and tail are sent, the middle stays here."""
    if offset < HEAD_BYTES or behind <= TAIL_BYTES:
        return offset, 0
    jump = behind - TAIL_BYTES
    return offset + jump, jump
