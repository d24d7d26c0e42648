"""Who writes what: DCP's plan, made when the state's shape changes and kept for all later saves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Collection, Dict, List, Mapping, Sequence, Set, Tuple

import torch
from torch.distributed.checkpoint import DefaultSavePlanner
from torch.distributed.checkpoint.default_planner import create_default_local_save_plan
from torch.distributed.checkpoint.metadata import MetadataIndex
from torch.distributed.checkpoint.planner import WriteItem, WriteItemType

from diamond.training.checkpoints.errors import CheckpointError
from diamond.training.checkpoints.ranks import Ranks
from diamond.training.checkpoints.skeleton import PLAIN

SHARED_ENTRY = "objects"
"""The skeleton and everything that is the same on every rank."""

Signature = Tuple[Tuple[str, Any, Any], ...]


def rank_entry(rank: int) -> str:
    """What only this rank has: its random generators."""
    return f"rank-{rank}"


def signature(tensors: Mapping[str, torch.Tensor]) -> Signature:
    """States with the same signature are saved with the same plan."""
    return tuple((name, tensor.shape, tensor.dtype) for name, tensor in tensors.items())


def make_plan(
    tensors: Mapping[str, torch.Tensor], alike: Collection[int], ranks: Ranks
) -> Tuple[List[Any], Any]:
    """The write items of this rank, and the metadata of all. A tensor that ranks share is written by one of them.

    For what may differ between ranks (batch norm's averages), rank 0's counts, as in DDP. All ranks compute the same
    global plan from all local plans, so that none has to be sent back.
    """
    shells = [name for name, tensor in tensors.items() if tensor.is_meta]
    _refuse_empty_shells([empty for rank in ranks.gather(shells) for empty in rank])
    own = {
        name: tensor
        for name, tensor in tensors.items()
        if ranks.rank == 0 or _may_write(tensor, alike)
    }
    local = create_default_local_save_plan(own, ranks.rank == 0)
    items = [*local.items, *_byte_items(ranks.rank)]
    plans = ranks.gather(replace(local, items=items, planner_data=_paths(tensors)))
    _refuse_split_states([set(plan.planner_data) for plan in plans])
    final, metadata = DefaultSavePlanner().create_global_plan(plans)
    return final[ranks.rank].items, metadata


def _refuse_empty_shells(shells: Sequence[str]) -> None:
    """The problems of all ranks, so that all raise or none."""
    if shells:
        raise CheckpointError(
            f"{shells[0]} is on the meta device and has no values: fill the model before the first save"
        )


def _refuse_split_states(names: Sequence[Set[str]]) -> None:
    """Rank 0 describes the state for all. Every rank sees the same, so all raise or none."""
    for rank, own_names in enumerate(names):
        differing = sorted(own_names ^ names[0])[:3]
        if differing:
            raise CheckpointError(
                f"rank {rank} does not have the same state as rank 0 ({', '.join(differing)}): a model that is split by layers "
                "cannot be saved; shard it with torch.distributed.fsdp.fully_shard"
            )


def _may_write(tensor: torch.Tensor, alike: Collection[int]) -> bool:
    return id(tensor) in alike or type(tensor) not in PLAIN


def _byte_items(rank: int) -> List[Any]:
    names = ([SHARED_ENTRY] if rank == 0 else []) + [rank_entry(rank)]
    return [WriteItem(MetadataIndex(name), WriteItemType.BYTE_IO) for name in names]


def _paths(tensors: Mapping[str, torch.Tensor]) -> Dict[str, Tuple[str, ...]]:
    """How DCP's own converters rebuild the nested names: `model.a.weight` belongs to `model`, as `a.weight`."""
    return {name: tuple(name.split(".", 1)) for name in tensors}
