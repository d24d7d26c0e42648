"""What a task waits for, and what follows when one of these things is there or fails."""

from __future__ import annotations

import pytest

from diamond.core.dependencies import (
    Decision,
    Dependency,
    DependencyKind,
    DependencyState,
    fail,
    is_ready,
    meet,
    waiting_message,
    waiting_phase,
)
from diamond.core.task import Phase

BUILD = Dependency(DependencyKind.BUILD, "t1", message="its image is being built by t1")
PROBE = Dependency(DependencyKind.PROBE, "s1", message="short runs measure it")


def test_a_task_without_dependencies_is_ready() -> None:
    assert is_ready([])
    assert not is_ready([BUILD])
    assert (waiting_phase([]), waiting_message([])) == (Phase.NONE, "")


def test_a_task_is_submitted_when_the_last_dependency_is_met() -> None:
    first = meet([BUILD, PROBE], "t1")
    assert (first.decision, first.message) == (Decision.WAIT, PROBE.message)
    assert [one.state.value for one in first.dependencies] == ["met", "waiting"]
    last = meet(first.dependencies, "s1")
    assert last.decision is Decision.SUBMIT and is_ready(last.dependencies)


def test_a_task_fails_when_one_dependency_fails_whatever_else_it_waits_for() -> None:
    outcome = fail([BUILD, PROBE], "s1", "no probe fits the budget")
    assert (outcome.decision, outcome.message) == (Decision.FAIL, "no probe fits the budget")
    assert meet(outcome.dependencies, "t1").decision is Decision.FAIL


def test_a_dependency_that_is_settled_stays_so() -> None:
    met = meet([BUILD], "t1")
    assert fail(met.dependencies, "t1", "too late") == met
    failed = fail([BUILD], "t1", "no such base")
    assert meet(failed.dependencies, "t1") == failed


def test_something_that_the_task_does_not_wait_for_changes_nothing() -> None:
    assert meet([BUILD], "t9").dependencies == (BUILD,)


@pytest.mark.parametrize(
    ("kind", "phase"),
    [
        (DependencyKind.BUILD, Phase.BUILDING),
        (DependencyKind.TRANSFER, Phase.STAGING),
        (DependencyKind.PROBE, Phase.PROBING),
        (DependencyKind.TASK, Phase.HELD),
    ],
)
def test_the_phase_names_the_first_thing_that_is_missing(
    kind: DependencyKind, phase: Phase
) -> None:
    met = Dependency(DependencyKind.BUILD, "t0", DependencyState.MET)
    assert waiting_phase([met, Dependency(kind, "x"), PROBE]) is phase


def test_the_message_names_everything_that_is_missing() -> None:
    assert waiting_message([BUILD, PROBE]) == f"{BUILD.message}; {PROBE.message}"
