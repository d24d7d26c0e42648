"""How long a step of a build will take."""

from __future__ import annotations

from diamond.service.images.build_steps import StepProgress
from diamond.service.images.schemas import BuildStep, StepState
from diamond.service.images.step_estimates import estimated_seconds, standing_of

PAST = [
    StepProgress("base", "docker://a", "done", seconds=10.0),
    StepProgress("base", "docker://b", "done", seconds=50.0),
    StepProgress("base", "docker://b", "done", seconds=70.0),
    StepProgress("command-1", "make", "done", seconds=5.0),
]


def test_the_same_step_counts_first() -> None:
    assert estimated_seconds("base", "docker://b", PAST) == 60.0


def test_others_of_its_kind_are_better_than_nothing() -> None:
    assert estimated_seconds("base", "docker://new", PAST) == 50.0


def test_a_command_is_like_itself_alone_wherever_it_stands() -> None:
    assert estimated_seconds("command-3", "make", PAST) == 5.0
    assert estimated_seconds("command-1", "make -j2", PAST) is None


def test_nothing_is_made_up() -> None:
    assert estimated_seconds("pack", "one file", PAST) is None


def step(
    state: StepState,
    seconds: float | None = None,
    expected: float | None = None,
    started: float | None = None,
) -> BuildStep:
    return BuildStep(
        name="x",
        title="x",
        state=state,
        editable="",
        started=started,
        seconds=seconds,
        expected_seconds=expected,
    )


def test_a_build_says_which_step_runs_and_how_much_is_left_by_earlier_times() -> None:
    steps = [step("done", 20.0), step("running", expected=60.0, started=100.0)]
    steps.append(step("waiting", expected=20.0))
    standing = standing_of(steps, now=130.0)
    assert (standing.step, standing.steps) == (2, 3)
    assert (standing.percent, standing.seconds_left) == (50, 50.0)


def test_a_step_that_takes_longer_than_before_never_reaches_the_end() -> None:
    steps = [step("cached"), step("running", expected=60.0, started=100.0)]
    standing = standing_of(steps, now=1000.0)
    assert (standing.percent, standing.seconds_left) == (99, 0.0)


def test_no_percentage_is_made_up_for_steps_that_never_ran() -> None:
    steps = [step("running", expected=60.0, started=1.0), step("waiting")]
    standing = standing_of(steps, now=30.0)
    assert (standing.step, standing.steps) == (1, 2)
    assert standing.percent is None and standing.seconds_left is None
    assert standing_of([step("waiting", expected=1.0)], now=1.0).step == 0
