"""What probes are made of a spec, and when one has told enough."""

from __future__ import annotations

from typing import Any

import pytest

from diamond.core.errors import BadRequest
from diamond.planning.measuring import measure, step_seconds
from diamond.planning.probing import ProbeState, judge, parse_goal, startable
from diamond.planning.scaling import Goal
from diamond.planning.switching import batch_names, hold, settings_to_try, untried


def steps(count: int, pace: float, *, warm_up: float = 0.0, every: int = 1) -> list[Any]:
    """The first three take longer."""
    return [(n, 100 + n * pace + min(n, 3) * warm_up) for n in range(0, count, every)]


def test_the_warm_up_is_left_out() -> None:
    seen = measure(steps(30, 0.5, warm_up=9.0))
    assert seen.step_seconds == pytest.approx(0.5)
    assert seen.steps == 24
    assert seen.seconds == pytest.approx(12)


def test_of_a_program_that_logs_seldom_the_first_stretch_is_left_out() -> None:
    seen = measure(steps(401, 0.01, warm_up=4.0, every=100))
    assert seen.paces == pytest.approx([0.01] * 3)


def test_steps_shorter_than_the_clock_tells_are_measured_several_at_once() -> None:
    rounded = [(n, round(n * 0.0017, 3)) for n in range(3000)]
    assert measure(rounded).step_seconds == pytest.approx(0.0017, rel=0.02)


def test_a_restart_does_not_spoil_the_pace() -> None:
    again = [(n, 900 + n * 0.5) for n in range(20)]
    assert step_seconds([*steps(40, 0.5), *again]) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("points", "has_ended", "state"),
    [
        (steps(40, 0.5), False, ProbeState.MEASURED),
        (steps(20, 0.5), False, ProbeState.RUNNING),
        (steps(40, 0.001), False, ProbeState.RUNNING),
        (steps(20, 0.5), True, ProbeState.MEASURED),
        (steps(7, 0.5), True, ProbeState.FAILED),
        ([], True, ProbeState.FAILED),
    ],
)
def test_a_probe_has_told_enough_after_so_many_steps_and_so_long(
    points: list[Any], has_ended: bool, state: ProbeState
) -> None:
    assert judge(points, 30, has_ended=has_ended, why="").state is state


def test_a_probe_that_told_nothing_says_why() -> None:
    words = judge([], 30, has_ended=True, why="out of memory").words
    assert words == "out of memory; it told 0 steps, too few to tell a pace"


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("soonest", (Goal.SOONEST, 0.7)),
        ("cheapest", (Goal.CHEAPEST, 0.7)),
        ("efficiency", (Goal.EFFICIENCY, 0.7)),
        ("efficiency:0.85", (Goal.EFFICIENCY, 0.85)),
    ],
)
def test_goals_are_read(text: str, goal: tuple[Goal, float]) -> None:
    assert parse_goal(text) == goal


@pytest.mark.parametrize("text", ["", "fast", "efficiency:2", "efficiency:x", "soonest:0.5"])
def test_what_is_no_goal_is_answered_with_the_goals(text: str) -> None:
    with pytest.raises(BadRequest, match="is no goal") as refused:
        parse_goal(text)
    assert "cheapest" in refused.value.hint


def test_probes_run_one_after_another_unless_asked_otherwise() -> None:
    assert startable(["measured", "waiting", "waiting"], together=False) == [1]
    assert startable(["running", "waiting"], together=False) == []
    assert startable(["running", "waiting", "waiting"], together=True) == [1, 2]


def test_the_batch_of_an_update_is_held_on_more_ranks() -> None:
    params = {"batch_size": 64, "lr": 0.1}
    held = hold(params, batch_names(params), ranks=4, written_ranks=1)
    assert (held.params, held.samples_per_step) == ({"batch_size": 16}, 64)
    assert held.words == "batch_size 64 -> 16"


def test_fewer_ranks_accumulate_rather_than_take_a_batch_that_may_not_fit() -> None:
    params = {"batch": 8, "accumulate": 2}
    held = hold(params, batch_names(params), ranks=1, written_ranks=4)
    assert (held.params, held.samples_per_step) == ({"accumulate": 8}, 64)


def test_ranks_that_cannot_share_the_batch_are_answered_with_those_that_can() -> None:
    params = {"batch_size": 64}
    with pytest.raises(BadRequest, match="64 cannot be shared evenly by 3 ranks"):
        hold(params, batch_names(params), ranks=3, written_ranks=1)


def test_without_a_param_for_the_batch_each_rank_brings_its_own() -> None:
    held = hold({"lr": 0.1}, batch_names({"lr": 0.1}), ranks=4, written_ranks=1)
    assert (held.params, held.samples_per_step, held.words) == ({}, 4, "")


def test_a_param_is_found_by_the_name_that_the_person_gives() -> None:
    params = {"mb": 32, "batch_size": "auto"}
    assert batch_names(params).batch == ""
    assert batch_names(params, "mb").batch == "mb"
    with pytest.raises(BadRequest, match="no param 'bs'") as refused:
        batch_names(params, "bs")
    assert refused.value.hint == "Params that are: mb."


def test_precision_batch_and_workers_are_tried_one_at_a_time() -> None:
    params = {"precision": "fp32", "batch_size": 32, "num_workers": 0}
    tried = settings_to_try(params, batch_names(params), ranks=2, cpus=4)
    assert {label: one.samples_per_step for label, one in tried.items()} == {
        "precision=bf16": 64,
        "batch_size=64": 128,
        "batch_size=128": 256,
        "num_workers=1": 64,
        "num_workers=2": 64,
        "num_workers=4": 64,
    }
    assert untried(params, batch_names(params)) == []


@pytest.mark.parametrize(
    ("params", "label"),
    [
        ({"amp": False}, "amp=True"),
        ({"precision": "32-true"}, "precision=bf16-mixed"),
        ({"dtype": "float32"}, "dtype=bfloat16"),
        ({"precision": "bf16"}, None),
        ({"amp": True}, None),
    ],
)
def test_bf16_is_written_as_each_library_writes_it(
    params: dict[str, Any], label: str | None
) -> None:
    tried = settings_to_try(params, batch_names(params), ranks=1, cpus=1)
    assert list(tried) == ([label] if label else [])


def test_a_precision_that_nobody_knows_is_said_to_be_untried() -> None:
    params = {"precision": "tf32", "batch_size": 8, "num_workers": 0}
    words = untried(params, batch_names(params))
    assert words[0].startswith("Precision was not tried: how `precision: tf32` is written")
    for known in ("fp32", "bf16", True):
        assert untried({**params, "precision": known}, batch_names(params)) == []


def test_what_no_param_switches_is_said() -> None:
    words = untried({"lr": 1.0}, batch_names({"lr": 1.0}))
    assert [one.split(" was not")[0] for one in words] == [
        "Precision",
        "The batch size",
        "The number of data-loader workers",
    ]
