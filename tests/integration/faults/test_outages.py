"""The controller or the link is away for a minute."""

from __future__ import annotations

import signal
import time

import pytest

from support.stack import UNTIL_GO, Stack
from support.waiting import wait_for

OUTAGE_SECONDS = 60.0
WAITS = f"echo begun\n{UNTIL_GO}echo ended\n"


@pytest.mark.slow
@pytest.mark.parametrize(("away", "back"), [("stop", "start"), ("hang", "resume")])
def test_a_controller_away_for_a_minute_ends_nothing_and_doubles_nothing(
    stack: Stack, away: str, back: str
) -> None:
    """An `sbatch` that timed out may have been taken: it is looked for before anything is tried again."""
    goes_on, ends = stack.submit(WAITS), stack.submit(WAITS)
    for task in (goes_on, ends):
        stack.until(task, "running")
    stack.cluster.break_controller(away)  # type: ignore[arg-type]
    try:
        asked, end = stack.submit("echo once\n"), time.monotonic() + OUTAGE_SECONDS
        stack.go(ends)
        stack.until(ends, "succeeded")
        wait_for(lambda: time.monotonic() > end, OUTAGE_SECONDS + 5, what="end of the outage")
        assert stack.task(goes_on)["state"] == "running"
        assert stack.task(asked)["state"] in ("preparing", "pending")
    finally:
        stack.cluster.break_controller(back)  # type: ignore[arg-type]
    stack.until(asked, "succeeded", seconds=120)
    stack.go(goes_on)
    stack.until(goes_on, "succeeded")
    for task in (goes_on, ends, asked):
        stack.check(task)


@pytest.mark.slow
def test_a_link_cut_for_a_minute_loses_nothing(stack: Stack) -> None:
    task = stack.submit("for i in {1..60}; do echo line $i; echo err $i >&2; sleep 1; done\n")
    stack.until(task, "running")
    exit_file = stack.attempt_folder(task) / "runs" / "1" / "exit"
    stack.service.process.send_signal(signal.SIGSTOP)
    try:
        wait_for(exit_file.exists, 90, what="end of the program")
    finally:
        stack.service.process.send_signal(signal.SIGCONT)
    stack.until(task, "succeeded")
    stack.check(task)
