"""Saves a PyTorch training while it goes on, and takes it up again. For people: `docs/checkpoints.md`."""

from __future__ import annotations

import io
import os
import time
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import torch
from torch.distributed.checkpoint.planner import WriteItemType
from torch.distributed.checkpoint.utils import find_state_dict_object

from diamond.training.checkpoints.errors import CheckpointError, NoRoom, Superseded
from diamond.training.checkpoints.events import Journal, tell
from diamond.training.checkpoints.folder import Folder, Keep, Saved
from diamond.training.checkpoints.interval import Cost
from diamond.training.checkpoints.layout import Place, lay_out, view
from diamond.training.checkpoints.link import WriterLink
from diamond.training.checkpoints.loading import load, problem_with
from diamond.training.checkpoints.memory import SharedMemory
from diamond.training.checkpoints.messages import Done, Failed, Join, Prepare, Save
from diamond.training.checkpoints.plan import (
    SHARED_ENTRY,
    Signature,
    make_plan,
    rank_entry,
    signature,
)
from diamond.training.checkpoints.ranks import Agreement, Ranks
from diamond.training.checkpoints.rng import give_rng, take_rng
from diamond.training.checkpoints.room import check_room, room_at, size
from diamond.training.checkpoints.schedule import Schedule
from diamond.training.checkpoints.skeleton import split
from diamond.training.checkpoints.staging import Pair, Staging
from diamond.training.checkpoints.state import Training

Optimizers = Union[torch.optim.Optimizer, Sequence[torch.optim.Optimizer]]
_OTHER_FILES = 3
"""Of a checkpoint, beside one for each rank: its folder, the manifest, DCP's metadata."""


class Checkpointer:
    """Full checkpoints of one training, by all its ranks together: each method is called on every rank.

    The arguments after `optimizer` and `keep` name anything else with `state_dict` and `load_state_dict`:
    `Checkpointer(model, optimizer, scheduler=scheduler, loader=loader)`.
    """

    def __init__(
        self,
        model: torch.nn.Module,
        optimizer: Optional[Optimizers] = None,
        *,
        folder: Union[str, "os.PathLike[str]", None] = None,
        keep: int = 2,
        best: str = "",
        every_minutes: Optional[float] = None,
        overlap: bool = True,
        **more: Any,
    ) -> None:
        """`best` is `min` or `max`: the checkpoint with the best metric is kept beside the newest.

        `overlap=False` copies the whole state inside `save`, for loops that change parameters outside of optimizers.
        """
        if best not in ("", "min", "max"):
            raise ValueError(f"best={best!r}: use 'min', 'max' or leave it out")
        self._training = Training(model, _as_list(optimizer), more)
        self._ranks = Ranks()
        self._keep, self._overlap = Keep(newest=max(1, keep), best=best), overlap
        self._folder = Folder(_place(folder))
        self._journal = Journal(self._folder.root)
        self._claim = self._take_over()
        self._staging = Staging()
        self._schedule = Schedule(every_minutes, nodes=self._ranks.nodes)
        self._agreement = Agreement(self._ranks)
        self._last_step: Optional[int] = None
        self._serial = 0
        self._began = 0.0
        self._blocked = 0.0
        self._planned: Optional[Signature] = None
        self._start_writer()

    def resume(self) -> int:
        """Take the newest whole checkpoint; the number of steps done, 0 where there is none.

        A damaged one is told about and passed over. Raises CheckpointError when there are some and all are damaged.
        """
        candidates = self._ranks.share([str(one.path) for one in self._folder.saved()])
        for path in [Path(one) for one in candidates]:
            problem = problem_with(path, self._ranks)
            if not problem:
                return self._resume_from(path)
            self._tell(f"checkpoint passed over: {problem}")
            self._record("damaged", _step_of(path), message=problem)
        if candidates:
            raise CheckpointError(
                f"no checkpoint in {self._folder.root} can be used. Move the folder away to start anew."
            )
        return 0

    def after_step(self, step: int, metric: Optional[float] = None) -> bool:
        """Call after each step with the number of steps done. Saves when it is time to.

        True: the end is near, the state is saved; leave with `training.CONTINUE`.
        """
        leads = self._ranks.rank == 0
        due = leads and self._schedule.is_due() and not self._writer.is_busy
        stop, save = self._agreement.ask(self._schedule.must_stop(), due)
        if stop:
            self.save(step, metric, wait=True)
        elif save:
            self.save(step, metric)
        return stop

    def save(self, step: int, metric: Optional[float] = None, *, wait: bool = False) -> None:
        """Save now. Returns as soon as the training may go on; with `wait`, when all is on disk.

        A save that fails is told about and never ends the training, unless there is no room for the first one.
        """
        if step != self._last_step:
            self._save(step, metric)
        if wait:
            self.wait()

    def wait(self) -> None:
        """Until the last save has ended, well or not."""
        self._staging.join()
        self._writer.wait()

    def close(self) -> None:
        """Finish what is being written and end the writer process."""
        self._staging.close()
        self._writer.close()

    @property
    def cost(self) -> Cost:
        """What the last save cost."""
        return self._schedule.cost

    def _save(self, step: int, metric: Optional[float]) -> None:
        self.wait()
        self._began = time.monotonic()
        self._last_step = step
        state = self._training.take()
        tensors, skeleton = split(state)
        self._make_ready(tensors)
        self._writer.begin()
        message = self._message(step, metric, {"skeleton": skeleton, "step": step})
        still = self._training.immutable_between_steps(state) if self._overlap else set()
        self._stage(tensors, still, message)
        self._schedule.saved(blocked_seconds=time.monotonic() - self._began)

    def _stage(self, tensors: Mapping[str, torch.Tensor], still: Any, message: Save) -> None:
        pairs = self._pairs(tensors)
        later = [pair for pair, owner in pairs if id(owner) in still]
        self._staging.copy_now([pair for pair, owner in pairs if id(owner) not in still])
        if later:
            self._staging.copy_meanwhile(later, lambda: self._writer.save(message))
        else:
            self._writer.save(message)

    def _pairs(self, tensors: Mapping[str, torch.Tensor]) -> List[Tuple[Pair, torch.Tensor]]:
        return [
            ((target, find_state_dict_object(tensors, index)), tensors[index.fqn])
            for index, target in self._targets
        ]

    def _make_ready(self, tensors: Mapping[str, torch.Tensor]) -> None:
        """Writers that live, and a plan that fits: on all ranks, or none goes on."""
        shape = signature(tensors)
        dead, changed = self._ranks.any(not self._writer.is_alive, shape != self._planned)
        if dead:
            self._writer.kill()
            self._start_writer()
        if changed:
            self._plan(tensors)
            self._planned = shape
        if dead or changed:
            self._writer.prepare(self._prepared, self._memory)

    def _plan(self, tensors: Mapping[str, torch.Tensor]) -> None:
        ranks = self._ranks
        items, metadata = make_plan(
            tensors, rank=ranks.rank, world_size=ranks.world_size, group=ranks.group
        )
        self._memory = SharedMemory()
        places = lay_out([one for one in items if one.type != WriteItemType.BYTE_IO], self._memory)
        self._memory.pin()
        self._targets = [(place.item.index, view(self._memory, place)) for place in places]
        self._prepared = _prepare_message(items, places, self._memory, metadata)
        self._check_room()

    def _check_room(self) -> None:
        """For all that is to be kept and the one being written; asked by one rank, heard by all."""
        total = sum(self._ranks.gather(self._memory.size))
        files = self._ranks.world_size + _OTHER_FILES
        kept = self._keep.newest + (1 if self._keep.best else 0)
        missing = max(1, kept + 1 - len(self._folder.saved()))
        try:
            if self._ranks.rank == 0:
                room = room_at(self._folder.root)
                check_room(room, checkpoint_bytes=total, checkpoint_files=files, count=missing)
            problem = ""
        except NoRoom as error:
            problem = str(error)
        problem = self._ranks.share(problem)
        if problem:
            raise NoRoom(f"{self._folder.root}: {problem}")

    def _message(self, step: int, metric: Optional[float], shared: Dict[str, Any]) -> Save:
        self._serial += 1
        own = {"rng": take_rng()}
        entries = {rank_entry(self._ranks.rank): _packed(own)}
        if self._ranks.rank == 0:
            entries[SHARED_ENTRY] = _packed(shared)
        return Save(
            step,
            str(self._folder.root),
            self._claim,
            self._serial,
            entries,
            self._keep,
            self._ranks.world_size,
            metric,
            {"torch": torch.__version__},
        )

    def _take_over(self) -> int:
        """Rank 0 claims the folder; a refusal is raised on all ranks."""
        number, problem = 0, ""
        if self._ranks.rank == 0:
            try:
                self._folder.root.mkdir(parents=True, exist_ok=True)
                number = self._folder.claim(_owner())
            except (CheckpointError, OSError) as error:
                problem = str(error)
        number, problem = self._ranks.share((number, problem))
        if problem:
            raise Superseded(problem)
        return number

    def _start_writer(self) -> None:
        self._writer = WriterLink(self._ended)
        self._store, address = self._ranks.open_store()
        self._writer.join(Join(self._ranks.rank, self._ranks.world_size, address))

    def _ended(self, message: Any) -> None:
        """Heard from the writer, in another thread than the training's."""
        seconds = time.monotonic() - self._began
        if isinstance(message, Done):
            self._schedule.durable(seconds, message.total_bytes)
            self._record(
                "saved",
                message.step,
                name=message.name,
                bytes=message.total_bytes,
                seconds=round(seconds, 3),
                blocked_seconds=round(self._schedule.cost.blocked_seconds, 4),
            )
        elif isinstance(message, Failed):
            self._last_step = None
            self._record("failed", message.step, message=message.message)
            self._tell(
                f"the checkpoint of step {message.step} could not be written ({message.message}); "
                "training goes on, and the last good checkpoint stands"
            )

    def _resume_from(self, path: Path) -> int:
        shared, own = load(path, self._training, self._ranks)
        step = int(shared["step"])
        self._last_step = step
        self._planned = None
        if own is not None:
            give_rng(own["rng"])
        self._tell(f"resumed from {path.name}, {step} steps done")
        self._record("resumed", step, name=path.name)
        return step

    def _tell(self, message: str) -> None:
        if self._ranks.rank == 0:
            tell(message)

    def _record(self, event: str, step: int, **values: Any) -> None:
        if self._ranks.rank == 0:
            self._journal.record(event, step, **values)


def _prepare_message(
    items: List[Any], places: List[Place], memory: SharedMemory, metadata: Any
) -> Prepare:
    entries = [one for one in items if one.type == WriteItemType.BYTE_IO]
    ordered = [*(place.item for place in places), *entries]
    spans = [(place.offset, place.length) for place in places]
    return Prepare(ordered, spans, memory.size, metadata)


def _packed(value: Any) -> bytes:
    stream = io.BytesIO()
    torch.save(value, stream)
    return stream.getvalue()


def _place(folder: Union[str, "os.PathLike[str]", None]) -> Path:
    if folder is not None:
        return Path(folder).absolute()
    return Path(os.environ.get("DIAMOND_RUN_DIR") or Path.cwd()) / "checkpoints"


def _owner() -> Dict[str, Any]:
    """Who claims the folder: enough to tell a later attempt of the same task from an earlier one."""
    return {
        "task": os.environ.get("DIAMOND_TASK", ""),
        "attempt_number": os.environ.get("DIAMOND_ATTEMPT_NUMBER", ""),
        "run": os.environ.get("DIAMOND_RUN", ""),
        "host": os.uname().nodename,
        "pid": os.getpid(),
        "time": round(time.time(), 3),
    }


def _as_list(optimizer: Optional[Optimizers]) -> List[torch.optim.Optimizer]:
    if optimizer is None:
        return []
    return [optimizer] if isinstance(optimizer, torch.optim.Optimizer) else list(optimizer)


def _step_of(path: Path) -> int:
    return next((one.step for one in Folder(path.parent).saved() if one.path == path), -1)


__all__ = ["Checkpointer", "Saved", "size"]
