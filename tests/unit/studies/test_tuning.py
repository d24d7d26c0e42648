"""What may be tuned, and which trials count: as fast as can be, as long as the loss keeps up."""

from __future__ import annotations

import math

import pytest

from diamond.core.errors import BadRequest
from diamond.core.facts import Suggested
from diamond.planning.param_changes import BatchNames
from diamond.planning.tune_space import as_written, tuning_space, untuned
from diamond.service.studies.suggested import new_dimensions
from diamond.service.studies.tuned import measured
from diamond.studies.plan import Tune
from diamond.studies.values import LoggedPoint

PARAMS = {"lr": 0.01, "batch_size": 32, "precision": "fp32", "num_workers": 1, "epochs": 3}
NAMES = BatchNames("batch_size")
TUNE = Tune("loss", within=0.1, steps=10, batch="batch_size")


def curve(steps: int, pace: float, loss: float, last: float = 0.0) -> list[LoggedPoint]:
    """A loss that falls to `last` of itself."""
    falls = (loss - last) / steps
    return [(float(n), n * pace, loss - n * falls) for n in range(1, steps + 1)]


def test_the_space_holds_the_spec_as_written_and_what_may_be_faster() -> None:
    space = tuning_space(PARAMS, NAMES, cpus=4)
    assert space == {
        "precision": {"choice": ["fp32", "bf16"]},
        "batch_size": {"choice": [32, 64, 128]},
        "num_workers": {"choice": [1, 2, 4]},
        "lr": {"log": [0.001, 0.1]},
    }
    assert as_written(PARAMS, space) == {name: PARAMS[name] for name in space}
    assert untuned(PARAMS, NAMES) == []
    assert "learning rate was not tried" in untuned({"batch_size": 8}, NAMES)[-1]
    with pytest.raises(BadRequest, match="no param to tune"):
        tuning_space({"lr": 0.1}, BatchNames(), cpus=4)


def test_the_spec_as_written_is_measured_once_it_has_enough_steps() -> None:
    params = {"batch_size": 32}
    assert not measured(TUNE, params, curve(6, 0.5, 2.0), None, has_ended=False).has_enough
    done = measured(TUNE, params, curve(30, 0.5, 2.0), None, has_ended=False)
    assert done.throughput == pytest.approx(64) and not done.refused
    assert done.losses[-1][0] == 30 * 32


def test_a_larger_batch_counts_only_if_its_loss_keeps_up_after_as_many_samples() -> None:
    written = measured(TUNE, {"batch_size": 32}, curve(40, 0.5, 2.0, 1.0), None, has_ended=False)
    large = {"batch_size": 64}
    early = measured(TUNE, large, curve(15, 0.5, 2.0, 1.0), written.losses, has_ended=False)
    assert not early.has_enough, "640 of 1280 samples"
    good = measured(TUNE, large, curve(20, 0.5, 2.0, 1.0), written.losses, has_ended=False)
    assert good.throughput == pytest.approx(128) and not good.refused
    slow = measured(TUNE, large, curve(20, 0.5, 2.0, 1.6), written.losses, has_ended=False)
    assert "loss" in slow.refused and "1280 samples" in slow.refused
    short = measured(TUNE, large, curve(16, 0.5, 2.0, 1.0), written.losses, has_ended=True)
    assert "it ended after 1024 samples" in short.refused


def test_a_loss_that_is_no_number_ends_its_trial_at_once() -> None:
    points = [*curve(3, 0.5, 2.0), (4.0, 2.0, math.nan)]
    assert "not a finite number" in measured(TUNE, {}, points, None, has_ended=False).refused


@pytest.mark.parametrize(
    ("each", "batch"), [(1, "abc"), (10**400, 2), (1, 10**400), (1, True), (1, -4)]
)
def test_a_spec_that_somebody_wrote_cannot_stop_the_rounds_of_its_study(
    each: int, batch: int | str
) -> None:
    tune = Tune("loss", steps=10, batch="b", samples_each=each)
    found = measured(tune, {"b": batch}, curve(30, 0.5, 2.0), None, has_ended=False)
    assert found.throughput is not None and math.isfinite(found.throughput)


def test_a_program_names_no_more_dimensions_than_a_spec_may_have() -> None:
    named = [Suggested(f"d{n}", "int", low=1, high=9, value=4) for n in range(500)]
    assert len(new_dimensions(named, {}, room=200)) == 200
    assert new_dimensions(named, {}, room=0) == new_dimensions(named, {}, room=-1) == {}
    assert list(new_dimensions(named[:2], {"d0": 4}, room=9)) == ["d1"]
