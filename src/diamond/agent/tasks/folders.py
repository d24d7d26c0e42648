"""Task and attempt folders: the agent's memory, which anybody can read with `ls`."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import re
import shutil
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Optional

from diamond.agent.disk import (
    is_there,
    mark,
    read_json,
    read_text,
    read_words,
    write_json,
    write_whole,
)
from diamond.agent.folders import Folders, safe_id
from diamond.agent.tasks.machine.state import GO, STOP, Standing
from diamond.agent.tasks.packed import comes_in_numbers, is_packed, pack, runs_in_pilot, unpack
from diamond.core.decoding import decode
from diamond.core.errors import BadRequest
from diamond.core.native import node_names
from diamond.core.order import Order, order_from
from diamond.core.protocol import Grant, StudyShare
from diamond.core.task import Reached
from diamond.runtimes.below import below

log = logging.getLogger(__name__)

BARRED = "diamond"
"""In the place of a job's id in a claim: the agent took it."""


@dataclass(frozen=True)
class RunStart:
    """The `started` file of one run."""

    native_id: str
    node: str
    seen_at: float
    """When the file was written, by its own file system."""


@dataclass(frozen=True)
class RunExit:
    """The `exit` file of one run."""

    code: int
    seen_at: float


@dataclass(frozen=True)
class AttemptFolder:
    """`tasks/<task>/attempts/<attempt>`."""

    task: str
    attempt: str
    path: Path

    @property
    def run_dir(self) -> Path:
        return self.path.parent.parent / "run"

    @property
    def job_name(self) -> str:
        return f"diamond-{self.attempt}"

    def place(self, name: str) -> str:
        """A file in it. In a burst of jobs, joining Path objects took a third of the agent's time."""
        return f"{self.path}/{name}"

    @property
    def number(self) -> int:
        return int(self._intent.get("number", 1))

    @property
    def after(self) -> str:
        """The attempt that this one follows, where the agent made it itself; else ''."""
        return str(self._intent.get("after", ""))

    @property
    def is_early(self) -> bool:
        """Queued before its predecessor has ended; its program waits until then."""
        return bool(self._intent.get("early"))

    @property
    def is_withdrawn(self) -> bool:
        """A follow-up that was cancelled before its program began."""
        has_begun = any(self.start_of(run) for run in self.runs())
        return self.is_early and self.is_cancelled and not has_begun

    @property
    def will_never_begin(self) -> bool:
        """A follow-up that was cancelled or rejected: its number may be used again."""
        return self.is_withdrawn or (self.is_early and self.failure is not None)

    @property
    def _intent(self) -> dict[str, Any]:
        try:
            return _written_once(self.place("attempt.json"))
        except FileNotFoundError:
            return {}

    @property
    def verdict(self) -> str:
        """What follows from its end: 'go', 'stop', or '' while that is not known."""
        word = next(iter(read_words(self.place("over"))), "")
        return word if word in (GO, STOP) else ""

    @property
    def has_arrived(self) -> bool:
        return is_there(self.place("arrived"))

    @property
    def arrived_at(self) -> list[str]:
        """The nodes on which a follow-up waits, as it wrote itself: the batch system is asked less often."""
        fields = read_words(self.place("arrived"))
        return node_names(fields[3]) if len(fields) > 3 else []

    @property
    def is_known(self) -> bool:
        return is_there(self.place("attempt.json"))

    @property
    def is_closed(self) -> bool:
        return is_there(self.place("closed"))

    @property
    def is_cancelled(self) -> bool:
        return is_there(self.place("tombstone"))

    @property
    def was_submitting(self) -> bool:
        return is_there(self.place("submitting"))

    @property
    def native_id(self) -> str:
        return str((read_json(self.place("native.json")) or {}).get("native_id", ""))

    @property
    def owner(self) -> str:
        """The id of the job that holds the claim, or ''."""
        word = self.claimed_by
        return "" if word == BARRED else word

    @property
    def is_barred(self) -> bool:
        """No job of it can begin: a later attempt goes first."""
        return self.claimed_by == BARRED

    def bar(self) -> bool:
        """Take the claim as a job would; False if a job has it."""
        try:
            (self.path / "claim").mkdir()
        except FileExistsError:
            return self.is_barred
        write_whole(self.path / "claim" / "owner", f"{BARRED}\n".encode())
        return True

    @property
    def claimed_by(self) -> str:
        """The id of the job that holds the claim, BARRED, or ''."""
        return next(iter(read_words(self.place("claim/owner"))), "")

    @property
    def submitted_at(self) -> float:
        """When the batch system took it; now, while that is not written."""
        known = read_json(self.place("native.json")) or {}
        return float(known.get("submitted_at") or time.time())

    @property
    def script_digest(self) -> str:
        """Of the batch script, for the record of the task; '' if it cannot be read."""
        try:
            return "sha256:" + hashlib.sha256((self.path / "script.sh").read_bytes()).hexdigest()
        except OSError:
            return ""

    @property
    def failure(self) -> dict[str, Any] | None:
        """Why it could not be prepared: {"reason","message"}."""
        return read_json(self.place("failed.json"))

    def task_json(self) -> dict[str, Any]:
        return read_json(self.path.parent.parent / "task.json") or {}

    @property
    def share(self) -> Optional[StudyShare]:
        """Of a trial that may wait here for its turn."""
        given = self.task_json().get("share")
        try:
            return decode(StudyShare, given) if given else None
        except BadRequest:
            return None

    def order(self) -> Order:
        try:
            return _written_order(self.path.parent.parent / "task.json")
        except KeyError:
            return Order(name=self.task)

    def duplicates(self) -> list[str]:
        return _names(self.place("duplicates"))

    def runs(self) -> list[int]:
        return sorted(int(name) for name in _names(self.place("runs")) if name.isdigit())

    def run_folder(self, run: int) -> Path:
        return self.path / "runs" / str(run)

    def start_of(self, run: int) -> RunStart | None:
        file = self.place(f"runs/{run}/started")
        fields = read_words(file)
        if len(fields) < 3:
            return None
        return RunStart(native_id=fields[0], node=fields[2], seen_at=_written(file))

    def exit_of(self, run: int) -> RunExit | None:
        """A line without its end is still being written."""
        file = self.place(f"runs/{run}/exit")
        line = re.match(r"(\d+) .*\n", read_text(file))
        return RunExit(code=int(line[1]), seen_at=_written(file)) if line else None

    def remove_secrets(self) -> None:
        for run in self.runs() if self.order().secrets else ():
            shutil.rmtree(self.run_folder(run) / "secrets", ignore_errors=True)

    def write_tombstone(self) -> None:
        mark(self.path / "tombstone", durable=True)

    def write_closed(self, endpoint: str = "") -> None:
        mark(self.path / "closed", endpoint)

    def is_closed_for(self, endpoint: str) -> bool:
        """Whether the service of that endpoint had confirmed its end."""
        return bool(endpoint) and read_words(self.path / "closed") == [endpoint]

    def write_native(self, native_id: str, *, scheduler: str, at: float) -> None:
        record = {"native_id": native_id, "submitted_at": at, "scheduler": scheduler}
        write_json(self.path / "native.json", record)

    def write_verdict(self, word: str) -> None:
        """Whole or not at all, as the next attempt waits for it; the first one stays."""
        if not self.verdict:
            write_whole(self.path / "over", word.encode(), durable=True)

    @property
    def limit_seconds(self) -> float:
        """The changed time limit that the batch script knows; 0: none."""
        return float(next((word for word in read_words(self.place("limit")) if word.isdigit()), 0))

    def write_limit(self, seconds: float) -> None:
        """A time limit that was changed: the batch script reads it."""
        write_whole(self.path / "limit", f"{seconds:.0f}\n".encode())

    def write_standing(self, standing: Standing) -> None:
        """How far the task had come when this attempt was over."""
        counts = {"stalled": standing.stalled, "ended": standing.ended}
        write_json(self.path / "progress.json", {**vars(standing.reached), **counts})

    def standing(self) -> Standing | None:
        saved = read_json(self.place("progress.json"))
        if saved is None:
            return None
        stalled, ended = int(saved.pop("stalled", 0)), int(saved.pop("ended", self.number))
        return Standing(Reached(**saved), stalled, ended)

    def write_failure(self, reason: str, message: str) -> None:
        write_json(self.path / "failed.json", {"reason": reason, "message": message}, durable=True)


class TaskFolders:
    """All task folders of one work folder."""

    def __init__(self, folders: Folders) -> None:
        self.root = folders.tasks
        self._numbering = threading.Lock()
        """Attempts are made by the thread that hears commands and by the main one: a number is given once."""

    def attempt(self, task: Any, attempt: Any) -> AttemptFolder:
        return _attempt_folder(self.root, safe_id(task), safe_id(attempt))

    def attempts(self, task: str) -> list[AttemptFolder]:
        """All attempts of a task whose intent was written whole, also those that hold a tombstone only, by number."""
        self.unpack(task)
        names = _names(f"{self.root}/{safe_id(task)}/attempts")
        folders = [self.attempt(task, name) for name in names]
        known = [folder for folder in folders if folder.is_known or folder.is_cancelled]
        return sorted(known, key=lambda each: each.number) if len(known) > 1 else known

    def every_attempt(self, *, also_packed: bool = False) -> Iterator[AttemptFolder]:
        """Those of packed tasks are closed, and looked at only if asked for."""
        for task in _names(str(self.root)):
            if also_packed or not self.is_packed(task):
                yield from self.attempts(task)

    def unpacked(self) -> list[str]:
        return [task for task in _names(str(self.root)) if not self.is_packed(task)]

    def is_packed(self, task: str) -> bool:
        return is_packed(f"{self.root}/{task}")

    def unpack(self, task: str) -> None:
        """Its small files are needed again."""
        if self.is_packed(safe_id(task)):
            unpack(below(self.root, safe_id(task)))
            forget_written()

    def pack(self, task: str) -> None:
        """Keep the small files of a closed task in one, if it is of a kind that comes in numbers."""
        folder = below(self.root, safe_id(task))
        about = read_json(folder / "task.json") or {}
        with self._numbering:  # a new attempt that begins meanwhile would lose its files
            attempts = [] if self.is_packed(task) else self.attempts(task)
            if comes_in_numbers(about) and attempts and all(each.is_closed for each in attempts):
                pack(folder, in_pilot=runs_in_pilot(about))

    def has(self, task: str) -> bool:
        return below(self.root, task, "task.json").exists()

    def begun(self, task: str) -> list[AttemptFolder]:
        """All attempts, except follow-ups that have not had their turn or were cancelled before it."""
        return [each for each in self.attempts(task) if each.is_known and not self._is_ahead(each)]

    def _is_ahead(self, folder: AttemptFolder) -> bool:
        if not folder.is_early or any(folder.start_of(run) for run in folder.runs()):
            return False
        return folder.is_cancelled or not self.attempt(folder.task, folder.after).verdict

    def last_exit(self, task: str) -> float | None:
        """When the newest program of a task ended; None if none has."""
        every = [(each, run) for each in self.attempts(task) for run in each.runs()]
        exits = [each.exit_of(run) for each, run in every]
        return max((exit.seen_at for exit in exits if exit is not None), default=None)

    def grant(self, task: str) -> Grant:
        """What the service allows a chain; nothing, where the file cannot be read."""
        try:
            return decode(Grant, self._written_grant(task), "chain.json")
        except BadRequest as error:
            log.warning("%s: %s", task, error.message)
            return Grant()

    def write_grant(self, task: Any, as_sent: dict[str, Any]) -> None:
        """Most tasks have none; then nothing is written. `as_sent`: batch scripts of a newer version may read more of it."""
        folder = below(self.root, safe_id(task))
        if folder.is_dir() and as_sent != self._written_grant(task):
            write_json(folder / "chain.json", as_sent, durable=True)

    def _written_grant(self, task: str) -> dict[str, Any]:
        return read_json(below(self.root, task, "chain.json")) or {}

    def doubt(self, folder: AttemptFolder, checkpoint: str) -> bool:
        """Write down a checkpoint to skip; False if that could not be."""
        try:
            write_whole(folder.run_dir.parent / "doubted", f"{checkpoint}\n".encode())
        except OSError:
            return False
        return True

    def standing_before(self, folder: AttemptFolder) -> Standing:
        """How far the task had come before this attempt."""
        number = folder.number
        earlier = [each.standing() for each in self.attempts(folder.task) if each.number < number]
        known = [each for each in earlier if each is not None]
        return known[-1] if known else Standing(ended=0 if earlier else number - 1)

    def record_next(
        self,
        folder: AttemptFolder,
        attempt: str,
        *,
        until: int,
        early: bool,
        instead: AttemptFolder | None = None,
    ) -> AttemptFolder | None:
        """An attempt of the agent's own making that follows `folder`; None beyond the number `until`.

        Follow-ups that were withdrawn, and the one that this replaces (`instead`), have used up no number.
        """
        with self._numbering:
            number = max(each.number for each in self.attempts(folder.task)) + 1
            if number - self._unused(folder.task, instead) > until:
                return None
            made = self.attempt(folder.task, attempt)
            _make(made)
            _make_turns(made)
            about = {**_attempt_json(made, number), "after": folder.attempt, "early": early}
            write_json(made.path / "attempt.json", about, durable=True)
            return made

    def _unused(self, task: str, instead: AttemptFolder | None) -> int:
        """Of the attempts since the service counted: how many never had nodes and never will."""
        counted = self.grant(task).counted
        if counted is None:
            return 0
        later = [each for each in self.attempts(task) if each.number > counted]
        gone = [
            each
            for each in later
            if each.is_withdrawn or (instead and each.attempt == instead.attempt)
        ]
        return sum(not each.has_arrived for each in gone)

    def take(
        self, task: Any, attempt: Any, number: int, task_json: dict[str, Any]
    ) -> AttemptFolder | None:
        """`record`, unless another attempt of the task has this number: then None.

        Raises `BadRequest` for another order than the task's own: what was allowed must be what is run.
        """
        with self._numbering:
            folder = self.attempt(task, attempt)
            if self.rival(folder, number) is not None:
                return None
            if self.has(folder.task) and not folder.is_known:
                _require_same(folder, task_json)
            return self.record(task, attempt, number, task_json)

    def record(
        self, task: Any, attempt: Any, number: int, task_json: dict[str, Any]
    ) -> AttemptFolder:
        """The intent of a submission, on disk before it is acknowledged. Repeating it is fine."""
        self.unpack(task)
        folder = self.attempt(task, attempt)
        _make(folder)
        if number > 1:
            _make_turns(folder)
        task_file = self.root / folder.task / "task.json"
        if not task_file.exists():
            write_json(task_file, task_json, durable=True)
        if not folder.is_known:
            write_json(folder.path / "attempt.json", _attempt_json(folder, number), durable=True)
        return folder

    def record_cancel(self, task: Any, attempt: Any, *, ends_task: bool = False) -> AttemptFolder:
        """Write the tombstone, even for an attempt that was never submitted. `ends_task`: no attempt follows it."""
        with self._numbering:
            self.unpack(task)
            folder = self.attempt(task, attempt)
            _make(folder)
            if ends_task:
                mark(self.root / folder.task / "ended")
            folder.write_tombstone()
        return folder

    def is_ended(self, task: str) -> bool:
        """Whether the service has ended the task by a cancel of one of its attempts."""
        return is_there(f"{self.root}/{task}/ended")

    def rival(self, folder: AttemptFolder, number: int) -> AttemptFolder | None:
        """Another attempt of the same task that has this number, and has begun or still may.

        The service does not learn of every follow-up that waits and is cancelled there: it counts without them.
        """
        for other in self.attempts(folder.task):
            is_other = other.attempt != folder.attempt and other.is_known
            if is_other and other.number == number and not other.will_never_begin:
                return other
        return None


@lru_cache(maxsize=4096)
def _attempt_folder(root: Path, task: str, attempt: str) -> AttemptFolder:
    return AttemptFolder(task, attempt, below(root, task, "attempts", attempt))


@lru_cache(maxsize=256)
def _written_order(task_file: Path) -> Order:
    """Read once: a task's order never changes. Raises KeyError while it is not there."""
    return order_from((read_json(task_file) or {})["order"])


@lru_cache(maxsize=256)
def _written_once(file: str) -> dict[str, Any]:
    """Of a file that never changes. Raises FileNotFoundError while it is not there."""
    saved = read_json(file)
    if saved is None:
        raise FileNotFoundError(file)
    return saved


def forget_written() -> None:
    """Task folders were removed: one of the same name would be another task."""
    _written_order.cache_clear()
    _written_once.cache_clear()


def _require_same(folder: AttemptFolder, task_json: dict[str, Any]) -> None:
    if order_from(task_json["order"]).digest != folder.order().digest:
        raise BadRequest(f"Task {folder.task} began with another order")


def _make(folder: AttemptFolder) -> None:
    attempts = folder.path.parent
    runs = folder.path / "runs"
    # From the top down: `parents=True` would try each from below first.
    for place in (attempts.parent, attempts, folder.path, runs, runs / "1", folder.run_dir):
        with contextlib.suppress(FileExistsError):
            place.mkdir(mode=0o700)


def _make_turns(folder: AttemptFolder) -> None:
    """Where each attempt after the first notes that its program begins."""
    (folder.run_dir.parent / "turns").mkdir(mode=0o700, exist_ok=True)


def _attempt_json(folder: AttemptFolder, number: int) -> dict[str, Any]:
    resume = folder.order().resume
    return {
        "version": 1,
        "attempt": folder.attempt,
        "number": number,
        "job_name": folder.job_name,
        "resume_from": resume.pattern,
        "deadline_lead_seconds": resume.lead_seconds,
    }


def _names(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))  # noqa: PTH208
    except OSError:
        return []


def _written(file: str) -> float:
    try:
        return os.stat(file).st_mtime  # noqa: PTH116
    except OSError:
        return 0.0
