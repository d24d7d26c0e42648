"""The order: a checked, frozen spec, as the service hands it to an agent.

Built by `compose` on the service's side; read here, with the standard library alone, by the agent.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Dict, List, Optional, Union

from diamond.core.decoding import (
    Absolute,
    DataName,
    Digest,
    Inside,
    Layout,
    Line,
    MaybeDigest,
    MaybeFormat,
    MaybeWord,
    Name,
    Variable,
    Word,
    decode,
    plain_data,
)
from diamond.core.errors import BadRequest

_PROGRAM = re.compile(r"[^-=][^=]*")
"""`env` starts it, and would take other words for an option or a variable."""


@dataclass(frozen=True)
class Resources:
    nodes: int = 1
    gpus_per_node: int = 0
    gpu_type: Line = ""
    cpus_per_task: int = 1
    memory_mb: int = 0
    """Per node; 0 leaves it to the site's default."""
    walltime_minutes: int = 60
    tasks_per_node: int = 1
    """Processes that `launch` starts on each node."""

    @property
    def cpus_per_node(self) -> int:
        return self.cpus_per_task * self.tasks_per_node


@dataclass(frozen=True)
class Launch:
    """How the processes of a task are started; `single` is one, on the first node."""

    kind: Word = "single"
    starts_ranks: bool = False
    """The command itself calls the launcher of this kind."""
    hang_seconds: int = 0
    """Without a step for this long it is ended; 0: by the rule of the longest gap."""


@dataclass(frozen=True)
class Placement:
    """Where within an endpoint, and who pays. Empty means: the site's default."""

    partition: Line = ""
    account: Line = ""
    qos: Line = ""
    reservation: Line = ""
    constraint: Line = ""
    options: Dict[Line, Line] = field(default_factory=dict)
    """Raw options of the endpoint's scheduler; Diamond's own keys never appear here."""
    pilot: MaybeWord = ""
    """The task of the pilot, on the same endpoint, that it runs in; empty: a batch job of its own."""


@dataclass(frozen=True)
class Code:
    """A snapshot by content, or a git commit that the agent clones as the person."""

    snapshot: MaybeDigest = ""
    """sha256 of the manifest."""
    git_url: Line = ""
    git_commit: Line = ""


@dataclass(frozen=True)
class EnvironmentFile:
    """A file laid into an image: its text, or the sha256 of a blob."""

    to: str
    text: str = ""
    digest: MaybeDigest = ""
    mode: int = 0o644


@dataclass(frozen=True)
class Environment:
    """What a program runs inside, as a person wrote it (docs/internals/images.md). Without `base`: no container."""

    requirements: List[str] = field(default_factory=list)
    python: Line = ""
    """A version such as 3.11; empty takes the endpoint's or the base's own."""
    variables: Dict[Variable, str] = field(default_factory=dict)
    base: Line = ""
    accelerator: Line = ""
    system: List[str] = field(default_factory=list)
    lock: str = ""
    """The text of a lock with hashes; empty: resolved by the endpoint."""
    inherit: bool = False
    """Whether the Python packages of the base are seen too."""
    files: List[EnvironmentFile] = field(default_factory=list)
    commands: List[str] = field(default_factory=list)
    test: str = ""
    labels: Dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Build:
    """An image to be built. The endpoint fills in what is empty."""

    environment: Environment = field(default_factory=Environment)
    runtime: MaybeWord = ""
    base_digest: Line = ""
    upgrade: bool = False
    """Resolve base and lock again, even if they are known."""


@dataclass(frozen=True)
class Image:
    """An image to run inside: exactly this file. A virtual environment has none, and is known by its recipe."""

    identity: MaybeDigest = ""
    sha256: MaybeDigest = ""
    format: MaybeFormat = ""
    """squashfs, docker-archive or venv; empty: the file says it."""
    variables: Dict[Variable, str] = field(default_factory=dict)
    """Set inside the container, below those of the spec."""
    path: List[Absolute] = field(default_factory=list)
    """Folders in front of PATH inside the container."""


@dataclass(frozen=True)
class OrderedTree:
    """Data to read: exactly the tree with this digest, which must be on the machine."""

    digest: Digest
    layout: Layout = "files"
    cache: MaybeWord = ""
    """`node`: copied to the node's own disk before the program starts; empty: read where it is."""
    file: Inside = ""
    """The tree is this one file, and the program reads the file itself; empty: a folder."""


MANY_ATTEMPTS = 100
"""The limit of attempts if the person sets none: a budget, or the question after three follow-ups, ends a chain long before."""
MOST_AHEAD = 12
"""More attempts of a chain never wait in a queue at once, whatever a person asks for."""


@dataclass(frozen=True)
class Continue:
    on: List[Word] = field(default_factory=list)
    pattern: str = ""
    """`from:` of the spec: a glob in the run directory; the newest match is the checkpoint."""
    lead_seconds: int = 120
    """How long before the time limit the stop flag appears; 0: measured from the last save, two minutes before there is one."""
    max_attempts: int = 4
    ahead: Union[bool, int] = 0
    """How many attempts may wait in the queue before the present one has ended; true: as the waits call for it."""

    @property
    def may_line_up(self) -> bool:
        """Whether more than one may wait at once. `True` means "as many as useful" here, although it equals 1."""
        return self.ahead is True or self.ahead > 1


@dataclass(frozen=True)
class Pilot:
    """An allocation that runs other tasks of the same person inside it (docs/internals/pilots.md)."""

    idle_seconds: int = 300
    """It closes after so long with nothing to do."""
    engine: Word = "dask"


@dataclass(frozen=True)
class Program:
    """What is executed: the words of a program, or a line for bash."""

    words: List[str] = field(default_factory=list)
    line: str = ""

    @property
    def text(self) -> str:
        """As it would be typed: what a policy judges."""
        return shlex.join(self.words) if self.words else self.line


@dataclass(frozen=True)
class Order:
    name: Line
    command: str = ""
    """A line for bash, parameters filled in and quoted."""
    argv: List[str] = field(default_factory=list)
    """Or the words of a program; never both."""
    params: Dict[str, Any] = field(default_factory=dict)
    code: Optional[Code] = None
    environment: Optional[Environment] = None
    image: Optional[Image] = None
    build: Optional[Build] = None
    data: Dict[DataName, str] = field(default_factory=dict)
    """Paths on the machine."""
    trees: Dict[DataName, OrderedTree] = field(default_factory=dict)
    """Versioned data; no name is also one of `data`."""
    secrets: List[Name] = field(default_factory=list)
    resources: Resources = field(default_factory=Resources)
    placement: Placement = field(default_factory=Placement)
    resume: Continue = field(default_factory=Continue)
    launch: Launch = field(default_factory=Launch)
    budget: Line = ""
    """A limit for all attempts together, such as 200 node-hours."""
    pilot: Optional[Pilot] = None
    """Set: this task is a pilot, and its program is Diamond's own."""

    @property
    def program(self) -> Program:
        """The one thing that is executed: the policy judges it and the launcher starts it. Raises `BadRequest`."""
        if self.argv and self.command:
            raise BadRequest("An order has a command or the words of a program, not both")
        if self.argv and not _PROGRAM.fullmatch(self.argv[0]):
            raise BadRequest(
                f"{self.argv[0][:80]!r} cannot be the name of a program",
                "It must not be empty, start with a dash or contain =.",
            )
        return Program(list(self.argv), self.command)

    @property
    def ranks(self) -> int:
        """How many processes its launch starts."""
        if self.launch.kind == "single":
            return 1
        return self.resources.nodes * self.resources.tasks_per_node

    @cached_property
    def digest(self) -> str:
        return "sha256:" + hashlib.sha256(canonical(order_data(self))).hexdigest()


def canonical(data: Any) -> bytes:
    """One byte form for equal data."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def order_data(order: Order) -> Dict[str, Any]:
    """Without what is younger than some orders and not used (`trees`, their `file`, pilots): a signed order keeps its digest."""
    data: Dict[str, Any] = plain_data(order)
    if not order.placement.pilot:
        del data["placement"]["pilot"]
    if order.pilot is None:
        del data["pilot"]
    for tree in data["trees"].values():
        if not tree["file"]:
            del tree["file"]
    if not order.trees:
        del data["trees"]
    return data


def order_from(data: Any) -> Order:
    """An order from its JSON form; fields of a newer minor version are ignored. Raises `BadRequest`."""
    order = decode(Order, data)
    program = order.program
    if order.pilot and (program.text or order.placement.pilot):
        raise BadRequest(
            "A pilot starts Diamond's own program, in an allocation of its own",
            "Leave out command, argv and placement.pilot.",
        )
    both = sorted(set(order.data) & set(order.trees))
    if both:
        raise BadRequest(
            f"{both[0]!r} names both a path and a tree", "Use a name once under data:."
        )
    return order


def resources_from(order: Dict[str, Any]) -> Resources:
    """Of an order in its JSON form, without reading the rest: lists of tasks ask for this alone."""
    return decode(Resources, order.get("resources") or {})


def placement_from(order: Dict[str, Any]) -> Placement:
    """Of an order in its JSON form, without reading the rest."""
    return decode(Placement, order.get("placement") or {})


def resume_from(order: Dict[str, Any]) -> Continue:
    """What an order in its JSON form says about continuing; an old one without `on` continues at exit code 75."""
    return decode(Continue, {"on": ["exit-75"], **(order.get("resume") or {})})


def environment_from(data: Any) -> Environment:
    """An environment from its JSON form."""
    return decode(Environment, data)


def build_from(data: Any) -> Build:
    return decode(Build, data)
