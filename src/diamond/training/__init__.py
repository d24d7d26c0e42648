"""What a program may use inside a job. Nothing here is needed to run one.

    from diamond import training

    for step in range(1000):
        training.log(step, loss=loss)
        if training.should_stop():
            save()
            raise SystemExit(training.CONTINUE)

Standard library only, Python 3.8 and later; everything also works outside of Diamond.
"""

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
from diamond.training.metrics import log

__all__ = [
    "CONTINUE",
    "NotGiven",
    "data",
    "deadline",
    "log",
    "params",
    "resume_from",
    "run_dir",
    "secret",
    "should_stop",
]
