"""What becomes of trials that agents held for later, once their study is paused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import pytest

from diamond.core.errors import Conflict
from diamond.core.protocol import WITH_SHARES
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.platform.database.engine import Transaction
from diamond.service.projects.terms import ProjectTerms
from diamond.service.studies.advance import new_trial
from diamond.service.studies.curves import TaskValues
from diamond.service.studies.launch import Launcher
from diamond.service.studies.packing import StudyPilots
from diamond.service.studies.round import HELD_BACK, Round, look_at_trials, plan_starts
from diamond.service.studies.rows import (
    PAUSED,
    RUNNING,
    Counts,
    Inputs,
    StudyRow,
    TrialRow,
    TrialTask,
)
from diamond.studies.decisions import Streak, TrialState
from diamond.studies.optuna_mirror import Asked
from diamond.studies.plan import Objective, StudyPlan

PLAN = StudyPlan((Objective("loss"),), (), trials=1, parallel=2, on=("a",), ahead_minutes=60)
STUDY = StudyRow(
    id="s",
    owner="u",
    project="",
    name="search",
    state=PAUSED,
    message="",
    spec={},
    code=None,
    plan=PLAN,
    counts=Counts(),
    streak=Streak(),
    warnings=(),
    inputs=Inputs(),
    asked=1,
    best=None,
    open=1,
    node_seconds=0.0,
    saved_seconds=0.0,
    created=0.0,
    updated=0.0,
    ended=None,
)
TRIAL = replace(new_trial(STUDY, Asked(0, {}, {}), 0.0), cause=HELD_BACK)
TASK = TrialTask(
    task="t0",
    study="s",
    trial=0,
    repeat=0,
    n=0,
    state="cancelled",
    reason="by-person",
    message="",
    exit_code=None,
    endpoint="e",
    endpoint_name="a",
    cancel_requested=True,
    started=None,
    ended=1.0,
    updated=1.0,
    node_seconds=0.0,
)
VALUE = TaskValues(steps=((1.0, 0.5),), finals=(0.5,))


def after_resume(
    tasks: Sequence[TrialTask], *, flags: set[str], values: dict[str, TaskValues]
) -> tuple[TrialRow, Round]:
    study = replace(STUDY, state=RUNNING, plan=replace(PLAN, repeats=len(tasks)))
    work = Round(study, [TRIAL], 1000.0)
    repeats = {0: {task.repeat: [task] for task in tasks}}
    look_at_trials(work, repeats, values, flags)
    plan_starts(work, repeats, 1.0)
    return work.trial(0), work


def test_a_point_whose_other_repeat_the_machine_ended_is_not_lost() -> None:
    lost = replace(TASK, task="t1", repeat=1, state="failed", reason="node-lost")
    trial, work = after_resume([TASK, lost], flags=set(), values={})
    assert trial.state == TrialState.WAITING.value
    assert [(start.repeat, start.after) for start in work.starts] == [(0, "t0"), (1, "t1")]


def test_a_trial_that_was_cut_short_does_not_count_as_complete() -> None:
    early = replace(TASK, state="succeeded", reason="", started=0.5)
    trial, work = after_resume([early], flags={"t0"}, values={"t0": VALUE})
    assert trial.state == TrialState.WAITING.value
    assert [start.after for start in work.starts] == ["t0"]


def test_a_trial_that_ended_before_the_cancel_came_is_complete() -> None:
    whole = replace(TASK, state="succeeded", reason="", started=0.5)
    trial, work = after_resume([whole], flags=set(), values={"t0": VALUE})
    assert trial.state == TrialState.COMPLETE.value
    assert not work.starts


@pytest.mark.parametrize("away", [{"e"}, set()])
def test_nothing_is_taken_back_from_an_agent_that_may_have_begun_it(away: set[str]) -> None:
    held = replace(TASK, state="queued", cancel_requested=False, ended=None)
    work = Round(STUDY, [replace(TRIAL, cause="")], 1000.0, away=away)
    plan_starts(work, {0: {0: [held]}}, 1.0)
    assert [stop.task for stop in work.stops] == ([] if away else ["t0"])
    assert (work.trial(0).cause == HELD_BACK) is not bool(away)


@pytest.mark.parametrize("protocol", [WITH_SHARES - 1, WITH_SHARES])
def test_agents_that_would_start_all_at_once_get_no_points_ahead(protocol: int) -> None:
    endpoint = EndpointRow(
        id="e",
        owner="u",
        name="a",
        carrier="https",
        ssh_host="",
        state="online",
        since=0.0,
        created=0.0,
        confirmed=True,
        generation=1,
        protocol=protocol,
    )
    tx = cast("Transaction", None)
    pilots = StudyPilots(tx, STUDY, [], {}, (), 1)
    launcher = Launcher(tx, STUDY, cast("ProjectTerms", None), [endpoint], {}, pilots)
    if protocol < WITH_SHARES:
        with pytest.raises(Conflict, match="too old to hold points ahead"):
            launcher._share(endpoint)
    else:
        assert launcher._share(endpoint) == {"study": "s", "slots": 2}
