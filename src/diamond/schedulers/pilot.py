"""A pilot as a batch system: submitting appends a request, the journal says what became of it. See docs/internals/pilots.md."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Collection, Dict, List, Mapping, NamedTuple, Optional, Protocol

from diamond.core.batch_systems import BatchAbilities, ScriptVariables
from diamond.core.decoding import decode
from diamond.core.errors import BadRequest, NotFound, Refused, Unanswered
from diamond.core.native import NativeStatus
from diamond.core.order import Resources, resources_from
from diamond.core.task import Reason
from diamond.pilots import journal
from diamond.pilots.journal import Ended, ExecutionState, History, Node, read_entry
from diamond.pilots.json_lines import Appender, Tail
from diamond.pilots.packing import Packing, ask_of
from diamond.pilots.requests import (
    Cancel,
    Close,
    Execution,
    Lean,
    Request,
    Run,
    read_request,
    request_line,
)
from diamond.pilots.surroundings import JOB_ID, NODES, SECONDS, launch_environment, native_id
from diamond.schedulers.base import NativeTools, Submission

CLOSED_CODE = Reason.PILOT_CLOSED.value
LEAN_FILE = "lean.json"
WAITING = "waiting for the pilot"
_MEANINGS = {
    journal.TIME_LIMIT: (Reason.WALL_TIME, "it reached its own time limit"),
    journal.WALL_TIME: (Reason.WALL_TIME, "the time of its pilot's allocation was over"),
    journal.OUT_OF_MEMORY: (Reason.OUT_OF_MEMORY, "it used more memory than it had"),
    journal.CANCELLED: (Reason.BY_SITE, "it was cancelled in its pilot"),
    journal.NODE_LOST: (Reason.NODE_LOST, "the node it ran on, or what watched it there, was lost"),
    journal.NO_ROOM: (Reason.REFUSED, "no node of its pilot is large enough for it"),
    journal.ENGINE: (Reason.NODE_LOST, "the engine inside its pilot ended"),
}


class Fate(NamedTuple):
    """How an allocation of a pilot ended."""

    reason: Reason
    message: str


class KnowsPilots(Protocol):
    """What the agent knows of the tasks that are pilots."""

    def is_over(self, pilot: str) -> bool:
        """No allocation of it runs or will follow; also of one that nobody knows."""

    def fate(self, pilot: str, allocation: str) -> Optional[Fate]:
        """How this allocation ended; None while it may still run."""


class _Ends:
    """What is known of the end of one pilot, asked for once for all that runs and waits in it."""

    def __init__(self, knows: KnowsPilots, pilot: str) -> None:
        self._knows, self._pilot = knows, pilot
        self._fates: Dict[str, Optional[Fate]] = {}
        self._is_over: Optional[bool] = None

    @property
    def is_over(self) -> bool:
        if self._is_over is None:
            self._is_over = self._knows.is_over(self._pilot)
        return self._is_over

    def fate(self, allocation: str) -> Optional[Fate]:
        if allocation not in self._fates:
            self._fates[allocation] = self._knows.fate(self._pilot, allocation)
        return self._fates[allocation]


class Surroundings(NamedTuple):
    """Where an execution runs: the id of its pilot's own job, its nodes, and the variables that tell it so."""

    allocation: str
    nodes: List[str]
    variables: Mapping[str, str]


@dataclass
class _Asked:
    execution: Execution
    position: int
    """Of its line in the requests."""
    is_cancelled: bool = False


@dataclass
class _Pilot:
    """The two files of one pilot, as far as they were read."""

    folder: Path
    asked: Dict[str, _Asked] = field(default_factory=dict)
    history: History = field(default_factory=History)
    is_asked_to_close: bool = False

    def __post_init__(self) -> None:
        self._requests = Tail(str(self.folder / "requests.jsonl"))
        self._journal = Tail(str(self.folder / "journal.jsonl"))

    def read(self) -> None:
        """The journal first: what it names was asked for before."""
        while lines := self._journal.read():
            for _, line in lines:
                entry = read_entry(line)
                if entry is not None:
                    self.history.add(entry)
        while lines := self._requests.read():
            for position, line in lines:
                self._add(position, read_request(line))

    def _add(self, position: int, request: Optional[Request]) -> None:
        if isinstance(request, Run):
            self.asked.setdefault(request.execution.id, _Asked(request.execution, position))
        elif isinstance(request, Cancel) and request.id in self.asked:
            self.asked[request.id].is_cancelled = True
        elif isinstance(request, Close):
            self.is_asked_to_close = True

    def append(self, request: Request) -> None:
        appender = Appender(self._requests.path)
        try:
            appender.write([request_line(request)], durable=True)
        finally:
            appender.close()

    @property
    def is_closed(self) -> bool:
        """It has said so itself, and no allocation follows."""
        closed = self.history.closed
        return closed is not None and not closed.continues

    def was_read(self, asked: _Asked) -> bool:
        """Whether the program that has closed saw the request."""
        closed = self.history.closed
        return closed is not None and asked.position < closed.read


class PilotScheduler:
    """`tasks`: where the run directories of all tasks are."""

    name = "pilot"
    abilities = BatchAbilities(placement=())
    tools = NativeTools(job_variable=JOB_ID)

    def __init__(
        self, tasks: Path, pilots: KnowsPilots, site: Optional[ScriptVariables] = None
    ) -> None:
        self._tasks, self._knows = tasks, pilots
        self._site = site or ScriptVariables(job_id="")
        self._pilots: Dict[str, _Pilot] = {}
        self._lock = threading.RLock()

    def directives(self, submission: Submission, flags: Mapping[str, str]) -> List[str]:
        return []

    def submit(self, submission: Submission) -> str:
        name = submission.placement.pilot
        attempt = submission.name.partition("-")[2]
        with self._lock:
            pilot = self._read(name)
            if attempt in pilot.asked:
                return native_id(name, attempt)
            self._check(name, pilot, submission.resources)
            try:
                pilot.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                pilot.append(Run(_execution_of(submission, attempt)))
            except OSError as error:
                raise Unanswered(
                    f"The request could not be written: {error.strerror}",
                    "Is there room in the work folder?",
                ) from error
        return native_id(name, attempt)

    def find(self, name: str) -> Optional[str]:
        attempt = name.partition("-")[2]
        with self._lock:
            for pilot in self._names():
                if attempt in self._read(pilot).asked:
                    return native_id(pilot, attempt)
        return None

    def status(self, ids: Collection[str]) -> Mapping[str, NativeStatus]:
        statuses: Dict[str, NativeStatus] = {}
        with self._lock:
            fresh: Dict[str, _Pilot] = {}
            ends: Dict[str, _Ends] = {}
            for each in ids:
                name, _, attempt = each.partition(".")
                if not attempt:
                    continue
                fresh[name] = pilot = fresh[name] if name in fresh else self._read(name)
                known = ends.setdefault(name, _Ends(self._knows, name))
                asked = pilot.asked.get(attempt)
                if asked is not None:
                    statuses[each] = self._status(pilot, asked, known)
        return statuses

    def history(self, ids: Collection[str]) -> Mapping[str, NativeStatus]:
        return {}

    def cancel(self, native_id: str) -> None:
        self._end(native_id, kill=False)

    def kill(self, native_id: str) -> None:
        self._end(native_id, kill=True)

    def surroundings_of(self, native_id: str) -> Surroundings:
        """Where an execution runs now. Raises `NotFound`."""
        name, _, attempt = native_id.partition(".")
        with self._lock:
            pilot = self._read(name)
        state = pilot.history.executions.get(attempt)
        known = pilot.asked.get(attempt)
        if known is None or state is None or not state.shares or state.ended is not None:
            raise NotFound(f"{native_id} does not run now", "Look at the state of its task.")
        asked = known.execution
        variables = launch_environment(asked, state.shares, task=name, seconds=asked.seconds)
        return Surroundings(state.allocation, [share.node for share in state.shares], variables)

    def close(self, pilot: str) -> None:
        """Ask a pilot to finish what it has begun, and to go."""
        with self._lock:
            known = self._read(pilot)
            if not known.is_asked_to_close and known.folder.is_dir():
                known.append(Close())

    def probe(self) -> Dict[str, Dict[str, Any]]:
        scheduler = {"name": self.name, "version": "1"}
        fact = {"value": scheduler, "source": "this agent", "at": time.time()}
        return {"scheduler": fact, "free": self.free()}

    def free(self) -> Dict[str, Any]:
        return {"value": {}, "source": "this agent", "at": time.time()}

    def script_variables(self) -> ScriptVariables:
        return replace(
            self._site,
            job_id=f"${JOB_ID}",
            nodes=f"${NODES}",
            restart_count="0",
            seconds_left=f'echo "${SECONDS}"',
            has_nodes="",
            names=(*self._site.names, "DIAMOND_PILOT_*"),
        )

    def _check(self, name: str, pilot: _Pilot, asked: Resources) -> None:
        if pilot.is_closed or pilot.is_asked_to_close or self._knows.is_over(name):
            raise Refused(
                f"The pilot {name} has closed",
                "It is tried again elsewhere; nothing was started.",
                code=CLOSED_CODE,
            )
        nodes = self._nodes(name, pilot)
        wanted = ask_of(_execution(asked))
        if nodes and not Packing(nodes).could_ever_fit(wanted):
            each = max(nodes, key=lambda node: len(node.cores))
            raise Refused(
                f"No {wanted.nodes} node(s) of the pilot have {wanted.cores} cores, {wanted.gpus} GPUs "
                f"and {wanted.memory_mb} MB each",
                f"It has {len(nodes)} node(s), with up to {len(each.cores)} cores, {len(each.gpus)} GPUs "
                f"and {each.memory_mb or 'any'} MB.",
            )

    def _nodes(self, name: str, pilot: _Pilot) -> List[Node]:
        """Those of its newest allocation; before there is one, as they were asked for."""
        if pilot.history.allocations:
            return pilot.history.allocations[-1].nodes
        with contextlib.suppress(OSError, ValueError, BadRequest):
            written = json.loads((self._tasks / name / "task.json").read_text(encoding="utf-8"))
            asked = resources_from(written.get("order") or {})
            cores, gpus = list(range(asked.cpus_per_node)), list(range(asked.gpus_per_node))
            return [Node(str(n), cores, asked.memory_mb, gpus) for n in range(asked.nodes)]
        return []

    def _status(self, pilot: _Pilot, asked: _Asked, ends: _Ends) -> NativeStatus:
        execution = asked.execution
        state = pilot.history.executions.get(execution.id) or ExecutionState(execution.id)
        about = NativeStatus(
            status="queued",
            native_state="WAITING",
            message=WAITING,
            name=f"diamond-{execution.id}",
            submitted_at=execution.asked_at,
            nodes=",".join(share.node for share in state.shares),
            limit_seconds=float(execution.seconds),
        )
        if state.ended is not None:
            return self._ended(state, state.ended, about, ends)
        if state.is_claimed:
            return self._running(pilot, state, about, ends)
        return self._waiting(pilot, asked, about, ends)

    def _waiting(
        self, pilot: _Pilot, asked: _Asked, about: NativeStatus, ends: _Ends
    ) -> NativeStatus:
        is_over = pilot.is_closed or ends.is_over
        is_open = bool(pilot.history.allocations) and pilot.history.closed is None
        if asked.is_cancelled and (is_over or not is_open):
            return _end(about, "CANCELLED", *_MEANINGS[journal.CANCELLED])
        if is_over:
            return _end(about, "CLOSED", Reason.PILOT_CLOSED, "its pilot closed before it began")
        if is_open:
            return replace(about, message="waiting for room in its pilot")
        return about

    def _running(
        self, pilot: _Pilot, state: ExecutionState, about: NativeStatus, ends: _Ends
    ) -> NativeStatus:
        """Claimed and not ended: of an allocation that is over, its end is the allocation's."""
        is_newest = state.allocation == pilot.history.allocation and pilot.history.closed is None
        fate = ends.fate(state.allocation)
        if fate is not None:
            return _end(about, "LOST", *fate)
        if is_newest:
            return replace(about, status="running", native_state="RUNNING", message="")
        return replace(about, status="completing", native_state="COMPLETING", message="")

    def _ended(
        self, state: ExecutionState, ended: Ended, about: NativeStatus, ends: _Ends
    ) -> NativeStatus:
        about = replace(about, exit_code=ended.code, signal=ended.signal)
        if ended.reason == journal.NODE_LOST:
            fate = ends.fate(state.allocation)
            return _end(about, "NODE_LOST", *(fate or _MEANINGS[journal.NODE_LOST]))
        if ended.reason != journal.EXIT:
            return _end(about, ended.reason.upper(), *_MEANINGS[ended.reason])
        if ended.signal:
            return _end(about, "SIGNAL", Reason.SIGNAL, f"it was killed by signal {ended.signal}")
        if ended.code:
            message = f"it ended with exit code {ended.code}"
            return _end(about, "FAILED", Reason.EXIT_CODE, message)
        return _end(about, "COMPLETED", Reason.NONE, "")

    def _end(self, native_id: str, *, kill: bool) -> None:
        name, _, attempt = native_id.partition(".")
        with self._lock:
            pilot = self._read(name)
            asked = pilot.asked.get(attempt)
            state = pilot.history.executions.get(attempt)
            if asked is None or (state is not None and state.ended is not None):
                return
            if asked.is_cancelled and not kill:
                return
            try:
                pilot.append(Cancel(attempt, kill))
            except OSError as error:
                raise Unanswered(f"The cancel could not be written: {error.strerror}") from error

    def _read(self, name: str) -> _Pilot:
        if name not in self._pilots:
            self._pilots[name] = _Pilot(self._tasks / name / "run" / "pilot")
        pilot = self._pilots[name]
        pilot.read()
        return pilot

    def _names(self) -> List[str]:
        return sorted(place.parts[-4] for place in self._tasks.glob("*/run/pilot/requests.jsonl"))


def is_of_pilot(native_id: str) -> bool:
    """`<pilot task>.<attempt>`: no id of a batch system holds a letter before a dot and another behind it."""
    pilot, dot, attempt = native_id.partition(".")
    return bool(dot) and pilot[:1].isalpha() and attempt[:1].isalpha()


def _execution_of(submission: Submission, attempt: str) -> Execution:
    lean = _lean_of(submission.folder)
    asked = _execution(submission.resources)
    return replace(
        asked,
        id=attempt,
        script=str(submission.script.absolute()),
        folder=str(submission.folder.absolute()),
        lean=lean,
        asked_at=round(time.time(), 3),
    )


def _execution(asked: Resources) -> Execution:
    return Execution(
        id="x",
        script="/",
        folder="/",
        nodes=asked.nodes,
        tasks_per_node=asked.tasks_per_node,
        cpus_per_task=asked.cpus_per_task,
        memory_mb=asked.memory_mb,
        gpus_per_node=asked.gpus_per_node,
        seconds=60 * asked.walltime_minutes,
    )


def _lean_of(folder: Path) -> Optional[Lean]:
    """As its stager wrote it; None for one that needs its batch script."""
    with contextlib.suppress(OSError, ValueError, BadRequest):
        return decode(Lean, json.loads((folder / LEAN_FILE).read_text(encoding="utf-8")))
    return None


def _end(about: NativeStatus, word: str, reason: Reason, message: str) -> NativeStatus:
    return replace(about, status="ended", native_state=word, reason=reason.value, message=message)
