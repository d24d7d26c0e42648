"""Who writes what: DCP's plan, made when the state's shape changes and kept for all saves after it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, List, Mapping, Tuple

import torch
import torch.distributed as dist
from torch.distributed.checkpoint import DefaultSavePlanner
from torch.distributed.checkpoint.default_planner import create_default_local_save_plan
from torch.distributed.checkpoint.metadata import MetadataIndex
from torch.distributed.checkpoint.planner import SavePlan, WriteItem, WriteItemType

SHARED_ENTRY = "objects"
"""The skeleton and all that is the same on every rank."""

Signature = Tuple[Tuple[str, Any, Any], ...]


def rank_entry(rank: int) -> str:
    """What only this rank has: its random generators."""
    return f"rank-{rank}"


def signature(tensors: Mapping[str, torch.Tensor]) -> Signature:
    """Two states with the same signature are saved by the same plan."""
    return tuple((name, one.shape, one.dtype) for name, one in tensors.items())


def make_plan(
    tensors: Mapping[str, torch.Tensor], *, rank: int, world_size: int, group: Any
) -> Tuple[List[Any], Any]:
    """The write items of this rank, and the metadata of all. A tensor that ranks share is written by one of them."""
    local = create_default_local_save_plan(dict(tensors), rank == 0)
    local = replace(local, items=[*local.items, *_byte_items(rank)], planner_data=_paths(tensors))
    plans = _everybodys(local, world_size, group)
    final, metadata = DefaultSavePlanner().create_global_plan(plans)
    return final[rank].items, metadata


def _everybodys(local: Any, world_size: int, group: Any) -> List[Any]:
    """All ranks then compute the same global plan, so that none has to be sent back."""
    if world_size == 1:
        return [local]
    found: List[Any] = [None] * world_size
    dist.all_gather_object(found, local, group=group)
    return found


def _byte_items(rank: int) -> List[Any]:
    names = ([SHARED_ENTRY] if rank == 0 else []) + [rank_entry(rank)]
    return [WriteItem(MetadataIndex(name), WriteItemType.BYTE_IO) for name in names]


def _paths(tensors: Mapping[str, torch.Tensor]) -> Dict[str, Tuple[str, ...]]:
    """How DCP's own converters nest the names again: `model.a.weight` belongs to `model`, as `a.weight`."""
    return {name: tuple(name.split(".", 1)) for name in tensors}


__all__ = ["SHARED_ENTRY", "SavePlan", "Signature", "make_plan", "rank_entry", "signature"]
