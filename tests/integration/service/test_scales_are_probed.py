"""Probe runs, from a spec to the advised number of nodes, by a service that may die in between."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from support.http import Answer
from support.probe_scene import ProbeRunner, report_facts
from support.scene import Scene, new_scene
from support.service import RunningService, running_service
from support.waiting import wait_for

PARAMS = {"batch_size": 64}


@pytest.fixture
def scene(service: RunningService) -> Scene:
    made = new_scene(service)
    report_facts(made)
    return made


def spec_of(scene: Scene, **spec: Any) -> dict[str, Any]:
    whole = {"name": "net", "run": "python train.py --batch {batch_size}", "params": PARAMS}
    return {**whole, "on": scene.name, "resources": {"walltime": "2h"}, **spec}


def ask(scene: Scene, spec: Mapping[str, Any] | None = None, **wanted: Any) -> Answer:
    return scene.client.call("POST", "/scales", {"spec": spec_of(scene, **(spec or {})), **wanted})


def begin(scene: Scene, spec: Mapping[str, Any] | None = None, **wanted: Any) -> Any:
    answer = ask(scene, spec, **wanted)
    assert answer.status == 201, answer.body
    return answer.json


def amdahl(order: Mapping[str, Any]) -> float:
    """A tenth of a step does not get shorter by more nodes."""
    return 0.5 * (0.1 + 0.9 / int(order["resources"]["nodes"]))


def test_each_number_of_nodes_is_probed_and_one_is_advised(scene: Scene) -> None:
    made = begin(scene, nodes=[1, 2, 4], goal="efficiency:0.8")
    assert [one["state"] for one in made["probes"]] == ["waiting"] * 3
    runner = ProbeRunner(scene, amdahl)
    told = runner.until_over(made["id"])
    assert told["state"] == "done"
    assert [one["efficiency"] for one in told["probes"]] == pytest.approx(
        [1, 0.909, 0.769], rel=0.01
    )
    assert told["probes"][1]["throughput"] == pytest.approx(64 / 0.275, rel=0.01)
    assert (told["advice"]["nodes"], told["advice"]["params"]) == (2, {"batch_size": 32})
    assert "samples/s" in told["advice"]["words"]
    assert "held at 64 samples by `batch_size`" in told["notes"][0]


def test_a_number_between_two_probes_may_be_advised_and_is_said_to_be(scene: Scene) -> None:
    made = begin(scene, {"params": {"batch_size": 60}}, nodes=[1, 2, 4], goal="efficiency:0.8")
    advice = ProbeRunner(scene, amdahl).until_over(made["id"])["advice"]
    assert (advice["nodes"], advice["measured"]) == (3, False)
    assert advice["params"] == {"batch_size": 20}
    assert "interpolated between two probes" in advice["words"]


def test_probes_are_tasks_of_their_own_kind_that_end_when_enough_was_measured(scene: Scene) -> None:
    made = begin(scene, nodes=[1, 2])
    runner = ProbeRunner(scene, amdahl)
    told = runner.until_over(made["id"])
    tasks = [scene.task(one["task"]) for one in told["probes"]]
    assert {one["kind"] for one in tasks} == {"probe"}
    assert {one["job"] for one in tasks} == {told["job"]}
    runner.until(lambda: scene.task(tasks[1]["id"])["state"] == "cancelled", "the probe's end")
    assert scene.client.call("POST", f"/tasks/{tasks[1]['id']}/retry", {}).status == 409
    order = runner.submitted[1]["order"]
    assert (order["command"], order["launch"]["kind"]) == ("python train.py --batch 32", "per-rank")
    assert order["resources"]["walltime_minutes"] == 10
    assert order["resume"]["max_attempts"] == 1
    listed = scene.client.get(f"/tasks?endpoint={scene.name}")["items"]
    assert listed == []
    kept = scene.client.get(f"/tasks?kind=probe&endpoint={scene.name}")["items"]
    assert {one["id"] for one in kept} == {one["id"] for one in tasks}


def test_one_probe_runs_at_a_time_unless_asked_otherwise(scene: Scene) -> None:
    made = begin(scene, nodes=[1, 2])
    wait_for(lambda: scene.client.get(f"/scales/{made['id']}")["probes"][0]["task"])
    shown = scene.client.get(f"/scales/{made['id']}")
    assert [one["state"] for one in shown["probes"]] == ["running", "waiting"]
    scene.client.post(f"/scales/{made['id']}/cancel")
    both = begin(scene, nodes=[1, 2], together=True)
    wait_for(
        lambda: all(one["task"] for one in scene.client.get(f"/scales/{both['id']}")["probes"]),
        what="two probes at once",
    )
    scene.client.post(f"/scales/{both['id']}/cancel")


def test_no_probe_starts_that_could_pass_the_budget(scene: Scene) -> None:
    spec = {"budget": "0.6 node-hours", "resources": {"walltime": "30m"}}
    made, runner = begin(scene, spec, nodes=[1, 2, 4]), ProbeRunner(scene, amdahl)
    told = runner.until_over(made["id"])
    assert [one["state"] for one in told["probes"]] == ["measured", "measured", "skipped"]
    assert "could use 0.6667 node-hours" in told["probes"][2]["words"]
    assert told["advice"]["nodes"] == 2
    shares = [float(one["order"]["budget"].split()[0]) for one in runner.submitted]
    whole = [one["nodes"] * one["minutes"] / 60 for one in told["probes"][:2]]
    assert shares == pytest.approx(whole), (
        "also a probe that the site requeues uses one limit at most"
    )


def test_the_soonest_end_counts_what_each_number_of_nodes_waits(scene: Scene) -> None:
    """Four nodes would end an hour's work a quarter of an hour sooner than two, and wait three hours longer."""
    record = [[1e9 + n, 10800 if n % 2 else 60, 4 if n % 2 else 1, 7200, "gpu"] for n in range(20)]
    report_facts(scene, waits=record)
    spec = {"params": {"batch_size": 64}, "resources": {"walltime": "1h"}}
    told = ProbeRunner(scene, amdahl).until_over(begin(scene, spec, nodes=[1, 4])["id"])
    assert told["advice"]["nodes"] == 2
    assert "queue waits included" in told["advice"]["words"]


def test_a_probe_that_fails_leaves_the_others_to_tell(scene: Scene) -> None:
    made = begin(scene, nodes=[1, 2])
    runner = ProbeRunner(scene, lambda order: 0 if order["resources"]["nodes"] == 2 else 0.5)
    told = runner.until_over(made["id"])
    assert [one["state"] for one in told["probes"]] == ["measured", "failed"]
    assert "out of memory" in told["probes"][1]["words"]
    assert told["advice"]["nodes"] == 1


def test_where_no_probe_tells_a_pace_the_scale_fails_and_says_why(scene: Scene) -> None:
    made = begin(scene, nodes=[1])
    told = ProbeRunner(scene, lambda _: 0).until_over(made["id"])
    assert (told["state"], told["advice"]) == ("failed", None)
    assert "No probe measured a step time" in told["message"]


def test_settings_are_tried_on_one_node_and_each_says_what_it_gave(scene: Scene) -> None:
    params = {"batch_size": 64, "precision": "fp32"}
    spec = {"params": params, "run": "python t.py {batch_size} {precision}"}
    made = begin(scene, spec, tune=True)

    def pace(order: Mapping[str, Any]) -> float:
        asked = order["params"]
        if asked["batch_size"] > 128:
            return 0
        return 0.4 * int(asked["batch_size"]) / 64 * (0.5 if asked["precision"] == "bf16" else 1)

    told = ProbeRunner(scene, pace).until_over(made["id"])
    assert told["kind"] == "tune"
    words = {one["change"]: one["words"] for one in told["gains"]}
    assert words["precision=bf16"] == "precision=bf16: 2.00× the throughput"
    assert words["batch_size=128"] == "batch_size=128: no difference"
    assert words["batch_size=256"].startswith("batch_size=256: failed (out of memory")
    assert [one["change"] for one in told["gains"] if one["helps"]] == ["precision=bf16"]
    assert told["notes"][0].startswith("The number of data-loader workers was not tried")


@pytest.mark.parametrize(
    ("spec", "wanted", "words"),
    [
        ({}, {"nodes": [8]}, "at most 4"),
        ({}, {"nodes": [0]}, "0 is not a node count"),
        ({}, {"nodes": [1], "goal": "fast"}, "'fast' is not a goal"),
        ({}, {"nodes": [3]}, "cannot be divided evenly among 3 ranks"),
        ({}, {"nodes": [1], "batch_param": "bs"}, "no param 'bs'"),
        ({"params": {}, "run": "true"}, {"tune": True}, "no param to tune"),
        ({"nam": "x"}, {"nodes": [1]}, "nam"),
    ],
)
def test_what_cannot_be_probed_is_refused_before_anything_starts(
    scene: Scene, spec: dict[str, Any], wanted: dict[str, Any], words: str
) -> None:
    answer = ask(scene, spec, **wanted)
    assert answer.status in (400, 422)
    assert words in answer.body.decode()
    assert all(one["endpoint"] != scene.name for one in scene.client.get("/scales")["items"])


def test_the_usual_sizes_are_those_that_the_partition_has(scene: Scene) -> None:
    made = begin(scene)
    assert [one["nodes"] for one in made["probes"]] == [1, 2, 4]
    assert made["node_hours_at_most"] == pytest.approx(7 / 6)
    scene.client.post(f"/scales/{made['id']}/cancel")


def test_a_scale_that_is_called_off_ends_its_probes(scene: Scene) -> None:
    made = begin(scene, nodes=[1, 2])
    started = wait_for(lambda: scene.client.get(f"/scales/{made['id']}")["probes"][0]["task"])
    told = scene.client.post(f"/scales/{made['id']}/cancel")
    assert told["state"] == "cancelled"
    assert scene.task(started)["state"] == "cancelled"
    assert scene.client.post(f"/scales/{made['id']}/cancel")["state"] == "cancelled"


def test_the_same_request_twice_is_one_scale(scene: Scene) -> None:
    body = {"spec": spec_of(scene), "nodes": [1]}
    headers = {"Idempotency-Key": f"once-{scene.name}"}
    first = scene.client.call("POST", "/scales", body, headers).json
    again = scene.client.call("POST", "/scales", body, headers).json
    assert first["id"] == again["id"]
    scene.client.post(f"/scales/{first['id']}/cancel")


def test_the_stream_tells_the_progress(scene: Scene) -> None:
    with contextlib.closing(scene.client.events("?after=now")) as stream:
        stream.until("ready")
        made = begin(scene, nodes=[1])
        ProbeRunner(scene, amdahl).until_over(made["id"])
        seen = stream.until("scale", id=made["id"], state="done").data
    assert seen["probes"][0]["steps"] >= 30


@pytest.mark.slow
def test_a_scale_goes_on_after_the_service_was_started_again(
    database_url: str, tmp_path: Path
) -> None:
    with running_service(tmp_path, database_url=database_url) as first:
        scene = new_scene(first)
        report_facts(scene)
        made = begin(scene, nodes=[1, 2])
        wait_for(lambda: scene.client.get(f"/scales/{made['id']}")["probes"][0]["task"])
    with running_service(tmp_path, database_url=database_url) as second:
        scene.client, scene.agent.url = second.client, second.url
        scene.agent.hello()
        told = ProbeRunner(scene, amdahl).until_over(made["id"])
    assert told["advice"]["nodes"] == 2
    assert len({one["task"] for one in told["probes"]}) == 2


def test_the_command_waits_and_tells_the_curve(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "diamond.yaml").write_text(
        f"name: net\nrun: python t.py {{batch_size}}\non: {scene.name}\nparams: {{batch_size: 64}}\n"
    )
    words = ["scale", str(tmp_path), "--nodes", "1,2", "--goal", "soonest", "--wait"]
    with subprocess.Popen(
        [sys.executable, "-m", "diamond.cli", *words],
        env={**os.environ, "DIAMOND_URL": scene.service.url, "DIAMOND_TOKEN": scene.service.token},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        runner = ProbeRunner(scene, amdahl)
        runner.until(lambda: process.poll() is not None, "the end of the command")
        out, err = process.communicate()
    assert process.returncode == 0, err
    assert "2 nodes: measured, 232.7 samples/s" in err
    assert "Recommended for soonest: 2 nodes: earliest finish" in out
    assert "Use it: resources: {nodes: 2}, params: {batch_size: 32}" in out
