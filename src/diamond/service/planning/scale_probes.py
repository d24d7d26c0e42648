"""Which probes a spec needs: one for each node count, or one for each setting on one node."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from diamond.compose.launch import starts_its_own
from diamond.compose.raw_spec import (
    RawSpec,
    params_of,
    probe_variant,
    written_launch,
    written_nodes,
)
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
from diamond.service.planning.rows import ProbeRow, UnprobedSize

SIZES = (1, 2, 4)
"""Node counts that are probed by default."""
MOST_NODES = 100_000
MOST_BETWEEN = 64
DOUBT = "if its ranks train one model together, which nothing in the spec shows"
DOUBT_NOTE = (
    "`launch: auto` starts one process for each place (per-rank), and nothing in the command shows that they train one model"
    " together. If each trains for itself, more nodes only look efficient. Write `launch: per-rank` if they do, `launch: single` if not."
)
Compose = Callable[[RawSpec], Composed]


@dataclass(frozen=True)
class ParamNames:
    """The params that a person names."""

    batch: str = ""
    accumulate: str = ""


@dataclass(frozen=True)
class PlannedProbes:
    """Probes that have not started, and what to know about them."""

    probes: tuple[ProbeRow, ...]
    unit: str
    notes: tuple[str, ...] = ()
    between: tuple[UnprobedSize, ...] = ()
    doubt: str = ""
    """Why more nodes might not help at all; shown with the advice."""


def probe_nodes(
    compose: Compose,
    spec: RawSpec,
    *,
    sizes: list[int],
    minutes: int,
    named: ParamNames,
    are_usual: bool = False,
) -> PlannedProbes:
    """One probe for each size; the batch of an update stays what the spec's own node count makes it.

    Of the default sizes, those at which the batch cannot stay the same are left out.
    """
    _check_sizes(sizes)
    kind = compose(probe_variant(spec, nodes=max(sizes), minutes=minutes)).order.launch.kind

    def ranks_at(nodes: int) -> int:
        variant = probe_variant(spec, nodes=nodes, minutes=minutes, kind=kind)
        return ranks_of(compose(variant).order, spec)

    params = params_of(spec)
    names = batch_names(params, named.batch, named.accumulate)
    written = ranks_at(written_nodes(spec))

    def held_at(ranks: int) -> ParamChange:
        return keep_global_batch(params, names, ranks=ranks, written_ranks=written)

    probes: list[ProbeRow] = []
    left_out: list[str] = []
    for nodes in sorted(set(sizes)):
        label, ranks = f"{nodes} node{'s' if nodes > 1 else ''}", ranks_at(nodes)
        try:
            switch = held_at(ranks)
        except BadRequest as error:
            if not are_usual or nodes == 1:
                raise
            left_out.append(f"Not probed: {label}. {error.message}.")
            continue
        variant = probe_variant(spec, nodes=nodes, minutes=minutes, kind=kind, params=switch.params)
        probes.append(_probe(label, variant, compose, ranks, switch))
    doubt = _doubt(spec, kind, most=probes[-1].nodes)
    notes = (*_batch_notes(names, probes), *left_out, *([DOUBT_NOTE] if doubt else []))
    return PlannedProbes(tuple(probes), _unit(names), notes, _between(probes, held_at), doubt)


def probe_settings(
    compose: Compose, spec: RawSpec, *, minutes: int, named: ParamNames
) -> PlannedProbes:
    """The spec as it is on one node, and one probe for each thing that its params can switch."""
    params = params_of(spec)
    names = batch_names(params, named.batch, named.accumulate)
    order = compose(probe_variant(spec, nodes=1, minutes=minutes)).order
    ranks = ranks_of(order, spec)
    cpus = order.resources.cpus_per_task
    as_is = keep_global_batch(params, names, ranks=ranks, written_ranks=ranks)
    tried = {"as written": as_is, **tuning_changes(params, names, ranks=ranks, cpus=cpus)}
    if len(tried) == 1:
        raise BadRequest("The spec has no param to tune", " ".join(untried_settings(params, names)))
    probes = tuple(
        _probe(
            label,
            probe_variant(spec, nodes=1, minutes=minutes, params=switch.params),
            compose,
            ranks,
            switch,
        )
        for label, switch in tried.items()
    )
    return PlannedProbes(probes, _unit(names), tuple(untried_settings(params, names)))


def usual_sizes(facts: Mapping[str, Any], partition: str) -> list[int]:
    """As many of the usual ones as the partition has; a machine without a batch system is one node."""
    if not read_abilities(facts).spans_nodes:
        return [1]
    site: Mapping[str, Any] = partition_named(dict(facts), partition) or {}
    most = site.get("max_nodes") or site.get("nodes_total") or max(SIZES)
    return [size for size in SIZES if size <= int(most)] or [1]


def ranks_of(order: Order, spec: RawSpec) -> int:
    own = order.launch.kind == "single" and starts_its_own(Spec.model_validate(spec))
    return order.resources.nodes * order.resources.tasks_per_node if own else order.ranks


def probe_order(order: Order, *, is_counted: bool) -> Order:
    """A probe is one attempt, whatever the spec says about continuing.

    `is_counted`: its scale has a budget. Then it may use its time limit once, even if the site requeues it.
    """
    asked = order.resources
    whole = f"{asked.nodes * asked.walltime_minutes / 60:.9f} node-hours" if is_counted else ""
    return replace(order, resume=Continue(on=[], max_attempts=1), budget=whole)


def _doubt(spec: RawSpec, kind: str, *, most: int) -> str:
    """Copies of any program look as fast as ranks; only a launch that the spec or its command names shows ranks."""
    return DOUBT if written_launch(spec) == "auto" and kind == "per-rank" and most > 1 else ""


def _between(
    probes: Sequence[ProbeRow], held_at: Callable[[int], ParamChange]
) -> tuple[UnprobedSize, ...]:
    """Node counts at which the batch can stay the same; only some of them if the range is wide."""
    probed, most = {probe.nodes for probe in probes}, probes[-1]
    stride = 1 + (most.nodes - probes[0].nodes) // MOST_BETWEEN
    sizes = []
    for nodes in range(probes[0].nodes + 1, most.nodes, stride):
        ranks = max(1, most.ranks * nodes // most.nodes)
        with contextlib.suppress(BadRequest):
            if nodes not in probed:
                sizes.append(UnprobedSize(nodes, held_at(ranks).params))
    return tuple(sizes)


def _probe(
    label: str, spec: RawSpec, compose: Compose, ranks: int, switch: ParamChange
) -> ProbeRow:
    asked = compose(spec).order.resources
    return ProbeRow(
        label=label,
        nodes=asked.nodes,
        ranks=ranks,
        minutes=asked.walltime_minutes,
        spec=spec,
        params=switch.params,
        changed=switch.words,
        samples_per_step=switch.samples_per_step,
    )


def _check_sizes(sizes: list[int]) -> None:
    wrong = [size for size in sizes if not 1 <= size <= MOST_NODES]
    if wrong:
        raise BadRequest(f"{wrong[0]} is not a node count", "Write them as in --nodes 1,2,4.")


def _unit(names: BatchNames) -> str:
    return "samples" if names.batch else "batches"


def _batch_notes(names: BatchNames, probes: Sequence[ProbeRow]) -> list[str]:
    if not names.batch:
        return [
            "No param of the spec names the batch size, so each rank is assumed to bring its own, and the batch of an update"
            " grows with the node count. Name the param with --batch-param."
        ]
    held = f"The batch of an update is held at {probes[0].samples_per_step:g} samples"
    through = " and ".join(f"`{name}`" for name in (names.batch, names.accumulate) if name)
    return [f"{held} by {through}."]
