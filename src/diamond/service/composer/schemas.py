"""The composer: a spec while it is being written."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from diamond.service.code.schemas import CodeFacts
from diamond.service.platform.http.schemas import Body, Fault, OrderData, SpecData


class SpecRequest(Body):
    """A spec with its code, or the name of a recipe that has both."""

    spec: SpecData | None = None
    """Left out with `recipe`: the recipe's own."""
    code: CodeFacts | None = None
    recipe: str = Field(default="", pattern=r"^[a-z0-9-]{0,64}$")
    """The code of this recipe is used."""


class ComposeRequest(SpecRequest):
    """As POST /jobs; the folder of `code:` need not have been sent yet."""

    spec: SpecData
    project: str = Field(default="", max_length=64)
    """Its project: the terms of the project are checked too."""


class FieldLimit(BaseModel):
    """What the site allows for one field of the spec."""

    max: float | None = None
    max_text: str = ""
    """As a person writes it in the spec: 4GB, 2h."""
    default: str = ""
    """What happens when the field is left out."""
    text: str
    """One sentence."""
    source: str
    """Where it is from, such as sinfo, or the person who corrected it."""
    as_of: float | None = None


class PartitionChoice(BaseModel):
    name: str
    default: bool = False
    max_minutes: int | None = None
    nodes_total: int | None = None
    nodes_idle: int | None = None
    gpus_per_node: dict[str, int] = {}
    usable: bool = True
    """False: none of the caller's accounts may use it."""


class AccountChoice(BaseModel):
    name: str
    default: bool = False
    balance: float | None = None
    """Where the site reports it."""
    unit: str = ""
    usable: bool = True
    """In the chosen partition."""


class EndpointChoice(BaseModel):
    name: str
    state: str
    default: bool


class Choices(BaseModel):
    scheduler: str = ""
    """The endpoint's: raw options go under its name."""
    has_batch_system: bool = True
    """False: jobs run on the endpoint's own machine, which has no partitions and no accounts."""
    endpoints: list[EndpointChoice] = []
    partitions: list[PartitionChoice] = []
    accounts: list[AccountChoice] = []
    qos: list[str] = []
    gpu_types: list[str] = []
    secrets: list[str] | None = None
    """null: not known until the endpoint has reported them."""


class Cost(BaseModel):
    """The most that it can cost: the whole wall-time, for one attempt and for all attempts."""

    node_hours: float
    gpu_hours: float
    core_hours: float
    attempts: int
    node_hours_at_most: float
    charge: float | None = None
    """In the site's units, for one attempt; null where no rate is known."""
    charge_rate: float | None = None
    """Units a node-hour."""
    account: str = ""
    balance: float | None = None
    unit: str = ""
    text: str


class Waits(BaseModel):
    """How long the caller's own tasks waited here lately, in seconds."""

    count: int
    median: float
    longest: float


class Queue(BaseModel):
    partition: str
    nodes_idle: int | None = None
    nodes_total: int | None = None
    gpus_idle: int | None = None
    pending: int | None = None
    as_of: float | None = None
    waits: Waits | None = None
    text: str


class Composition(BaseModel):
    """Everything about an unfinished spec. Always answers 200: `faults` says what is wrong."""

    ok: bool
    faults: list[Fault]
    warnings: list[str]
    notes: list[str] = []
    """What was chosen where the spec leaves it open, and why."""
    endpoint: str
    """Where it would run; empty when no endpoint fits."""
    partition: str
    account: str
    order: OrderData | None
    """null while there are faults."""
    log_path: str
    """Where the log will be on the endpoint, with TASK and ATTEMPT in place of the ids."""
    limits: dict[str, FieldLimit]
    """By field: resources.nodes, resources.walltime, …"""
    choices: Choices
    cost: Cost | None
    queue: Queue | None
    script: str | None = None
    """With `?script=true`."""
    script_reason: str = ""
    """Why there is no script: faults, or the endpoint is away."""


class YamlText(Body):
    yaml: str = Field(max_length=1 << 20)


class SpecBody(Body):
    spec: SpecData


class TextFault(Fault):
    line: int | None = None
    """From 1; null where it belongs to no line."""
    column: int | None = None


class ParsedSpec(BaseModel):
    spec: SpecData | None
    """As written, without defaults; null when the text is not YAML."""
    faults: list[TextFault]


class RenderedSpec(BaseModel):
    yaml: str


class SpecSchema(BaseModel):
    """JSON Schema of a spec, for forms and editors."""

    json_schema: dict[str, Any]
