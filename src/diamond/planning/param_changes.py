"""Find the params of a spec for batch size, accumulation, precision and data-loader workers, and change them for probes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from diamond.core.errors import BadRequest
from diamond.planning.scaling import hold_batch

BATCH_NAMES = (
    "batch_size",
    "batch",
    "per_device_batch_size",
    "per_device_train_batch_size",
    "micro_batch_size",
)
ACCUMULATE_NAMES = (
    "accumulate",
    "accumulation",
    "accumulate_grad_batches",
    "gradient_accumulation_steps",
    "grad_accum",
)
PRECISION_NAMES = ("precision", "mixed_precision", "dtype", "bf16", "amp", "autocast")
WORKER_NAMES = ("num_workers", "workers", "dataloader_num_workers", "loader_workers")
LARGER_BATCHES = (2, 4)
WORKERS = (1, 2, 4, 8, 16)
MOST_WORKER_TRIALS = 3
BF16 = {
    "no": "bf16",
    "fp32": "bf16",
    "32": "bf16-mixed",
    "32-true": "bf16-mixed",
    "float32": "bfloat16",
    "fp16": "bf16",
    "16-mixed": "bf16-mixed",
    "float16": "bfloat16",
}
"""How torch, accelerate and Lightning spell precisions, and their spelling of bf16."""

Params = Mapping[str, Any]


@dataclass(frozen=True)
class BatchNames:
    """The names of the params for batch size per rank and gradient accumulation."""

    batch: str = ""
    accumulate: str = ""


@dataclass(frozen=True)
class ParamChange:
    """Changed params for one probe."""

    params: dict[str, Any] = field(default_factory=dict)
    """Only the params that differ from the spec."""
    samples_per_step: float = 1.0
    words: str = ""


def batch_names(params: Params, batch: str = "", accumulate: str = "") -> BatchNames:
    """The names the user gave, or the usual ones. Params that are not whole numbers are ignored."""
    names = BatchNames(
        _named(params, batch) or _first(params, BATCH_NAMES),
        _named(params, accumulate) or _first(params, ACCUMULATE_NAMES),
    )
    return names if names.batch else BatchNames()


def samples_per_step(params: Params, names: BatchNames, ranks: int) -> float:
    """Samples per model update over all ranks; counts batches if no param holds the batch size."""
    batch = int(params[names.batch]) if names.batch else 1
    return float(batch * _accumulated(params, names) * ranks)


def keep_global_batch(
    params: Params, names: BatchNames, *, ranks: int, written_ranks: int
) -> ParamChange:
    """The params with which `ranks` ranks keep the global batch that the spec has with `written_ranks` ranks."""
    if not names.batch:
        return ParamChange({}, float(ranks), "")
    global_batch = int(samples_per_step(params, names, written_ranks))
    most = int(params[names.batch]) if names.accumulate else global_batch
    split = hold_batch(global_batch, ranks, most)
    wanted = {names.batch: split.per_rank}
    if names.accumulate:
        wanted[names.accumulate] = split.accumulation
    changed = {name: value for name, value in wanted.items() if value != params[name]}
    return ParamChange(changed, float(global_batch), _changes_text(changed, params))


def tuning_changes(
    params: Params, names: BatchNames, *, ranks: int, cpus: int
) -> dict[str, ParamChange]:
    """The changes to try on one node, by label: precision, larger batches, data-loader workers."""
    changes = [*_precisions(params), *_batches(params, names), *_workers(params, cpus)]
    return {
        ", ".join(f"{name}={value}" for name, value in change.items()): ParamChange(
            change,
            samples_per_step({**params, **change}, names, ranks),
            _changes_text(change, params),
        )
        for change in changes
    }


def untried_settings(params: Params, names: BatchNames) -> list[str]:
    """Settings that cannot be tried because the spec has no matching param, with the names that would work."""
    settings = {
        "Precision": (_first_of(params, PRECISION_NAMES), PRECISION_NAMES),
        "The batch size": (names.batch, BATCH_NAMES),
        "The number of data-loader workers": (_first(params, WORKER_NAMES, least=0), WORKER_NAMES),
    }
    return [
        f"{what} was not tried: the spec has no param named {', '.join(called)}."
        for what, (name, called) in settings.items()
        if not name
    ] + _unknown_precision(params)


def _unknown_precision(params: Params) -> list[str]:
    name = _first_of(params, PRECISION_NAMES)
    value = params.get(name)
    if not name or isinstance(value, bool) or str(value) in {*BF16, *BF16.values()}:
        return []
    return [
        f"Precision was not tried: `{name}: {value}` has no known bf16 equivalent. Known values: {', '.join(BF16)}."
    ]


def _precisions(params: Params) -> list[dict[str, Any]]:
    name = _first_of(params, PRECISION_NAMES)
    value = params.get(name)
    if isinstance(value, bool):
        return [] if value else [{name: True}]
    better = BF16.get(str(value))
    return [{name: better}] if name and better else []


def _batches(params: Params, names: BatchNames) -> list[dict[str, Any]]:
    if not names.batch:
        return []
    return [{names.batch: int(params[names.batch]) * factor} for factor in LARGER_BATCHES]


def _workers(params: Params, cpus: int) -> list[dict[str, Any]]:
    """Never more workers than CPUs per rank, but always at least one."""
    name = _first(params, WORKER_NAMES, least=0)
    if not name:
        return []
    fitting = [count for count in WORKERS if count <= max(cpus, 1) and count != params[name]]
    return [{name: count} for count in fitting[-MOST_WORKER_TRIALS:]]


def _accumulated(params: Params, names: BatchNames) -> int:
    return int(params[names.accumulate]) if names.accumulate else 1


def _named(params: Params, name: str) -> str:
    if name and not _is_count(params.get(name)):
        known = ", ".join(param for param, value in params.items() if _is_count(value)) or "none"
        raise BadRequest(
            f"The spec has no param {name!r} that is a whole number",
            f"Whole-number params: {known}.",
        )
    return name


def _first(params: Params, names: Sequence[str], least: int = 1) -> str:
    return next((name for name in names if _is_count(params.get(name), least)), "")


def _first_of(params: Params, names: Sequence[str]) -> str:
    return next((name for name in names if name in params), "")


def _is_count(value: Any, least: int = 1) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _changes_text(changed: Params, params: Params) -> str:
    return ", ".join(f"{name} {params.get(name)} -> {value}" for name, value in changed.items())
