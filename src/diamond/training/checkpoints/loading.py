"""Load a committed checkpoint into a training, on any number of ranks."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

import torch
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint import FileSystemReader
from torch.distributed.checkpoint.api import CheckpointException
from torch.distributed.checkpoint.metadata import MetadataIndex

from diamond.training.checkpoints import manifest
from diamond.training.checkpoints.errors import Damaged, DoesNotFit
from diamond.training.checkpoints.plan import SHARED_ENTRY, rank_entry
from diamond.training.checkpoints.ranks import Ranks
from diamond.training.checkpoints.skeleton import marks
from diamond.training.checkpoints.state import Training


def problem_with(path: Path, ranks: Ranks) -> str:
    """Why a checkpoint cannot be used, or empty. The ranks share the hashing, and all get the same answer."""
    try:
        manifest_read = manifest.read(path)
        manifest.verify(path, manifest_read.files[ranks.rank :: ranks.world_size])
        problem = ""
    except (Damaged, OSError) as error:
        problem = str(error)
    return next((problem_there for problem_there in ranks.gather(problem) if problem_there), "")


def load(path: Path, training: Training, ranks: Ranks) -> Tuple[Dict[str, Any], Optional[Any]]:
    """Load a checkpoint into the training; return the shared entry, and this rank's own if there is one."""
    reader = FileSystemReader(path)
    metadata = reader.read_metadata()
    shared: Dict[str, Any] = _entry(path, metadata, SHARED_ENTRY)
    own = _entry(path, metadata, rank_entry(ranks.rank))
    skeleton = shared["skeleton"]
    training.check_fits(skeleton)
    training.prepare_targets()
    tensors = {
        name: training.target(mark, metadata.state_dict_metadata[name])
        for name, mark in marks(skeleton).items()
    }
    _load_tensors(path, tensors, reader, ranks)
    training.give(skeleton, tensors)
    return shared, own


def _load_tensors(path: Path, tensors: Dict[str, Any], reader: Any, ranks: Ranks) -> None:
    if not tensors:
        return
    alone = ranks.world_size == 1
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="torch.distributed is disabled")
            dcp.load(tensors, storage_reader=reader, process_group=ranks.group, no_dist=alone)
    except (Exception, CheckpointException) as error:
        raise DoesNotFit(f"{path.name} does not fit this training: {_reason(error)}") from error


def _reason(error: BaseException) -> str:
    failures: List[Any] = list(getattr(error, "failures", {}).values())
    return str(failures[0][0]) if failures else str(error)


def _entry(path: Path, metadata: Any, name: str) -> Any:
    """A byte entry, or None: a rank that did not exist when the checkpoint was made has none."""
    info = metadata.storage_data.get(MetadataIndex(name))
    if info is None:
        return None
    with (path / info.relative_path).open("rb") as file:
        file.seek(info.offset)
        return torch.load(io.BytesIO(file.read(info.length)), weights_only=False)
