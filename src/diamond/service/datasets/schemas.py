"""Datasets: what enters and leaves."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from diamond.core.previews import TreePreview
from diamond.service.platform.http.schemas import NAME_PATTERN, Body

Layout = Literal["files", "archive"]
State = Literal["waiting", "running", "done", "failed", "cancelled"]
TEXT = 20_000


class DataOrigin(BaseModel):
    """What a source was when a version was fetched from it."""

    kind: Literal["web", "s3", "git", "hub"]
    address: str
    """With the commit, where it has one."""
    revision: str
    """A commit, an ETag, or a digest of a list of objects."""
    modified: str
    """When it last changed, as the source says it."""


class DatasetVersion(BaseModel):
    """One version: it never changes."""

    n: int
    name: str
    """`v2`"""
    digest: str
    """`sha256:` and the digest of its manifest."""
    files: int
    bytes: int
    source: str
    """Where it was added from."""
    origin: DataOrigin | None = None
    """Of a version that was fetched from a source."""
    created: float


class DataAddition(BaseModel):
    """Files on their way to become a version."""

    id: str
    dataset: str
    """Its id."""
    name: str
    """The dataset's name."""
    kind: Literal["scan", "upload", "import"]
    endpoint: str
    """Its name; '' if it was removed."""
    source: str
    state: State
    message: str
    named: list[str] = []
    """Files that cannot be read, changed while they were read, or differ at the source from the time before."""
    bytes: int = 0
    size: int = 0
    """All bytes, as far as is known."""
    files: int = 0
    files_done: int = 0
    rate: float = 0.0
    """Bytes a second."""
    seconds_left: float | None = None
    round: int = 0
    """Of an upload: what is wanted changes with each round; 0: nothing yet."""
    version: str = ""
    """`v3`, once it has ended well."""
    digest: str = ""
    is_new: bool = False
    """Whether it made that version; else the dataset had this content already."""
    created: float
    updated: float


class DataTransfer(BaseModel):
    """A version on its way to an endpoint."""

    id: str
    dataset: str
    version: str
    source: str
    """The endpoint that sends it; '' where it comes from elsewhere."""
    endpoint: str
    """Where it goes."""
    layout: Layout
    way: str = ""
    """shared, ssh, s3, globus or service; `convert` from another copy there, `upload` from a person's computer."""
    words: str
    """Which way it takes, and why."""
    tried: dict[str, str] = {}
    """Ways that failed before, with the reason."""
    state: State
    message: str
    bytes: int
    size: int
    moved: int
    """Bytes that had to be carried; the rest was there."""
    files: int
    files_done: int
    rate: float
    seconds_left: float | None
    created: float
    updated: float


class Dataset(BaseModel):
    id: str
    name: str
    owner: str
    """The id of a person."""
    owner_name: str
    description: str
    license: str
    project: str
    """'' outside of any project."""
    endpoints: list[str] | None
    """Names of the endpoints it may be on; None: any."""
    layout: Layout
    newest: DatasetVersion | None
    versions: list[DatasetVersion]
    """The newest first."""
    places: list[str]
    """Names of the caller's endpoints where a version is."""
    created: float
    updated: float
    uses: int = 0
    in_use: int = 0
    """Tasks of the caller that need it and have not ended."""
    additions: list[DataAddition] = []
    """Those at work, and failures of the last day."""
    transfers: list[DataTransfer] = []
    """Those at work, and failures of the last day."""


class DatasetReferred(BaseModel):
    """What a reference such as `era5`, `era5@v2` or `ada@example.org/era5` means now."""

    dataset: Dataset
    version: DatasetVersion


class DatasetPlace(BaseModel):
    """One copy of a version."""

    version: str
    digest: str
    endpoint: str
    kind: Literal["in-place", "copy", "archive"]
    layout: Layout
    path: str
    pinned: bool
    used: float
    """When a task last read it, or when it came."""
    at: float
    """Since when it is there."""
    checked: float | None = None
    """When it was last looked at."""
    changed: list[str]
    """Files that changed since they were registered: tasks cannot read it until that is resolved."""
    in_use: int = 0
    """Tasks there that need it and have not ended."""
    is_last: bool = False
    """Whether no other usable copy is known."""


class DataWay(BaseModel):
    """How the newest of the versions asked for would come to an endpoint that lacks it."""

    version: str
    endpoint: str
    way: str
    """shared, ssh, s3, globus, service or convert; '' where none leads there."""
    words: str
    """From where, how long about, and at which measured speed; or why it cannot come."""
    others: list[str] = []
    """Ways that would be tried next."""


class DatasetPlaces(BaseModel):
    items: list[DatasetPlace]
    ways: list[DataWay] = []
    """To those of the caller's endpoints that lack it."""
    advice: list[str] = []
    """What would make it kinder to a file system."""


class DatasetFile(BaseModel):
    """One entry of a folder of a version."""

    name: str
    kind: Literal["file", "folder", "link"]
    size: int = 0
    """Of a folder: of all files below."""
    files: int = 0
    """Below a folder."""
    sha256: str = ""
    target: str = ""


class DatasetListing(BaseModel):
    version: str
    folder: str
    entries: list[DatasetFile]
    next: str | None = None
    """Names behind this one are asked for with `after`."""


class AddDataRequest(Body):
    """Data that are already on an endpoint, or at a URL."""

    name: str = Field(pattern=NAME_PATTERN)
    endpoint: str = Field(default="", max_length=100)
    """Where the path is, or where the files of the URL go; '' for the default endpoint."""
    path: str = Field(default="", max_length=4096)
    """Registered in place: nothing is moved or copied."""
    url: str = Field(default="", max_length=2000)
    """http(s)://, s3://, git+https://…@COMMIT or hf://…@REVISION."""
    secret: str = Field(default="", pattern=r"^([A-Za-z_][A-Za-z0-9_]{0,63})?$")
    """The name of a secret on the endpoint with which the URL is read."""
    server: str = Field(default="", max_length=500)
    """Of S3-compatible storage or a hub; '' for the endpoint's own setting, else the usual one."""
    sha256: str = Field(default="", pattern=r"^([0-9a-f]{64})?$")
    """What the file of an http(s) URL must be."""
    unpack: bool = False
    """Archives at the URL become what they hold."""
    description: str | None = Field(default=None, max_length=TEXT)
    license: str | None = Field(default=None, max_length=200)
    layout: Layout | None = None
    project: str = Field(default="", max_length=100)
    endpoints: list[str] | None = Field(default=None, max_length=100)
    """Names of the endpoints it may be on; left out: any."""


class DataUploadRequest(Body):
    """A folder of the caller's own computer, whose manifest the service has (`POST /datasets/manifests`)."""

    name: str = Field(pattern=NAME_PATTERN)
    endpoint: str = Field(default="", max_length=100)
    digest: str = Field(pattern=r"^(sha256:)?[0-9a-f]{64}$")
    source: str = Field(default="", max_length=4096)
    """Where it was, for people."""
    description: str | None = Field(default=None, max_length=TEXT)
    license: str | None = Field(default=None, max_length=200)
    layout: Layout | None = None
    project: str = Field(default="", max_length=100)
    endpoints: list[str] | None = Field(default=None, max_length=100)


class AboutDataset(Body):
    """The dataset that gets a new version; what is left out stays as it is."""

    name: str = Field(pattern=NAME_PATTERN)
    description: str | None = Field(default=None, max_length=TEXT)
    license: str | None = Field(default=None, max_length=200)
    layout: Layout | None = None
    project: str = Field(default="", max_length=100)
    endpoints: list[str] | None = Field(default=None, max_length=100)


class ManifestTaken(BaseModel):
    have: int
    """Bytes of the manifest that are here."""


class PieceTaken(BaseModel):
    next: int
    """The number of the piece that is wanted next."""


class DatasetChange(Body):
    """What is left out stays as it is."""

    name: str | None = Field(default=None, pattern=NAME_PATTERN)
    description: str | None = Field(default=None, max_length=TEXT)
    license: str | None = Field(default=None, max_length=200)
    layout: Layout | None = None
    endpoints: list[str] | None = Field(default=None, max_length=100)
    anywhere: bool = False
    """Lift the list of endpoints."""


class DataCopyRequest(Body):
    endpoint: str = Field(max_length=100)
    version: str = Field(default="", max_length=80)
    layout: Layout | None = None
    """Left out: the dataset's own."""


class DataCopyAnswer(BaseModel):
    how: Literal["here", "transfer"]
    words: str
    transfer: DataTransfer | None = None
    advice: list[str] = []


class DataPlaceRequest(Body):
    """One copy, or all of a version where no endpoint is named."""

    endpoint: str = Field(default="", max_length=100)
    version: str = Field(default="", max_length=80)


class DataCheckRequest(DataPlaceRequest):
    full: bool = False
    """Read every byte again."""
    source: bool = False
    """Look at the source instead: has it changed since the version was fetched?"""


class DataChecks(BaseModel):
    items: list[DataCheck]


class DataCheck(BaseModel):
    """A copy, or the source of a version, that is being looked at."""

    id: str
    version: str
    endpoint: str
    state: State
    message: str
    bytes: int = 0
    size: int = 0
    seconds_left: float | None = None
    changed: list[str] = []
    source_changed: bool | None = None
    """Of a look at a source, once it is done."""


class DataPreviewRequest(DataPlaceRequest):
    """Make it once more; '' for an endpoint where the version is."""


class DatasetPreview(BaseModel):
    """What the files of a version look like, made once on an endpoint where it is."""

    version: str
    state: Literal["none", "waiting", "running", "done", "failed", "cancelled"]
    message: str
    created: float | None = None
    preview: TreePreview | None = None


class DataPinRequest(DataPlaceRequest):
    pinned: bool = True


class RemoveCopiesRequest(DataPlaceRequest):
    layout: Layout | None = None
    force: bool = False
    """Also the last copy."""


class RemovableCopy(BaseModel):
    """A copy that may go."""

    dataset: str
    version: str
    endpoint: str
    layout: Layout
    bytes: int
    inodes: int
    used: float
    why: str


class DataGcRequest(Body):
    endpoint: str = Field(default="", max_length=100)
    """'' for all of the caller's."""
    unused_days: float = Field(default=30.0, ge=0)
    free_bytes: int = Field(default=0, ge=0)
    """Stop once so much would be free, least recently used first; 0: everything that qualifies."""
    dry_run: bool = True


class DataGcAnswer(BaseModel):
    items: list[RemovableCopy]
    kept: list[str]
    """Why others stay."""
    bytes: int
    inodes: int
    dry_run: bool


DataChecks.model_rebuild()
