"""How long a step of a build will take."""

from __future__ import annotations

from diamond.service.images.build_steps import StepProgress
from diamond.service.images.step_estimates import estimated_seconds

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
