"""A real service and a real agent on this machine: tasks are run again and judged."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from diamond.service.access.principal import Role
from support.http import Client
from support.people import add_person, put_in_project
from support.scene import Scene, new_scene
from support.scripted_agent import ScriptedAgent
from support.service import RunningService
from support.shell import Shell, diamond_up
from support.waiting import wait_for

PROGRAM = """\
import os, pathlib, random, sys
from diamond import training
seed = int(sys.argv[1])
data = pathlib.Path(os.environ["DIAMOND_DATA"], "numbers", "a.csv")
start = float(data.read_text()) if data.exists() else 1.0
chance = random.Random(seed) if seed >= 0 else random.SystemRandom()
loss = start * (1 + chance.random())
for step in range(3):
    loss /= 2
    training.log(step=step, loss=loss)
folder = pathlib.Path("artifacts")
folder.mkdir(exist_ok=True)
(folder / "model.txt").write_text(repr(loss))
"""


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    with diamond_up(tmp_path_factory.mktemp("reproduce")) as made:
        folder = made.folder / "numbers"
        folder.mkdir()
        (folder / "a.csv").write_text("1.0")
        job = made.folder / "train"
        job.mkdir()
        (job / "train.py").write_text(PROGRAM)
        (job / "diamond.yaml").write_text(
            f"name: train\nrun: python3 train.py {{seed}}\nparams: {{seed: 1}}\n"
            f"data: {{numbers: {folder}}}\n"
        )
        yield made


def ran(shell: Shell, *words: str) -> str:
    shell.type(f"diamond run train --wait {' '.join(words)}")
    return shell.newest_task()


def reproduced(shell: Shell, task: str, *words: str, code: int = 0) -> Any:
    line = f"diamond reproduce {task} --wait --json {' '.join(words)}"
    return json.loads(shell.type(line, expected=code))["verdict"]


def kinds(verdict: Any) -> list[str]:
    return [cause["kind"] for cause in verdict["causes"]]


def test_the_same_run_twice_is_identical(shell: Shell) -> None:
    task = ran(shell)
    verdict = reproduced(shell, task)
    assert verdict["level"] == "identical" and verdict["causes"] == []
    assert verdict["files"] == [{"path": "model.txt", "finding": "identical"}]
    assert "identical" in shell.type(f"diamond reproduce {task} --show")


def test_a_run_by_chance_is_different_and_within_a_stated_tolerance(shell: Shell) -> None:
    task = ran(shell, "--set seed=-1")
    verdict = reproduced(shell, task, code=3)
    assert verdict["level"] == "different" and kinds(verdict) == ["nondeterminism"]
    assert verdict["metrics"][0]["finding"] == "beyond"
    near = reproduced(shell, task, "--tolerance 100%")
    assert near["level"] == "within-tolerance"


def test_one_changed_byte_of_the_data_is_named(shell: Shell) -> None:
    task = ran(shell)
    data = shell.folder / "numbers" / "a.csv"
    data.write_text("1.1")
    try:
        verdict = reproduced(shell, task, code=3)
    finally:
        data.write_text("1.0")
    assert verdict["level"] == "different"
    assert kinds(verdict)[0] == "data" and "numbers/a.csv" in verdict["causes"][0]["text"]


def test_another_seed_and_other_code_are_named_for_any_two_runs(shell: Shell) -> None:
    first = ran(shell)
    second = ran(shell, "--set seed=2")
    compared = json.loads(shell.type(f"diamond compare {first} {second} --why --json"))
    assert kinds(compared["verdict"]) == ["seed"]
    assert "seed: 1 and 2" in compared["verdict"]["causes"][0]["text"]
    program = shell.folder / "train" / "train.py"
    program.write_text(PROGRAM.replace("loss /= 2", "loss /= 3"))
    third = ran(shell)
    program.write_text(PROGRAM)
    compared = json.loads(shell.type(f"diamond compare {first} {third} --why --json"))
    assert kinds(compared["verdict"]) == ["code"]


def test_the_record_of_the_first_run_says_that_it_was_reproduced(shell: Shell) -> None:
    task = ran(shell)
    reproduced(shell, task)
    shell.type("diamond runs --where name=train -c metric.loss")
    listed = json.loads(shell.type(f"diamond reproduce {task} --show --json"))
    assert [item["verdict"]["level"] for item in listed["items"]] == ["identical"]
    again = listed["items"][0]["task"]
    assert (
        json.loads(shell.type(f"diamond reproduce {again} --show --json"))["reproduces"]["original"]
        == task
    )


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_scene(service)


def test_what_has_not_ended_cannot_be_reproduced(scene: Scene) -> None:
    task, _ = scene.taken(name="open")
    answer = scene.client.call("POST", f"/tasks/{task}/reproduce", {})
    assert answer.status == 409 and "has not ended" in answer.json["title"]


def test_a_tolerance_that_is_none_is_rejected_before_anything_runs(scene: Scene) -> None:
    task, attempt = ended(scene)
    answer = scene.client.call("POST", f"/tasks/{task}/reproduce", {"tolerance": ["much"]})
    assert answer.status == 400 and "is not a tolerance" in answer.json["title"]
    assert scene.client.get(f"/tasks/{task}/reproductions")["items"] == [] and attempt


def ended(scene: Scene, **spec: Any) -> tuple[str, str]:
    task, attempt = scene.taken(**{"name": "over", **spec})
    scene.tell("started", task, attempt, run=1, node="n1")
    scene.tell("exited", task, attempt, run=1, exit_code=0)
    wait_for(lambda: scene.task(task)["state"] == "succeeded", what="end")
    return task, attempt


def test_a_removed_endpoint_is_missing(scene: Scene) -> None:
    task, _ = ended(scene)
    assert scene.client.call("DELETE", f"/endpoints/{scene.name}").status < 300
    answer = scene.client.call("POST", f"/tasks/{task}/reproduce", {})
    assert (answer.status, answer.json["code"]) == (409, "not-reproducible")
    assert "was removed" in answer.json["title"]


def test_nobody_sees_a_reproduction_that_is_not_shared_with_them(service: RunningService) -> None:
    _, owner = add_person(service, "rep-owner")
    member_id, member = add_person(service, "rep-member")
    _, stranger = add_person(service, "rep-stranger")
    project = owner.post("/projects", {"name": "rep-group"})["id"]
    put_in_project(service, project, member_id, Role.VIEWER)
    scene = _scene_of(service, owner)
    body = {"spec": {"name": "shown", "run": "true", "on": scene.name}, "project": "rep-group"}
    task = owner.post("/jobs", body)["tasks"][0]
    commands = scene.agent.commands(wait=5)["commands"]
    scene.agent.commands(done=[each["id"] for each in commands])
    scene.tell("started", task["id"], task["attempt"], run=1, node="n1")
    scene.tell("exited", task["id"], task["attempt"], run=1, exit_code=0)
    wait_for(lambda: owner.get(f"/tasks/{task['id']}")["state"] == "succeeded", what="end")
    began = time.monotonic()
    again = owner.post(f"/tasks/{task['id']}/reproduce", {})
    assert time.monotonic() - began < 20, "the endpoint is online but silent: nobody waits for it"
    assert [each["task"] for each in owner.get(f"/tasks/{task['id']}/reproductions")["items"]] == [
        again["task"]
    ]
    seen = member.get(f"/tasks/{task['id']}/reproductions")["items"]
    assert [each["task"] for each in seen] == [again["task"]]  # it is in the project too
    for path in (f"/tasks/{task['id']}/reproductions", f"/tasks/{again['task']}/reproductions"):
        assert stranger.call("GET", path).status == 404
    assert stranger.call("POST", f"/tasks/{task['id']}/reproduce", {}).status == 404
    against = f"/tasks/{task['id']}/verdict?against={task['id']}"
    assert stranger.call("GET", against).status == 404


def _scene_of(service: RunningService, client: Client) -> Scene:
    added = client.post("/endpoints", {"name": "away", "carrier": "local"})
    agent = ScriptedAgent(service.url, added["key"])
    agent.hello()
    return Scene(service, client, agent, "away")
