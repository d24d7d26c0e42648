"""A chain asks before it goes on without a budget, and a person's word lets it."""

from __future__ import annotations

from typing import Any

import pytest

from support.scene import Scene, new_scene
from support.service import RunningService

CHAIN: dict[str, Any] = {"continue": {"on": ["exit-75"], "max_attempts": 9}}


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_scene(service)


def commands(scene: Scene, kind: str) -> list[dict[str, Any]]:
    """Those of a kind that are due, all acknowledged."""
    due = scene.agent.commands(wait=0)["commands"]
    scene.agent.commands(done=[one["id"] for one in due])
    return [one for one in due if one["type"] == kind]


def one_attempt(scene: Scene, task: str, attempt: str, step: int) -> str:
    """It runs, comes one step further and asks for more; gives the attempt that follows, if any."""
    scene.tell("submitted", task, attempt, native_id=str(step))
    scene.tell("started", task, attempt, run=1)
    scene.tell("progressed", task, attempt, step=step)
    scene.tell("exited", task, attempt, run=1, exit_code=75)
    submits = commands(scene, "submit")
    return str(submits[0]["attempt"]) if submits else ""


def asking(scene: Scene) -> str:
    task, attempt = scene.taken(**CHAIN)
    for step in range(1, 5):
        attempt = one_attempt(scene, task, attempt, step)
        assert bool(attempt) is (step < 4)
    return task


def test_without_a_budget_a_task_asks_after_three_follow_ups(scene: Scene) -> None:
    seen = scene.task(asking(scene))
    assert (seen["state"], seen["phase"], seen["reason"]) == ("pending", "asking", "continue-limit")
    assert seen["chain"]["asks"] and seen["chain"]["may_resume"]
    needs = scene.client.get("/overview")["needs"]
    assert ("asking", seen["id"]) in [(one["kind"], one["task"]) for one in needs]
    assert [one["step"] for one in seen["attempts"]] == [1, 2, 3, 4]
    told = scene.client.get("/notifications")["items"]
    assert [one["kind"] for one in told if one["task"] == seen["id"]] == ["asking"]


def test_a_task_that_asks_goes_on_as_far_as_it_is_allowed(scene: Scene) -> None:
    task = asking(scene)
    seen = scene.client.post(f"/tasks/{task}/resume", {"attempts": 1})
    assert (seen["id"], seen["phase"]) == (task, "between-attempts")
    attempt = str(commands(scene, "submit")[0]["attempt"])
    assert one_attempt(scene, task, attempt, 5) == ""
    assert scene.task(task)["phase"] == "asking"


def test_a_task_that_asks_may_be_given_a_budget(scene: Scene) -> None:
    task = asking(scene)
    refused = scene.client.call("POST", f"/tasks/{task}/resume", {"budget": "0.5 node-hours"})
    assert refused.status == 400
    seen = scene.client.post(f"/tasks/{task}/resume", {"budget": "5 node-hours"})
    assert seen["chain"]["budget"]["amount"] == 5
    assert seen["chain"]["budget"]["committed"] == pytest.approx(1)


def test_a_task_that_asks_can_be_cancelled(scene: Scene) -> None:
    task = asking(scene)
    scene.client.post(f"/tasks/{task}/cancel")
    assert scene.task(task)["state"] == "cancelled"


def test_an_agent_hears_how_far_a_chain_may_go(scene: Scene) -> None:
    spec = {**CHAIN, "budget": "3.5 node-hours"}
    scene.submit(**spec)
    (submit,) = commands(scene, "submit")
    assert submit["chain"] == {
        "until": 3,
        "counted": 1,
        "queue_after_seconds": None,
        "most_seconds": 3.5 * 3600,
    }
    scene.tell("started", submit["task"], submit["attempt"], run=1)
    (told,) = commands(scene, "chain")
    assert (told["chain"]["until"], told["chain"]["most_seconds"]) == (3, 3.5 * 3600)


def test_an_agent_hears_of_a_budget_also_where_nothing_is_queued_ahead(scene: Scene) -> None:
    """The batch scripts hold themselves to it after a requeue; and to another one that the person gives."""
    task = scene.submit(budget="2 node-hours", resources={"walltime": "1h"})["id"]
    (submit,) = commands(scene, "submit")
    assert submit["chain"] == {"most_seconds": 2 * 3600}
    scene.tell("started", task, submit["attempt"], run=1)
    assert commands(scene, "chain") == []
    scene.client.post(f"/tasks/{task}/resume", {"budget": "5 node-hours"})
    (told,) = commands(scene, "chain")
    assert told["chain"] == {"most_seconds": 5 * 3600}


def test_an_attempt_of_the_agents_own_making_takes_its_place(scene: Scene) -> None:
    task, attempt = scene.taken(**CHAIN)
    scene.tell("started", task, attempt, run=1)
    commands(scene, "chain")
    scene.tell("attempt-known", task, "aown", number=2)
    scene.tell("submitted", task, "aown", native_id="9")
    seen = scene.task(task)
    assert (seen["state"], seen["attempt"]) == ("running", attempt)
    assert seen["chain"]["follow_up"] == "aown"
    scene.tell("exited", task, attempt, run=1, exit_code=75)
    seen = scene.task(task)
    assert (seen["state"], seen["phase"], seen["attempt"]) == ("pending", "queued", "aown")
    assert [one["reason"] for one in seen["attempts"]] == ["exit-code", ""]
    assert seen["attempts"][0]["ending"] == "asked to be continued"
    assert commands(scene, "submit") == []


def test_what_has_succeeded_or_not_begun_cannot_be_resumed(scene: Scene) -> None:
    task, attempt = scene.taken()
    scene.tell("started", task, attempt, run=1)
    scene.tell("exited", task, attempt, run=1, exit_code=0)
    refused = scene.client.call("POST", f"/tasks/{task}/resume", {})
    assert refused.status == 409


def test_a_follow_up_for_which_a_longer_limit_leaves_no_room_is_taken_back(scene: Scene) -> None:
    task, attempt = scene.taken(**CHAIN, budget="2.5 node-hours", resources={"walltime": "1h"})
    scene.tell("started", task, attempt, run=1)
    assert commands(scene, "chain")[-1]["chain"]["until"] == 2
    scene.tell("attempt-known", task, "f2", number=2)
    scene.tell("observed", task, attempt, status="running", native_state="R", limit_seconds=7200.0)
    taken_back = commands(scene, "chain")[-1]["chain"]
    assert (taken_back["until"], taken_back["counted"]) == (1, 2)
    scene.tell("gone", task, "f2")
    assert scene.task(task)["chain"]["budget"]["committed"] == pytest.approx(2)


def test_follow_ups_that_were_overtaken_are_set_aside_for_no_longer(scene: Scene) -> None:
    task, attempt = scene.taken(**CHAIN, resources={"walltime": "1h"})
    scene.tell("submitted", task, attempt, native_id="1")
    scene.tell("attempt-known", task, "f2", number=2)
    scene.tell("attempt-known", task, "f3", number=3)
    scene.tell("started", task, "f3", run=1)
    seen = scene.task(task)
    assert [one["reason"] for one in seen["attempts"]] == ["withdrawn", "withdrawn", ""]


def test_exit_75_without_continue_asks_too(scene: Scene) -> None:
    task, attempt = scene.taken()
    for step in range(1, 5):
        attempt = one_attempt(scene, task, attempt, step)
    assert scene.task(task)["phase"] == "asking"


def test_a_budget_alone_lets_exit_75_go_on(scene: Scene) -> None:
    task, attempt = scene.taken(budget="90 node-hours", resources={"walltime": "1h"})
    for step in range(1, 7):
        attempt = one_attempt(scene, task, attempt, step)
        assert attempt


def test_nothing_is_set_aside_for_a_task_that_has_ended(scene: Scene) -> None:
    task, attempt = scene.taken(**CHAIN, budget="5 node-hours", resources={"walltime": "1h"})
    scene.tell("started", task, attempt, run=1)
    scene.tell("attempt-known", task, "f2", number=2)
    scene.tell("exited", task, attempt, run=1, exit_code=0)
    seen = scene.task(task)
    assert (seen["state"], seen["attempts"][1]["reason"]) == ("succeeded", "withdrawn")
    assert seen["chain"]["budget"]["committed"] == 0
