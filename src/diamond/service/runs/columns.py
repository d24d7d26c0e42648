"""Columns of the table by name: `state`, `param.lr`, `metric.loss`, `best.val/acc`, `data.era5`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Literal

from diamond.core.errors import BadRequest
from diamond.service.platform.packed_metrics import HIGHEST, LAST, LOWEST, STEP, values_of
from diamond.service.runs.rows import RunRow

Value = str | float | int | bool | None
Read = Callable[[RunRow], Value]
ReadMany = Callable[[Sequence[RunRow]], Sequence[Value]]
ColumnKind = Literal["text", "number", "time", "seconds", "any"]
PREFIXES: dict[str, str] = {
    "param": "A parameter",
    "metric": "The last value of a metric",
    "min": "The lowest value of a metric",
    "max": "The highest value of a metric",
    "best": "The lowest value of a loss or error, the highest of any other metric",
    "step": "The step of a metric's last value",
    "data": "A data version",
    "tag": "Whether the run has a tag",
}
_PLACES = {"metric": LAST, "min": LOWEST, "max": HIGHEST, "step": STEP}
_LESS_IS_BETTER = re.compile(
    r"loss|err|mse|mae|mape|nll|perplexity|ppl|divergence|distance|latency|seconds|time|\bwer\b|\bcer\b|\bfid\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Column:
    name: str
    kind: ColumnKind
    read: Read
    read_many: ReadMany | None = None
    """The same of many runs, where one loop is much faster than as many calls."""

    def values(self, runs: Sequence[RunRow]) -> Sequence[Value]:
        if self.read_many is not None:
            return self.read_many(runs)
        return list(map(self.read, runs))


def column(name: str) -> Column:
    """Raises `BadRequest` with the names that there are."""
    known = _OWN.get(name)
    if known is not None:
        return known
    prefix, _, rest = name.partition(".")
    if prefix not in PREFIXES or not rest:
        raise BadRequest(
            f"There is no column {name!r}",
            f"Columns: {', '.join(_OWN)}; and with a name behind the dot: "
            f"{', '.join(f'{prefix}.…' for prefix in PREFIXES)}",
        )
    if prefix in ("param", "data"):
        return _stored(name, "params" if prefix == "param" else "data", rest)
    if prefix == "tag":
        return Column(name, "any", lambda run: rest in run.tags)
    if prefix == "best":
        return _metric(name, rest, LOWEST if less_is_better(rest) else HIGHEST)
    return _metric(name, rest, _PLACES[prefix])


def own_columns() -> list[Column]:
    """Those that every run has."""
    return list(_OWN.values())


def less_is_better(metric: str) -> bool:
    return bool(_LESS_IS_BETTER.search(metric))


def plain(value: Any) -> Value:
    """A list of a parameter as one text: a cell holds one value."""
    if type(value) in _ATOMS:
        return value  # type: ignore[no-any-return]
    if isinstance(value, (list, tuple)):
        return ", ".join(str(plain(each)) for each in value)
    if isinstance(value, dict):
        return ", ".join(f"{name}={plain(each)}" for name, each in value.items())
    return str(value)


_NONE: Mapping[str, Any] = {}
_ATOMS = frozenset({str, int, float, bool, type(None)})


def _stored(name: str, part: str, key: str) -> Column:
    """A parameter or a data version."""

    def read_many(runs: Sequence[RunRow]) -> list[Value]:
        values = [run.facts.get(part, _NONE).get(key) for run in runs]
        return values if _ATOMS.issuperset(map(type, values)) else [plain(each) for each in values]

    return Column(name, "any", lambda run: read_many([run])[0], read_many)


def _metric(name: str, metric: str, place: int) -> Column:
    return Column(
        name,
        "number",
        lambda run: run.metrics.value(metric, place),
        lambda runs: values_of([run.metrics for run in runs], metric, place),
    )


def _fact(name: str) -> Read:
    return lambda run: plain(run.facts.get(name))


def _duration(run: RunRow) -> Value:
    if run.started is None or run.ended is None:
        return None
    return round(max(0.0, run.ended - run.started), 3)


def _wait(run: RunRow) -> Value:
    return None if run.started is None else round(max(0.0, run.started - run.created), 3)


def _columns(items: Iterable[tuple[str, ColumnKind, Read]]) -> dict[str, Column]:
    return {name: Column(name, kind, read) for name, kind, read in items}


_OWN = _columns(
    [
        ("id", "text", attrgetter("id")),
        ("name", "text", attrgetter("name")),
        ("state", "text", attrgetter("state")),
        ("reason", "text", attrgetter("reason")),
        ("exit_code", "number", attrgetter("exit_code")),
        ("endpoint", "text", attrgetter("endpoint")),
        ("owner", "text", attrgetter("owner")),
        ("project", "text", attrgetter("project")),
        ("source", "text", attrgetter("source")),
        ("created", "time", attrgetter("created")),
        ("started", "time", attrgetter("started")),
        ("ended", "time", attrgetter("ended")),
        ("duration", "seconds", _duration),
        ("wait", "seconds", _wait),
        ("node_hours", "number", lambda run: round(run.node_seconds / 3600, 6)),
        ("nodes", "number", _fact("nodes")),
        ("gpus", "number", _fact("gpus")),
        ("launch", "text", _fact("launch")),
        ("code", "text", _fact("code")),
        ("commit", "text", _fact("commit")),
        ("image", "text", _fact("image")),
        ("tags", "text", lambda run: ", ".join(run.tags)),
        ("retry_of", "text", attrgetter("retry_of")),
    ]
)
