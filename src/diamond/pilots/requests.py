"""What a pilot is asked to do: `requests.jsonl`, written by the agent and read by the pilot's program."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Dict, List, Mapping, Optional, Union

from diamond.core.decoding import Count, Id, Kind, Range, decode, encode
from diamond.core.errors import BadRequest

Path = Annotated[str, Kind(r"/[^\x00\n]{0,4095}", "an absolute path")]
Several = Annotated[int, Range(1, 1 << 20)]


@dataclass(frozen=True)
class Lean:
    """A program that the pilot starts itself, without a batch script: one process, in the node's own system."""

    task: Id
    words: List[str]
    """What is started; not a line for a shell."""
    run_dir: Path
    inbox: Path
    training: str = ""
    number: Several = 1
    lead_seconds: Count = 0
    variables: Dict[str, str] = field(default_factory=dict)
    defaults: Dict[str, str] = field(default_factory=dict)
    """For variables that are not set."""
    path: List[str] = field(default_factory=list)
    """Folders in front of PATH."""
    call: List[str] = field(default_factory=list)
    """The same as a plain call of Python, for a process that has done its imports; empty: it is none."""
    call_variables: Dict[str, str] = field(default_factory=dict)
    """Those that `words` would set."""


@dataclass(frozen=True)
class Execution:
    """One attempt of a task, as a pilot is asked to run it."""

    id: Id
    script: Path
    folder: Path
    nodes: Several = 1
    tasks_per_node: Several = 1
    cpus_per_task: Several = 1
    memory_mb: Count = 0
    """Per node; 0: not counted."""
    gpus_per_node: Count = 0
    seconds: Several = 3600
    lean: Optional[Lean] = None
    """Set: started without its script."""
    asked_at: float = 0.0
    """When the agent wrote it down."""

    @property
    def cores(self) -> int:
        """On each of its nodes."""
        return self.tasks_per_node * self.cpus_per_task


@dataclass(frozen=True)
class Run:
    execution: Execution


@dataclass(frozen=True)
class Cancel:
    id: Id
    kill: bool = False
    """At once, without time to end."""


@dataclass(frozen=True)
class Close:
    """Finish what is claimed, begin nothing more, and go."""


Request = Union[Run, Cancel, Close]


def request_line(request: Request) -> Dict[str, Any]:
    if isinstance(request, Run):
        return {"run": encode(request.execution)}
    if isinstance(request, Cancel):
        return {"cancel": encode(request)}
    return {"close": {}}


def read_request(line: Mapping[str, Any]) -> Optional[Request]:
    """None for a line that is none, or of a kind that only a newer version knows."""
    try:
        if "run" in line:
            return Run(decode(Execution, line["run"]))
        if "cancel" in line:
            return decode(Cancel, line["cancel"])
    except BadRequest:
        return None
    return Close() if "close" in line else None
