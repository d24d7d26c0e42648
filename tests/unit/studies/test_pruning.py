"""Pruning rules decide as Optuna's pruners of the same names do, on the same histories."""

from __future__ import annotations

import itertools
import random

import optuna
import pytest

from diamond.studies.pruning import (
    Pruner,
    TrialCurve,
    judge,
    merge_repeats,
    reached_rungs,
    saved_node_seconds,
)
from diamond.studies.signed_rank import p_value

optuna.logging.set_verbosity(optuna.logging.ERROR)
STUDY = "h123"
ASHA = Pruner("asha", min=1, max=10**9, factor=3)


def pruner_pairs() -> list[tuple[Pruner, optuna.pruners.BasePruner]]:
    theirs = optuna.pruners
    return [
        (ASHA, theirs.SuccessiveHalvingPruner(min_resource=1, reduction_factor=3)),
        (
            Pruner("asha", min=2, max=10**9, factor=2),
            theirs.SuccessiveHalvingPruner(min_resource=2, reduction_factor=2),
        ),
        (Pruner("median", startup=3, warmup=2), theirs.MedianPruner(3, 2)),
        (
            Pruner("percentile", percentile=25, startup=2, warmup=1, interval=3),
            theirs.PercentilePruner(25.0, 2, 1, 3),
        ),
        (
            Pruner("hyperband", min=1, max=27, factor=3),
            theirs.HyperbandPruner(min_resource=1, max_resource=27, reduction_factor=3),
        ),
    ]


@pytest.mark.parametrize("maximize", [True, False])
@pytest.mark.parametrize("at", range(5), ids=lambda n: pruner_pairs()[n][0].name)
def test_each_rule_decides_as_optuna_does(at: int, maximize: bool) -> None:
    ours, theirs = pruner_pairs()[at]
    rng = random.Random(at)
    study = optuna.create_study(
        study_name=STUDY, direction="maximize" if maximize else "minimize", pruner=theirs
    )
    known: list[TrialCurve] = []
    decided = 0
    for number in range(60):
        trial = study.ask()
        curve = TrialCurve(number, ())
        for step in range(1, 20):
            value = rng.random() + step / 20
            trial.report(value, step)
            expected = trial.should_prune()
            curve = TrialCurve(number, (*curve.steps, (step, value)), rungs=curve.rungs)
            verdict = judge(
                ours, curve, known, maximize=maximize, study=STUDY, seen=len(curve.steps) - 1
            )
            assert verdict.prune == expected, (number, step)
            curve = TrialCurve(number, curve.steps, rungs=verdict.rungs or curve.rungs)
            if expected:
                decided += 1
                assert verdict.words
                break
        is_pruned = curve.steps[-1][0] < 19
        study.tell(
            trial,
            None if is_pruned else curve.steps[-1][1],
            state=optuna.trial.TrialState.PRUNED if is_pruned else None,
        )
        known.append(TrialCurve(number, curve.steps, not is_pruned, curve.rungs))
    assert decided > 5


def test_values_that_arrive_together_are_judged_one_by_one() -> None:
    good = TrialCurve(0, ((1, 0.9), (3, 0.95)), True, (0.9, 0.95))
    steps = ((1.0, 0.95), (2.0, 0.95), (3.0, 0.1), (4.0, 0.99))
    verdict = judge(ASHA, TrialCurve(1, steps), [good], maximize=True, study=STUDY, seen=0)
    assert verdict.prune and verdict.at == 3 and verdict.rungs == (0.95, 0.1)
    assert verdict.words == "at step 3 it was number 2 of 2"


def test_the_highest_rung_lies_below_the_maximum() -> None:
    steps = tuple((float(n), 0.5) for n in range(1, 101))
    assert len(reached_rungs(Pruner("asha", min=1, max=9, factor=3), STUDY, 0, steps)) == 2
    assert len(reached_rungs(Pruner("asha", min=1, max=10, factor=3), STUDY, 0, steps)) == 3


def test_a_trial_worse_than_the_best_at_every_value_is_pruned_by_wilcoxon() -> None:
    best = TrialCurve(0, tuple((float(n), 0.9 + n / 1000) for n in range(20)), True)
    worse = tuple((float(n), 0.8) for n in range(20))
    rule = Pruner("wilcoxon", startup=5)
    assert judge(rule, TrialCurve(1, worse), [best], maximize=True, study=STUDY, seen=0).prune
    assert not judge(rule, TrialCurve(1, worse), [best], maximize=False, study=STUDY, seen=0).prune


@pytest.mark.parametrize("count", [3, 6, 9])
def test_the_exact_probability_counts_all_patterns_of_signs(count: int) -> None:
    rng = random.Random(count)
    sizes = rng.sample(range(1, 100), count)
    ranks = {size: rank for rank, size in enumerate(sorted(sizes), start=1)}
    differences = [size if rng.random() < 0.7 else -size for size in sizes]
    observed = sum(ranks[abs(each)] for each in differences if each > 0)
    every = [
        sum(rank for rank, sign in zip(range(1, count + 1), signs, strict=True) if sign)
        for signs in itertools.product([True, False], repeat=count)
    ]
    share = sum(total >= observed for total in every) / len(every)
    assert p_value([float(each) for each in differences]) == pytest.approx(share)


def test_repeats_are_averaged_where_all_have_a_value() -> None:
    merged = merge_repeats([((1, 0.4), (2, 0.6)), ((1, 0.6),)])
    assert merged == ((1, 0.5),)


def test_pruning_saves_against_the_usual_length_of_a_complete_trial() -> None:
    assert saved_node_seconds([10, 200], [100, 100]) == 90
    assert saved_node_seconds([10], []) == 0
