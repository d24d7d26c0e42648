"""Images: what was built, what is inside, where it is, and how it is made."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, WithJsonSchema

from diamond.compose.profile_facts import Runtime
from diamond.service.platform.http.schemas import NAME_PATTERN, SHAPE, Body, Fault
from diamond.service.tasks.schemas import Task

EnvironmentData = Annotated[dict[str, Any], WithJsonSchema({SHAPE: "Environment"})]
StepState = Literal["waiting", "running", "cached", "done", "failed"]
MoveState = Literal["waiting", "running", "done", "failed", "cancelled"]


class ImageBase(BaseModel):
    reference: str = ""
    """As a person wrote it."""
    digest: str = ""


class ImageBuilt(BaseModel):
    at: float | None = None
    seconds: float | None = None
    host: str = ""
    user: str = ""
    runtime: str = ""


class ImageCopy(BaseModel):
    """One file (or virtual environment) of an image on an endpoint."""

    endpoint: str
    format: Literal["squashfs", "docker-archive", "venv"]
    sha256: str
    size: int
    file: str
    runtime: str
    shared: bool
    """Whether it is in a folder that a group of people reads."""
    at: float


class ImageMove(BaseModel):
    """A file on its way: to an endpoint, to a registry, from a registry."""

    id: str
    kind: Literal["copy", "push", "pull"]
    image: str | None
    """Of a pull: known once it is there."""
    endpoint: str
    """Where it acts."""
    source: str
    """Of a copy: the endpoint that sends it; '' where the service has the file already."""
    reference: str
    words: str
    """Why this way, for a person."""
    state: MoveState
    bytes: int
    size: int
    message: str
    created: float
    updated: float


class Image(BaseModel):
    id: str
    name: str
    """'' once a newer image has taken the name."""
    owner: str
    identity: str
    """Of the recipe: two files of one identity were built from the same things."""
    platform: str
    environment: EnvironmentData
    base: ImageBase
    python: str
    size: int
    packages: int
    """How many are inside; `contents` lists them."""
    labels: dict[str, str]
    built: ImageBuilt
    build: str | None
    """The task that built it."""
    created: float
    updated: float
    copies: list[ImageCopy]
    moves: list[ImageMove]
    """Those that have not ended, and failures of the last day."""
    uses: int
    in_use: int
    """Tasks that use it and have not ended."""
    differences: list[str]
    """Where two builds of this identity differ, a sentence each."""


class Package(BaseModel):
    name: str
    version: str


class Contents(BaseModel):
    python: list[Package]
    system: list[Package]


class FieldChange(BaseModel):
    field: str
    a: str
    b: str


class PackageChange(BaseModel):
    name: str
    a: str
    """'' where it is not inside."""
    b: str


class ImageDiff(BaseModel):
    a: str
    b: str
    fields: list[FieldChange]
    """Base, platform, Python version, variables, commands …: what the recipes say otherwise."""
    python: list[PackageChange]
    system: list[PackageChange]


class RenameImage(Body):
    name: str = Field(pattern=NAME_PATTERN)


class BuildRequest(Body):
    environment: EnvironmentData
    name: str = Field(default="", pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]{0,62})?$")
    """The image's name; '' for one of its own."""
    endpoint: str = "auto"
    """NAME or NAME/PARTITION."""
    runtime: Runtime = ""
    """'': the environment's, else the site's preference."""
    upgrade: bool = False
    """Resolve base and lock again, even if they are known."""
    account: str = "auto"
    resources: dict[str, Any] = {}
    """As in a spec; left out: 1 node, 2 cores, an hour."""


class ResumeRequest(Body):
    """What to change before the build continues; nothing: try the same again."""

    environment: EnvironmentData | None = None
    edits: dict[str, str] = {}
    """Or by the names of steps: `base`, `system` and `python` (a package a line), `command-2`, `test`."""


class BuildStep(BaseModel):
    name: str
    title: str
    state: StepState
    editable: str
    """The text to edit in the debugger; '' for what has none (variables, files, pack)."""
    started: float | None = None
    seconds: float | None = None
    expected_seconds: float | None = None
    """As long as it took in the last builds there; null where nothing like it was built, or the build is over."""
    exit_code: int | None = None
    log_from: int | None = None
    """Where its words begin in the log `stdout` of this run."""
    log_to: int | None = None


class BuildStanding(BaseModel):
    """How far a build is, while it runs."""

    step: int
    """The one that runs, from 1 on; 0 before the first."""
    steps: int
    percent: int | None = None
    """By the times that its steps took in earlier builds there; null where some of them never ran."""
    seconds_left: float | None = None


class BuildFailure(BaseModel):
    step: str
    """'' when nothing was begun."""
    mend: str = ""
    """Then the step whose text is to be changed, where that is known."""
    exit_code: int | None = None
    cause: str = ""
    """A stable word: docs/images.md explains each."""
    message: str
    hint: str = ""
    last_lines: list[str] = []
    shell: str = ""
    """What to type on the node for a shell in the state just before; `diamond image shell` does it."""


class Build(BaseModel):
    task: Task
    name: str
    environment: EnvironmentData
    identity: str
    runtime: str
    route: str
    definition: str
    steps: list[BuildStep]
    """Of the newest run; before its first words: as planned."""
    standing: BuildStanding | None
    """None once it is over."""
    failure: BuildFailure | None
    image: str | None
    reused: bool
    """The image was there already: nothing was built."""
    resumed_from: str | None


class BuildAnswer(BaseModel):
    build: Build | None
    """None where the image is there already."""
    image: Image | None
    warnings: list[str] = []


class PreviewRequest(Body):
    environment: EnvironmentData
    endpoint: str = "auto"
    runtime: Runtime = ""


class PreviewStep(BaseModel):
    name: str
    title: str
    expected_seconds: float | None = None
    """As long as it took in the last builds there."""


class EnvironmentPreview(BaseModel):
    """An environment while it is being written. Always answers 200: `faults` says what is wrong."""

    ok: bool
    faults: list[Fault]
    runtime: str
    """The runtime that would build it there, as far as is known."""
    form: Literal["definition", "dockerfile", "script"]
    definition: str
    steps: list[PreviewStep]
    image: str | None
    """The image that is there already for just this environment."""
    yaml: str


class ImportRequest(Body):
    name: str = Field(max_length=300)
    """The file's name: requirements.txt, environment.yml, Dockerfile, NAME.def."""
    text: str = Field(max_length=2_000_000)


class ImportAnswer(BaseModel):
    environment: EnvironmentData
    yaml: str
    left_out: list[str]
    """A sentence for each thing that was not imported."""
    copies: dict[str, str]
    """Files of the person's own machine that it wants: path -> place in the image."""


class CopyRequest(Body):
    endpoint: str
    how: Literal["auto", "move", "rebuild"] = "auto"
    account: str = "auto"
    """The account that pays for a build, if one is needed."""


class CopyAnswer(BaseModel):
    how: Literal["here", "move", "rebuild"]
    words: str
    """Which way, and why."""
    move: ImageMove | None = None
    build: Task | None = None


class PushRequest(Body):
    reference: str = Field(min_length=3, max_length=500)
    """HOST[:PORT]/NAME:TAG; a squashfs goes as a SIF by ORAS, a docker-archive as an OCI image."""
    endpoint: str = ""
    """The endpoint that sends it; '' for any that has it."""


class PullRequest(Body):
    reference: str = Field(min_length=3, max_length=500)
    """oras://HOST/NAME:TAG or docker://HOST/NAME:TAG."""
    endpoint: str = "auto"
    name: str = Field(default="", pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]{0,62})?$")


class PullAnswer(BaseModel):
    move: ImageMove | None = None
    """Of a SIF: it is fetched as it is."""
    build: Build | None = None
    """Of an OCI image: it is built into this endpoint's own form."""
    image: Image | None = None


class PruneRequest(Body):
    endpoint: str
    unused_days: float = Field(default=30.0, ge=0)
    """Images without a name that no task used for this long are removed too."""
    dry_run: bool = True


class Prunable(BaseModel):
    kind: Literal["image", "venv", "layer", "base", "unfinished", "cache", "group-file"]
    name: str
    bytes: int
    why: str


class Pruned(BaseModel):
    items: list[Prunable]
    bytes: int
    dry_run: bool


class ImageEvent(BaseModel):
    id: str
    image: Image | None
    """None: it was deleted."""
    n: int
