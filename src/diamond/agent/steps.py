"""The steps of a submission, with a place to die at for the tests that kill the agent at each of them."""

from __future__ import annotations

import os
import signal

GRACE_SECONDS = 20.0
"""Between the first negative answer about an uncertain submission and the next try."""


def grace() -> float:
    """`GRACE_SECONDS`, unless a test is in a hurry."""
    return float(os.environ.get("DIAMOND_TEST_GRACE") or GRACE_SECONDS)


def reached(step: str) -> None:
    """Say that a step is done; with `DIAMOND_TEST_DIE_AT` naming it, the agent is killed here, as by `kill -9`."""
    if os.environ.get("DIAMOND_TEST_DIE_AT") == step:
        os.kill(os.getpid(), signal.SIGKILL)
