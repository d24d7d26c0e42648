"""Which params of a spec hold the batch, the accumulation, the precision and the data-loader workers, and what they become."""

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
"""How torch, accelerate and Lightning write what they compute in, and how each writes bf16."""

Params = Mapping[str, Any]


@dataclass(frozen=True)
class BatchNames:
    """The params that say how many samples a rank takes at once, and how often before an update."""

    batch: str = ""
    accumulate: str = ""


@dataclass(frozen=True)
class Switch:
    """A spec's params for one probe."""

    params: dict[str, Any] = field(default_factory=dict)
    """What differs from the spec."""
    samples_per_step: float = 1.0
    words: str = ""


def batch_names(params: Params, batch: str = "", accumulate: str = "") -> BatchNames:
    """As the person names them, else as they are usually called; of a param that is no whole number none is made."""
    found = BatchNames(
        _named(params, batch) or _first(params, BATCH_NAMES),
        _named(params, accumulate) or _first(params, ACCUMULATE_NAMES),
    )
    return found if found.batch else BatchNames()


def samples_per_step(params: Params, names: BatchNames, ranks: int) -> float:
    """Of one update of the model over all ranks; where no param tells the batch, it counts batches."""
    batch = int(params[names.batch]) if names.batch else 1
    return float(batch * _accumulated(params, names) * ranks)


def hold(params: Params, names: BatchNames, *, ranks: int, written_ranks: int) -> Switch:
    """The params with which `ranks` ranks take the batch of an update that the spec's own `written_ranks` take."""
    if not names.batch:
        return Switch({}, float(ranks), "")
    whole = int(samples_per_step(params, names, written_ranks))
    most = int(params[names.batch]) if names.accumulate else whole
    held = hold_batch(whole, ranks, most)
    wanted = {names.batch: held.per_rank}
    if names.accumulate:
        wanted[names.accumulate] = held.accumulation
    changed = {name: value for name, value in wanted.items() if value != params[name]}
    return Switch(changed, float(whole), _words(changed, params))


def settings_to_try(
    params: Params, names: BatchNames, *, ranks: int, cpus: int
) -> dict[str, Switch]:
    """What is tried on one node, by what it is called: precision, larger batches, data-loader workers."""
    changes = [*_precisions(params), *_batches(params, names), *_workers(params, cpus)]
    return {
        ", ".join(f"{name}={value}" for name, value in change.items()): Switch(
            change, samples_per_step({**params, **change}, names, ranks), _words(change, params)
        )
        for change in changes
    }


def untried(params: Params, names: BatchNames) -> list[str]:
    """What no param of the spec switches, and how it would have to be called or written."""
    found = {
        "Precision": (_first_of(params, PRECISION_NAMES), PRECISION_NAMES),
        "The batch size": (names.batch, BATCH_NAMES),
        "The number of data-loader workers": (_first(params, WORKER_NAMES, least=0), WORKER_NAMES),
    }
    return [
        f"{what} was not tried: no param of the spec is called {', '.join(called)}."
        for what, (name, called) in found.items()
        if not name
    ] + _unknown_precision(params)


def _unknown_precision(params: Params) -> list[str]:
    name = _first_of(params, PRECISION_NAMES)
    value = params.get(name)
    if not name or isinstance(value, bool) or str(value) in {*BF16, *BF16.values()}:
        return []
    return [
        f"Precision was not tried: how `{name}: {value}` is written for bf16 is not known. Known: {', '.join(BF16)}."
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
    """Never more than the CPUs of a rank, but one is always worth a look."""
    name = _first(params, WORKER_NAMES, least=0)
    if not name:
        return []
    fitting = [count for count in WORKERS if count <= max(cpus, 1) and count != params[name]]
    return [{name: count} for count in fitting[-MOST_WORKER_TRIALS:]]


def _accumulated(params: Params, names: BatchNames) -> int:
    return int(params[names.accumulate]) if names.accumulate else 1


def _named(params: Params, name: str) -> str:
    if name and not _is_count(params.get(name)):
        known = ", ".join(one for one, value in params.items() if _is_count(value)) or "none"
        raise BadRequest(
            f"The spec has no param {name!r} that is a whole number",
            f"Params that are: {known}.",
        )
    return name


def _first(params: Params, names: Sequence[str], least: int = 1) -> str:
    return next((name for name in names if _is_count(params.get(name), least)), "")


def _first_of(params: Params, names: Sequence[str]) -> str:
    return next((name for name in names if name in params), "")


def _is_count(value: Any, least: int = 1) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _words(changed: Params, params: Params) -> str:
    return ", ".join(f"{name} {params.get(name)} -> {value}" for name, value in changed.items())
