"""The order: a checked, frozen spec, as the service hands it to an agent.

Built by `compose` on the service's side; read here, with the standard library alone, by the agent.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import Any, Callable, Dict, List, Optional, Union


@dataclass(frozen=True)
class Resources:
    nodes: int = 1
    gpus_per_node: int = 0
    gpu_type: str = ""
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

    kind: str = "single"
    starts_ranks: bool = False
    """The command itself calls the launcher of this kind."""
    hang_seconds: int = 0
    """Without a step for so long it is ended; 0: by the rule of the longest gap."""


@dataclass(frozen=True)
class Placement:
    """Where within an endpoint, and who pays. Empty means: the site's default."""

    partition: str = ""
    account: str = ""
    qos: str = ""
    reservation: str = ""
    constraint: str = ""
    options: Dict[str, str] = field(default_factory=dict)
    """Raw options of the endpoint's scheduler; Diamond's own keys never appear here."""


@dataclass(frozen=True)
class Code:
    """A snapshot by content, or a git commit that the agent clones as the person."""

    snapshot: str = ""
    """sha256 of the manifest."""
    git_url: str = ""
    git_commit: str = ""


@dataclass(frozen=True)
class EnvironmentFile:
    """A file laid into an image: its text, or the sha256 of a blob."""

    to: str
    text: str = ""
    digest: str = ""
    mode: int = 0o644


@dataclass(frozen=True)
class Environment:
    """What a program runs inside, as a person wrote it (docs/internals/images.md). Without `base`: no container."""

    requirements: List[str] = field(default_factory=list)
    python: str = ""
    """A version such as 3.11; empty takes the endpoint's or the base's own."""
    variables: Dict[str, str] = field(default_factory=dict)
    base: str = ""
    accelerator: str = ""
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
    """An image to be built. What is empty is found out by the endpoint."""

    environment: Environment = field(default_factory=Environment)
    runtime: str = ""
    base_digest: str = ""
    upgrade: bool = False
    """Resolve base and lock anew, though they are known."""


@dataclass(frozen=True)
class Image:
    """An image to run inside: by the recipe it was built from, or by its file."""

    identity: str = ""
    sha256: str = ""
    format: str = ""
    """squashfs, docker-archive or venv; empty: whichever is there."""


MANY_ATTEMPTS = 100
"""How many a chain makes at most where the person names no number: its budget, or her own word, ends it long before."""
MOST_AHEAD = 12
"""More attempts of a chain never wait in a queue at once, whatever a person asks for."""


@dataclass(frozen=True)
class Continue:
    on: List[str] = field(default_factory=list)
    pattern: str = ""
    """`from:` of the spec: a glob in the run directory; the newest match is the checkpoint."""
    lead_seconds: int = 120
    """How long before the time limit the stop flag appears; 0: measured from the last save, two minutes before there is one."""
    max_attempts: int = 4
    ahead: Union[bool, int] = 0
    """How many attempts may wait in the queue before the present one has ended; true: as the waits call for it."""

    @property
    def may_line_up(self) -> bool:
        """Whether more than one may wait at once. True is no number here, though it equals one."""
        return self.ahead is True or self.ahead > 1


@dataclass(frozen=True)
class Order:
    name: str
    command: str = ""
    """A line for bash, parameters filled in and quoted."""
    argv: List[str] = field(default_factory=list)
    """Or the words of a program; never both."""
    params: Dict[str, Any] = field(default_factory=dict)
    code: Optional[Code] = None
    environment: Optional[Environment] = None
    image: Optional[Image] = None
    build: Optional[Build] = None
    data: Dict[str, str] = field(default_factory=dict)
    secrets: List[str] = field(default_factory=list)
    resources: Resources = field(default_factory=Resources)
    placement: Placement = field(default_factory=Placement)
    resume: Continue = field(default_factory=Continue)
    launch: Launch = field(default_factory=Launch)
    budget: str = ""
    """A ceiling for all attempts together, such as 200 node-hours."""

    @property
    def ranks(self) -> int:
        """How many processes its launch starts."""
        if self.launch.kind == "single":
            return 1
        return self.resources.nodes * self.resources.tasks_per_node

    @property
    def digest(self) -> str:
        return "sha256:" + hashlib.sha256(canonical(order_data(self))).hexdigest()


def canonical(data: Any) -> bytes:
    """One byte form for equal data."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def order_data(order: Order) -> Dict[str, Any]:
    return asdict(order)


def order_from(data: Dict[str, Any]) -> Order:
    """An order from its JSON form; fields of a newer minor version are ignored."""
    given = dict(data)
    for key, read in _NESTED.items():
        if given.get(key) is not None:
            given[key] = read(given[key])
    order = _build(Order, given)
    assert isinstance(order, Order)
    return order


def resources_from(order: Dict[str, Any]) -> Resources:
    """Of an order in its JSON form, without reading the rest: lists of tasks ask for this alone."""
    resources = _build(Resources, order.get("resources") or {})
    assert isinstance(resources, Resources)
    return resources


def placement_from(order: Dict[str, Any]) -> Placement:
    """Of an order in its JSON form, without reading the rest."""
    placement = _build(Placement, order.get("placement") or {})
    assert isinstance(placement, Placement)
    return placement


def resume_from(order: Dict[str, Any]) -> Continue:
    """What an order in its JSON form says about continuing; an old one without `on` continues at exit code 75."""
    resume = _build(Continue, {"on": ["exit-75"], **(order.get("resume") or {})})
    assert isinstance(resume, Continue)
    return resume


def environment_from(data: Dict[str, Any]) -> Environment:
    """An environment from its JSON form."""
    files = [_build(EnvironmentFile, one) for one in data.get("files") or []]
    environment = _build(Environment, {**data, "files": files})
    assert isinstance(environment, Environment)
    return environment


def _build(cls: Any, data: Dict[str, Any]) -> Any:
    known = cls.__dataclass_fields__
    if data.keys() <= known.keys():
        return cls(**data)
    return cls(**{key: value for key, value in data.items() if key in known})


def _of(cls: Any) -> Callable[[Dict[str, Any]], Any]:
    return lambda data: _build(cls, data)


def build_from(data: Dict[str, Any]) -> Build:
    given = {**data, "environment": environment_from(data.get("environment") or {})}
    build = _build(Build, given)
    assert isinstance(build, Build)
    return build


_NESTED: Dict[str, Callable[[Dict[str, Any]], Any]] = {
    "code": _of(Code),
    "environment": environment_from,
    "image": _of(Image),
    "build": build_from,
    "resources": _of(Resources),
    "placement": _of(Placement),
    "resume": _of(Continue),
    "launch": _of(Launch),
}
