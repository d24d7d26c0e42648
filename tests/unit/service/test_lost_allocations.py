"""Whether a step ended by itself, or because its allocation did."""

from __future__ import annotations

from dataclasses import replace

import pytest

from diamond.core.order import Order, Resources, order_data
from diamond.core.task import Reason
from diamond.pipelines.readiness import StepState
from diamond.service.chains.rows import AttemptRow
from diamond.service.pipelines.rows import StepRow
from diamond.service.pipelines.settle import _without_pilot, ended_with_pilot
from support.task_rows import task_row

ORDER = order_data(Order("s", resources=Resources(walltime_minutes=10)))


@pytest.mark.parametrize(
    ("reason", "seconds", "lost"),
    [
        (Reason.PILOT_CLOSED, 0, True),
        (Reason.NODE_LOST, 5, True),
        (Reason.PREEMPTED, 5, True),
        (Reason.WALL_TIME, 300, True),
        (Reason.WALL_TIME, 599, False),
        (Reason.EXIT_CODE, 5, False),
        (Reason.OUT_OF_MEMORY, 5, False),
        (Reason.CONTINUE_LIMIT, 5, False),
    ],
)
def test_only_the_end_of_its_allocation_is_no_failure(
    reason: Reason, seconds: float, lost: bool
) -> None:
    attempt = AttemptRow("a1", 1, started=100.0)
    task = task_row(
        state="failed",
        reason=reason.value,
        pilot="tpilot",
        order_json=ORDER,
        attempts=(attempt,),
        ended=100.0 + seconds,
    )
    assert ended_with_pilot(task) is lost
    assert not ended_with_pilot(replace(task, pilot="")), "a job of its own has failed"
    assert not ended_with_pilot(replace(task, state="succeeded"))


def test_a_step_of_a_pilot_that_is_being_cancelled_does_not_start_again() -> None:
    step = StepRow(
        pipeline="f1",
        stage="s",
        n=0,
        owner="u1",
        state=StepState.RUNNING,
        message="",
        item={},
        task="t1",
        tries=1,
        lost=0,
        key="",
        outputs={},
        started=1.0,
        ended=None,
    )
    task = task_row(state="failed", reason=Reason.NODE_LOST.value, pilot="tpilot", order_json=ORDER)
    pilot = task_row(state="running", started=1.0, order_json=ORDER)
    assert _without_pilot(step, task, pilot).state is StepState.WAITING
    ending = replace(pilot, cancel_requested=True)
    assert _without_pilot(step, task, ending).state is StepState.CANCELLED
