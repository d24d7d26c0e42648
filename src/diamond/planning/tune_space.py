"""What a study may change to make a spec train faster: precision, batch size, data-loader workers and, so that the loss keeps up, the learning rate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diamond.core.errors import BadRequest
from diamond.planning.param_changes import BatchNames, tuning_changes, untried_settings

RATE_NAMES = ("lr", "learning_rate", "base_lr", "max_lr")
RATE_RANGE = 10.0
"""The learning rate is searched from its tenth to its tenfold."""

Params = Mapping[str, Any]


def tuning_space(params: Params, names: BatchNames, *, cpus: int) -> dict[str, Any]:
    """The `space:` of a study block, with the params as written among its values. Raises `BadRequest` if nothing can be tuned."""
    values: dict[str, list[Any]] = {}
    for change in tuning_changes(params, names, ranks=1, cpus=cpus).values():
        for name, value in change.params.items():
            values.setdefault(name, [params[name]]).append(value)
    if not values:
        raise BadRequest("The spec has no param to tune", " ".join(untried_settings(params, names)))
    space: dict[str, Any] = {name: {"choice": each} for name, each in values.items()}
    rate = rate_name(params)
    if rate:
        written = float(params[rate])
        space[rate] = {"log": [written / RATE_RANGE, written * RATE_RANGE]}
    return space


def rate_name(params: Params) -> str:
    """The param that is the learning rate; empty: none has a usual name."""
    return next((name for name in RATE_NAMES if _is_rate(params.get(name))), "")


def as_written(params: Params, space: Mapping[str, Any]) -> dict[str, Any]:
    """The spec's own point."""
    rate = rate_name(params)
    return {name: float(params[name]) if name == rate else params[name] for name in space}


def untuned(params: Params, names: BatchNames) -> list[str]:
    """What is not tried, and the names that would change that."""
    missing = untried_settings(params, names)
    if not rate_name(params):
        missing.append(
            f"The learning rate was not tried: the spec has no param named {', '.join(RATE_NAMES)}."
        )
    return missing


def _is_rate(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0
