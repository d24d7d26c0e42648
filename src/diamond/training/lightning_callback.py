"""Checkpoints for Lightning: `Trainer(callbacks=[LightningCheckpoints()])`, and nothing else changes."""

from __future__ import annotations

from typing import Any, Dict, Optional

from lightning.pytorch import Callback

from diamond.training.checkpoints.checkpointer import Checkpointer
from diamond.training.session import finish


class LightningCheckpoints(Callback):
    """Resumes when fitting starts, saves when due, and exits with code 75 before the time limit.

    With `training.ResumableLoader`, a resume in mid-epoch continues with the very next batch; with other loaders,
    Lightning starts the epoch's data again.
    """

    def __init__(self, **options: Any) -> None:
        """`options` are Checkpointer's: folder, keep, best, every_minutes."""
        self._options = options
        self._done = -1
        self.checkpointer: Optional[Checkpointer] = None

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
        """At this point the optimizers exist and the first batch has not been requested."""
        self.checkpointer = Checkpointer(
            pl_module, trainer.optimizers, progress=_Progress(trainer, self), **self._options
        )
        self.checkpointer.resume()

    def on_train_batch_end(
        self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Not while gradients are being accumulated, because checkpoints do not contain them."""
        assert self.checkpointer is not None
        if trainer.global_step == self._done:
            return
        self._done = trainer.global_step
        if self.checkpointer.after_step(self._done):
            trainer.should_stop = True

    def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
        """Exit at once if there is work left: what the script does after `fit` belongs to the last attempt."""
        assert self.checkpointer is not None
        self.checkpointer.save(trainer.global_step, wait=True)
        self.checkpointer.close()
        if self.checkpointer.exit_code:
            finish()
            raise SystemExit(self.checkpointer.exit_code)


class _Progress:
    """Lightning's state besides model and optimizers: loops, position in the data, schedulers, precision, callbacks."""

    def __init__(self, trainer: Any, own: Callback) -> None:
        self._trainer = trainer
        self._callbacks = {
            callback.state_key: callback for callback in trainer.callbacks if callback is not own
        }

    def state_dict(self) -> Dict[str, Any]:
        trainer = self._trainer
        return {
            "loops": trainer.fit_loop.state_dict(),
            "schedulers": [
                config.scheduler.state_dict() for config in trainer.lr_scheduler_configs
            ],
            "precision": trainer.precision_plugin.state_dict(),
            "callbacks": {key: callback.state_dict() for key, callback in self._callbacks.items()},
        }

    def load_state_dict(self, state: Dict[str, Any]) -> None:
        trainer = self._trainer
        trainer.fit_loop.load_state_dict(state["loops"])
        for config, saved in zip(trainer.lr_scheduler_configs, state["schedulers"]):
            config.scheduler.load_state_dict(saved)
        trainer.precision_plugin.load_state_dict(state["precision"])
        for key, callback in self._callbacks.items():
            if state["callbacks"].get(key):
                callback.load_state_dict(state["callbacks"][key])
