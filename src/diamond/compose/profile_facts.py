"""The facts of a site profile and the format of each, to check manual corrections and imported profiles."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    TypeAdapter,
    ValidationError,
)

from diamond.core.batch_systems import PLACEMENT
from diamond.core.errors import BadRequest

Answer = Literal["takes", "refuses", "requires"]
Names = list[str] | None
Runtime = Literal["", "apptainer", "singularity", "charliecloud", "podman", "docker", "venv"]
"""The tool that builds and runs images; '' means whatever the node has."""


class _Loose(BaseModel):
    """Extra fields are allowed: a newer agent may report more."""

    model_config = ConfigDict(extra="allow", strict=True)


class BatchAbilities(_Loose):
    """Of `core.batch_systems.BatchAbilities`."""

    has_queue: bool = True
    spans_nodes: bool = True
    runs_on_this_node: bool = False
    placement: list[str] = list(PLACEMENT)


class Scheduler(_Loose):
    name: str
    version: str = ""
    abilities: BatchAbilities | None = None


class Partition(_Loose):
    name: str
    default: bool = False
    max_minutes: NonNegativeInt | None = None
    default_minutes: NonNegativeInt | None = None
    max_nodes: NonNegativeInt | None = None
    nodes_total: NonNegativeInt | None = None
    cpus_per_node: NonNegativeInt | None = None
    memory_mb_per_node: NonNegativeInt | None = None
    gpus_per_node: dict[str, NonNegativeInt] | None = None
    accounts: Names = None
    qos: Names = None
    submit_limit: NonNegativeInt | None = None
    whole_nodes: bool | None = None


class Account(_Loose):
    name: str
    default: bool = False
    qos: Names = None
    partitions: Names = None
    submit_limit: NonNegativeInt | None = None


class Qos(_Loose):
    name: str
    max_minutes: NonNegativeInt | None = None
    submit_limit: NonNegativeInt | None = None


class Flags(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    mem: Answer = "takes"
    gres: Answer = "takes"
    export: Answer = "takes"
    account: Answer = "takes"
    nodes: Answer = "takes"
    time: Answer = "takes"
    ntasks: Answer = "takes"
    exclude: Answer = "takes"


class Folder(_Loose):
    path: str
    quota_bytes: NonNegativeInt | None = None
    quota_files: NonNegativeInt | None = None
    purge_days: NonNegativeInt | float | None = None


class BuildSettings(BaseModel):
    """How images are built at a site. Unknown names are rejected, because they would have no effect."""

    model_config = ConfigDict(extra="forbid", strict=True)

    where: Literal["batch", "login"] = "batch"
    runtime: Runtime = ""
    run_with: Runtime = ""
    ca: str = ""
    proxy: str = ""
    index: str = ""
    find_links: list[str] = []
    accelerators: dict[str, str] = {}
    cache: str = ""
    tmp: str = ""
    compression: Literal["zstd", "gzip", "lz4"] = "zstd"
    overlay: bool = True
    registry: str = ""
    insecure: list[str] = []
    shared: str | list[str] = ""


class _Storage(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    url: str
    bucket: str
    prefix: str = "diamond"
    region: str = "us-east-1"
    secret: str = "S3_KEYS"


class _Collection(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    id: str
    root: str = "/"
    python: str = ""
    secret: str = "GLOBUS_TOKEN"


class DataSettings(BaseModel):
    """How data reaches an endpoint and leaves it (`core/data_settings.py` reads it)."""

    model_config = ConfigDict(extra="forbid", strict=True)

    ways: list[Literal["shared", "ssh", "s3", "globus", "service"]] | None = None
    hosts: dict[str, str] = {}
    transfer_node: str = ""
    mb_per_second: PositiveFloat | None = None
    shared: str = ""
    s3: _Storage | None = None
    globus: _Collection | None = None


class ScanLimits(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    bytes: NonNegativeInt = 2_000_000_000
    files: NonNegativeInt = 10_000


_FORMS: dict[str, tuple[Any, str]] = {
    "scheduler": (Scheduler, '{"name": "NAME", "version": "VERSION"}'),
    "cluster": (str, "a name"),
    "partitions": (list[Partition], '[{"name": "debug", "max_minutes": 30, "nodes_total": 4}, …]'),
    "accounts": (list[Account], '[{"name": "research"}, …]'),
    "qos": (list[Qos], '[{"name": "debug", "max_minutes": 30}, …]'),
    "free": (dict[str, dict[str, Any]], '{"PARTITION": {"nodes_idle": 2}}'),
    "flags": (
        Flags,
        "flags.NAME=takes, refuses or requires; NAME is mem, gres, export, account, nodes, time, ntasks or exclude",
    ),
    "pilots": (bool, "false where the site does not want pilots, else true"),
    "folders": (dict[Literal["keep", "work", "tmp"], Folder], '{"work": {"path": "/scratch/me"}}'),
    "runtimes": (
        dict[Literal["login", "compute"], dict[str, str] | None],
        '{"login": {"apptainer": "1.1.9"}, "compute": null}',
    ),
    "internet": (dict[Literal["login", "compute"], bool | None], "internet.login=true or false"),
    "python": (dict[Literal["login", "compute"], str | None], 'python.login="3.11"'),
    "cores": (PositiveInt, "a number, such as 8"),
    "memory_mb": (PositiveInt, "a number of megabytes, such as 16000"),
    "gpus": (dict[str, NonNegativeInt], '{"a100": 4}, or {} for none'),
    "modules": (list[str], '["module load python"]'),
    "interface": (str, 'the name of the network between nodes, such as "ib0" or "hsn0"'),
    "mpi": (str, 'the PMI that starts MPI programs, such as "pmix" or "pmi2"; or "mpirun"'),
    "write_mb_per_second": (
        PositiveFloat,
        "the most megabytes per second that one job should write on average, such as 200",
    ),
    "build": (
        BuildSettings,
        f"build.NAME=VALUE; NAME is one of {', '.join(BuildSettings.model_fields)}; such as build.runtime=podman",
    ),
    "data": (
        DataSettings,
        f"data.NAME=VALUE; NAME is one of {', '.join(DataSettings.model_fields)}; such as "
        'data.hosts={"alpha": "login.alpha.edu"}',
    ),
    "scan_on_login": (
        ScanLimits,
        '{"bytes": 2000000000, "files": 10000}: what is read on the login node; more becomes a batch job',
    ),
    "accelerator": (Literal["nvidia", "amd"], "nvidia or amd"),
    "charge": (dict[str, float], '{"PARTITION": units per node-hour}'),
}
"""Each fact of docs/internals/site-profile.md: its type and how to write it."""


def check_corrections(changes: Mapping[str, Any]) -> None:
    """Raises `BadRequest` for an unknown fact or an invalid value; null removes a correction."""
    for name, value in changes.items():
        if name not in _FORMS:
            raise _unknown(name)
        if value is not None and (wrong := _wrong_part(name, value)):
            raise BadRequest(f"Invalid value for {name}: {wrong}", f"Write: {_FORMS[name][1]}")


def check_facts(facts: Mapping[str, Any]) -> None:
    """Check the facts of an imported profile; unknown facts are allowed."""
    for name, fact in facts.items():
        if not isinstance(fact, dict) or "value" not in fact:
            raise BadRequest(f'The fact {name} has no "value"', 'Write: {"value": …}')
        if name in _FORMS:
            check_corrections({name: fact["value"]})


def well_formed_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The facts without malformed values, which count as unknown."""
    return {
        name: value
        for name, value in facts.items()
        if name not in _FORMS or not _wrong_part(name, value)
    }


def _unknown(name: str) -> BadRequest:
    near = get_close_matches(name, _FORMS, n=1)
    guess = f"Did you mean {near[0]}? " if near else ""
    return BadRequest(
        f"A site profile has no fact {name!r}", f"{guess}Facts: {', '.join(sorted(_FORMS))}"
    )


def _wrong_part(name: str, value: Any) -> str:
    """The first invalid part of a value; empty if it is valid."""
    try:
        _form(name).validate_python(value, strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in (name, *first["loc"]))
        problems = {"missing": "is missing", "extra_forbidden": "is unknown"}
        return f"{place} {problems.get(first['type']) or 'is ' + repr(first['input'])}"
    return ""


@cache
def _form(name: str) -> TypeAdapter[Any]:
    """Cached: creating one costs more than a hundred uses, and every submission checks the facts."""
    return TypeAdapter(_FORMS[name][0])
