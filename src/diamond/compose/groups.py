"""`together:` and `groups:` of a pipeline: allocations that its stages share, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from diamond.compose.allocation_spec import PLACED, AllocationSpec
from diamond.compose.allocations import Allocation, misfits, read_allocation
from diamond.compose.faults import Faults
from diamond.compose.raw_spec import RawSpec
from diamond.compose.stages import TOGETHER, allocation_fields, group_fields, group_of
from diamond.core.ids import IDENTIFIER

MOST_GROUPS = 20


def read_groups(raw: RawSpec, stages: Collection[str], faults: Faults) -> dict[str, AllocationSpec]:
    """Allocations by the name of their group; faulty ones are left out."""
    if not _is_readable(raw, faults):
        return {}
    written = group_fields(raw)
    groups: dict[str, AllocationSpec] = {}
    for name in written:
        where = where_is(name)
        if not isinstance(written[name], dict):
            read_allocation(written[name], where, faults)
        elif allocation := read_allocation(allocation_fields(raw, name), where, faults):
            groups[name] = allocation
    used = {name for stage in stages for name in [_checked_group(raw, stage, written, faults)]}
    for name in written:
        if name not in used:
            hint = f"Write `together: {name}` in a stage, or remove the group."
            faults.add(where_is(name), "No stage runs in this allocation", hint)
    return groups


def where_is(group: str) -> str:
    """The field that says what the allocation of a group is."""
    return TOGETHER if group == TOGETHER else f"groups.{group}"


def stage_misfits(stage: str, composed: Any, allocation: Allocation) -> Iterator[dict[str, str]]:
    for field, message, hint in misfits(composed.order.resources, allocation.resources):
        yield {
            "field": f"pipeline.{stage}.resources.{field}",
            "message": message,
            "hint": hint,
        }


def _is_readable(raw: RawSpec, faults: Faults) -> bool:
    together, groups = raw.get(TOGETHER), raw.get("groups")
    if together is not None and together is not False and not isinstance(together, dict):
        hint = "Write `together: {nodes: 2, walltime: 4h}`, or false."
        faults.add(TOGETHER, f"{together!r} is not an allocation", hint)
        return False
    if groups is None:
        return True
    if not isinstance(groups, dict):
        hint = "Write allocations by name, such as: groups: {gpu: {nodes: 2, gpus_per_node: 4}}"
        faults.add("groups", "This is not a mapping of allocations", hint)
        return False
    if len(groups) > MOST_GROUPS:
        faults.add("groups", f"{len(groups)} groups are too many", f"Use at most {MOST_GROUPS}.")
        return False
    wrong = [name for name in groups if not IDENTIFIER.fullmatch(str(name)) or name == TOGETHER]
    for name in wrong:
        hint = "Use letters, digits and _; `together` is taken."
        faults.add("groups", f"{name!r} is not a name of a group", hint)
    return not wrong


def _checked_group(raw: RawSpec, stage: str, written: Collection[str], faults: Faults) -> str:
    group, below = group_of(raw, stage), f"pipeline.{stage}"
    if not group:
        return ""
    if group not in written:
        names = ", ".join(sorted(written)) or "none"
        faults.add(
            f"{below}.together",
            f"There is no group {group!r}",
            f"Groups: {names}. Add it beside pipeline:, such as groups: {{{group}: {{nodes: 1}}}}",
            near=(group, written),
        )
        return ""
    for field in PLACED:
        if field in raw["pipeline"][stage]:
            message = f"It runs in an allocation, and {where_is(group)} says where that is"
            hint = f"Remove {field}, or write together: false to make the stage a job of its own."
            faults.add(f"{below}.{field}", message, hint)
    return group
