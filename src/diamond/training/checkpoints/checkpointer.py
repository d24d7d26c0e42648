"""Save a PyTorch training while it runs, and resume it. User guide: `docs/checkpoints.md`."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import torch

from diamond.training.checkpoints.errors import CheckpointError, Superseded
from diamond.training.checkpoints.events import Journal, tell
from diamond.training.checkpoints.folder import Folder, Keep
from diamond.training.checkpoints.interval import Cost
from diamond.training.checkpoints.loading import load, problem_with
from diamond.training.checkpoints.messages import Done, Failed
from diamond.training.checkpoints.ranks import Agreement, Ranks
from diamond.training.checkpoints.rng import give_rng, take_rng
from diamond.training.checkpoints.saving import Saver, Snapshot
from diamond.training.checkpoints.schedule import Schedule
from diamond.training.checkpoints.skeleton import split
from diamond.training.checkpoints.state import Training
from diamond.training.context import CONTINUE, run_dir
from diamond.training.session import at_finish, not_at_finish

Optimizers = Union[torch.optim.Optimizer, Sequence[torch.optim.Optimizer]]
FolderPath = Union[str, "os.PathLike[str]"]


class Checkpointer:
    """Full checkpoints of one training, made by all its ranks together: call each method on every rank.

    Further keywords name anything else with `state_dict` and `load_state_dict`:
    `Checkpointer(model, optimizer, scheduler=scheduler, loader=loader)`.
    """

    def __init__(
        self,
        model: torch.nn.Module,
        optimizer: Optional[Optimizers] = None,
        *,
        folder: Optional[FolderPath] = None,
        keep: int = 2,
        best: str = "",
        every_minutes: Optional[float] = None,
        overlap: bool = True,
        **more: Any,
    ) -> None:
        """`best` is `min` or `max`: also keep the checkpoint with the best metric.

        `overlap=False` copies the whole state inside `save`, for loops that change parameters outside of optimizers;
        without an optimizer this is always the case.
        """
        if best not in ("", "min", "max"):
            raise ValueError(f"best={best!r}: use 'min', 'max' or leave it out")
        shared, self._per_rank = _by_kind(more)
        self._training = Training(model, _as_list(optimizer), shared)
        self._ranks = Ranks()
        self._overlap = overlap and bool(self._training.optimizers)
        self._folder = Folder(Path(folder or run_dir() / "checkpoints").absolute())
        self._journal = Journal(self._folder.root)
        claim = self._take_over()
        self._schedule = Schedule(every_minutes, nodes=self._ranks.nodes)
        self._agreement = Agreement(self._ranks)
        self._last_step: Optional[int] = None
        self._last_metric: Optional[float] = None
        self._reached = -1
        self._stopped = False
        self._began = 0.0
        keeping = Keep(newest=max(1, keep), best=best)
        self._saver = Saver(self._folder, claim, keeping, self._ranks, self._ended)
        self._is_open = True
        at_finish(self._end)

    def resume(self) -> int:
        """Load the newest intact checkpoint; return the number of steps done, 0 if there is none.

        A damaged one is reported and skipped. Raises CheckpointError if there are checkpoints and all are damaged.
        """
        self.wait()
        candidates = self._ranks.share([str(saved.path) for saved in self._folder.saved()])
        for path in [Path(candidate) for candidate in candidates]:
            problem = problem_with(path, self._ranks)
            if not problem:
                return self._resume_from(path)
            self._saver.pass_over(path.name)
            self._tell(f"skipping a checkpoint: {problem}")
            self._record("damaged", -1, name=path.name, message=problem)
        if candidates:
            raise CheckpointError(
                f"no checkpoint in {self._folder.root} is usable. Move the folder away to start from scratch."
            )
        return 0

    def steps(
        self, loader: Any, *, total: Optional[int] = None, epochs: Optional[int] = None
    ) -> Iterator[Tuple[int, Any]]:
        """A whole training loop: resumes, yields (steps done before, batch), saves, and ends in time.

        `epochs` needs a ResumableLoader. Exit with `exit_code` afterwards.
        """
        self._include(loader)
        if epochs is not None and not hasattr(loader, "epoch"):
            raise TypeError(
                "epochs=… needs training.ResumableLoader; with other loaders, use total=…"
            )
        done = self.resume()
        if done and not hasattr(loader, "state_dict"):
            self._tell(
                "the loader does not know its position, so its data start from the beginning"
            )
        empty_passes = 0
        while (total is None or done < total) and (epochs is None or loader.epoch < epochs):
            before = done
            for batch in loader:
                yield done, batch
                done += 1
                if self.after_step(done) and done != total:
                    return
                if done == total:
                    break
            empty_passes = empty_passes + 1 if done == before else 0
            if empty_passes > 1:
                raise ValueError("the loader yields no batch: the data are empty or used up")
        self.save(done)
        self._saver.staging.wait()
        self._stopped = False

    def after_step(self, step: int, metric: Optional[float] = None) -> bool:
        """Call after each step with the number of steps done. Saves when due.

        True: the end is near and the state is saved; exit with `exit_code`.
        """
        leads = self._ranks.rank == 0
        self._schedule.stepped()
        due = leads and not self._saver.is_busy and self._schedule.is_due()
        stop, save = self._agreement.ask(self._schedule.must_stop(), due)
        if stop:
            self._stopped = True
            self.save(step, metric, wait=True)
        elif save:
            self.save(step, metric)
        return stop

    @property
    def exit_code(self) -> int:
        """75 if there is work left for the next attempt, else 0."""
        return CONTINUE if self._stopped else 0

    def save(self, step: int, metric: Optional[float] = None, *, wait: bool = False) -> None:
        """Save now. Returns as soon as the training may continue; with `wait`, when everything is on disk.

        A failed save is reported and does not end the training, unless there is no space for the first one. With `wait`,
        it is tried a second time.
        """
        if not self._is_open:
            raise CheckpointError("this Checkpointer is closed: make another one to save more")
        self.wait()
        self._begin_save(step, metric)
        if wait:
            self.wait()
            self._begin_save(step, metric)
            self.wait()

    def has_saved(self, step: int) -> bool:
        """Whether the last save, which may still be running, was of this step, and another save is possible."""
        return self._is_open and step == self._last_step

    def wait(self) -> None:
        """Wait until the last save has ended, successfully or not."""
        if self._saver.wait():
            self._last_step = None

    def close(self) -> None:
        """Finish what is being written and end the writer process."""
        if self._is_open:
            self._is_open = False
            not_at_finish(self._end)
            self._agreement.close()
            self._saver.close()

    def _end(self, together: bool) -> None:
        if together:
            self.close()
        elif self._is_open:
            self._saver.leave()

    @property
    def cost(self) -> Cost:
        """What the last save cost."""
        return self._schedule.cost

    @property
    def writer_pid(self) -> int:
        """The process id of this rank's writer."""
        return self._saver.writer.pid

    def _begin_save(self, step: int, metric: Optional[float]) -> None:
        """Does nothing if that step was saved; all ranks know, because they agree on a failure while they wait."""
        number = None if metric is None else _number(metric)
        if step == self._last_step and not self._is_measured_only_now(number):
            return
        self._reached = max(self._reached, -1 if self._last_step is None else self._last_step)
        if step <= self._reached and not self._take_over_again(step):
            return
        self._began = time.monotonic()
        self._last_step, self._last_metric = int(step), number
        self._saver.save(self._snapshot(int(step), number))
        self._schedule.saved(blocked_seconds=time.monotonic() - self._began)

    def _is_measured_only_now(self, metric: Optional[float]) -> bool:
        """Save a step again if it was saved before it was measured; otherwise the best one could be missed."""
        return self._ranks.any(metric is not None and repr(metric) != repr(self._last_metric))[0]

    def _take_over_again(self, step: int) -> bool:
        """Make the next save the newest, even if steps are counted from 0 again; return whether the folder is still ours."""
        try:
            self._saver.claim = self._take_over(self._saver.claim)
        except Superseded as error:
            self._ended(Failed(step, str(error)))
            return False
        self._reached = -1
        return True

    def _snapshot(self, step: int, metric: Optional[float]) -> Snapshot:
        state = self._training.take()
        tensors, skeleton = split(state)
        own = {"rng": take_rng(), **{k: v.state_dict() for k, v in self._per_rank.items()}}
        return Snapshot(
            step=step,
            metric=metric,
            tensors=tensors,
            alike=self._training.alike_on_all_ranks(state),
            still=self._training.still_between_steps(state) if self._overlap else set(),
            shared={"step": step, "skeleton": skeleton, "world_size": self._ranks.world_size},
            own=own,
        )

    def _include(self, loader: Any) -> None:
        """The loader of `steps` is part of the training, even if it was not passed to the constructor."""
        known = [*self._training.more.values(), *self._per_rank.values()]
        if hasattr(loader, "state_dict") and all(other is not loader for other in known):
            shared, own = _by_kind({"loader_of_steps": loader})
            self._training.more = {**self._training.more, **shared}
            self._per_rank.update(own)

    def _resume_from(self, path: Path) -> int:
        shared, own = load(path, self._training, self._ranks)
        step = int(shared["step"])
        self._last_step, self._last_metric = step, None
        if own is not None:
            self._give_own(own, shared.get("world_size", self._ranks.world_size))
        for difference in self._training.differences(shared["skeleton"]):
            self._tell(difference)
        self._tell(f"resumed from {path.name}, {step} steps done")
        self._record("resumed", step, name=path.name)
        return step

    def _give_own(self, own: Mapping[str, Any], world_size: int) -> None:
        """A position that each rank counts for itself is useless with another number of ranks.

        A loader that is asked for its state starts its epoch at once; those random draws happened before the checkpoint.
        """
        for name, part in self._per_rank.items():
            if name not in own:
                self._tell(f"{name} was not in the checkpoint and starts fresh")
            elif world_size == self._ranks.world_size:
                part.load_state_dict(own[name])
                part.state_dict()
            else:
                self._tell(
                    f"{name} starts fresh: it was saved by {world_size} ranks, each on its own"
                )
        give_rng(own["rng"])

    def _take_over(self, held: Optional[int] = None) -> int:
        """Rank 0 claims the folder, again only while it still holds it; a failure is raised on all ranks."""
        number, problem = 0, ""
        if self._ranks.rank == 0:
            try:
                self._folder.root.mkdir(parents=True, exist_ok=True)
                if held is not None:
                    self._folder.check_owned(held)
                number = self._folder.claim(_owner())
            except (CheckpointError, OSError) as error:
                problem = str(error)
        agreed: Tuple[int, str] = self._ranks.share((number, problem))
        if agreed[1]:
            raise Superseded(agreed[1])
        return agreed[0]

    def _ended(self, message: Any) -> None:
        """Called when the writer reports, in another thread than the training's."""
        if isinstance(message, Done):
            self._succeeded(message)
        elif isinstance(message, Failed):
            self._schedule.failed()
            self._record("failed", message.step, message=message.message)
            self._tell(
                f"the checkpoint of step {message.step} could not be written ({message.message}); "
                "training continues, and the last good checkpoint is safe"
            )

    def _succeeded(self, message: Done) -> None:
        seconds = time.monotonic() - self._began
        self._schedule.durable(
            seconds, message.total_bytes, waited=self._saver.staging.waited_seconds
        )
        self._record(
            "saved",
            message.step,
            name=message.name,
            bytes=message.total_bytes,
            seconds=round(seconds, 3),
            blocked_seconds=round(self._schedule.cost.blocked_seconds, 4),
        )
        if self._ranks.rank == 0:
            self._journal.tell_lead(self._schedule.lead_seconds)

    def _tell(self, message: str) -> None:
        if self._ranks.rank == 0:
            tell(message)

    def _record(self, event: str, step: int, **values: Any) -> None:
        if self._ranks.rank == 0:
            self._journal.record(event, step, **values)


def _owner() -> Dict[str, Any]:
    """Who claims the folder: enough to distinguish a later attempt of the same task from an earlier one."""
    return {
        "task": os.environ.get("DIAMOND_TASK", ""),
        "attempt_number": os.environ.get("DIAMOND_ATTEMPT_NUMBER", ""),
        "run": os.environ.get("DIAMOND_RUN", ""),
        "host": os.uname().nodename,
        "pid": os.getpid(),
        "time": round(time.time(), 3),
    }


def _number(metric: Any) -> float:
    """Also for a tensor with gradients, or a numpy number."""
    return float(metric.item() if hasattr(metric, "item") else metric)


def _as_list(optimizer: Optional[Optimizers]) -> List[torch.optim.Optimizer]:
    if optimizer is None:
        return []
    return [optimizer] if isinstance(optimizer, torch.optim.Optimizer) else list(optimizer)


def _by_kind(more: Dict[str, Any]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """What all ranks share, and what each has separately: torchdata's loaders count for one rank only."""
    for name, part in more.items():
        if not hasattr(part, "state_dict") or not hasattr(part, "load_state_dict"):
            raise TypeError(
                f"{name}={type(part).__name__} has no state_dict and load_state_dict. For data use "
                "training.ResumableLoader; other keywords are folder, keep, best, every_minutes and overlap."
            )
    own = {k: v for k, v in more.items() if _is_of_torchdata(v)}
    return {k: v for k, v in more.items() if k not in own}, own


def _is_of_torchdata(loader: Any) -> bool:
    return any(kind.__module__.startswith("torchdata.") for kind in type(loader).__mro__)
