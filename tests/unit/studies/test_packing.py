"""Which trials share an allocation, how large it is, and what its end means for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from diamond.compose.spec_check import Composed
from diamond.core.order import Image, Order, OrderedTree, Resources
from diamond.service.platform.database.engine import Transaction
from diamond.service.projects.terms import ProjectTerms
from diamond.service.studies.curves import TaskValues
from diamond.service.studies.launch import Launcher, inputs_of
from diamond.service.studies.packing import StudyPilots
from diamond.service.studies.round import PACKED_GRACE_SECONDS, PILOT_FAILED, Round, look_at_trials
from diamond.service.studies.rows import RUNNING, Inputs, PilotFacts, TrialTask
from diamond.studies.decisions import TrialState, trials_ahead
from diamond.studies.packing import Site, allocation, lead, slots_in, together
from diamond.studies.pruning import Pruner
from unit.studies.test_points_ahead import PLAN, STUDY, TASK, TRIAL

ONE_CORE = Resources(walltime_minutes=5)
NODE = Site(cores=8, memory_mb=32_000, gpus=4)
PACKED = replace(PLAN, ahead_minutes=0, pack=4, parallel=16)


@pytest.mark.parametrize(
    ("pack", "trial", "site", "lasted", "expected"),
    [
        ("off", ONE_CORE, NODE, [2.0], 1),
        (6, ONE_CORE, NODE, [], 6),
        (99, ONE_CORE, NODE, [], 16),
        ("auto", ONE_CORE, NODE, [], 1),
        ("auto", ONE_CORE, NODE, [2.0, 2.0], 8),
        ("auto", ONE_CORE, NODE, [2.0, 4000.0, 4000.0], 1),
        ("auto", ONE_CORE, replace(NODE, whole_nodes=True), [], 8),
        ("auto", ONE_CORE, replace(NODE, most_jobs=4), [4000.0], 4),
        ("auto", ONE_CORE, replace(NODE, allows_pilots=False), [2.0], 1),
        ("auto", ONE_CORE, Site(), [2.0], 1),
        ("auto", replace(ONE_CORE, cpus_per_task=8), NODE, [2.0], 1),
        ("auto", replace(ONE_CORE, gpus_per_node=1), NODE, [2.0], 4),
        ("auto", replace(ONE_CORE, memory_mb=16_000), NODE, [2.0], 2),
        ("auto", replace(ONE_CORE, nodes=2), NODE, [2.0], 1),
        (4, replace(ONE_CORE, nodes=2), NODE, [2.0], 1),
    ],
)
def test_trials_share_an_allocation_if_they_are_short_or_smaller_than_a_node(
    pack: int | str, trial: Resources, site: Site, lasted: Sequence[float], expected: int
) -> None:
    assert together(pack, trial, site, parallel=16, lasted=lasted) == expected


def test_an_allocation_has_as_many_nodes_as_its_trials_need_and_lasts_for_those_that_are_left() -> (
    None
):
    shared = allocation(16, ONE_CORE, NODE, lasted=[60.0], left=4000)
    assert (shared.nodes, shared.each, shared.slots) == (2, 8, 16)
    assert shared.minutes == 240, "work for 375 minutes, in allocations that do not wait forever"
    assert allocation(4, ONE_CORE, NODE, lasted=[60.0], left=4).minutes == 60
    assert allocation(4, ONE_CORE, replace(NODE, most_minutes=30), lasted=[], left=4).minutes == 30
    long = replace(ONE_CORE, walltime_minutes=300)
    assert allocation(4, long, NODE, lasted=[], left=4).minutes == 450
    assert slots_in(Resources(nodes=2, cpus_per_task=8, memory_mb=4000), ONE_CORE) == 16
    assert (
        slots_in(
            Resources(nodes=2, cpus_per_task=8, memory_mb=4000), replace(ONE_CORE, memory_mb=1000)
        )
        == 8
    )


def test_short_trials_wait_in_their_pilot_so_that_no_slot_is_ever_empty() -> None:
    assert lead(16, [2.0]) == 32 and lead(16, [20.0]) == 4 and lead(16, [600.0]) == 0
    assert lead(16, []) == 16
    assert trials_ahead(PACKED, [2.0], slots=16) == 32
    assert trials_ahead(PACKED, [2.0], slots=0) == 0


def seen(pilot: PilotFacts, *tasks: TrialTask) -> Round:
    study = replace(STUDY, state=RUNNING, plan=PACKED, inputs=Inputs(node_hours=0.1))
    trials = [replace(TRIAL, number=n, cause="", state="running") for n in range(len(tasks))]
    work = Round(study, trials, 1000.0, pilots={"p": pilot})
    look_at_trials(work, {n: {0: [task]} for n, task in enumerate(tasks)}, {}, set())
    return work


def inside(**fields: Any) -> TrialTask:
    given = {
        "state": "failed",
        "pilot": "p",
        "cancel_requested": False,
        "started": 1.0,
        "ended": 9.0,
    }
    return replace(TASK, **{**given, **fields})


def test_the_end_of_an_allocation_asks_nobody_though_it_ends_many_trials() -> None:
    reasons = ("wall-time", "wall-time", "node-lost", "pilot-closed", "preempted")
    work = seen(PilotFacts(4), *(inside(reason=reason) for reason in reasons))
    assert {trial.state for trial in work.every()} == {TrialState.WAITING.value}
    assert not work.why and work.study.streak.count == 0


def test_trials_that_reach_their_own_time_limit_in_a_pilot_pause_the_study() -> None:
    work = seen(PilotFacts(4), *(inside(reason="wall-time", ended=350.0) for _ in range(3)))
    assert work.why == "3 trials in a row ended with wall-time"


def test_a_pilot_that_cannot_run_pauses_the_study_and_says_why() -> None:
    failed = PilotFacts(4, failure="no such image")
    work = seen(failed, *(inside(reason="pilot-closed", started=None) for _ in range(3)))
    assert PILOT_FAILED in work.why and "its pilot p failed: no such image" in work.why


def test_a_trial_pays_for_its_part_of_the_node() -> None:
    work = seen(PilotFacts(4), inside(state="succeeded", reason="", node_seconds=8.0))
    assert work.every()[0].node_seconds == 2.0


def test_what_is_pruned_in_a_pilot_leaves_its_place_at_once() -> None:
    plan = replace(PACKED, pruner=Pruner("asha", min=1, max=9, factor=2))
    good = replace(
        TRIAL, cause="", state="complete", steps=((1.0, 0.1),), rungs=(0.1,), values=(0.1,)
    )
    bad = replace(TRIAL, number=1, cause="", state="running")
    study = replace(STUDY, state=RUNNING, plan=plan)
    work = Round(study, [good, bad], 1000.0, pilots={"p": PilotFacts(4, slots=4)})
    task = inside(trial=1, state="running", ended=None)
    look_at_trials(work, {1: {0: [task]}}, {"t0": TaskValues(((1.0, 0.9),))}, set())
    assert [stop.grace for stop in work.stops] == [PACKED_GRACE_SECONDS]


def test_a_study_warns_if_endpoints_have_other_images_or_data() -> None:
    tree = OrderedTree("sha256:" + "a" * 64)
    order = Order(
        name="net", image=Image(identity="1" * 64), trees={"images": tree}, data={"extra": "/d"}
    )
    study = replace(STUDY, inputs=inputs_of(order, "alpha"))
    tx = cast("Transaction", None)
    launcher = Launcher(
        tx, study, cast("ProjectTerms", None), [], {}, StudyPilots(tx, study, [], {}, (), 1)
    )
    launcher._compare_inputs(Composed(order, "beta"))
    assert not launcher.study.warnings
    other = replace(order, image=Image(identity="2" * 64), data={"extra": "/elsewhere"})
    launcher._compare_inputs(Composed(other, "beta"))
    launcher._compare_inputs(Composed(other, "beta"))
    assert launcher.study.warnings == (
        "beta uses another image than alpha: results may differ",
        "extra on beta is not the data that alpha uses: results may differ",
    )
