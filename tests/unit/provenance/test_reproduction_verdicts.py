from __future__ import annotations

import pytest

from diamond.core.errors import BadRequest
from diamond.provenance.tolerance import Tolerance, from_repeats, parse_tolerances
from diamond.provenance.verdicts import Level, Outcome, judge

NONE = Tolerance()


def outcome(
    files: dict[str, str] | None = None, state: str = "succeeded", **metrics: float | None
) -> Outcome:
    return Outcome(state, files=files, metrics=metrics)


def test_equal_files_are_identical_whatever_the_clock_said() -> None:
    first = outcome({"model.pt": "aa"}, loss=0.5, seconds=10.0)
    second = outcome({"model.pt": "aa"}, loss=0.5, seconds=12.0)
    verdict = judge(first, second, NONE)
    assert verdict.level is Level.IDENTICAL
    assert verdict.sentence == "The result model.pt is identical, bit for bit"
    assert {each.name: each.finding for each in verdict.metrics} == {
        "loss": "equal",
        "seconds": "not compared",
    }


def test_a_file_that_differs_with_equal_metrics_is_within_tolerance() -> None:
    verdict = judge(outcome({"m": "a"}, loss=0.5), outcome({"m": "b"}, loss=0.5), NONE)
    assert verdict.level is Level.WITHIN and "m differs" in verdict.sentence


@pytest.mark.parametrize(
    ("tolerance", "level"),
    [
        ([], Level.DIFFERENT),
        (["0.01"], Level.DIFFERENT),
        (["0.02"], Level.WITHIN),
        (["10%"], Level.WITHIN),
        (["loss=5%"], Level.WITHIN),
        (["acc=5%"], Level.DIFFERENT),
        (["loss=0.001", "1"], Level.DIFFERENT),
    ],
)
def test_a_stated_tolerance_decides(tolerance: list[str], level: Level) -> None:
    first, second = outcome({"m": "a"}, loss=0.5), outcome({"m": "b"}, loss=0.52)
    assert judge(first, second, parse_tolerances(tolerance)).level is level


def test_a_difference_says_which_metric_and_how_far() -> None:
    verdict = judge(outcome(loss=0.5, acc=0.9), outcome(loss=0.52, acc=0.3), NONE)
    assert verdict.sentence == "acc was 0.9 and is 0.3: 0.6 apart, allowed 0"


def test_the_spread_of_repeated_runs_is_a_tolerance() -> None:
    runs = [{"loss": 0.50}, {"loss": 0.52}, {"loss": 0.48}]
    tolerance = from_repeats(NONE, runs)
    verdict = judge(outcome(loss=0.5), outcome(loss=0.53), tolerance)
    assert verdict.level is Level.WITHIN and "3 standard deviations of 3 runs" in verdict.sentence
    assert judge(outcome(loss=0.5), outcome(loss=0.7), tolerance).level is Level.DIFFERENT
    assert from_repeats(NONE, runs[:2]) == NONE
    stated = parse_tolerances(["0.5"])
    assert from_repeats(stated, runs) is stated


def test_runs_without_files_are_compared_by_their_metrics() -> None:
    verdict = judge(outcome({}, loss=0.5), outcome({}, loss=0.5), NONE)
    assert verdict.level is Level.IDENTICAL and "left no files" in verdict.sentence


def test_with_nothing_to_compare_nothing_is_claimed() -> None:
    verdict = judge(outcome({}), outcome({}), NONE)
    assert verdict.level is Level.NOT_REPRODUCIBLE
    assert verdict.missing == (
        "nothing to compare: the runs left no files in artifacts/ and logged no metrics",
    )


def test_a_metric_that_became_nan_is_different() -> None:
    verdict = judge(outcome(loss=0.5), outcome(loss=None), parse_tolerances(["100%"]))
    assert verdict.level is Level.DIFFERENT and "is not a number" in verdict.sentence


def test_two_runs_that_both_became_nan_agree() -> None:
    verdict = judge(outcome(loss=None), outcome(loss=None), NONE)
    assert verdict.level is Level.IDENTICAL


def test_a_missing_file_is_named() -> None:
    verdict = judge(outcome({"a": "1", "b": "2"}), outcome({"a": "1"}), NONE)
    assert verdict.level is Level.DIFFERENT and "b missing" in verdict.sentence


def test_a_second_run_that_fails_is_different() -> None:
    second = Outcome("failed", "exit-code")
    verdict = judge(outcome({"m": "a"}), second, NONE)
    assert verdict.level is Level.DIFFERENT
    assert verdict.sentence == "The first run succeeded, the second ended failed (exit-code)"


def test_data_that_are_not_there_are_missing_and_not_a_difference() -> None:
    verdict = judge(outcome({"m": "a"}), Outcome("failed", "data"), NONE)
    assert verdict.level is Level.NOT_REPRODUCIBLE
    assert verdict.missing == ("the data are not on the machine of the second run",)


@pytest.mark.parametrize("text", ["", "x", "-1", "loss=", "nan", "inf", "1e999", "=1"])
def test_what_is_not_a_tolerance_is_rejected(text: str) -> None:
    with pytest.raises(BadRequest, match="is not a tolerance"):
        parse_tolerances([text])
