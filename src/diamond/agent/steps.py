"""A place to die at, for the tests that kill the agent at every step of a submission."""

from __future__ import annotations

import os
import signal


def reached(step: str) -> None:
    """Say that a step is done; with `DIAMOND_TEST_DIE_AT` naming it, the agent is killed here, as by `kill -9`."""
    if os.environ.get("DIAMOND_TEST_DIE_AT") == step:
        os.kill(os.getpid(), signal.SIGKILL)
