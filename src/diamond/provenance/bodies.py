"""What each kind of entry says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar

from diamond.core.decoding import decode
from diamond.provenance.entries import Entry

Body = TypeVar("Body")


@dataclass(frozen=True)
class CodeUsed:
    """The code that a task ran."""

    snapshot: str = ""
    """Digest of the list of its files; empty for code that the endpoint cloned."""
    git_commit: str = ""
    """The commit that the endpoint cloned."""
    commit: str = ""
    """The commit that a snapshot was taken from."""
    is_dirty: bool = False
    diff: str = ""
    """Digest of the changes since that commit."""
    files: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class InputUsed:
    """Data that a task read. Without a tree it is a path whose content nobody vouches for: not versioned."""

    name: str
    tree: str = ""
    """Digest of its manifest."""
    version: str = ""
    """As it was named: era5@v2."""

    @property
    def is_versioned(self) -> bool:
        return bool(self.tree)


@dataclass(frozen=True)
class TaskSubmitted:
    """What a person asked for, and what became of it. Sealed: who, endpoint, project; spec and order with their paths."""

    task: str
    job: str
    name: str
    kind: str
    spec: dict[str, Any]
    """As given."""
    order: dict[str, Any]
    """As resolved."""
    digest: str
    """Of the order."""
    diamond: str
    """The version of Diamond."""
    code: CodeUsed | None = None
    inputs: list[InputUsed] = field(default_factory=list)
    params: dict[str, Any] = field(default_factory=dict)
    seeds: dict[str, str] = field(default_factory=dict)
    """That can be seen in parameters and variables."""
    plan: dict[str, Any] | None = None
    retry_of: str = ""
    is_rebuilt: bool = False
    """Made later from what was stored, as the task is older than its record."""


@dataclass(frozen=True)
class OrderResolved:
    """What was left open when it was submitted is known: an image, a node count. Sealed: order."""

    digest: str
    order: dict[str, Any]
    why: str = ""


@dataclass(frozen=True)
class ImageUsed:
    identity: str
    """Digest of its recipe."""
    sha256: str
    """Of its file."""
    format: str
    runtime: str = ""
    platform: str = ""
    python: str = ""
    base: str = ""
    base_digest: str = ""
    lock: str = ""
    """Digest of the text of its lock; the text is kept with the records."""
    packages: str = ""
    """Digest of the list of its packages, kept alike."""
    recipe: str = ""
    """Digest of its recipe as text, kept alike: with it the image can be built again after it was deleted."""


@dataclass(frozen=True)
class Gpu:
    name: str
    memory_mb: int = 0


@dataclass(frozen=True)
class FactsSeen:
    """What the job side saw of the machine and of its own process. Sealed: host, nodes, inputs."""

    attempt: str
    run: int
    cpu: str = ""
    cores: int = 0
    memory_mb: int = 0
    gpus: list[Gpu] = field(default_factory=list)
    driver: str = ""
    cuda: str = ""
    kernel: str = ""
    system: str = ""
    architecture: str = ""
    python: str = ""
    libraries: dict[str, str] = field(default_factory=dict)
    """Those that the program had loaded, with versions."""
    packages: str = ""
    """Digest of the list of all packages it could load."""
    seeds: dict[str, str] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    """That decide how numbers come out: deterministic algorithms, TF32, threads."""
    inputs: dict[str, str] = field(default_factory=dict)
    """Digests of the files of small data, by name and path."""


@dataclass(frozen=True)
class RunEnded:
    run: int
    started: float | None = None
    ended: float | None = None
    exit_code: int | None = None


@dataclass(frozen=True)
class AttemptEnded:
    """One batch-system job of the task. Sealed: nodes, native_id."""

    attempt: str
    number: int
    reason: str = ""
    queued: float | None = None
    started: float | None = None
    ended: float | None = None
    exit_code: int | None = None
    script: str = ""
    """Digest of its batch script."""
    runs: list[RunEnded] = field(default_factory=list)


@dataclass(frozen=True)
class TaskEnded:
    """The end of the task; a later one refines the reason. Sealed: message."""

    state: str
    reason: str = ""
    exit_code: int | None = None
    signal: int | None = None
    created: float = 0.0
    started: float | None = None
    ended: float | None = None
    attempts: int = 0
    node_hours: float = 0.0
    plan: dict[str, Any] | None = None
    """What was planned, beside what happened."""


@dataclass(frozen=True)
class Value:
    last: Any
    """A number, or the word nan or inf."""
    min: Any = None
    max: Any = None
    step: Any = None


@dataclass(frozen=True)
class MetricsSeen:
    """The last, smallest and largest value of each metric, and the energy the machine reported. A later entry replaces it."""

    values: dict[str, Value] = field(default_factory=dict)
    energy_joules: float | None = None


@dataclass(frozen=True)
class ResultLeft:
    """Something that the task made, registered as a tree."""

    tree: str
    name: str
    kind: str = "result"
    files: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class TaskReproduced:
    """A second run of it has ended. Sealed: task."""

    verdict: str
    evidence: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class RecordImported:
    """Where a record that was made elsewhere comes from."""

    source: str
    """crate, mlflow or wandb."""
    digest: str
    """Of the file it was read from."""
    about: dict[str, Any] = field(default_factory=dict)


def body_of(entry: Entry, kind: type[Body]) -> Body:
    """The body as its class, with the sealed values that the reader has. Raises `BadRequest`."""
    return decode(kind, entry.opened, f"entry {entry.n}")
