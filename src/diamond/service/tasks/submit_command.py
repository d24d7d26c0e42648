"""What an agent gets with a submit command: `task.json` and the grant of its chain."""

from __future__ import annotations

from diamond.service.chains.granting import grant_of
from diamond.service.endpoints.commands import Command
from diamond.service.platform.database.rows import JsonObject
from diamond.service.tasks.rows import TaskRow


def task_json(task: TaskRow) -> JsonObject:
    """`task.json` of the run directory."""
    chain = task.chain
    beside: JsonObject = {
        "continues": chain.continues,
        "signature": chain.signature,
        "person": chain.person,
        "share": chain.share,
    }
    return {
        "version": 1,
        "task": task.id,
        "job": task.job,
        "name": task.name,
        "kind": task.kind,
        "owner": task.owner,
        "order": task.order_json,
        "created": task.created,
        **{name: value for name, value in beside.items() if value},
    }


def submit_command(task: TaskRow) -> Command:
    data = {"number": 1, "task_json": task_json(task), **grant_of(task)}
    return Command(
        "submit", task.endpoint, task.owner, task=task.id, attempt=task.attempt, data=data
    )
