"""From the training to its writer process: plan, memory, copy, message."""

from __future__ import annotations

import io
import pickle
from dataclasses import dataclass, replace
from typing import Any, Callable, Collection, Dict, List, Mapping, Optional, Tuple

import torch
from torch.distributed.checkpoint.planner import WriteItemType
from torch.distributed.checkpoint.utils import find_state_dict_object

from diamond.training.checkpoints.errors import NoRoom
from diamond.training.checkpoints.events import tell
from diamond.training.checkpoints.folder import Folder, Keep
from diamond.training.checkpoints.layout import TensorPlace, lay_out, view
from diamond.training.checkpoints.link import WriterLink
from diamond.training.checkpoints.memory import SharedMemory
from diamond.training.checkpoints.messages import Failed, Join, Prepare, Save
from diamond.training.checkpoints.plan import (
    SHARED_ENTRY,
    Signature,
    make_plan,
    rank_entry,
    signature,
)
from diamond.training.checkpoints.ranks import Ranks
from diamond.training.checkpoints.room import check_room, room_at
from diamond.training.checkpoints.skeleton import PLAIN
from diamond.training.checkpoints.staging import Pair, Staging

_LOOK_EVERY_SECONDS = 0.2
_OTHER_FILES = 3
"""Files of a checkpoint besides one per rank: its folder, the manifest, DCP's metadata."""


@dataclass(frozen=True)
class Snapshot:
    """What to save, as of now."""

    step: int
    metric: Optional[float]
    tensors: Mapping[str, torch.Tensor]
    alike: Collection[int]
    """Ids of tensors that are equal on every rank: any rank may write them."""
    still: Collection[int]
    """Ids of tensors that may be copied while the next step is computed."""
    shared: Mapping[str, Any]
    own: Mapping[str, Any]
    """Of this rank."""


class Saver:
    """The writer process and the staging memory of one rank."""

    def __init__(
        self, folder: Folder, claim: int, keep: Keep, ranks: Ranks, on_end: Callable[[Any], None]
    ) -> None:
        self._folder, self.claim, self._keep = folder, claim, keep
        self._ranks, self._on_end = ranks, on_end
        self._serial = 0
        self._failed = False
        self._planned: Optional[Signature] = None
        self._memory: Optional[SharedMemory] = None
        self.staging = Staging()
        self._start_writer()

    @property
    def is_busy(self) -> bool:
        return self.writer.is_busy

    def wait(self) -> bool:
        """Wait until no save is running on any rank; return whether the last one failed on any.

        If a writer dies meanwhile, the others do not keep waiting for it.
        """
        self.staging.join()
        while True:
            busy = self.writer.is_busy
            dead, busy, failed = self._ranks.any(not self.writer.is_alive, busy, self._failed)
            if dead and busy:
                self.writer.kill()
            if not busy:
                return failed
            self.writer.wait(_LOOK_EVERY_SECONDS)

    def pass_over(self, name: str) -> None:
        """A damaged checkpoint: it does not count towards `keep`."""
        self._keep = replace(self._keep, damaged=self._keep.damaged | {name})

    def save(self, snapshot: Snapshot) -> None:
        """Returns when the training may continue. Call after `wait`: there is one staging memory."""
        self._make_ready(snapshot)
        message = self._message(snapshot)
        self._failed = False
        self.writer.begin()
        try:
            pairs = self._pairs(snapshot.tensors)
            later = [pair for pair, owner in pairs if owner in snapshot.still]
            self.staging.copy_now([pair for pair, owner in pairs if owner not in snapshot.still])
            self.staging.copy_meanwhile(
                later, lambda: self.writer.save(_packed(message)), otherwise=self.writer.abandon
            )
        except BaseException:
            self.writer.abandon()
            raise

    def close(self) -> None:
        self.wait()
        self.staging.close()
        self.writer.close()

    def leave(self) -> None:
        """The program ends, perhaps on this rank only: its writer finishes alone, or gives up."""
        self.staging.close()
        if self._ranks.world_size == 1:
            self.writer.close()

    def _ended(self, message: Any) -> None:
        self._failed = isinstance(message, Failed)
        self._on_end(message)

    def _make_ready(self, snapshot: Snapshot) -> None:
        """Ensure living writers and a fitting plan on all ranks: a dead writer could leave the others waiting."""
        shape = signature(snapshot.tensors)
        dead, changed = self._ranks.any(not self.writer.is_alive, shape != self._planned)
        if dead:
            self.writer.kill()
            self._start_writer()
        if changed:
            self._plan(snapshot)
            self._planned = shape
        if dead or changed:
            assert self._memory is not None
            self.writer.prepare(self._prepared, self._memory)

    def _start_writer(self) -> None:
        ranks = self._ranks
        self.writer = WriterLink(self._ended)
        self._store, address = ranks.open_store()
        self.writer.join(Join(ranks.rank, ranks.world_size, address))

    def _plan(self, snapshot: Snapshot) -> None:
        items, metadata = make_plan(snapshot.tensors, snapshot.alike, self._ranks)
        if self._memory is not None:
            self._memory.close()
        self._memory = SharedMemory()
        places = lay_out(
            [item for item in items if item.type != WriteItemType.BYTE_IO], self._memory
        )
        self._memory.pin()
        self._targets = [(place.item.index, view(self._memory, place)) for place in places]
        self._prepared = _preparation(items, places, self._memory, metadata)
        self._check_room(self._memory.size)

    def _check_room(self, own_bytes: int) -> None:
        """Check space for everything to keep plus the one being written; one rank checks for all.

        Before the first save, a lack of space is an error; later, when a state has grown, it is not.
        """
        total = sum(self._ranks.gather(own_bytes))
        problem = ""
        if self._ranks.rank == 0:
            problem = self._room_problem(total)
        problem = self._ranks.share(problem)
        if problem and self._planned is None:
            raise NoRoom(f"{self._folder.root}: {problem}")
        if problem and self._ranks.rank == 0:
            tell(f"{self._folder.root}: {problem}")

    def _room_problem(self, checkpoint_bytes: int) -> str:
        kept = self._keep.newest + (1 if self._keep.best else 0)
        missing = max(1, kept + 1 - len(self._folder.saved()))
        files = self._ranks.world_size + _OTHER_FILES
        try:
            check_room(
                room_at(self._folder.root),
                checkpoint_bytes=checkpoint_bytes,
                checkpoint_files=files,
                count=missing,
            )
        except NoRoom as error:
            return str(error)
        return ""

    def _pairs(self, tensors: Mapping[str, torch.Tensor]) -> List[Tuple[Pair, int]]:
        return [
            ((target, _part(tensors, index)), id(tensors[index.fqn]))
            for index, target in self._targets
        ]

    def _message(self, snapshot: Snapshot) -> Save:
        self._serial += 1
        return Save(
            step=snapshot.step,
            root=str(self._folder.root),
            claim=self.claim,
            serial=self._serial,
            entries=self._entries(snapshot),
            keep=self._keep,
            world_size=self._ranks.world_size,
            metric=snapshot.metric,
            about={"torch": str(torch.__version__)},
        )

    def _entries(self, snapshot: Snapshot) -> Dict[str, bytes]:
        """Taken now, because they may change; `_packed` later, because that takes four times as long."""
        entries = {rank_entry(self._ranks.rank): pickle.dumps(snapshot.own, protocol=4)}
        if self._ranks.rank == 0:
            entries[SHARED_ENTRY] = pickle.dumps(snapshot.shared, protocol=4)
        return entries


def _preparation(
    items: List[Any], places: List[TensorPlace], memory: SharedMemory, metadata: Any
) -> Prepare:
    entries = [item for item in items if item.type == WriteItemType.BYTE_IO]
    ordered = [*(place.item for place in places), *entries]
    spans = [(place.offset, place.length) for place in places]
    return Prepare(ordered, spans, memory.size, metadata)


def _part(tensors: Mapping[str, torch.Tensor], index: Any) -> torch.Tensor:
    """This rank's part of a tensor. DCP's own search is only needed for sharded tensors."""
    whole = tensors[index.fqn]
    if type(whole) in PLAIN:
        return whole
    part: torch.Tensor = find_state_dict_object(tensors, index)
    return part


def _packed(message: Save) -> Save:
    """The byte entries in the form that `dcp.load` reads."""
    return replace(
        message, entries={name: _saved(tensor) for name, tensor in message.entries.items()}
    )


def _saved(pickled: bytes) -> bytes:
    stream = io.BytesIO()
    torch.save(pickle.loads(pickled), stream)
    return stream.getvalue()
