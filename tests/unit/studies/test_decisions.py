"""What the end of a task means for its trial, and what follows for the study."""

from __future__ import annotations

import math

import pytest

from diamond.studies.decisions import (
    Act,
    Ending,
    Streak,
    TaskFacts,
    TrialQueue,
    best_trial,
    choose_queue,
    judge_task,
    mean_and_spread,
    pareto_front,
    slots_at,
    thinned,
    trials_ahead,
)
from diamond.studies.plan import Objective, StudyPlan
from diamond.studies.values import counted_steps, final_of, resource_steps

NAN = math.nan


@pytest.mark.parametrize(
    ("task", "stopping", "act"),
    [
        (TaskFacts("running"), False, Act.WAIT),
        (TaskFacts("succeeded"), False, Act.COMPLETE),
        (TaskFacts("succeeded"), True, Act.COMPLETE),
        (TaskFacts("succeeded", is_flagged=True), True, Act.PRUNE),
        (TaskFacts("cancelled", "by-person"), True, Act.PRUNE),
        (TaskFacts("cancelled", "by-person"), False, Act.PRUNE),
        (TaskFacts("failed", "preempted"), False, Act.AGAIN),
        (TaskFacts("failed", "node-lost"), False, Act.AGAIN),
        (TaskFacts("failed", "wall-time"), False, Act.AGAIN),
        (TaskFacts("failed", "by-site"), False, Act.AGAIN),
        (TaskFacts("failed", "lost"), False, Act.AGAIN),
        (TaskFacts("failed", "refused"), False, Act.AGAIN),
        (TaskFacts("failed", "exit-code", 1), False, Act.FAIL),
        (TaskFacts("failed", "out-of-memory"), False, Act.FAIL),
        (TaskFacts("failed", "signal"), False, Act.FAIL),
        (TaskFacts("failed", "hung"), False, Act.FAIL),
    ],
)
def test_the_end_of_a_task_decides_about_its_trial(
    task: TaskFacts, stopping: bool, act: Act
) -> None:
    ending = judge_task(task, is_stopping=stopping, at_rung=False, has_value=True, now=0)
    assert ending.act is act


def test_a_task_without_a_value_has_time_for_its_last_lines() -> None:
    task = TaskFacts("succeeded", ended=100.0)
    kind = {"is_stopping": False, "at_rung": False, "has_value": False}
    assert judge_task(task, now=110, **kind).act is Act.WAIT
    late = judge_task(task, now=131, **kind)
    assert late.act is Act.FAIL and late.cause == "no-value"


def test_three_ends_with_the_same_cause_in_a_row_ask() -> None:
    fail, other = Ending(Act.FAIL, "exit-code 1"), Ending(Act.FAIL, "out-of-memory")
    streak = Streak().after(fail).after(fail)
    assert not streak.asks and streak.after(fail).asks
    assert not streak.after(other).asks
    assert streak.after(Ending(Act.COMPLETE)) == Streak()


def test_the_last_value_of_a_step_counts_and_another_metric_may_count_the_steps() -> None:
    points = [(10.0, 0.0, 0.5), (20.0, 0.0, 0.6), (20.0, 1.0, 0.7)]
    assert resource_steps(points, []) == ((10.0, 0.5), (20.0, 0.7))
    epochs = [(0.0, 0.0, 1.0), (15.0, 0.0, 2.0)]
    assert resource_steps(points, epochs) == ((1.0, 0.5), (2.0, 0.7))
    assert counted_steps(points) == ((1.0, 0.5), (2.0, 0.7))
    assert resource_steps([(NAN, 0.0, 0.1), (NAN, 0.0, 0.2)], []) == ((1.0, 0.1), (2.0, 0.2))


def test_a_curve_that_ends_in_nan_has_no_value() -> None:
    up, down = Objective("a", True), Objective("b", False)
    curve = [(1.0, 0.0, 0.5), (2.0, 0.0, 0.9), (3.0, 0.0, 0.7)]
    assert final_of(up, "best", [curve]) == 0.9
    assert final_of(down, "best", [curve]) == 0.5
    assert final_of(up, "last", [curve]) == 0.7
    assert final_of(up, "best", [curve, [(4.0, 0.0, NAN)]]) is None
    assert final_of(up, "best", []) is None


def test_the_front_holds_every_point_that_no_other_beats() -> None:
    goals = (Objective("accuracy", True), Objective("seconds", False))
    points = {0: (0.9, 10.0), 1: (0.8, 5.0), 2: (0.8, 6.0), 3: (0.95, 20.0), 4: (0.9, 10.0)}
    assert pareto_front(goals, points) == [0, 1, 3, 4]


def test_the_best_is_the_first_of_the_best() -> None:
    assert best_trial(Objective("a", True), [(0, 0.5), (1, 0.9), (2, 0.9)]) == (1, 0.9)
    assert best_trial(Objective("a", False), []) is None


def test_trials_go_where_they_start_soonest() -> None:
    idle, busy = TrialQueue("idle", True, 0, 2), TrialQueue("busy", True, 3, 2)
    away = TrialQueue("away", False, 0, 0)
    assert choose_queue([busy, idle, away]) == "idle"
    assert choose_queue([away, busy]) == "busy"
    assert choose_queue([TrialQueue("a", True, 4, 8), TrialQueue("b", True, 2, 1)]) == "a"
    assert choose_queue([TrialQueue("a", True, 0, 3), TrialQueue("b", True, 0, 1)]) == "b"


def test_long_curves_are_thinned_and_keep_their_ends() -> None:
    steps = tuple((float(n), 0.0) for n in range(5000))
    kept = thinned(steps)
    assert len(kept) <= 1000 and kept[0] == steps[0] and kept[-1] == steps[-1]


def test_repeats_give_mean_and_spread() -> None:
    assert mean_and_spread([1.0]) == (1.0, 0.0)
    assert mean_and_spread([1.0, 3.0])[1] == pytest.approx(math.sqrt(2))


@pytest.mark.parametrize(
    ("minutes", "lasted", "expected"),
    [(0, [60.0], 0), (480, [], 4), (60, [600.0] * 3, 24), (480, [1.0], 500), (1, [3600.0], 4)],
    ids=["not wanted", "before one ended", "by how long they last", "at most", "at least a round"],
)
def test_agents_get_as_many_trials_ahead_as_fill_the_absence(
    minutes: int, lasted: list[float], expected: int
) -> None:
    plan = StudyPlan((Objective("loss"),), (), parallel=4, ahead_minutes=minutes)
    assert trials_ahead(plan, lasted) == expected


def test_slots_are_shared_among_endpoints() -> None:
    names = ["beta", "alpha", "alpha", "local"]
    assert [slots_at(names, name, 5) for name in ("alpha", "beta", "local")] == [2, 2, 1]
    assert slots_at(names, "local", 2) == 1
