"""Trials on a real Slurm cluster: bad ones give their node back, and what the site ends runs again."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import pytest

from support.stack import Stack
from support.waiting import wait_for

PROGRAM = """\
import json, os, pathlib, signal, sys, time

signal.signal(signal.SIGTERM, signal.SIG_IGN)
place = pathlib.Path(sys.argv[2])
is_first = not (place / "first").exists()
(place / "first").touch()
with (place / "executions").open("a") as file:
    file.write(os.environ["DIAMOND_TASK"] + "\\n")
for step in range(1, 100_000):
    with open(os.environ["DIAMOND_METRICS"], "a") as file:
        file.write(json.dumps({"step": step, "accuracy": 0.9 if is_first else 0.1}) + "\\n")
    if step == 2:
        (place / ("decided." + os.environ["DIAMOND_TASK"])).write_text(str(time.time()))
    if step == 3 and is_first:
        break
    time.sleep(0.2)
"""
"""The first trial is good and ends; the others are bad, never end, and ignore SIGTERM and the stop flag."""


def begin(stack: Stack, place: Path, *, program: str = PROGRAM, **study: Any) -> str:
    block = {
        "objective": {"accuracy": "maximize"},
        "space": {"lr": {"log": [1e-5, 1e-1]}},
        "sampler": "random",
        "parallel": 1,
        **study,
    }
    spec = {
        "name": "search",
        "run": ["python3", "-c", program, "{lr}", str(place)],
        "on": stack.name,
        "resources": {"memory": "100MB", "walltime": "5m"},
        "study": block,
    }
    return str(stack.client.post("/studies", {"spec": spec})["id"])


def ended(stack: Stack, study: str) -> Any:
    def look() -> Any:
        found = stack.client.get(f"/studies/{study}")
        return found if found["state"] == "done" else None

    return wait_for(look, what="the end of the study")


def task_of(stack: Stack, study: str, number: int, *states: str) -> str:
    """The task of a trial, as soon as it has one (and a state)."""

    def look() -> str:
        trials = trials_of(stack, study)
        trial = trials[number] if number < len(trials) else None
        is_there = trial is not None and (not states or trial["state"] in states)
        return str(trial["task"]) if trial is not None and is_there else ""

    return wait_for(look, what=f"trial {number}")


def trials_of(stack: Stack, study: str) -> list[Any]:
    items = stack.client.get(f"/studies/{study}/trials?limit=100")["items"]
    return list(reversed(items))


def test_a_pruned_trial_gives_its_node_back_though_it_ignores_every_signal(
    stack: Stack, tmp_path: Path
) -> None:
    pruner = {"asha": {"min": 2, "max": 1000, "factor": 2}}
    study = begin(stack, tmp_path, trials=2, pruner=pruner)
    bad = task_of(stack, study, 1)
    decided = tmp_path / f"decided.{bad}"
    wait_for(lambda: decided.exists() and decided.read_text(), what="the deciding value")
    job = stack.native_id(bad)

    def is_gone() -> bool:
        return not stack.slurm("squeue", "--noheader", "--states=R,CG", "--jobs", job, check=False)

    wait_for(is_gone, what="the node to be free")
    seconds = time.time() - float(decided.read_text())
    assert seconds < 11, (
        "5 s for a save, and the rest for the way; the lab's KillWait would be 5 s more"
    )
    done = ended(stack, study)
    assert (done["counts"]["complete"], done["counts"]["pruned"]) == (1, 1)
    assert ("note", "the stop flag is set; it is killed in 5 s") in stack.told(bad)


def test_a_trial_that_the_site_ends_runs_again_as_the_same_point(
    stack: Stack, tmp_path: Path
) -> None:
    (tmp_path / "first").touch()
    study = begin(stack, tmp_path, trials=1)
    first = task_of(stack, study, 0, "running")
    before = trials_of(stack, study)[0]
    (tmp_path / "first").unlink()
    stack.restart_service()
    stack.slurm("scancel", "--signal=KILL", "--full", stack.native_id(first))
    stack.slurm("scancel", stack.native_id(first))
    done = ended(stack, study)
    trial = trials_of(stack, study)[0]
    assert done["asked"] == 1 and done["counts"]["complete"] == 1
    assert trial["params"] == before["params"] and trial["reruns"] == 1
    executed = (tmp_path / "executions").read_text().split()
    assert executed == [first, trial["task"]]


SHORT = """\
import json, os, pathlib, sys, time

with (pathlib.Path(sys.argv[2]) / "executions").open("a") as file:
    file.write(os.environ["DIAMOND_TASK"] + "\\n")
with open(os.environ["DIAMOND_METRICS"], "a") as file:
    file.write(json.dumps({"step": 1, "accuracy": float(sys.argv[1])}) + "\\n")
time.sleep(1)
"""


def executions(place: Path) -> list[str]:
    file = place / "executions"
    return file.read_text().split() if file.exists() else []


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_short_trials_share_one_slurm_job_whatever_dies_above_them(
    stack: Stack, tmp_path: Path
) -> None:
    before = stack.slurm("squeue", "--noheader", "--Format=jobid").split()
    study = begin(stack, tmp_path, program=SHORT, trials=24, parallel=4, pack=4, ahead="1h")
    wait_for(lambda: len(executions(tmp_path)) >= 4, what="trials")
    stack.kill_service()
    wait_for(lambda: len(executions(tmp_path)) >= 8, what="trials without a service")
    stack.start_service()
    wait_for(lambda: len(executions(tmp_path)) >= 12, what="trials after it")
    stack.kill_agent()
    jobs = stack.slurm("squeue", "--noheader", "--Format=jobid").split()
    stack.start_agent()
    done = ended(stack, study)
    assert done["counts"]["complete"] == done["asked"] == 24
    ran = executions(tmp_path)
    assert len(ran) == len(set(ran)) == 24, "each ran, and none twice"
    assert len(set(jobs) - set(before)) <= 1
    (pilot,) = [each for each in stack.client.get("/pilots")["items"] if each["study"] == study]
    assert (pilot["cpus_per_node"], pilot["memory_mb"]) == (4, 400)
    assert {trial["task"] for trial in trials_of(stack, study)} == set(ran)
    wait_for(
        lambda: stack.client.get(f"/pilots/{pilot['id']}")["state"] == "succeeded", what="its end"
    )


KILLED = """\
import json, math, os, pathlib, sys, time

place, lr = pathlib.Path(sys.argv[2]), float(sys.argv[1])
time.sleep(1)
with open(os.environ["DIAMOND_METRICS"], "a") as file:
    file.write(json.dumps({"step": 1, "accuracy": -math.log(lr)}) + "\\n")
with (place / "finished").open("a") as file:
    file.write(sys.argv[1] + "\\n")
"""


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_fifth_of_the_trials_killed_at_random_changes_no_point_and_no_value(
    stack: Stack, tmp_path: Path
) -> None:
    quiet, rough = tmp_path / "quiet", tmp_path / "rough"
    quiet.mkdir()
    rough.mkdir()
    wanted: dict[str, Any] = {"program": KILLED, "trials": 30, "parallel": 4, "seed": 11}
    expected = begin(stack, quiet, **wanted)
    ended(stack, expected)
    chance, hit = random.Random(3), dict[str, str]()
    study = begin(stack, rough, **wanted)
    ways = ["scancel"] * 4 + ["node", "agent", "service"]

    def strike() -> Any:
        found = stack.client.get(f"/studies/{study}")
        if found["state"] == "paused":
            stack.client.post(f"/studies/{study}/resume")
        for trial in trials_of(stack, study):
            if trial["state"] == "running" and trial["task"] not in hit and trial["reruns"] == 0:
                hit[trial["task"]] = chance.choice(ways) if chance.random() < 0.2 else ""
                kill(stack, trial["task"], hit[trial["task"]])
        return found if found["state"] == "done" else None

    done = wait_for(strike, what="the end of the study", seconds=400)
    struck = [way for way in hit.values() if way]
    assert len(struck) >= 4 and done["counts"]["complete"] == done["asked"] == 30
    points = [(trial["params"], trial["values"]) for trial in trials_of(stack, study)]
    assert points == [(t["params"], t["values"]) for t in trials_of(stack, expected)]
    finished = (rough / "finished").read_text().split()
    assert len(set(finished)) == 30


def kill(stack: Stack, task: str, way: str) -> None:
    if way in ("scancel", "node"):
        signal = ["--signal=KILL", "--full"] if way == "node" else []
        stack.slurm("scancel", *signal, stack.native_id(task), check=False)
    elif way == "agent":
        stack.kill_agent()
        stack.start_agent()
    elif way == "service":
        stack.restart_service()
