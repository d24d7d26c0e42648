"""Rows of planning as frozen values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from diamond.compose.raw_spec import Params, RawSpec
from diamond.planning.probe_runs import ProbeState
from diamond.planning.tuning import Gain
from diamond.service.platform.database.rows import Codec, TypedRow, value_from


@dataclass(frozen=True)
class UnprobedSize:
    """A node count between two probes; its throughput is interpolated."""

    nodes: int
    params: Params


@dataclass(frozen=True)
class ScaleSettings:
    """What a scale is to find out, and within which limits."""

    partition: str
    goal: str
    steps: int
    unit: str
    """What throughput counts: samples or batches."""
    node_hours_at_most: float
    notes: tuple[str, ...]
    between: tuple[UnprobedSize, ...]
    together: bool
    budget: str | None
    rate: float | None
    """What the site charges for a node-hour in `partition`; None: not known."""
    doubt: str = ""
    """Why more nodes might not help; shown with the advice."""
    minutes: int = 0
    """The spec's own time limit."""


@dataclass(frozen=True)
class ProbeRow:
    """One short run of a scale."""

    label: str
    nodes: int
    ranks: int
    minutes: int
    spec: RawSpec
    params: Params
    """What differs from the spec's own."""
    changed: str
    """The same as a sentence."""
    samples_per_step: float
    state: str = ProbeState.WAITING.value
    task: str = ""
    """Empty until it is started."""
    is_over: bool = False
    words: str = ""
    steps: int = 0
    step_seconds: float | None = None
    throughput: float | None = None
    efficiency: float | None = None
    used_seconds: float | None = None

    @property
    def is_measured(self) -> bool:
        return self.state == ProbeState.MEASURED.value

    @property
    def is_skipped(self) -> bool:
        return self.state == ProbeState.SKIPPED.value

    @property
    def is_started(self) -> bool:
        return bool(self.task)


@dataclass(frozen=True)
class NodeAdvice:
    """The node count that a scale advises."""

    nodes: int
    throughput: float
    efficiency: float
    measured: bool
    params: Params
    """Keep the batch size of an update at that node count."""
    words: str


@dataclass(frozen=True)
class ScaleResult:
    """What the probes found; empty until all have ended."""

    advice: NodeAdvice | None = None
    gains: tuple[Gain, ...] = ()


def _settings_from(data: Mapping[str, Any]) -> ScaleSettings:
    between = tuple(value_from(UnprobedSize, size) for size in data["between"])
    return value_from(
        ScaleSettings, {**data, "between": between, "notes": tuple(data.get("notes", ()))}
    )


def _result_from(data: Mapping[str, Any]) -> ScaleResult:
    advice = data.get("advice")
    gains = tuple(value_from(Gain, gain) for gain in data.get("gains") or ())
    return ScaleResult(value_from(NodeAdvice, advice) if advice else None, gains)


def _result_data(result: ScaleResult) -> dict[str, Any]:
    """Only what there is, as older versions stored it."""
    advice = {"advice": asdict(result.advice)} if result.advice else {}
    return {**advice, "gains": _list_data(result.gains)} if result.gains else advice


def _probes_from(data: Sequence[Mapping[str, Any]]) -> tuple[ProbeRow, ...]:
    return tuple(value_from(ProbeRow, probe) for probe in data)


def _list_data(values: Sequence[ProbeRow] | Sequence[Gain]) -> list[dict[str, Any]]:
    return [asdict(value) for value in values]


@dataclass(frozen=True)
class ScaleRow(TypedRow):
    """Probe runs that belong together, and what they measured."""

    CODECS: ClassVar[Mapping[str, Codec]] = {
        "wanted": Codec(_settings_from, asdict, "settings"),
        "probes": Codec(_probes_from, _list_data),
        "result": Codec(_result_from, _result_data),
    }

    id: str
    owner: str
    name: str
    kind: str
    state: str
    message: str
    job: str
    for_task: str
    endpoint: str
    endpoint_name: str
    fits: str
    settings: ScaleSettings
    probes: tuple[ProbeRow, ...]
    result: ScaleResult
    created: float
    updated: float
    ended: float | None
    version: int
