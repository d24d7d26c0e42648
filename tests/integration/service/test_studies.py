"""Studies, from a spec to the best point, by a service on each database and a scripted agent."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import optuna
import pytest

from diamond.sdk import Client
from diamond.sdk.optuna_exchange import read_study, write_study
from support.scene import Scene, new_scene
from support.service import RunningService
from support.study_scene import TrialRunner
from support.waiting import wait_for

SPACE = {"lr": {"log": [1e-5, 1e-1]}, "width": {"choice": [32, 64]}}
PREEMPTED = {"native_state": "PREEMPTED", "reason": "preempted", "before": True}
LOST = {"native_state": "NODE_LOST", "reason": "node-lost", "before": True}
FAILED = {"native_state": "FAILED", "reason": "exit-code", "exit_code": 3}


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_scene(service)


def begin(scene: Scene, spec: Mapping[str, Any] | None = None, **study: Any) -> Any:
    block = {"objective": {"accuracy": "maximize"}, "space": SPACE, "trials": 6, "parallel": 2}
    block |= {"sampler": "random", **study}
    run = "python train.py --lr {lr} --width {width}"
    whole = {"name": "net", "run": run, "on": scene.name, "study": block}
    whole["params"] = {"lr": 0.1, "width": 32}
    whole |= spec or {}
    return scene.client.post("/studies", {"spec": whole})


def accuracy(params: Mapping[str, Any]) -> list[float]:
    best = 1 - abs(math.log10(params["lr"]) + 3) / 10
    return [best * n / 4 for n in (1, 2, 3, 4)]


def trials_of(scene: Scene, study: str) -> list[Any]:
    items = scene.client.get(f"/studies/{study}/trials?limit=200")["items"]
    return list(reversed(items))


def counts(study: Any) -> dict[str, int]:
    return {state: count for state, count in study["counts"].items() if count}


def test_a_study_tries_points_and_finds_the_best(scene: Scene) -> None:
    runner = TrialRunner(scene, accuracy)
    study = runner.until_state(begin(scene)["id"])
    assert study["asked"] == 6 and counts(study) == {"complete": 6}
    trials = trials_of(scene, study["id"])
    assert [trial["number"] for trial in trials] == list(range(6))
    expected = max(trials, key=lambda trial: trial["values"][0])
    assert study["best"] == expected
    assert expected["values"][0] == pytest.approx(accuracy(expected["params"])[-1])
    sent = {told["order"]["params"]["lr"]: told["order"] for told in runner.submitted}
    assert f"--lr {expected['params']['lr']}" in sent[expected["params"]["lr"]]["command"]
    task = scene.task(expected["task"])
    assert task["kind"] == "trial" and task["state"] == "succeeded"


def test_the_same_seed_gives_the_same_points_whatever_is_preempted(scene: Scene) -> None:
    plain = TrialRunner(scene, accuracy)
    expected = trials_of(scene, plain.until_state(begin(scene, seed=7)["id"])["id"])
    rough = TrialRunner(
        scene, accuracy, ending_of=lambda params, n: dict(PREEMPTED) if n % 3 == 1 else None
    )
    study = rough.until_state(begin(scene, seed=7)["id"])
    trials = trials_of(scene, study["id"])
    assert counts(study) == {"complete": 6} and len(rough.submitted) > 6
    points = [(trial["params"], trial["values"]) for trial in expected]
    assert [(trial["params"], trial["values"]) for trial in trials] == points
    assert sum(trial["reruns"] for trial in trials) == len(rough.submitted) - 6


HALVING = {"asha": {"min": 2, "max": 8, "factor": 2}}
CHOICES = {"lr": {"choice": [1e-3, 1e-5]}}


def judged(scene: Scene, runner: TrialRunner) -> str:
    """A study in which a trial that runs has just been found worse than one that is complete."""
    study: str = begin(scene, parallel=1, space=CHOICES, pruner=HALVING)["id"]
    scene.client.post(f"/studies/{study}/pause")
    points = {"points": [{"lr": 1e-3}, {"lr": 1e-5}]}
    scene.client.post(f"/studies/{study}/points", points)
    scene.client.call("PATCH", f"/studies/{study}", {"trials": 2})
    scene.client.post(f"/studies/{study}/resume")
    runner.until(lambda: len(runner.submitted) == 1, "the good trial")
    runner.keep_running = True
    runner.until(lambda: len(runner.submitted) == 2, "the bad trial")
    wait_for(lambda: trials_of(scene, study)[1]["state"] == "stopping", what="the decision")
    return study


def test_a_bad_trial_is_pruned_and_its_node_given_back(scene: Scene) -> None:
    runner = TrialRunner(scene, accuracy)
    done = runner.until_state(judged(scene, runner))
    assert counts(done) == {"complete": 1, "pruned": 1}
    assert [command["grace"] for command in runner.cancelled] == [5]
    pruned = trials_of(scene, done["id"])[1]
    assert pruned["message"] == "at step 2 it was number 2 of 2"
    assert scene.task(pruned["task"])["state"] == "cancelled"
    assert done["node_hours_saved"] >= 0


def test_a_trial_that_finished_before_the_stop_flag_is_complete(scene: Scene) -> None:
    runner = TrialRunner(scene, accuracy)
    study = judged(scene, runner)
    task = runner.submitted[1]["task"]
    attempt = scene.task(task)["attempt"]
    scene.tell("exited", task, attempt, run=1, exit_code=0, signal=None)
    runner.flags = False  # the agent finds the exit file when the cancel arrives
    assert counts(runner.until_state(study)) == {"complete": 2}


def test_values_that_come_home_after_an_absence_count(scene: Scene) -> None:
    """The task ended an hour ago, which the service hears first; its curve comes a moment later."""
    runner = TrialRunner(scene, lambda params: [], keep_running=True)
    study = begin(scene, trials=1)["id"]
    runner.until(lambda: runner.submitted, "the trial")
    task = runner.submitted[0]["task"]
    attempt, hour_ago = scene.task(task)["attempt"], scene.agent.now - 3600
    scene.tell("exited", task, attempt, run=1, exit_code=0, signal=None, at=hour_ago)
    wait_for(lambda: scene.task(task)["state"] == "succeeded", what="the end")
    runner.log(task, attempt, [0.5])
    assert counts(runner.until_state(study)) == {"complete": 1}


def test_own_failures_are_recorded_and_three_in_a_row_ask(scene: Scene) -> None:
    runner = TrialRunner(
        scene, accuracy, ending_of=lambda params, n: dict(FAILED) if n < 3 else None
    )
    study = begin(scene, parallel=1)
    paused = runner.until_state(study["id"], "paused")
    assert counts(paused) == {"failed": 3}
    assert "3 trials in a row ended with exit-code" in paused["message"]
    asking = [one for one in scene.client.get("/notifications")["items"] if one["kind"] == "asking"]
    assert "net is paused" in asking[0]["title"]
    scene.client.post(f"/studies/{study['id']}/resume")
    done = runner.until_state(study["id"])
    assert counts(done) == {"failed": 3, "complete": 3} and done["asked"] == 6


def test_a_value_that_is_not_finite_ends_the_trial_as_failed(scene: Scene) -> None:
    runner = TrialRunner(scene, lambda params: [0.5, None], keep_running=True)
    study = runner.until_state(begin(scene, trials=1)["id"])
    trial = trials_of(scene, study["id"])[0]
    assert (trial["state"], trial["cause"]) == ("failed", "not-finite")


def test_repeats_run_with_other_seeds_and_give_mean_and_spread(scene: Scene) -> None:
    runner = TrialRunner(scene, lambda params: [0.5 + params["seed"] / 10])
    run = {"run": "python train.py --lr {lr} --seed {seed}", "params": {"seed": 1}}
    study = begin(scene, run, trials=1, repeats=3, space={"lr": {"log": [1e-5, 1e-1]}})
    done = runner.until_state(study["id"])
    assert sorted(told["order"]["params"]["seed"] for told in runner.submitted) == [1, 2, 3]
    assert done["best"]["values"] == [pytest.approx(0.7)]
    assert done["best"]["spread"] == pytest.approx(0.1)


def test_a_budget_ends_a_study_before_it_could_be_passed(scene: Scene) -> None:
    runner = TrialRunner(scene, accuracy)
    hour = {"resources": {"walltime": "1h"}}
    done = runner.until_state(begin(scene, hour, budget="1 node-hours", parallel=4)["id"])
    assert "leaves no room for another trial" in done["message"] or done["asked"] == 6
    tight = begin(scene, hour, budget="0.5 node-hours")
    stopped = runner.until_state(tight["id"])
    assert stopped["asked"] == 0 and "budget of 0.5 node-hours" in stopped["message"]
    more = scene.client.call("PATCH", f"/studies/{tight['id']}", {"budget": "20 node-hours"})
    assert more.json["state"] == "running"
    assert runner.until_state(tight["id"])["counts"]["complete"] == 6


def test_points_by_hand_pause_resume_stop_and_cancel(scene: Scene) -> None:
    runner = TrialRunner(scene, accuracy, keep_running=True)
    study = begin(scene, parallel=1)["id"]
    runner.until(lambda: len(runner.submitted) == 1, "the first trial")
    wrong = scene.client.call("POST", f"/studies/{study}/points", {"points": [{"lr": 5}]})
    assert wrong.status == 400 and "lr is 5, but must be a number from" in wrong.json["title"]
    scene.client.post(f"/studies/{study}/points", {"points": [{"lr": 0.01, "width": 32}]})
    assert scene.client.post(f"/studies/{study}/pause")["state"] == "paused"
    scene.client.post(f"/studies/{study}/trials/0/stop")
    runner.until(lambda: trials_of(scene, study)[0]["state"] == "pruned", "the trial to end")
    assert len(runner.submitted) == 1
    scene.client.post(f"/studies/{study}/resume")
    runner.until(lambda: len(runner.submitted) == 2, "the point by hand")
    assert runner.submitted[1]["order"]["params"] == {"lr": 0.01, "width": 32}
    scene.client.post(f"/studies/{study}/cancel")
    gone = runner.until_state(study, "cancelled")
    assert counts(gone) == {"pruned": 2} and gone["asked"] == 2


def test_asking_and_telling_from_outside(scene: Scene) -> None:
    block = {"objective": {"loss": "minimize"}, "space": SPACE, "parallel": 0, "trials": 5}
    study = scene.client.post("/studies", {"spec": {"name": "own", "study": block}})["id"]
    asked = scene.client.post(f"/studies/{study}/ask", {"count": 2})["trials"]
    told = [{"number": each["number"], "values": [each["params"]["lr"]]} for each in asked]
    more = scene.client.post(f"/studies/{study}/tell", {"trials": told, "ask": 10})["trials"]
    assert [each["number"] for each in more] == [2, 3, 4]
    twice = scene.client.call("POST", f"/studies/{study}/tell", {"trials": told[:1]})
    assert twice.status == 409 and "has ended already" in twice.json["title"]
    rest = [{"number": 2, "pruned": True}, {"number": 3}, {"number": 4, "values": [1.0]}]
    scene.client.post(f"/studies/{study}/tell", {"trials": rest})
    done = scene.client.get(f"/studies/{study}")
    assert done["state"] == "done" and counts(done) == {"complete": 3, "pruned": 1, "failed": 1}
    best = scene.client.get(f"/studies/{study}/best")
    assert best[0]["values"][0] == min(each["params"]["lr"] for each in asked)


def test_dimensions_that_the_program_names_are_learned(scene: Scene) -> None:
    """The first trial draws its own value; the next gets one from the sampler."""
    runner = TrialRunner(scene, lambda params: [0.5], keep_running=True)
    study = begin(scene, trials=2, parallel=1, space={})["id"]
    runner.until(lambda: len(runner.submitted) == 1, "the first trial")
    first = runner.submitted[0]["task"]
    attempt = scene.task(first)["attempt"]
    drawn = {"name": "depth", "kind": "int", "low": 1, "high": 9, "value": 4}
    forged = {"name": "evil", "kind": "int", "low": 1, "high": 9, "value": 400}
    line = json.dumps({"suggested": [drawn, forged]}).encode() + b"\n"
    part = {"task": first, "attempt": attempt, "run": 1, "rank": 0, "stream": "facts"}
    scene.agent.bytes(({**part, "offset": 0}, line))
    scene.tell("exited", first, attempt, run=1, exit_code=0, signal=None)
    runner.keep_running = False
    done = runner.until_state(study)
    trials = trials_of(scene, study)
    assert trials[0]["params"] == {"depth": 4} and done["counts"]["complete"] == 2
    assert 1 <= trials[1]["params"]["depth"] <= 9
    assert runner.submitted[1]["order"]["params"]["depth"] == trials[1]["params"]["depth"]


def test_a_study_of_optuna_comes_in_and_leaves_again(scene: Scene, tmp_path: Path) -> None:
    made = optuna.create_study(storage=f"sqlite:///{tmp_path}/in.db", study_name="old")
    made.optimize(lambda trial: trial.suggest_float("x", -1, 1) ** 2, n_trials=5)
    client = Client(scene.service.url, scene.service.token)
    study = client.import_study(read_study(f"{tmp_path}/in.db", metrics=("loss",)))
    assert study.best is not None and study.best["values"] == [made.best_value]
    assert study.best["params"] == made.best_params
    assert write_study(study.portable(), f"{tmp_path}/out.log") == 5
    back = read_study(f"{tmp_path}/out.log")
    assert [each["params"] for each in back["trials"]] == [t.params for t in made.trials]
    assert study.csv().splitlines()[0].startswith("number,state,params_x,values_loss")
    more: dict[str, Any] = {"space": {"x": {"float": [-1, 1]}}, "from": [study.id]}
    warm = begin(scene, trials=1, **more)
    assert TrialRunner(scene, lambda params: [0.1]).until_state(warm["id"])["asked"] == 1


def test_several_objectives_give_a_front(scene: Scene) -> None:
    goals = {"loss": "minimize", "speed": "maximize"}
    block = {"objective": goals, "space": {"x": [1, 2, 3]}, "parallel": 0, "sampler": "nsga2"}
    study = scene.client.post("/studies", {"spec": {"name": "two", "study": block}})["id"]
    asked = scene.client.post(f"/studies/{study}/ask", {"count": 3})["trials"]
    values = [[0.1, 1.0], [0.5, 5.0], [0.6, 4.0]]
    told = [{"number": each["number"], "values": values[n]} for n, each in enumerate(asked)]
    scene.client.post(f"/studies/{study}/tell", {"trials": told})
    shown = scene.client.get(f"/studies/{study}")
    assert shown["best"] is None and [each["number"] for each in shown["front"]] == [0, 1]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sampler": {"tpe": {"warp": 1}}}, "has no option warp"),
        ({"budget": "5 SU"}, "in node-hours"),
        ({"on": ["nowhere"]}, "no endpoint 'nowhere'"),
        ({"from": ["nothing"]}, "no study 'nothing'"),
        ({"sampler": "gp"}, "needs scipy"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_is_wrong_is_said_before_anything_starts(
    scene: Scene, change: dict[str, Any], words: str
) -> None:
    block = {"objective": {"accuracy": "maximize"}, "space": {"lr": [0.1]}, **change}
    spec = {"run": "true {lr}", "on": scene.name, "study": block}
    answer = scene.client.call("POST", "/studies", {"spec": spec})
    assert answer.status in (400, 404, 422) and words in answer.body.decode()


def test_a_spec_with_a_study_is_not_one_job(scene: Scene) -> None:
    spec = {"run": "true", "on": scene.name, "study": {"objective": {"a": "maximize"}}}
    answer = scene.client.call("POST", "/jobs", {"spec": spec})
    assert answer.status == 422 and "it is a search" in answer.json["title"]


def test_a_paused_trial_continues_from_its_checkpoint_when_it_is_promoted(scene: Scene) -> None:
    """Of four values at the first rung, the second best is promoted only once the third and fourth are known."""
    runner = TrialRunner(
        scene, accuracy, ending_of=lambda params, n: {**FAILED, "before": True} if n == 0 else None
    )
    rungs = {"asha": {"min": 2, "max": 4, "factor": 2, "mode": "promote"}}
    resumes = {"continue": {"from": "ckpt/*.pt"}}
    choices = {"lr": {"choice": [1e-3, 1e-4, 1e-5, 1e-1]}}
    study = begin(scene, resumes, parallel=1, space=choices, pruner=rungs, trials=4)["id"]
    asked = wait_for(lambda: scene.client.get(f"/studies/{study}")["asked"], what="the first trial")
    scene.client.post(f"/studies/{study}/pause")
    order = [1e-3, 1e-4, 1e-5, 1e-1]
    scene.client.post(f"/studies/{study}/points", {"points": [{"lr": lr} for lr in order]})
    scene.client.call("PATCH", f"/studies/{study}", {"trials": asked + 4})
    scene.client.post(f"/studies/{study}/resume")
    runner.until(lambda: len(runner.submitted) == asked + 1, "the best trial")
    runner.keep_running = True
    done = runner.until_state(study)
    continued = [told for told in runner.submitted if told.get("continues")]
    assert [told["order"]["params"]["lr"] for told in continued] == [1e-4]
    trials = trials_of(scene, study)[asked:]
    states = {trial["params"]["lr"]: trial["state"] for trial in trials}
    assert states[1e-3] == "complete" and states[1e-4] == "complete"
    assert states[1e-5] == "pruned" and done["counts"]["paused"] == 0


def pilots_of(scene: Scene, study: str) -> list[Any]:
    """Newest first."""
    every = scene.client.get("/pilots")["items"]
    return [pilot for pilot in every if pilot["study"] == study]


def test_packed_trials_share_an_allocation_that_closes_with_the_study(scene: Scene) -> None:
    runner = TrialRunner(scene, accuracy)
    study = runner.until_state(begin(scene, pack=3, parallel=3, trials=12, seed=7)["id"])
    assert study["pack"] == 3 and counts(study) == {"complete": 12}
    runner.until(lambda: runner.closed, "the end of its allocation")
    (pilot,) = pilots_of(scene, study["id"])
    assert [told["task"] for told in runner.pilots] == runner.closed == [pilot["id"]]
    assert pilot["cpus_per_node"] == 3 and pilot["counts"]["succeeded"] == 12
    inside = [told["order"]["placement"]["pilot"] for told in runner.submitted]
    assert inside == [pilot["id"]] * 12, "one batch job, and twelve trials in it"
    plain = TrialRunner(scene, accuracy)
    alone = trials_of(scene, plain.until_state(begin(scene, trials=12, seed=7)["id"])["id"])
    together = [(trial["params"], trial["values"]) for trial in trials_of(scene, study["id"])]
    assert together == [(trial["params"], trial["values"]) for trial in alone]
    again = scene.client.post(f"/tasks/{study['best']['task']}/reproduce", {})
    runner.until(lambda: runner.submitted[-1]["task"] == again["task"], "its second run")
    assert not runner.submitted[-1]["order"]["placement"].get("pilot"), "a job of its own"


def test_trials_whose_allocation_ends_run_again_without_a_question(scene: Scene) -> None:
    runner = TrialRunner(
        scene,
        accuracy,
        ending_of=lambda params, n: dict(LOST) if n in (1, 2, 3, 4) else None,
    )
    study = runner.until_state(begin(scene, pack=3, parallel=3, trials=6)["id"])
    assert counts(study) == {"complete": 6} and len(runner.submitted) == 10
    assert sum(trial["reruns"] for trial in trials_of(scene, study["id"])) == 4


def test_an_allocation_that_fails_pauses_its_study(scene: Scene) -> None:
    closed = {"native_state": "CLOSED", "reason": "pilot-closed", "before": True}
    runner = TrialRunner(scene, accuracy, pilots_fail=True, ending_of=lambda params, n: {**closed})
    study = runner.until_state(begin(scene, pack=3, parallel=3, trials=6)["id"], "paused")
    assert "trials in a row ended with pilot-failed: its pilot" in study["message"]
    assert counts(study) == {"waiting": study["asked"]}


def test_trials_on_several_nodes_are_not_packed(scene: Scene) -> None:
    block = {"objective": {"accuracy": "maximize"}, "space": SPACE, "pack": 4}
    spec: dict[str, Any] = {"name": "net", "run": "true {lr}{width}", "study": block}
    spec |= {"on": scene.name, "resources": {"nodes": 2}, "params": {"lr": 0.1, "width": 32}}
    refused = scene.client.call("POST", "/studies", {"spec": spec})
    assert refused.status == 422
    assert "Trials on several nodes share no allocation" in json.dumps(refused.json)


def test_trials_run_on_several_endpoints_and_one_that_goes_away_loses_nothing(
    scene: Scene,
) -> None:
    other = new_scene(scene.service)
    here, there = TrialRunner(scene, accuracy), TrialRunner(other, accuracy, keep_running=True)
    study = begin(scene, parallel=4, trials=10, seed=7, on=[scene.name, other.name])["id"]
    there.until(lambda: len(there.submitted) >= 2, "trials on the other endpoint")
    there_first = {told["task"] for told in there.submitted}
    here.until(lambda: len(here.submitted) >= 6, "trials while the other is away")
    away = [trial for trial in trials_of(scene, study) if trial["task"] in there_first]
    assert away and {trial["state"] for trial in away} == {"running"}
    for task in there_first:
        attempt = scene.task(task)["attempt"]
        other.tell("exited", task, attempt, run=1, exit_code=0, signal=None)
    there.keep_running = False

    def done() -> Any:
        there.look()
        found = scene.client.get(f"/studies/{study}")
        return found if found["state"] == "done" else None

    ended = here.until(done, "the end of the study")
    assert counts(ended) == {"complete": 10} and ended["asked"] == 10
    ran = [told["task"] for told in (*here.submitted, *there.submitted)]
    assert len(ran) == len(set(ran)) == 10, "each point ran once"
    places = {trial["endpoint"] for trial in trials_of(scene, study)}
    assert places == {scene.name, other.name}
    alone = TrialRunner(scene, accuracy)
    expected = trials_of(scene, alone.until_state(begin(scene, trials=10, seed=7)["id"])["id"])
    points = [(trial["params"], trial["values"]) for trial in trials_of(scene, study)]
    assert points == [(trial["params"], trial["values"]) for trial in expected]


def test_only_a_trial_that_left_something_is_registered(scene: Scene) -> None:
    runner = TrialRunner(scene, accuracy)
    study = runner.until_state(begin(scene)["id"])
    refused = scene.client.call("POST", f"/studies/{study['id']}/register", {})
    assert refused.status == 400
    assert f"Trial {study['best']['number']} left no result" in json.dumps(refused.json)


def test_tuning_finds_the_fastest_settings_whose_loss_keeps_up(scene: Scene) -> None:
    """Twice the batch is 1.6 times as fast; the loss keeps up only with a higher learning rate."""

    def losses(params: Mapping[str, Any]) -> list[float]:
        wanted = 0.01 * params["batch_size"] / 32
        behind = abs(math.log(params["lr"] / wanted))
        steps = math.ceil(1600 / params["batch_size"])
        return [2 - n / steps / (1 + behind) for n in range(1, steps + 1)]

    def pace(params: Mapping[str, Any]) -> float:
        return float((params["batch_size"] / 32) ** 0.3)

    runner = TrialRunner(scene, losses, metric="loss", keep_running=True, pace=pace)
    spec: dict[str, Any] = {"name": "net", "run": "true {lr} {batch_size}", "on": scene.name}
    spec |= {"params": {"lr": 0.01, "batch_size": 32}, "resources": {"nodes": 2}}
    body = {"spec": spec, "metric": "loss", "within": 0.05, "trials": 12, "steps": 5}
    made = scene.client.post("/studies/tune", body)
    study = runner.until_state(made["id"])
    assert study["tuned_metric"] == "loss" and study["parallel"] == 1
    assert any("Precision was not tried" in warning for warning in study["warnings"])
    trials = trials_of(scene, study["id"])
    assert trials[0]["params"] == {"batch_size": 32, "lr": 0.01}
    assert trials[0]["values"] == [pytest.approx(32, rel=0.02)]
    assert study["counts"]["complete"] + study["counts"]["pruned"] == study["asked"] == 12
    behind = [trial for trial in trials if trial["state"] == "pruned"]
    assert behind and all("is allowed" in trial["message"] for trial in behind)
    best = study["best"]
    assert best["values"][0] == max(trial["values"][0] for trial in trials if trial["values"])
    assert [command["grace"] for command in runner.cancelled] == [1] * 12, "each ends when measured"
    nodes = {told["order"]["resources"]["nodes"] for told in runner.submitted}
    assert nodes == {1}


def test_short_trials_are_packed_once_it_is_known_that_they_are_short(scene: Scene) -> None:
    facts = {"cores": {"value": 8, "source": "test", "at": scene.agent.now}}
    scene.agent.good("profile", {"version": 1, "probed_at": scene.agent.now, "facts": facts})
    runner = TrialRunner(scene, accuracy)
    study = runner.until_state(begin(scene, pack="auto", parallel=4, trials=16)["id"])
    assert counts(study) == {"complete": 16}
    inside = [told["order"]["placement"].get("pilot", "") for told in runner.submitted]
    assert not any(inside[:4]) and all(inside[8:]), "the first ones show how long trials take"
    assert [pilot["cpus_per_node"] for pilot in pilots_of(scene, study["id"])] == [4]
