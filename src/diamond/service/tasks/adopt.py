"""After a restore from a backup: tasks that the machines know and the service forgot."""

from __future__ import annotations

import time
from typing import Any

from diamond.core.agent_messages import Adopt, AdoptedTask, KnownAttempt
from diamond.core.errors import BadRequest
from diamond.core.follow_ups import begin_attempt
from diamond.core.order import order_from
from diamond.core.task import Attempt, Task
from diamond.service.chains.grants import first_chain
from diamond.service.endpoints.community import is_community
from diamond.service.endpoints.facts import effective_facts
from diamond.service.endpoints.pairing import AgentCall
from diamond.service.people.shares import PROFILE, things_shared_with
from diamond.service.people.store import find_user
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import News, publish
from diamond.service.platform.services import Services
from diamond.service.tasks import job_store as job_rows
from diamond.service.tasks import store as task_rows
from diamond.service.tasks.core_rows import attempt_entry, row_values
from diamond.service.tasks.submit_command import BESIDE


async def adopt_task(services: Services, call: AgentCall, message: Adopt) -> None:
    """Make job and task anew from `task.json`; its owner is the endpoint's, but for community accounts."""
    facts, known = message.task_json, message.known
    try:
        row = _row(call, facts, known, message.attempts)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise BadRequest(f"This task.json cannot be read: {error}") from None

    async def adopt(tx: Transaction) -> None:
        row["owner"] = await _owner(tx, call, known)
        if await task_rows.find_task(tx.connection, row["id"]):
            return
        job = await job_rows.find_job(tx.connection, row["job"])
        if job is None:
            await job_rows.add_job(tx, _job(row))
        elif job["owner"] != row["owner"]:
            raise BadRequest("This job belongs to somebody else")
        await task_rows.add_task(tx, row)
        await task_rows.add_history(tx, [_line(row)])
        await publish(tx, row["owner"], [News("task", row["id"])])

    await services.store.run(adopt)


async def _owner(tx: Transaction, call: AgentCall, known: AdoptedTask) -> str:
    """On a community account each task is its person's: of those who may use it, since a machine could name anybody."""
    person = known.person.id if known.person else ""
    if is_community(call.endpoint) and person and await find_user(tx.connection, person):
        shared = await things_shared_with(tx.connection, PROFILE, person)
        return person if call.endpoint.id in shared else call.principal.user
    return call.principal.user


def _row(
    call: AgentCall, facts: dict[str, Any], known: AdoptedTask, attempts: list[KnownAttempt]
) -> dict[str, Any]:
    now, endpoint, order = time.time(), call.endpoint, known.order
    numbered = sorted(
        (Attempt(id=one.attempt, number=one.number) for one in attempts),
        key=lambda attempt: attempt.number,
    )
    newest = numbered[-1]
    begun = begin_attempt(Task(id=known.task, as_of=now), newest.id, newest.number)
    work = endpoint.folders.work
    return {
        "id": known.task,
        "owner": call.principal.user,
        "job": known.job,
        "name": known.name,
        "kind": known.kind,
        "endpoint": endpoint.id,
        "endpoint_name": endpoint.name,
        **row_values(begun),
        "attempts": [attempt_entry(attempt) for attempt in numbered],
        "node": "",
        "started": None,
        "ended": None,
        "run_dir": f"{work}/tasks/{known.task}" if work else "",
        "created": known.created or now,
        "updated": now,
        "retry_of": None,
        "order": order,
        "digest": order_from(order).digest,
        "code": None,
        "untold": False,
        "history": 1,
        "version": 1,
        "cleaned": None,
        "awaits": None,
        "prediction": None,
        "chain": {
            **first_chain(order_from(order), effective_facts(endpoint).get("charge")),
            **{name: facts[name] for name in BESIDE if facts.get(name)},
        },
    }


def _job(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": row["job"],
        "owner": row["owner"],
        "name": row["name"],
        "spec": {},
        "code": None,
        "digest": row["digest"],
        "created": row["created"],
    }


def _line(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "task": row["id"],
        "n": 1,
        "owner": row["owner"],
        "at": row["created"],
        "received": time.time(),
        "type": "adopted",
        "message": "found on the machine; the service had lost its record",
        "data": {"attempt": row["attempt"]},
    }
