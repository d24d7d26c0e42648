"""Checkpoints for the Hugging Face Trainer: `Trainer(callbacks=[TransformersCheckpoints()])`, and nothing else changes."""

from __future__ import annotations

import sys
from typing import Any, Dict, List, Optional

from transformers import TrainerCallback, trainer_callback

from diamond.training.checkpoints.checkpointer import Checkpointer
from diamond.training.checkpoints.events import tell
from diamond.training.checkpoints.rng import give_rng, take_rng
from diamond.training.session import finish


class TransformersCheckpoints(TrainerCallback):
    """Resumes when `train` starts, saves when due, and exits with code 75 before the time limit.

    Set `save_strategy="no"`: the Trainer's own checkpoints would be a second set.
    """

    def __init__(self, **options: Any) -> None:
        """`options` are Checkpointer's: folder, keep, best, every_minutes."""
        self._options = options
        self._epochs_before = 0.0
        self._loader: Any = None
        self._random: Optional[Dict[str, Any]] = None
        self._measured: Optional[float] = None
        self.checkpointer: Optional[Checkpointer] = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        optimizer = given["optimizer"]
        scaler = getattr(optimizer, "scaler", None)
        self.checkpointer = Checkpointer(
            given["model"],
            getattr(optimizer, "optimizer", optimizer),
            scheduler=given["lr_scheduler"],
            progress=_Progress(state, _stateful_callbacks()),
            **({"scaler": scaler} if scaler is not None else {}),
            **self._options,
        )
        if self.checkpointer.resume():
            self._skip_what_is_done(args, state, given["train_dataloader"])
            self._random = take_rng() if self._loader.skip_batches else None

    def on_step_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Starting the data in mid-epoch and skipping batches has repeated random draws from before the checkpoint."""
        if self._random is not None:
            give_rng(self._random)
            self._random = None

    def on_step_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """The Trainer counts epochs from where it started."""
        assert self.checkpointer is not None
        state.epoch += self._epochs_before
        self._measured = None
        if self.checkpointer.after_step(state.global_step):
            control.should_training_stop = True

    def on_evaluate(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """A step is saved before it is measured, so save again with the metric and the callbacks' state."""
        metrics = given.get("metrics") or {}
        name = args.metric_for_best_model or "loss"
        self._measured = metrics.get(name, metrics.get(f"eval_{name}"))
        if self.checkpointer is not None and self.checkpointer.has_saved(state.global_step):
            self.checkpointer.save(state.global_step, self._measured)

    def on_epoch_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Only the first epoch skips its first batches."""
        if self._loader is not None:
            self._epochs_before = float(int(self._epochs_before))
            self._loader.skip_batches = 0

    def on_train_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        """Exit at once if there is work left: what the script does after `train` belongs to the last attempt."""
        assert self.checkpointer is not None
        self.checkpointer.save(state.global_step, self._measured, wait=True)
        self.checkpointer.close()
        if self.checkpointer.exit_code:
            finish()
            raise SystemExit(self.checkpointer.exit_code)

    def _skip_what_is_done(self, args: Any, state: Any, loader: Any) -> None:
        """The epoch's number determines the order of the data; within it, batches are skipped."""
        each = args.gradient_accumulation_steps
        epochs, done = divmod(state.global_step, -(-len(loader) // each))
        _count_from(_sampler(loader), epochs)
        loader.skip_batches = len(loader) if state.global_step >= state.max_steps else done * each
        self._loader = loader
        self._epochs_before = epochs + loader.skip_batches / len(loader)
        if done and len(loader) % each:
            tell(
                "the epoch is not a multiple of the gradient accumulation, "
                "so its last, smaller step is lost in this resume"
            )


def _sampler(loader: Any) -> Any:
    """accelerate wraps the batch sampler to divide it among ranks."""
    batches = loader.batch_sampler
    while hasattr(batches, "batch_sampler"):
        batches = batches.batch_sampler
    return batches.sampler


def _count_from(sampler: Any, epochs: int) -> None:
    """The Trainer starts at epoch 0 again; use the order of the real epoch."""
    original = getattr(sampler, "set_epoch", None)
    if original is not None:
        sampler.set_epoch = lambda epoch: original(epoch + epochs)


def _stateful_callbacks() -> List[Any]:
    """Callbacks do not know each other (transformers 5.23), so the list comes from the Trainer's handler, which calls us.
    The Trainer's control is left out, because its requests belong to this attempt only.
    """
    handler = sys._getframe(2).f_locals.get("self")
    kind = getattr(trainer_callback, "ExportableState", ())
    return [
        callback for callback in getattr(handler, "callbacks", []) if isinstance(callback, kind)
    ]


class _Progress:
    """The Trainer's own state (steps, log history, best metric), and the state of callbacks that have one."""

    _NAMES = (
        "global_step",
        "epoch",
        "log_history",
        "best_metric",
        "best_global_step",
        "total_flos",
        "num_input_tokens_seen",
    )

    def __init__(self, state: Any, callbacks: List[Any]) -> None:
        self._state, self._callbacks = state, callbacks

    def state_dict(self) -> Dict[str, Any]:
        known = [name for name in self._NAMES if hasattr(self._state, name)]
        callbacks = [
            (type(callback).__name__, callback.state()["attributes"])
            for callback in self._callbacks
        ]
        return {**{name: getattr(self._state, name) for name in known}, "callbacks": callbacks}

    def load_state_dict(self, saved: Dict[str, Any]) -> None:
        callbacks = saved.pop("callbacks", [])
        for name, value in saved.items():
            setattr(self._state, name, value)
        for callback in self._callbacks:
            self._give(callback, callbacks)

    def _give(self, callback: Any, callbacks: List[Any]) -> None:
        """The first remaining one of its class; a new callback starts fresh."""
        for place, (name, attributes) in enumerate(callbacks):
            if name == type(callback).__name__:
                vars(callback).update(attributes)
                del callbacks[place]
                return
