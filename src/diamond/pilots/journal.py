"""What happened in a pilot: `journal.jsonl`, the truth if everything above dies. Read as data from a job, with limits."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Dict, List, Mapping, Optional, Union

from diamond.core.decoding import Count, Id, Kind, Line, Range, decode, encode
from diamond.core.errors import BadRequest

MOST_EXECUTIONS = 1_000_000
"""A reader remembers no more."""

EXIT, TIME_LIMIT, OUT_OF_MEMORY = "exit", "time-limit", "out-of-memory"
CANCELLED, NODE_LOST, ENGINE, WALL_TIME = "cancelled", "node-lost", "engine", "wall-time"
NO_ROOM = "no-room"
"""Never begun: no node there is large enough."""
REASONS = (EXIT, TIME_LIMIT, OUT_OF_MEMORY, CANCELLED, NODE_LOST, ENGINE, WALL_TIME, NO_ROOM)

At = float
Why = Annotated[str, Kind("|".join(REASONS), f"one of {', '.join(REASONS)}")]
Small = Annotated[int, Range(0, 1 << 20)]


@dataclass(frozen=True)
class Node:
    """One node of an allocation. `gpus`: their indices there."""

    name: Line
    cores: List[Small] = field(default_factory=list)
    memory_mb: Count = 0
    gpus: List[Small] = field(default_factory=list)
    is_bound: bool = True
    """Its cores belong to the allocation alone, so that a program is bound to them; else they are only counted."""


@dataclass(frozen=True)
class Share:
    """What an execution has of one node."""

    node: Line
    cores: List[Small] = field(default_factory=list)
    gpus: List[Small] = field(default_factory=list)
    memory_mb: Count = 0


@dataclass(frozen=True)
class Opened:
    """Another allocation of the pilot begins."""

    allocation: Line
    nodes: List[Node] = field(default_factory=list)
    seconds_left: Optional[Count] = None
    """Until its time limit; None: it has none."""
    at: At = 0.0


@dataclass(frozen=True)
class Claimed:
    """From here on it is never started again. On disk before its program starts."""

    id: Id
    allocation: Line
    shares: List[Share] = field(default_factory=list)
    at: At = 0.0


@dataclass(frozen=True)
class Returned:
    """Claimed ahead and not begun: it waits again."""

    id: Id
    at: At = 0.0


@dataclass(frozen=True)
class Started:
    id: Id
    at: At = 0.0


@dataclass(frozen=True)
class Ended:
    id: Id
    reason: Why = EXIT
    code: Optional[Small] = None
    signal: Optional[Small] = None
    at: At = 0.0


@dataclass(frozen=True)
class Closing:
    """Nothing is claimed any more in this allocation."""

    why: Line = ""
    at: At = 0.0


@dataclass(frozen=True)
class Closed:
    """The program of this allocation ends. `read`: how many bytes of the requests it has seen."""

    read: Count = 0
    continues: bool = False
    """Another allocation may follow, for what is left."""
    at: At = 0.0


Entry = Union[Opened, Claimed, Returned, Started, Ended, Closing, Closed]
_KINDS = {
    "opened": Opened,
    "claimed": Claimed,
    "returned": Returned,
    "started": Started,
    "ended": Ended,
    "closing": Closing,
    "closed": Closed,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def entry_line(entry: Entry) -> Dict[str, Any]:
    return {_NAMES[type(entry)]: encode(entry)}


def read_entry(line: Mapping[str, Any]) -> Optional[Entry]:
    """None for a line that is none, or of a kind that only a newer version knows."""
    for name, kind in _KINDS.items():
        if name in line:
            try:
                entry: Entry = decode(kind, line[name])
                return entry
            except BadRequest:
                return None
    return None


@dataclass(frozen=True)
class ExecutionState:
    """What the journal says of one execution."""

    id: str
    allocation: str = ""
    shares: List[Share] = field(default_factory=list)
    claimed_at: float = 0.0
    started_at: float = 0.0
    ended: Optional[Ended] = None

    @property
    def is_claimed(self) -> bool:
        return bool(self.allocation)


@dataclass
class History:
    """The journal, folded: an entry that comes twice, or contradicts an earlier one, changes nothing."""

    executions: Dict[str, ExecutionState] = field(default_factory=dict)
    allocations: List[Opened] = field(default_factory=list)
    closing: Optional[Closing] = None
    """Of the newest allocation."""
    closed: Optional[Closed] = None
    """Of the newest allocation."""

    @property
    def allocation(self) -> str:
        """The newest one."""
        return self.allocations[-1].allocation if self.allocations else ""

    def add(self, entry: Entry) -> None:
        if isinstance(entry, Opened):
            self.allocations.append(entry)
            self.closing = self.closed = None
        elif isinstance(entry, Closing):
            self.closing = entry
        elif isinstance(entry, Closed):
            self.closed = entry
        else:
            self._add_of_execution(entry)

    def _add_of_execution(self, entry: Union[Claimed, Returned, Started, Ended]) -> None:
        known = self.executions.get(entry.id)
        if known is None and len(self.executions) >= MOST_EXECUTIONS:
            return
        state = known or ExecutionState(entry.id)
        if state.ended is not None:
            return
        if isinstance(entry, Ended):
            state = replace(state, ended=entry)
        elif isinstance(entry, Returned):
            state = state if state.started_at else ExecutionState(entry.id)
        elif isinstance(entry, Started):
            state = replace(state, started_at=state.started_at or entry.at)
        elif not state.is_claimed:
            allocation, shares = entry.allocation, entry.shares
            state = replace(state, allocation=allocation, shares=shares, claimed_at=entry.at)
        self.executions[entry.id] = state
