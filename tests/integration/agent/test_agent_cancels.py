"""Cancelling in every phase."""

from __future__ import annotations

import os

from diamond.core.ids import ATTEMPT, TASK, new_id
from support.agents import AgentProcess
from support.sync_service import SyncService, eventually


def test_a_running_program_is_ended(agent: AgentProcess, service: SyncService) -> None:
    task = service.submit({"command": "touch ready; exec sleep 300"})
    service.until(task.id, "running")
    service.cancel(task.id)
    ended = service.until(task.id, "cancelled")
    assert ended.reason.value == "by-person"


def test_a_program_that_ignores_the_signal_is_ended_all_the_same(
    agent: AgentProcess, service: SyncService
) -> None:
    task = service.submit({"command": "trap '' TERM; touch ready; while :; do sleep 0.1; done"})
    eventually((agent.work / "tasks" / task.id / "run" / "ready").exists)
    service.cancel(task.id)
    service.until(task.id, "cancelled")


def test_a_queued_task_never_starts(agent: AgentProcess, service: SyncService) -> None:
    cores = os.cpu_count() or 1
    first = service.submit({"command": "sleep 300", "resources": {"cpus_per_task": cores}})
    service.until(first.id, "running")
    second = service.submit({"command": "touch ran", "resources": {"cpus_per_task": cores}})
    service.until(second.id, "queued")
    service.cancel(second.id)
    service.until(second.id, "cancelled")
    service.cancel(first.id)
    service.until(first.id, "cancelled")
    assert not (agent.work / "tasks" / second.id / "run" / "ran").exists()


def test_a_task_being_prepared_is_called_off_while_its_code_is_on_its_way(
    agent: AgentProcess, service: SyncService
) -> None:
    service.blobs_gate.clear()
    digest = service.put_blob(b'{"version":1,"files":[]}')
    task = service.submit({"command": "touch ran", "code": {"snapshot": f"sha256:{digest}"}})
    eventually(lambda: service.blobs_asked)
    service.cancel(task.id)
    eventually((agent.attempt_folder(task.id) / "tombstone").exists)
    other = service.submit({"command": "true"})
    service.until(other.id, "succeeded")
    service.blobs_gate.set()
    service.until(task.id, "cancelled")
    assert not (agent.work / "tasks" / task.id / "run" / "ran").exists()


def test_a_task_that_has_ended_is_gone(agent: AgentProcess, service: SyncService) -> None:
    task = service.submit({"command": "true"})
    service.until(task.id, "succeeded")
    service.send("cancel", task=task.id, attempt=task.attempt.id)
    eventually(lambda: service.of(task.id, "gone"))


def test_a_cancel_that_overtakes_its_submit_turns_it_into_nothing(
    agent: AgentProcess, service: SyncService
) -> None:
    task, attempt = new_id(TASK), new_id(ATTEMPT)
    service.send("cancel", task=task, attempt=attempt)
    eventually(lambda: service.of(task, "gone"))
    told = len(service.of(task, "gone"))
    order = {"name": "x", "command": "touch ran"}
    service.send(
        "submit", task=task, attempt=attempt, number=1, task_json={"task": task, "order": order}
    )
    eventually(lambda: len(service.of(task, "gone")) > told)
    assert not (agent.work / "tasks" / task / "run" / "ran").exists()
    assert not service.of(task, "submitted")
