"""After a restore from a backup: tasks that the machines know and the service has lost."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from diamond.core.agent_messages import Adopt
from diamond.core.errors import BadRequest
from diamond.core.order import order_from
from diamond.core.task import Attempt
from diamond.service.chains.rows import chain_from
from diamond.service.endpoints.community import is_community
from diamond.service.endpoints.pairing import AgentCall
from diamond.service.people.shares import PROFILE, things_shared_with
from diamond.service.people.store import find_user
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import JsonObject
from diamond.service.platform.event_log import News, publish
from diamond.service.platform.services import Services
from diamond.service.tasks import job_store
from diamond.service.tasks import store as task_store
from diamond.service.tasks.create import first_row, new_chain
from diamond.service.tasks.record_entries import record, whole_life
from diamond.service.tasks.rows import HistoryRow, JobRow, TaskRow


@dataclass(frozen=True)
class KnownTask:
    """`task.json` of a run directory, and the attempts beside it."""

    id: str
    job: str
    name: str
    kind: str
    created: float
    order: JsonObject
    person: str
    """The id of whom it is for, on a community account."""
    beside: JsonObject
    """What `task.json` holds of the chain."""
    attempts: list[Attempt]


async def adopt_task(services: Services, call: AgentCall, message: Adopt) -> None:
    """Make job and task again from `task.json`; its owner is the endpoint's, but for community accounts."""
    known = _known(message)
    try:
        row = _row(call, known)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise BadRequest(f"This task.json cannot be read: {error}") from None

    async def adopt(tx: Transaction) -> None:
        owned = replace(row, owner=await _owner(tx, call, known.person))
        if await task_store.find_task(tx.connection, row.id):
            return
        job = await job_store.find_job(tx.connection, row.job)
        if job is None:
            await job_store.add_job(tx, _job(known, owned.owner))
        elif job.owner != owned.owner:
            raise BadRequest("This job belongs to somebody else")
        await task_store.add_task(tx, owned)
        await task_store.add_history(tx, [_line(owned)])
        await record(tx, [(owned, whole_life(owned, None))])
        await publish(tx, owned.owner, [News("task", owned.id)])

    await services.store.run(adopt)


def _known(message: Adopt) -> KnownTask:
    """Raises `BadRequest`."""
    facts, task = message.task_json, message.known
    attempts = [Attempt(id=known.attempt, number=known.number) for known in message.attempts]
    names = ("continues", "signature", "person")
    return KnownTask(
        id=task.task,
        job=task.job,
        name=task.name,
        kind=task.kind,
        created=task.created or time.time(),
        order=task.order,
        person=task.person.id if task.person else "",
        beside={name: facts[name] for name in names if facts.get(name)},
        attempts=sorted(attempts, key=lambda attempt: attempt.number),
    )


async def _owner(tx: Transaction, call: AgentCall, person: str) -> str:
    """On a community account each task belongs to who it was for: of those who may use it, since a machine could name anybody."""
    if is_community(call.endpoint) and person and await find_user(tx.connection, person):
        shared = await things_shared_with(tx.connection, PROFILE, person)
        return person if call.endpoint.id in shared else call.principal.user
    return call.principal.user


def _row(call: AgentCall, known: KnownTask) -> TaskRow:
    order = order_from(known.order)
    job = _job(known, call.principal.user)
    chain = replace(chain_from(known.beside), budget=new_chain(order, call.endpoint).budget)
    row = first_row(job, call.endpoint, order, known.id, known.attempts)
    return replace(row, kind=known.kind, created=known.created, order_json=known.order, chain=chain)


def _job(known: KnownTask, owner: str) -> JobRow:
    """What was asked for is lost: its spec is empty."""
    return JobRow(
        id=known.job,
        owner=owner,
        name=known.name,
        spec={},
        code=None,
        digest=order_from(known.order).digest,
        project="",
        assignment="",
        created=known.created,
    )


def _line(task: TaskRow) -> HistoryRow:
    return HistoryRow(
        task=task.id,
        n=1,
        owner=task.owner,
        at=task.created,
        received=time.time(),
        type="adopted",
        message="found on the machine; the service had lost its record",
        data={"attempt": task.attempt},
    )
