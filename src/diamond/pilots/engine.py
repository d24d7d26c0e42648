"""What an engine does for a pilot: it reaches the nodes, starts programs there, and says what became of them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Protocol, Sequence, Union

from diamond.pilots.journal import Node


@dataclass(frozen=True)
class Launch:
    """One program on one node. Ranks on further nodes are started by the program itself."""

    id: str
    node: str
    words: List[str]
    folder: str
    """Where it runs, and where `native.log` is written."""
    environment: Dict[str, str]
    """What differs from the environment of the pilot's job; see `inherited`."""
    seconds: float
    """It is ended after so long."""
    after: str = ""
    """It begins when the program of this id ends, on the same cores: a short one must not wait for its turn to be written down."""
    cores: List[int] = field(default_factory=list)
    """It is bound to these; empty: to none."""
    lean: Optional[Dict[str, Any]] = None
    """What the node itself notes in the run directory, for a program without a batch script."""

    def data(self) -> Dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Begun:
    """`at`: the node's clock."""

    id: str
    at: float


@dataclass(frozen=True)
class Over:
    id: str
    code: int
    """The exit code, or minus the signal."""
    reason: str
    at: float


@dataclass(frozen=True)
class GivenBack:
    """It had not begun, and will not."""

    id: str


@dataclass(frozen=True)
class NodeUp:
    node: Node


@dataclass(frozen=True)
class NodeDown:
    """What ran there is gone. The engine brings the node back if it can."""

    name: str
    why: str = ""


Event = Union[Begun, Over, GivenBack, NodeUp, NodeDown]


class EngineFailed(Exception):
    """The engine cannot be started, or cannot be reached any more: everything it ran is gone."""


class Engine(Protocol):
    """Between the pilot's program and the nodes of its allocation. Calls return at once; `events` is how time passes."""

    def open(self) -> None:
        """Begin to reach the nodes; each one that is there is a `NodeUp`. Raises `EngineFailed`."""

    def start(self, launches: Sequence[Launch]) -> None:
        """Each id is started once, whatever becomes of node or engine."""

    def kill(self, name: str, node: str, *, at_once: bool) -> None:
        """Ask for the end: SIGTERM, and SIGKILL some seconds later. Too late is fine."""

    def take_back(self, name: str, node: str) -> None:
        """One that was to begin after another: a `GivenBack`, unless it has begun."""

    def events(self, seconds: float) -> List[Event]:
        """What happened, waiting up to `seconds` for the first. Raises `EngineFailed`."""

    def close(self) -> None:
        """End everything that still runs, and the engine."""


def inherited(environment: Mapping[str, str]) -> Dict[str, str]:
    """The environment of the pilot's job without what concerns the pilot alone: a stage has its own."""
    own = environment.get("VIRTUAL_ENV", "")
    kept = {
        name: value
        for name, value in environment.items()
        if not name.startswith(("DIAMOND_", "PYTHON", "DASK_", "BASH_FUNC_diamond"))
        and name not in ("VIRTUAL_ENV", "OLDPWD", "PWD", "SHLVL", "_")
    }
    folders = environment.get("PATH", "").split(":")
    kept["PATH"] = ":".join(each for each in folders if not own or not each.startswith(own + "/"))
    return kept
