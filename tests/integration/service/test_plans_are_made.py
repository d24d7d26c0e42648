"""A plan: from a spec and a goal, with the pace of an earlier task and the person's own waits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.http import Answer
from support.probe_scene import ProbeRunner
from support.scene import Scene, new_scene
from support.service import RunningService

FACTS: dict[str, Any] = {
    "scheduler": {"name": "slurm", "version": "22.05"},
    "partitions": [{"name": "gpu", "default": True, "max_minutes": 480, "nodes_total": 4}],
    "accounts": [{"name": "research"}],
    "charge": {"gpu": 3.0},
}
HOUR = 3600


@pytest.fixture
def scene(service: RunningService) -> Scene:
    made = new_scene(service)
    report_facts(made, FACTS, at=7.0)
    return made


def report_facts(scene: Scene, facts: dict[str, Any], *, at: float) -> None:
    stamped = {name: {"value": value, "source": "sinfo", "at": at} for name, value in facts.items()}
    scene.agent.good("profile", {"version": 1, "probed_at": at, "facts": stamped})


def ask(scene: Scene, goal: dict[str, Any], spec: dict[str, Any]) -> Answer:
    resources = {"nodes": 2, "walltime": "2h"}
    whole = {"run": "python train.py", "on": scene.name, "resources": resources, **spec}
    return scene.client.call("POST", "/plans", {"spec": whole, "goal": goal})


def plan(scene: Scene, goal: dict[str, Any], **spec: Any) -> Any:
    answer = ask(scene, goal, spec)
    assert answer.status == 200, answer.body
    return answer.json


def refusal(scene: Scene, goal: dict[str, Any], **spec: Any) -> Any:
    answer = ask(scene, goal, spec)
    assert answer.status in (400, 422), answer.body
    return answer.json


def test_work_beyond_the_limit_is_planned_as_a_chain(scene: Scene) -> None:
    told = plan(scene, {"steps": 36_000, "step_seconds": 0.5})
    assert (told["endpoint"], told["partition"], told["nodes"]) == (scene.name, "gpu", 2)
    assert (told["attempts"], told["attempt_minutes"], told["last_attempt_minutes"]) == (3, 120, 64)
    assert told["node_hours"] == pytest.approx(10, rel=0.02)
    assert told["charge_at_most"] == pytest.approx(3 * told["node_hours_at_most"])
    assert told["finish"]["soonest"] == pytest.approx(5 * HOUR)
    assert told["waits"]["bound"] is None and "unknown" in told["waits"]["words"]


def test_an_attempt_ends_as_long_before_its_limit_as_the_spec_keeps_for_the_last_save(
    scene: Scene,
) -> None:
    goal = {"steps": 36_000, "step_seconds": 0.5}
    assert plan(scene, goal, **{"continue": {"lead": "30m", "ahead": False}})["attempts"] == 4
    assert plan(scene, goal, **{"continue": {"lead": "1m", "ahead": False}})["attempts"] == 3


def test_other_walltimes_of_the_partition_are_offered(scene: Scene) -> None:
    others = plan(scene, {"steps": 36_000, "step_seconds": 0.5})["others"]
    assert [(one["walltime_minutes"], one["attempts"]) for one in others] == [(240, 2), (480, 1)]


def test_epochs_become_steps(scene: Scene) -> None:
    goal = {"epochs": 2, "samples": 1000, "batch": 64, "step_seconds": 1}
    assert plan(scene, goal)["steps"] == 32


def test_ones_own_waits_of_the_same_kind_make_the_forecast(scene: Scene) -> None:
    for waited in (60, 600, 1200):
        task, attempt = scene.taken(resources={"nodes": 2, "walltime": "2h"})
        created = scene.task(task)["created"]
        scene.tell("started", task, attempt, run=1, node="n1", at=created + waited)
    other, attempt = scene.taken(resources={"nodes": 1, "walltime": "10m"})
    scene.tell("started", other, attempt, run=1, node="n1", at=scene.task(other)["created"] + 9)
    waits = plan(scene, {"steps": 100, "step_seconds": 1})["waits"]
    assert waits["samples"] == 3
    assert waits["typical"] == pytest.approx(600, abs=1)
    assert waits["bound"] == pytest.approx(1200, abs=1)
    assert "from 3 past waits" in waits["words"]


def test_waits_from_the_batch_systems_record_count_and_are_not_counted_twice(scene: Scene) -> None:
    task, attempt = scene.taken(resources={"nodes": 2, "walltime": "2h"})
    created = scene.task(task)["created"]
    scene.tell("started", task, attempt, run=1, node="n1", at=created + 50)
    record = [[created, 50, 2, 7200, "gpu"], [created - 9, 70, 1, 7200, "gpu"], ["odd"], None]
    report_facts(scene, {**FACTS, "waits": record}, at=created + 60)
    waits = plan(scene, {"steps": 100, "step_seconds": 1})["waits"]
    assert (waits["samples"], waits["bound"]) == (2, 70)


def test_a_chain_that_the_spec_does_not_allow_is_warned_of(scene: Scene) -> None:
    spec = {"continue": {"max_attempts": 5}}
    told = ask(scene, {"steps": 720_000, "step_seconds": 0.5}, spec).json
    assert "raise continue.max_attempts" in told["warnings"][-1]


def test_a_budget_is_held_against_the_whole_chain(scene: Scene) -> None:
    goal = {"steps": 36_000, "step_seconds": 0.5}
    assert plan(scene, goal, budget="12 node-hours")["budget"]["fits"]
    short = plan(scene, goal, budget="11 node-hours")["budget"]
    assert not short["fits"], (
        "ten are expected, but the third attempt asks for four with eight used"
    )
    assert "its whole time limit" in short["words"]


def test_a_plan_says_what_the_spec_does_not_provide_for(scene: Scene) -> None:
    bare = plan(scene, {"steps": 100_000, "step_seconds": 0.5})
    assert [words.split(".")[0] for words in bare["warnings"][-2:]] == [
        "The spec has no `continue:`",
        "Without a `budget` it asks you after 4 attempts whether to continue, and nothing runs until you answer",
    ]
    provided = {"continue": {"max_attempts": 50, "ahead": False}, "budget": "500 node-hours"}
    assert plan(scene, {"steps": 100_000, "step_seconds": 0.5}, **provided)["warnings"] == []
    lossy = plan(scene, {"steps": 3_600_000, "step_seconds": 0.5}, **provided)["warnings"]
    assert any("node-lost" in words for words in lossy)


def test_every_attempt_waits_unless_it_is_queued_ahead(scene: Scene) -> None:
    record = [[1e9 + n, 1800, 2, 7200, "gpu"] for n in range(60)]
    report_facts(scene, {**FACTS, "waits": record}, at=8.0)
    goal = {"steps": 36_000, "step_seconds": 0.5}
    ahead = plan(scene, goal, **{"continue": {}})["finish"]
    off = plan(scene, goal, **{"continue": {"ahead": False}})["finish"]
    assert ahead["soonest"] == pytest.approx(5.5 * HOUR)
    assert off["soonest"] == off["latest"] == pytest.approx(6.5 * HOUR), "three waits, all alike"
    assert plan(scene, goal)["finish"] == off, "without continue: it is the same"


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ({"step_seconds": 1}, "no amount of training"),
        ({"steps": 10}, "how long a step takes"),
        ({"epochs": 2, "samples": 10, "step_seconds": 1}, "no amount of training"),
        ({"steps": 10, "step_seconds": 1, "startup_seconds": 8000}, "too short"),
    ],
)
def test_what_is_missing_is_asked_for(scene: Scene, goal: dict[str, Any], words: str) -> None:
    assert words in refusal(scene, goal)["title"]


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ({"steps": 0}, "steps: Input should be greater than or equal to 1"),
        ({"steps": -5}, "steps: Input should be greater than or equal to 1"),
        ({"steps": 10**400}, "less than or equal to 1000000000000"),
        ({"steps": 9, "epochs": 2}, "both steps and epochs"),
        ({"epochs": 2}, "no amount of training"),
        ({"steps": 9, "step_seconds": 9000}, "a step 9000 s"),
        ({"steps": 9, "save_seconds": 9000}, "9000 s are reserved for the last save"),
        ({"steps": 9, "save_gigabytes": 1e300}, "save_gigabytes: Input should be less than"),
        ({"steps": 9, "save_every_seconds": 1e-9}, "save_every_seconds: Input should be greater"),
        ({"steps": 9, "step_seconds": 1e-300}, "step_seconds: Input should be greater"),
        ({"steps": 9, "step_seconds": None, "like": "nothing"}, "There is no task 'nothing'"),
    ],
)
def test_what_cannot_be_planned_is_refused_with_what_can(
    scene: Scene, goal: dict[str, Any], words: str
) -> None:
    answer = ask(scene, {"step_seconds": 1, **goal}, {})
    assert answer.status in (400, 404, 422), answer.body
    assert words in answer.json["title"]


def test_a_walltime_that_is_too_short_is_answered_with_one_that_is_not(scene: Scene) -> None:
    told = refusal(scene, {"steps": 9, "step_seconds": 9000})
    assert "a walltime of more than 9120 s" in told["hint"]
    long = {"resources": {"nodes": 2, "walltime": "153m"}}
    assert plan(scene, {"steps": 9, "step_seconds": 9000}, **long)["attempts"] == 9


def test_checkpoints_that_cost_more_than_they_protect_are_warned_of(scene: Scene) -> None:
    goal = {"steps": 10_000, "step_seconds": 1, "save_seconds": 60}
    assert "takes 60 s, longer than the 30 s" in " ".join(
        plan(scene, {**goal, "save_every_seconds": 30})["warnings"]
    )
    assert "longer than" not in " ".join(plan(scene, goal)["warnings"])


@pytest.mark.parametrize("partitions", [[], [{"name": "gpu", "default": True, "nodes_total": 4}]])
def test_without_a_known_limit_the_plan_offers_no_other_walltimes(
    scene: Scene, partitions: list[dict[str, Any]]
) -> None:
    report_facts(scene, {**FACTS, "partitions": partitions}, at=8.0)
    told = plan(scene, {"steps": 36_000, "step_seconds": 0.5})
    assert (told["attempts"], told["others"]) == (3, [])


def test_a_plan_for_nodes_auto_counts_one_and_says_so(scene: Scene) -> None:
    auto = {"resources": {"nodes": "auto", "walltime": "2h"}}
    told = plan(scene, {"steps": 36_000, "step_seconds": 0.5}, **auto)
    assert told["nodes"] == 1
    assert any(words.startswith("The plan assumes one node") for words in told["warnings"])


def test_a_budget_below_one_attempt_is_refused_with_what_one_costs(scene: Scene) -> None:
    told = refusal(scene, {"steps": 9, "step_seconds": 1}, budget="1 node-hours")
    assert "One attempt may cost 4 node-hours" in told["title"] and "Raise" in told["hint"]


def test_the_pace_is_measured_by_an_earlier_task(scene: Scene) -> None:
    task, attempt = scene.taken()
    begin = scene.task(task)["created"]
    scene.tell("started", task, attempt, run=1, node="n1", at=begin)
    rows = [{"step": n, "time": begin + 30 + 2.5 * n, "loss": 1.0} for n in range(1, 50)]
    part = {"task": task, "attempt": attempt, "run": 1, "rank": 0, "stream": "metrics", "offset": 0}
    scene.agent.bytes((part, b"".join(json.dumps(row).encode() + b"\n" for row in rows)))
    told = plan(scene, {"steps": 5760, "like": task})
    assert told["measured"]
    assert told["step_seconds"] == pytest.approx(2.5)
    # Two limits of steps, and half a minute of start-up in each of the attempts.
    assert told["attempts"] == 3


def logged(scene: Scene, rows: list[dict[str, Any]], **spec: Any) -> str:
    """A task that logged these rows."""
    task, attempt = scene.taken(**spec)
    scene.tell("started", task, attempt, run=1, node="n1", at=scene.task(task)["created"])
    part = {"task": task, "attempt": attempt, "run": 1, "rank": 0, "stream": "metrics", "offset": 0}
    scene.agent.bytes((part, b"".join(json.dumps(row).encode() + b"\n" for row in rows)))
    return task


@pytest.mark.parametrize("lacking", ["time", "step"])
def test_a_log_without_times_or_steps_tells_no_pace(scene: Scene, lacking: str) -> None:
    rows = [{"step": n, "time": 1e9 + n, "loss": 1.0} for n in range(9)]
    task = logged(scene, [{k: v for k, v in row.items() if k != lacking} for row in rows])
    assert "pace is not known" in refusal(scene, {"steps": 10, "like": task})["title"]
    mixed = logged(scene, [{"loss": 2.0}, *rows, {"step": 9, "loss": 1.0}])
    assert plan(scene, {"steps": 10, "like": mixed})["step_seconds"] == pytest.approx(1.0)


def test_the_pace_of_another_number_of_nodes_is_said_to_be_that(scene: Scene) -> None:
    rows = [{"step": n, "time": 1e9 + n, "loss": 1.0} for n in range(9)]
    alone = logged(scene, rows, resources={"nodes": 1, "walltime": "1h"})
    goal = {"steps": 10, "like": alone}
    assert "ran on 1 node and this asks for 2" in " ".join(plan(scene, goal)["warnings"])
    alike = logged(scene, rows, resources={"nodes": 2, "walltime": "1h"})
    assert "ran on" not in " ".join(plan(scene, {"steps": 10, "like": alike})["warnings"])


def test_a_scale_tells_the_pace_of_as_many_nodes(scene: Scene) -> None:
    spec = {"run": "python train.py", "on": scene.name, "resources": {"walltime": "2h"}}
    made = scene.client.post("/scales", {"spec": spec, "nodes": [1, 2]})
    runner = ProbeRunner(scene, lambda order: 1.0 / int(order["resources"]["nodes"]))
    runner.until_over(made["id"])
    told = plan(scene, {"steps": 100, "like": made["id"]})
    assert (told["measured"], told["step_seconds"]) == (True, pytest.approx(0.5))
    assert "ran on" not in " ".join(told["warnings"])
    larger = refusal(
        scene, {"steps": 9, "like": made["id"]}, resources={"nodes": 4, "walltime": "2h"}
    )
    assert "has not measured this on 4 nodes" in larger["title"]
    assert "1, 2" in larger["hint"]


def test_a_task_without_steps_tells_no_pace(scene: Scene) -> None:
    task, _ = scene.taken()
    told = refusal(scene, {"steps": 10, "like": task})
    assert "pace is not known" in told["title"]


def test_what_was_foretold_stands_beside_what_happened(scene: Scene) -> None:
    spec = {"run": "x", "on": scene.name, "resources": {"nodes": 2, "walltime": "2h"}}
    body = {"spec": spec, "goal": {"steps": 7200, "step_seconds": 0.5}}
    task = scene.client.post("/jobs", body)["tasks"][0]
    told = task["prediction"]
    assert (told["steps"], told["attempts"], told["nodes"]) == (7200, 1, 2)
    assert told["node_hours"] == pytest.approx(2, rel=0.1)
    began, ids = task["created"] + 60, (task["id"], task["attempt"])
    scene.tell("started", *ids, run=1, node="n1", at=began)
    scene.tell("exited", *ids, run=1, exit_code=0, signal=None, at=began + 5400)
    ended = scene.task(task["id"])
    assert ended["prediction"] == told
    came = ended["happened"]
    assert (came["attempts"], came["has_ended"]) == (1, True)
    assert came["seconds"] == pytest.approx(5460, abs=5)
    assert came["node_hours"] == pytest.approx(3, rel=0.01)
    shown = diamond(scene, "show", task["id"])
    assert "planned  7200 steps in 1 h to" in shown
    assert f"actual   1 h 31 min, 1 attempt, {came['node_hours']:.4g} node-hours" in shown


def test_node_hours_of_all_attempts_stand_beside_what_was_foretold(scene: Scene) -> None:
    """Nodes that waited for their turn count too, and an attempt that gave them back."""
    spec = {
        "run": "x",
        "on": scene.name,
        "resources": {"nodes": 2, "walltime": "2h"},
        "continue": {},
    }
    body = {"spec": spec, "goal": {"steps": 7200, "step_seconds": 1}}
    task = scene.client.post("/jobs", body)["tasks"][0]
    began, ids = task["created"] + 60, (task["id"], task["attempt"])
    scene.tell("started", *ids, run=1, node="n1", at=began)
    scene.tell("exited", *ids, run=1, exit_code=75, signal=None, at=began + 3600)
    second = scene.task(task["id"])["attempt"]
    assert second != task["attempt"]
    scene.tell("started", task["id"], second, run=1, node="n1", at=began + 4000)
    scene.tell("exited", task["id"], second, run=1, exit_code=0, signal=None, at=began + 5800)
    ended = scene.task(task["id"])
    assert ended["happened"]["attempts"] == 2
    assert ended["happened"]["node_hours"] == pytest.approx(2 * 1.5, rel=0.01)
    assert ended["happened"]["node_hours"] == pytest.approx(ended["chain"]["node_hours"])


def test_a_task_without_a_goal_has_no_prediction(scene: Scene) -> None:
    task = scene.submit()
    assert (task["prediction"], task["happened"]) == (None, None)


def test_faults_of_the_spec_are_told_as_ever(scene: Scene) -> None:
    told = refusal(scene, {"steps": 10, "step_seconds": 1}, nam="x")
    assert told["code"] == "invalid-spec"


def test_the_command_tells_the_plan_in_words(scene: Scene, tmp_path: Path) -> None:
    text = (
        f"run: python train.py\non: {scene.name}\nresources: {{nodes: 2, walltime: 2h}}\ncode: .\n"
    )
    (tmp_path / "diamond.yaml").write_text(text)
    said = diamond(scene, "plan", str(tmp_path), "--steps", "36000", "--step-seconds", "0.5")
    assert f"36000 steps of 0.5 s (as given) on {scene.name}/gpu" in said
    assert "3 of 2h, the last done after 1h4m" in said
    assert "Or with     8h: 1 attempt" in said


def test_the_plan_that_was_shown_is_the_one_that_is_kept(scene: Scene, tmp_path: Path) -> None:
    text = f"run: hostname\non: {scene.name}\nresources: {{nodes: 2, walltime: 2h}}\n"
    (tmp_path / "diamond.yaml").write_text(text)
    goal = [
        "--epochs",
        "2",
        "--samples",
        "36000",
        "--batch",
        "2",
        "--step-seconds",
        "0.5",
        "--startup-seconds",
        "60",
        "--save-seconds",
        "20",
        "--save-every-seconds",
        "1200",
    ]
    shown = json.loads(diamond(scene, "plan", str(tmp_path), *goal, "--json"))
    kept = json.loads(diamond(scene, "run", str(tmp_path), *goal, "--json"))["tasks"][0]
    for name in ("steps", "attempts", "node_hours", "node_hours_at_most", "finish"):
        assert kept["prediction"][name] == shown[name]


def diamond(scene: Scene, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "diamond.cli", *words],
        env={**os.environ, "DIAMOND_URL": scene.service.url, "DIAMOND_TOKEN": scene.service.token},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_write_budget_of_the_endpoint_spreads_large_checkpoints(scene: Scene) -> None:
    goal = {"steps": 36_000, "step_seconds": 0.5, "save_seconds": 1, "save_gigabytes": 100}
    free = plan(scene, goal)["save_every_seconds"]
    report_facts(scene, {**FACTS, "write_mb_per_second": 10_000}, at=8.0)
    assert plan(scene, goal)["save_every_seconds"] > 3 * free
