"""Which probes a spec needs: one for each number of nodes, or one for each setting on one node."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from diamond.compose.launch import starts_its_own
from diamond.compose.site import partition_named
from diamond.compose.spec import Spec
from diamond.compose.spec_check import Composed
from diamond.core.batch_systems import read_abilities
from diamond.core.errors import BadRequest
from diamond.core.order import Continue, Order
from diamond.planning.param_changes import (
    BatchNames,
    ParamChange,
    batch_names,
    keep_global_batch,
    tuning_changes,
    untried_settings,
)
from diamond.planning.probe_runs import ProbeState

SIZES = (1, 2, 4)
"""Numbers of nodes that are probed where none are named."""
MOST_NODES = 100_000
MOST_BETWEEN = 64
DOUBT = "if its ranks train one model together, which nothing in the spec shows"
DOUBT_NOTE = (
    "`launch: auto` starts one process for each place (per-rank), and nothing in the command shows that they train one model"
    " together. If each trains for itself, more nodes only look efficient. Write `launch: per-rank` if they do, `launch: single` if not."
)
Data = Mapping[str, Any]
Compose = Callable[[dict[str, Any]], Composed]


@dataclass(frozen=True)
class Names:
    """The params that a person names."""

    batch: str = ""
    accumulate: str = ""


@dataclass(frozen=True)
class Drawn:
    """Probes that have not begun, and what a person should know of them."""

    probes: list[dict[str, Any]]
    unit: str
    notes: list[str] = field(default_factory=list)
    between: list[dict[str, Any]] = field(default_factory=list)
    """Numbers of nodes that are read off the curve, with their params."""
    doubt: str = ""
    """Whether more nodes help at all; in the words of an advice."""


def probe_nodes(
    compose: Compose,
    spec: dict[str, Any],
    *,
    sizes: list[int],
    minutes: int,
    named: Names,
    are_usual: bool = False,
) -> Drawn:
    """One probe for each size; the batch of an update stays what the spec's own number of nodes makes it.

    Of the usual sizes, which nobody asked for, those that cannot hold the batch are left out.
    """
    _check_sizes(sizes)
    kind = _order(compose, _variant(spec, max(sizes), minutes)).launch.kind

    def ranks_at(nodes: int) -> int:
        return ranks_of(_order(compose, _variant(spec, nodes, minutes, kind)), spec)

    params = spec.get("params") or {}
    names = batch_names(params, named.batch, named.accumulate)
    written = ranks_at(written_nodes(spec))

    def held_at(ranks: int) -> ParamChange:
        return keep_global_batch(params, names, ranks=ranks, written_ranks=written)

    found, left_out = [], []
    for nodes in sorted(set(sizes)):
        label, ranks = f"{nodes} node{'s' if nodes > 1 else ''}", ranks_at(nodes)
        try:
            switch = held_at(ranks)
        except BadRequest as error:
            if not are_usual or nodes == 1:
                raise
            left_out.append(f"Not probed: {label}. {error.message}.")
            continue
        variant = _variant(spec, nodes, minutes, kind, switch.params)
        found.append(_probe(label, variant, compose, ranks, switch))
    doubt = _doubt(spec, kind, most=found[-1]["nodes"])
    notes = [*_batch_notes(names, found), *left_out, *([DOUBT_NOTE] if doubt else [])]
    return Drawn(found, _unit(names), notes, _between(found, held_at), doubt)


def probe_settings(compose: Compose, spec: dict[str, Any], *, minutes: int, named: Names) -> Drawn:
    """The spec as it is on one node, and one probe for each thing that its params can switch."""
    params = spec.get("params") or {}
    names = batch_names(params, named.batch, named.accumulate)
    order = _order(compose, _variant(spec, 1, minutes))
    ranks = ranks_of(order, spec)
    cpus = order.resources.cpus_per_task
    as_is = keep_global_batch(params, names, ranks=ranks, written_ranks=ranks)
    tried = {"as written": as_is, **tuning_changes(params, names, ranks=ranks, cpus=cpus)}
    if len(tried) == 1:
        raise BadRequest("The spec has no param to tune", " ".join(untried_settings(params, names)))
    found = [
        _probe(label, _variant(spec, 1, minutes, "", switch.params), compose, ranks, switch)
        for label, switch in tried.items()
    ]
    return Drawn(found, _unit(names), untried_settings(params, names))


def usual_sizes(facts: Data, partition: str) -> list[int]:
    """As many of the usual ones as the partition has; a machine without a batch system is one node."""
    if not read_abilities(facts).spans_nodes:
        return [1]
    site: Data = partition_named(dict(facts), partition) or {}
    most = site.get("max_nodes") or site.get("nodes_total") or max(SIZES)
    return [size for size in SIZES if size <= int(most)] or [1]


def written_nodes(spec: Data) -> int:
    """`auto` stands for one: what a param says of the batch is said of one node."""
    nodes = (spec.get("resources") or {}).get("nodes", 1)
    return nodes if isinstance(nodes, int) else 1


def ranks_of(order: Order, spec: Data) -> int:
    own = order.launch.kind == "single" and starts_its_own(Spec.model_validate(dict(spec)))
    return order.resources.nodes * order.resources.tasks_per_node if own else order.ranks


def probe_order(order: Order, *, is_counted: bool) -> Order:
    """A probe is one attempt, whatever the spec says of going on.

    `is_counted`: its scale has a budget. Then its whole limit is all that it may use, also if the site requeues it.
    """
    asked = order.resources
    whole = f"{asked.nodes * asked.walltime_minutes / 60:.9f} node-hours" if is_counted else ""
    return replace(order, resume=Continue(on=[], max_attempts=1), budget=whole)


def _doubt(spec: Data, kind: str, *, most: int) -> str:
    """A launch that the person or her command names shows that there are ranks; copies of any program look as fast."""
    given = spec.get("launch") or "auto"
    asked = given.get("kind", "auto") if isinstance(given, dict) else given
    return DOUBT if asked == "auto" and kind == "per-rank" and most > 1 else ""


def _between(
    probes: list[dict[str, Any]], held_at: Callable[[int], ParamChange]
) -> list[dict[str, Any]]:
    """Those at which the batch can be held; a step of several for a wide range."""
    probed, most = {one["nodes"] for one in probes}, probes[-1]
    stride = 1 + (most["nodes"] - probes[0]["nodes"]) // MOST_BETWEEN
    found = []
    for nodes in range(probes[0]["nodes"] + 1, most["nodes"], stride):
        ranks = max(1, most["ranks"] * nodes // most["nodes"])
        with contextlib.suppress(BadRequest):
            if nodes not in probed:
                found.append({"nodes": nodes, "params": held_at(ranks).params})
    return found


def _variant(
    spec: Data, nodes: int, minutes: int, kind: str = "", params: Data | None = None
) -> dict[str, Any]:
    """The spec of one probe; its share of the budget is reckoned by the scale."""
    made = {name: value for name, value in spec.items() if name != "budget"}
    made["params"] = {**(spec.get("params") or {}), **(params or {})}
    made["resources"] = {
        **(spec.get("resources") or {}),
        "nodes": nodes,
        "walltime": f"{minutes}m",
    }
    if kind:
        given = spec.get("launch")
        made["launch"] = {**given, "kind": kind} if isinstance(given, dict) else kind
    return made


def _probe(
    label: str, spec: dict[str, Any], compose: Compose, ranks: int, switch: ParamChange
) -> dict[str, Any]:
    asked = _order(compose, spec).resources
    return {
        "label": label,
        "nodes": asked.nodes,
        "ranks": ranks,
        "minutes": asked.walltime_minutes,
        "state": ProbeState.WAITING.value,
        "task": "",
        "is_over": False,
        "spec": spec,
        "params": switch.params,
        "changed": switch.words,
        "words": "",
        "samples_per_step": switch.samples_per_step,
        "steps": 0,
        "step_seconds": None,
        "throughput": None,
        "efficiency": None,
        "used_seconds": None,
    }


def _order(compose: Compose, spec: dict[str, Any]) -> Order:
    return compose(spec).order


def _check_sizes(sizes: list[int]) -> None:
    wrong = [size for size in sizes if not 1 <= size <= MOST_NODES]
    if wrong:
        raise BadRequest(f"{wrong[0]} is no number of nodes", "Name them as in --nodes 1,2,4.")


def _unit(names: BatchNames) -> str:
    return "samples" if names.batch else "batches"


def _batch_notes(names: BatchNames, probes: list[dict[str, Any]]) -> list[str]:
    if not names.batch:
        return [
            "No param of the spec tells the batch, so each rank is taken to bring its own, and the batch of an update"
            " grows with the nodes. Name the param that holds it with --batch-param."
        ]
    held = f"The batch of an update is held at {probes[0]['samples_per_step']:g} samples"
    through = " and ".join(f"`{name}`" for name in (names.batch, names.accumulate) if name)
    return [f"{held} by {through}."]
