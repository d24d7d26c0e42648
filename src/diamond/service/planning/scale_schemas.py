"""Scales: short probe runs, and what they show about node counts or settings."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from diamond.service.composer.schemas import SpecRequest

ScaleKind = Literal["nodes", "tune"]
ScaleState = Literal["running", "done", "failed", "cancelled"]
ProbeState = Literal["waiting", "running", "measured", "failed", "skipped"]
MOST_SIZES = 12


class ScaleRequest(SpecRequest):
    """As POST /jobs, with what to probe."""

    nodes: list[int] = Field(default=[], max_length=MOST_SIZES)
    """Node counts to probe; left out: 1, 2 and 4, as far as the partition has them."""
    tune: bool = False
    """Try precision, batch size and data-loader workers on one node, instead of node counts."""
    goal: str = "soonest"
    """soonest, cheapest, or an efficiency such as efficiency:0.7."""
    steps: int = Field(default=30, ge=3, le=100_000)
    """Steps to measure in each probe, after the warm-up."""
    minutes: int = Field(default=10, ge=1, le=24 * 60)
    """The time limit of a probe; never more than the spec's own."""
    batch_param: str = Field(default="", max_length=64)
    accumulate_param: str = Field(default="", max_length=64)
    together: bool = False
    """Queue all probes at once, rather than one after another."""


class ScaleProbe(BaseModel):
    label: str
    """Such as `2 nodes`, or what was switched: `precision=bf16`."""
    nodes: int
    ranks: int
    minutes: int
    state: ProbeState
    task: str
    """The task of kind `probe`; empty before it is started."""
    params: dict[str, Any]
    """What differs from the spec's own params."""
    changed: str
    """The same as a sentence."""
    samples_per_step: float
    steps: int
    """Measured so far, after the warm-up."""
    step_seconds: float | None
    throughput: float | None
    """Samples a second; batches, where `unit` says so."""
    efficiency: float | None
    """Throughput of a node over that at the fewest nodes measured."""
    words: str


class ScaleAdvice(BaseModel):
    nodes: int
    throughput: float
    efficiency: float
    measured: bool
    """False where it was interpolated between two probes."""
    params: dict[str, Any]
    words: str


class ScaleGain(BaseModel):
    change: str
    factor: float
    """Throughput over the throughput of the spec as it is."""
    helps: bool
    words: str


class Scale(BaseModel):
    id: str
    name: str
    owner: str
    kind: ScaleKind
    state: ScaleState
    message: str
    job: str
    for_task: str
    """The task with `nodes: auto` that waits for the answer."""
    endpoint: str
    partition: str
    goal: str
    steps: int
    unit: str
    """What throughput counts: samples, or batches where no param names the batch size."""
    node_hours_at_most: float
    """If every probe uses its whole time limit."""
    notes: list[str]
    probes: list[ScaleProbe]
    advice: ScaleAdvice | None
    gains: list[ScaleGain]
    created: float
    updated: float
    ended: float | None


class ScaleEvent(Scale):
    n: int
