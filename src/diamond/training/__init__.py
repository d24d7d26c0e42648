"""What a program can use inside a job. None of it is required.

    from diamond import training

    for step in range(1000):
        training.log(step, loss=loss)
        if training.should_stop():
            save()
            raise SystemExit(training.CONTINUE)

Python 3.8 and later; everything also works outside of Diamond. Only the names in `_WITH_TORCH` need more than the
standard library; they are imported when first used (`docs/checkpoints.md`).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from diamond.training.context import (
    CONTINUE,
    NotGiven,
    data,
    deadline,
    params,
    resume_from,
    run_dir,
    secret,
    should_stop,
)
from diamond.training.facts import seed
from diamond.training.metrics import log
from diamond.training.results import artifact, save_model
from diamond.training.session import Session, finish, init
from diamond.training.shards import Shards, shards
from diamond.training.stages import stage
from diamond.training.trial import Trial, trial

if TYPE_CHECKING:
    from diamond.training.checkpoints.checkpointer import Checkpointer
    from diamond.training.lightning_callback import LightningCheckpoints
    from diamond.training.resumable import ResumableLoader, ResumableSampler
    from diamond.training.transformers_callback import TransformersCheckpoints

_WITH_TORCH = {
    "Checkpointer": "diamond.training.checkpoints.checkpointer",
    "ResumableLoader": "diamond.training.resumable",
    "ResumableSampler": "diamond.training.resumable",
    "LightningCheckpoints": "diamond.training.lightning_callback",
    "TransformersCheckpoints": "diamond.training.transformers_callback",
}


def __getattr__(name: str) -> Any:
    if name not in _WITH_TORCH:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_WITH_TORCH[name]), name)


__all__ = [
    "CONTINUE",
    "Checkpointer",
    "LightningCheckpoints",
    "NotGiven",
    "ResumableLoader",
    "ResumableSampler",
    "Session",
    "Shards",
    "TransformersCheckpoints",
    "Trial",
    "artifact",
    "data",
    "deadline",
    "finish",
    "init",
    "log",
    "params",
    "resume_from",
    "run_dir",
    "save_model",
    "secret",
    "seed",
    "shards",
    "should_stop",
    "stage",
    "trial",
]
