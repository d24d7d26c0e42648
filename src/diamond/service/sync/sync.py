"""The sync protocol: what an agent says and what it is told. `docs/internals/sync-protocol.md`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import BadRequest
from diamond.core.events import Event, event_from
from diamond.core.ids import IDENTIFIER
from diamond.core.protocol import VERSION
from diamond.service.endpoints import commands as command_rows
from diamond.service.endpoints import store as rows
from diamond.service.endpoints.facts import read_facts
from diamond.service.endpoints.pairing import AgentCall, refuse_older
from diamond.service.endpoints.rows import EndpointPolicy, EndpointRow, Folders, SiteProfile
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import Row, value_from
from diamond.service.platform.event_log import News, publish
from diamond.service.platform.services import Services
from diamond.service.platform.text import clean
from diamond.service.platform.wakeups.notifier import endpoint_topic, wait
from diamond.service.tasks import store as task_rows
from diamond.service.tasks.stepping import Steps

MAX_WAIT_SECONDS = 25.0
POLL_SECONDS = 2.0
NEW_WORK = ("submit", "image")
QUESTIONS_PER_MINUTE, QUESTIONS_PER_CLUSTER = 4.0, 6.0


async def hello(services: Services, call: AgentCall, told: dict[str, Any]) -> dict[str, Any]:
    """A new generation begins; every older agent of this endpoint is fenced off."""

    async def greet(tx: Transaction) -> dict[str, Any]:
        row = await rows.endpoint_by_id(tx.connection, call.endpoint["id"], lock=True)
        assert row is not None
        generation = max(row["generation"], int(told.get("last_generation") or 0)) + 1
        values = {"generation": generation, "have": _standing(row, told), **_introduction(told)}
        await rows.change_endpoint(tx, row["id"], **values)
        await publish(tx, row["owner"], [News("endpoint", row["id"])])
        still_open = await rows.open_tasks(tx.connection, row["id"])
        return {
            "endpoint": row["id"],
            "name": row["name"],
            "generation": generation,
            "now": time.time(),
            "restored": _is_from_a_backup(row, told),
            "open_tasks": [_open(task) for task in still_open if not task.is_waiting],
            "settings": agent_settings(row),
            "status_questions_per_minute": await _share(tx.connection, row),
        }

    answer = await services.store.run(greet)
    # An agent that waits under an older generation learns of this one at once.
    services.notifier.wake([endpoint_topic(call.endpoint["id"])])
    return answer


def _is_from_a_backup(endpoint: EndpointRow, told: dict[str, Any]) -> bool:
    """The agent remembers a later generation, or later events of its own, than stand here."""
    if int(told.get("last_generation") or 0) > endpoint["generation"]:
        return True
    confirmed = int(told.get("confirmed") or 0)
    return bool(told.get("epoch") == endpoint["epoch"] and confirmed > endpoint["have"])


def _standing(endpoint: EndpointRow, told: dict[str, Any]) -> int:
    """Events go on from here: what a backup has lost, the agent now tells again under new numbers."""
    have = endpoint["have"] if told.get("epoch") == endpoint["epoch"] else 0
    return max(have, int(told.get("confirmed") or 0))


async def take_events(services: Services, call: AgentCall, told: dict[str, Any]) -> dict[str, Any]:
    """All events of one call in one transaction; those already taken are passed over.

    After a gap nothing is taken: the agent sees from `have` that events were lost, and says hello.
    """
    epoch, incoming = str(told.get("epoch", "")), _events(told)

    async def take(tx: Transaction) -> dict[str, Any]:
        row = await rows.endpoint_by_id(tx.connection, call.endpoint["id"], lock=True)
        assert row is not None
        have = row["have"] if row["epoch"] == epoch else 0
        if incoming and incoming[0][0] > have + 1:
            return {"have": have, "unknown_tasks": []}
        fresh = [item for item in incoming if item[0] > have]
        unknown = await _apply(tx, row, fresh)
        newest = max([have, *(n for n, _, _ in fresh)])
        if newest != row["have"] or epoch != row["epoch"]:
            await rows.took_events(tx, row["id"], epoch=epoch, have=newest)
        return {"have": newest, "unknown_tasks": unknown}

    return await services.store.run(take)


async def next_commands(
    services: Services, call: AgentCall, told: dict[str, Any]
) -> dict[str, Any]:
    """What the agent should do now; held while there is nothing."""
    endpoint, done = call.endpoint["id"], [str(one) for one in told.get("done") or ()]
    held = min(max(float(told.get("wait") or 0), 0.0), MAX_WAIT_SECONDS)
    deadline = time.monotonic() + held
    turn = services.presence.new_turn(endpoint)
    services.notifier.wake([endpoint_topic(endpoint)])
    with services.notifier.listen([endpoint_topic(endpoint)]) as bell:
        while True:
            bell.clear()
            left = deadline - time.monotonic()
            if not services.presence.has_turn(endpoint, turn) or services.notifier.closing:
                return await _answer(services, call, done)
            is_due = await _is_due(services, call)
            requests = await services.relay.take(endpoint)
            if is_due or requests or left <= 0:
                return await _answer(services, call, done, is_due=is_due, requests=requests)
            if done:
                await services.store.run(
                    partial(command_rows.mark_done, endpoint=endpoint, done=done)
                )
                done = []
            await wait(bell, min(left, POLL_SECONDS))


async def store_profile(services: Services, call: AgentCall, profile: dict[str, Any]) -> None:
    facts = clean(profile.get("facts") or {})
    if not isinstance(facts, dict):
        raise BadRequest("A site profile has facts")
    cluster = facts.get("cluster")
    values = {
        "profile": SiteProfile(profile.get("probed_at"), facts),
        "cluster": str(cluster.get("value", "")) if isinstance(cluster, dict) else "",
    }

    async def put(tx: Transaction) -> None:
        await rows.change_endpoint(tx, call.endpoint["id"], **values)
        await publish(tx, call.principal.user, [News("endpoint", call.endpoint["id"])])

    await services.store.run(put)


def agent_settings(endpoint: EndpointRow) -> dict[str, Any]:
    """What the owner set here and the agent must heed: corrected facts, and how long run directories stay."""
    corrections = {name: fact.value for name, fact in read_facts(endpoint.corrections).items()}
    limits = {name: limit for name, limit in asdict(endpoint.retention).items() if limit}
    return {"corrections": corrections, "retention": limits}


async def _apply(tx: Transaction, endpoint: Any, fresh: list[tuple[int, str, Event]]) -> list[str]:
    """Gives the tasks that the service does not know."""
    known = await task_rows.tasks_by_id(tx.connection, {task for _, task, _ in fresh if task})
    steps = Steps(endpoint["owner"], run_dir=endpoint.folders.work)
    for row in known.values():
        if row["endpoint"] == endpoint["id"]:
            steps.load(row)
    for _, task, event in fresh:
        if steps.knows(task):
            steps.apply(task, event)
    await steps.save(tx)
    return sorted({task for _, task, _ in fresh if task and task not in known})


def _events(told: dict[str, Any]) -> list[tuple[int, str, Event]]:
    """(n, task, event), times moved to the service's clock."""
    shift = time.time() - float(told["now"]) if told.get("now") else 0.0
    found = []
    for data in clean(told.get("events") or []):
        try:
            event = event_from({**data, "at": float(data.get("at") or 0) + shift})
            found.append((int(data["n"]), str(data.get("task", "")), event))
        except (KeyError, TypeError, ValueError) as error:
            raise BadRequest(f"This is not an event: {data!r} ({error})") from None
    return sorted(found, key=lambda item: item[0])


async def _is_due(services: Services, call: AgentCall) -> bool:
    """A cheap look; a transaction only where there is something to hand over."""
    endpoint, generation = call.endpoint["id"], call.generation
    async with services.store.read() as connection:
        refuse_older(await rows.newest_generation(connection, endpoint), generation)
        held_back = withheld(call.endpoint)
        return await command_rows.has_due(connection, endpoint, generation, withheld=held_back)


async def _answer(
    services: Services,
    call: AgentCall,
    done: list[str],
    *,
    is_due: bool = False,
    requests: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """What is due, and which ends are recorded: told once, and again whenever the agent brings up an ended task."""
    async with services.store.read() as connection:
        closed = await task_rows.unconfirmed_ends(connection, call.endpoint["id"])
        endpoint = await rows.endpoint_by_id(connection, call.endpoint["id"]) or call.endpoint
        share = await _share(connection, endpoint)

    async def hand_over(tx: Transaction) -> Sequence[Row]:
        await command_rows.mark_done(tx, endpoint["id"], done)
        await task_rows.confirm_ends(tx, closed)
        if not is_due:
            return []
        held_back, place = withheld(endpoint), endpoint["id"]
        return await command_rows.take_due(tx, place, call.generation, withheld=held_back)

    due = await services.store.run(hand_over) if done or closed or is_due else []
    return {
        "commands": [_command(row) for row in due],
        "requests": requests or [],
        "closed": closed,
        "settings": agent_settings(endpoint),
        "status_questions_per_minute": share,
    }


def withheld(endpoint: EndpointRow) -> tuple[str, ...]:
    """Types of commands that an agent gets only once it is upgraded: older ones can be made to run other people's code."""
    return NEW_WORK if endpoint["protocol"] < VERSION else ()


async def _share(connection: AsyncConnection, endpoint: EndpointRow) -> float:
    """The cluster's budget of status questions, divided among the agents there."""
    cluster = endpoint["cluster"]
    if not cluster:
        return QUESTIONS_PER_MINUTE
    agents = max(await rows.agents_on_cluster(connection, cluster), 1)
    return min(QUESTIONS_PER_MINUTE, QUESTIONS_PER_CLUSTER / agents)


def _command(row: Row) -> dict[str, Any]:
    named = {name: row[name] for name in ("id", "type", "task", "attempt")}
    return {**named, **row["data"]}


def _introduction(told: dict[str, Any]) -> dict[str, Any]:
    folders = told.get("folders")
    return {
        "epoch": str(told.get("epoch", "")),
        "host": str(told.get("host", "")),
        "user": str(told.get("user", "")),
        "agent_version": str(told.get("agent_version", "")),
        "protocol": _protocol(told.get("protocol")),
        "python": str(told.get("python", "")),
        "stays": str(told.get("stays", "")),
        "folders": value_from(Folders, clean(folders) if isinstance(folders, dict) else {}),
        "policy": _policy(told.get("policy")),
        **_names_of_secrets(told.get("secrets")),
    }


def _protocol(told: Any) -> int:
    return told if isinstance(told, int) and 0 < told < 1000 else 1


def _policy(told: Any) -> EndpointPolicy:
    """What the machine lets leave, and until when its pairing is good; an older agent says nothing."""
    given = told if isinstance(told, dict) else {}
    egress, until = given.get("egress"), given.get("lease_until")
    return EndpointPolicy(
        egress=egress if egress in ("all", "logs", "states") else "all",
        lease_until=float(until) if isinstance(until, (int, float)) else None,
        require_signed=given.get("require_signed") is True,
        community=given.get("community") is True,
        stands=given.get("stands") is True,
    )


def _names_of_secrets(told: Any) -> dict[str, Any]:
    """So that a spec can be checked before anybody asked for them; an older agent says nothing."""
    if not isinstance(told, list):
        return {}
    return {"secrets": sorted(str(one) for one in told if IDENTIFIER.fullmatch(str(one)))}


def _open(task: Any) -> dict[str, Any]:
    number = next((one["number"] for one in task["attempts"] if one["id"] == task["attempt"]), 1)
    return {"task": task["id"], "attempt": task["attempt"], "number": number}
