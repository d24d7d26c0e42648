"""DCP's save inside the writer process: the plan is known, and the bytes are in the staging memory."""

from __future__ import annotations

import errno
import hashlib
import os
import pickle
import time
from pathlib import Path
from typing import Any, List, Tuple

from torch.distributed.checkpoint import DefaultSavePlanner, StorageWriter
from torch.distributed.checkpoint.filesystem import CURRENT_DCP_VERSION, _StorageInfo
from torch.distributed.checkpoint.metadata import MetadataIndex, StorageMeta
from torch.distributed.checkpoint.planner import SavePlan, WriteItemType
from torch.distributed.checkpoint.storage import WriteResult
from torch.futures import Future

from diamond.training.checkpoints import manifest
from diamond.training.checkpoints.folder import Folder, write_durably
from diamond.training.checkpoints.manifest import (
    PIECE_BYTES,
    Manifest,
    PieceHashing,
    StoredFile,
    reader,
)
from diamond.training.checkpoints.memory import SharedMemory
from diamond.training.checkpoints.messages import Prepare, Save

_PIECE_BYTES = 32 << 20


class KnownPlan(DefaultSavePlanner):
    """The training made the plan with the memory layout; nothing is planned again."""

    def __init__(self, prepared: Prepare) -> None:
        super().__init__()
        self._prepared = prepared

    def create_local_plan(self) -> SavePlan:
        return SavePlan(self._prepared.items)

    def create_global_plan(self, all_plans: List[SavePlan]) -> Tuple[List[SavePlan], Any]:
        return all_plans, self._prepared.metadata


class ImageWriter(StorageWriter):
    """Writes this rank's memory into one file; the coordinator commits the checkpoint."""

    def __init__(self, save: Save, prepared: Prepare, memory: SharedMemory, rank: int) -> None:
        self._save, self._prepared, self._memory = save, prepared, memory
        self._file_name = f"__{rank}_0.distcp"
        self._folder = Folder(Path(save.root))
        self._name = self._folder.name_for(save.step, save.claim)
        self.place = self._folder.aside(self._name, save.serial)
        self.total_bytes = 0

    def reset(self, checkpoint_id: Any = None) -> None: ...

    def set_up_storage_writer(self, is_coordinator: bool, *args: Any, **kwargs: Any) -> None: ...

    def prepare_local_plan(self, plan: SavePlan) -> SavePlan:
        self._folder.check_owned(self._save.claim)
        self.place.mkdir(exist_ok=True)
        return plan

    def prepare_global_plan(self, plans: List[SavePlan]) -> List[SavePlan]:
        return plans

    def write_data(self, plan: SavePlan, planner: Any) -> Any:
        """One file: the memory as it is, then the byte entries."""
        entries, tail = self._entries()
        record = write_image(self.place / self._file_name, self._memory.bytes, tail)
        spans = [*self._prepared.spans, *entries]
        results = [
            WriteResult(item.index, length, _StorageInfo(self._file_name, offset, length))
            for item, (offset, length) in zip(plan.items, spans)
        ]
        results.append(WriteResult(MetadataIndex(record.name), record.size, record))
        future: Any = Future()
        future.set_result(results)
        return future

    def finish(self, metadata: Any, results: List[List[Any]]) -> None:
        """All ranks' files are on disk: describe, sync, rename, point."""
        flat = [result for of_rank in results for result in of_rank]
        metadata.storage_data = {
            result.index: result.storage_data
            for result in flat
            if not isinstance(result.storage_data, StoredFile)
        }
        metadata.version = CURRENT_DCP_VERSION
        metadata.storage_meta = StorageMeta(checkpoint_id=self._name)
        described = pickle.dumps(metadata)
        _write(self.place / ".metadata", described)
        files = [
            result.storage_data for result in flat if isinstance(result.storage_data, StoredFile)
        ]
        files.append(StoredFile(".metadata", len(described), hashlib.sha256(described).hexdigest()))
        self._commit(files)

    def _commit(self, files: List[StoredFile]) -> None:
        save = self._save
        written = Manifest(
            save.step, save.claim, save.world_size, time.time(), files, save.metric, save.about
        )
        write_durably(self.place / manifest.NAME, manifest.encode(written))
        self.total_bytes = written.total_bytes
        self._folder.commit(self.place, self._name, save.claim)

    def _entries(self) -> Tuple[List[Tuple[int, int]], bytes]:
        """Byte entries follow the memory, in the plan's order."""
        offset, spans, pieces = self._memory.size, [], []
        for item in self._prepared.items:
            if item.type == WriteItemType.BYTE_IO:
                piece = self._save.entries[item.index.fqn]
                spans.append((offset, len(piece)))
                pieces.append(piece)
                offset += len(piece)
        return spans, b"".join(pieces)

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: Any) -> bool:
        return True


def write_image(path: Path, image: memoryview, tail: bytes) -> StoredFile:
    """Write and sync `image` and `tail`, hashing in other threads at the same time."""
    size = len(image) + len(tail)
    hashing = PieceHashing(size, reader(image, tail))
    try:
        _write_directly(path, image)
        _write_at(path, len(image), tail)
    finally:
        digest = hashing.result()
    return StoredFile(path.name, size, digest, PIECE_BYTES)


def _write_directly(path: Path, image: memoryview) -> None:
    """Bypass the page cache where the file system can: it saves CPU time and other programs' cache."""
    if not hasattr(os, "O_DIRECT"):
        _write_pieces(path, image, 0)
        return
    try:
        _write_pieces(path, image, os.O_DIRECT)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP):
            raise
        _write_pieces(path, image, 0)


def _write_pieces(path: Path, image: memoryview, flag: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | flag, 0o600)
    try:
        done = 0
        while done < len(image):
            done += os.pwrite(descriptor, image[done : done + _PIECE_BYTES], done)
    finally:
        os.close(descriptor)


def _write_at(path: Path, offset: int, content: bytes) -> None:
    """Write the end of the file, of any length, then sync."""
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _write(path: Path, content: bytes) -> None:
    path.touch(0o600)
    _write_at(path, 0, content)
