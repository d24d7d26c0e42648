"""How far a training is, and how long it still takes."""

from __future__ import annotations

import pytest

from diamond.planning.progress import Reading, Target, measure_progress, target_of


@pytest.mark.parametrize(
    ("params", "command", "target"),
    [
        ({"steps": 4000, "lr": 0.1}, "", Target("step", 4000)),
        ({"epochs": "12"}, "", Target("epoch", 12)),
        ({"lr": 0.1}, "python train.py --max-iters=5_000", Target("step", 5000)),
        ({}, "python train.py --epochs 3 --save-steps 10", Target("epoch", 3)),
        ({}, "python train.py trainer.max_epochs=7", Target("epoch", 7)),
        ({}, "python train.py --num_train_epochs 2 --max_steps -1", Target("epoch", 2)),
        ({"steps": True}, "python train.py --steps many", None),
        ({"warmup_steps": 100, "eval_iters": 20}, "python train.py", None),
    ],
)
def test_the_number_of_steps_is_read_as_people_write_it(
    params: dict[str, object], command: str, target: Target | None
) -> None:
    assert target_of(params, command.split()) == target


def test_time_left_is_the_rest_at_the_present_pace() -> None:
    reading = Reading(steps=[(10.0, 100.0), (20.0, 120.0)])
    progress = measure_progress(Target("step", 100), reading, now=125.0)
    assert progress is not None
    assert (progress.done, progress.fraction) == (20, 0.2)
    assert progress.seconds_left == 80 * 2 - 5


def test_a_program_that_logs_once_per_epoch_counts_epochs_from_zero_or_one() -> None:
    points = [(0.0, 10.0), (1.0, 20.0), (2.0, 30.0)]
    progress = measure_progress(
        Target("epoch", 12), Reading(steps=points, counts_from_zero=True), now=30.0
    )
    assert progress is not None
    assert (progress.unit, progress.done, progress.seconds_left) == ("epoch", 3, 90)


def test_an_epoch_metric_counts_where_steps_are_batches() -> None:
    reading = Reading(steps=[(500.0, 5.0), (1000.0, 10.0)], epochs=[(0.5, 5.0), (1.0, 10.0)])
    progress = measure_progress(Target("epoch", 2), reading, now=10.0)
    assert progress is not None
    assert (progress.unit, progress.done, progress.seconds_left) == ("epoch", 1, 10)


def test_nothing_is_promised_that_is_not_known() -> None:
    steps = [(500.0, 5.0), (1000.0, 10.0)]
    assert measure_progress(Target("step", 9), Reading(), now=1.0) is None
    without_total = measure_progress(None, Reading(steps=steps), now=10.0)
    assert without_total is not None
    assert (without_total.total, without_total.fraction, without_total.seconds_left) == (None,) * 3
    batches = measure_progress(Target("epoch", 3), Reading(steps=steps), now=10.0)
    assert batches is not None and (batches.unit, batches.total) == ("step", None)
    ended = measure_progress(Target("step", 2000), Reading(steps=steps), now=None)
    assert ended is not None and ended.seconds_left is None
    one_point = measure_progress(Target("step", 9), Reading(steps=[(3.0, 5.0)]), now=5.0)
    assert one_point is not None and one_point.seconds_left is None
