"""A member who wants more node-hours than they were given. docs/security.md names each of these."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from support.http import Client
from support.image_scene import take_commands
from support.people import add_person
from support.probe_scene import ProbeRunner, report_facts
from support.scene import Scene
from support.scripted_agent import ScriptedAgent
from support.service import RunningService
from support.waiting import wait_for

_numbers = count(1)
CHAIN: dict[str, Any] = {
    "continue": {"on": ["exit-75"], "max_attempts": 50},
    "resources": {"walltime": "1h"},
}
AT_THE_END: dict[str, Any] = {**CHAIN, "continue": {**CHAIN["continue"], "ahead": False}}


@pytest.fixture(scope="module")
def admin(service: RunningService) -> Client:
    return add_person(service, "root", is_admin=True)[1]


@pytest.fixture
def scene(service: RunningService, admin: Client) -> Scene:
    """A machine of somebody who may use three node-hours."""
    name = f"limited{next(_numbers)}"
    person, client = add_person(service, name)
    added = client.post("/endpoints", {"name": name, "carrier": "local"})
    admin.call("PUT", f"/users/{person}/limits", {"node_hours": 3})
    agent = ScriptedAgent(service.url, added["key"], epoch=name)
    agent.hello()
    return Scene(service, client, agent, name)


def run_an_hour(scene: Scene, task: str, attempt: str, step: int) -> str:
    """It uses its whole hour and wants to continue; gives the next attempt, if there is one."""
    about: dict[str, Any] = {"task": task, "attempt": attempt, "run": 1}
    begin = scene.agent.now - 3600
    scene.agent.tell(
        {"type": "submitted", **about, "native_id": str(step), "at": begin},
        {"type": "started", **about, "node": "n1", "at": begin},
        {"type": "progressed", **about, "step": step, "at": begin},
        {"type": "exited", **about, "exit_code": 75, "at": begin + 3600},
    )
    submits = [one for one in take_commands(scene) if one["type"] == "submit"]
    return str(submits[0]["attempt"]) if submits else ""


def used_up(scene: Scene) -> str:
    """A task that has used the whole limit by continuing."""
    task, attempt = scene.taken(**AT_THE_END, budget="50 node-hours")
    for step in (1, 2, 3):
        attempt = run_an_hour(scene, task, attempt, step)
        assert bool(attempt) is (step < 3)
    return task


def test_a_chain_stops_at_the_limit_of_its_owner(scene: Scene) -> None:
    seen = scene.task(used_up(scene))
    assert (seen["phase"], seen["reason"]) == ("asking", "continue-limit")
    assert "your limits leave 0 node-hours" in seen["message"]
    assert scene.client.get("/me/usage")["use"]["node_hours"] == pytest.approx(3)


def test_nobody_raises_their_own_limit_by_a_budget_or_by_allowing_attempts(
    scene: Scene, admin: Client
) -> None:
    task = used_up(scene)
    for wanted in ({"budget": "500 node-hours"}, {"attempts": 40}, {}):
        refused = scene.client.call("POST", f"/tasks/{task}/resume", wanted)
        assert (refused.status, refused.json["code"]) == (409, "over-limit"), wanted
    person = scene.client.get("/me")["id"]
    admin.call("PUT", f"/users/{person}/limits", {"node_hours": 5})
    assert scene.client.post(f"/tasks/{task}/resume", {"budget": "4 node-hours"})["attempts"][3:]


def test_a_task_that_has_ended_is_not_resumed_beyond_the_limit(scene: Scene) -> None:
    task = used_up(scene)
    scene.client.post(f"/tasks/{task}/cancel")
    for call in ("resume", "retry"):
        refused = scene.client.call("POST", f"/tasks/{task}/{call}", {})
        assert (refused.status, refused.json["code"]) == (409, "over-limit"), call


def test_an_agent_is_granted_no_follow_up_beyond_the_limit(scene: Scene) -> None:
    scene.submit(**CHAIN, budget="50 node-hours")
    [submit] = take_commands(scene)
    assert (submit["chain"]["until"], submit["chain"]["most_seconds"]) == (3, 3 * 3600)
    scene.tell("started", submit["task"], submit["attempt"], run=1)
    [told] = [one for one in take_commands(scene) if one["type"] == "chain"]
    assert told["chain"]["until"] == 3


def test_what_an_agent_may_do_by_itself_counts_for_other_tasks(scene: Scene) -> None:
    task = scene.submit(**CHAIN, budget="50 node-hours")["id"]
    assert scene.client.get("/me/usage")["use"]["node_hours_committed"] == 3
    body = {"spec": {"name": "job", "run": "true", "on": scene.name}}
    assert scene.client.call("POST", "/jobs", body).json["code"] == "over-limit"
    scene.client.post(f"/tasks/{task}/cancel")
    assert scene.client.call("POST", "/jobs", body).status == 201


def test_two_chains_share_one_limit(scene: Scene) -> None:
    """Both end their first hour in the same message of the agent: one hour is left."""
    first, second = scene.taken(**AT_THE_END), scene.taken(**AT_THE_END)
    at = scene.agent.now - 3600
    events = [
        {"type": kind, "task": task, "attempt": attempt, "run": 1, "at": at + after, **more}
        for task, attempt in (first, second)
        for kind, after, more in (
            ("started", 0, {"node": "n1"}),
            ("progressed", 1, {"step": 1}),
            ("exited", 3600, {"exit_code": 75}),
        )
    ]
    scene.agent.tell(*events)
    submits = [one for one in take_commands(scene) if one["type"] == "submit"]
    assert len(submits) == 1


def test_a_site_that_requeues_a_job_again_and_again_passes_no_limit(scene: Scene) -> None:
    """The batch script itself counts its runs against what the limit leaves."""
    scene.submit(resources={"walltime": "1h"})
    [submit] = take_commands(scene)
    assert submit["chain"] == {"most_seconds": 3 * 3600}


def test_a_node_count_that_probes_advise_is_held_against_the_limit(
    scene: Scene, admin: Client
) -> None:
    """Made with one node, for two hours; two nodes would be worth it."""
    person = scene.client.get("/me")["id"]
    admin.call("PUT", f"/users/{person}/limits", {"node_hours": 3.5})
    report_facts(scene)
    params = {"run": "python t.py {batch}", "params": {"batch": 64}}
    task = scene.submit(**params, resources={"nodes": "auto", "walltime": "2h"})
    paces = {1: 0.5, 2: 0.275, 4: 0.2}
    runner = ProbeRunner(scene, lambda order: paces[int(order["resources"]["nodes"])])
    assert runner.until_over(task["awaits"])["advice"]["nodes"] == 2
    seen = wait_for(lambda: ended(scene, task["id"]), what="the end of the task")
    assert "one attempt on 2 nodes may take 4" in seen["message"]


def ended(scene: Scene, task: str) -> Any:
    seen = scene.task(task)
    return seen if seen["state"] == "failed" else None
