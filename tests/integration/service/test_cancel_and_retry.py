from __future__ import annotations

import pytest

from support.scene import Scene, new_scene
from support.service import RunningService


@pytest.fixture
def scene(service: RunningService) -> Scene:
    return new_scene(service)


def test_a_task_that_no_agent_has_ends_at_once_and_is_never_handed_out(scene: Scene) -> None:
    task = scene.submit()["id"]
    cancelled = scene.client.post(f"/tasks/{task}/cancel")
    assert (cancelled["state"], cancelled["reason"]) == ("cancelled", "by-person")
    assert scene.agent.commands()["commands"] == []


def test_a_task_that_an_agent_has_is_cancelled_by_it(scene: Scene) -> None:
    task, attempt = scene.taken()
    assert scene.client.post(f"/tasks/{task}/cancel")["phase"] == "cancelling"
    commands = scene.agent.commands()["commands"]
    assert [(one["type"], one["attempt"]) for one in commands] == [("cancel", attempt)]
    scene.tell("gone", task, attempt)
    assert scene.task(task)["state"] == "cancelled"


def test_a_second_cancel_sends_no_second_command(scene: Scene) -> None:
    task, _ = scene.taken()
    for _ in range(2):
        scene.client.post(f"/tasks/{task}/cancel")
    assert len(scene.agent.commands()["commands"]) == 1


def test_a_cancel_after_the_end_leaves_the_end(scene: Scene) -> None:
    task, attempt = scene.taken()
    scene.tell("exited", task, attempt, run=1, exit_code=0)
    assert scene.client.post(f"/tasks/{task}/cancel")["state"] == "succeeded"


def test_a_retry_is_a_new_task_of_the_same_job(scene: Scene) -> None:
    task, attempt = scene.taken()
    refused = scene.client.call("POST", f"/tasks/{task}/retry")
    assert (refused.status, refused.json["code"]) == (409, "conflict")
    scene.tell("prepare-failed", task, attempt, reason="environment", message="no such package")
    failed = scene.task(task)
    assert (failed["state"], failed["reason"]) == ("failed", "environment")
    again = scene.client.call("POST", f"/tasks/{task}/retry")
    assert again.status == 201
    made = again.json
    assert (made["retry_of"], made["job"], made["order"]) == (task, failed["job"], failed["order"])
    assert scene.task(task) == failed
    assert scene.client.get(f"/jobs/{failed['job']}")["tasks"] == [task, made["id"]]
    assert scene.task(failed["job"])["id"] == made["id"]


def test_a_retry_with_a_key_is_made_once(scene: Scene) -> None:
    task, attempt = scene.taken()
    scene.tell("exited", task, attempt, run=1, exit_code=0)
    headers = {"Idempotency-Key": f"again-{task}"}
    made = [scene.client.call("POST", f"/tasks/{task}/retry", headers=headers) for _ in range(2)]
    assert made[0].json["id"] == made[1].json["id"]
