"""The sync protocol: what an agent reports and what it gets to do. `docs/internals/sync-protocol.md`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial

from pydantic import JsonValue
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.agent_messages import (
    Events,
    Hello,
    MachinePolicy,
    Poll,
    ProfileReport,
    ReadEvent,
    read_events,
)
from diamond.core.ids import IDENTIFIER
from diamond.core.protocol import OLDEST, AgentSettings, EventsTaken, OpenTask, Orders, Welcome
from diamond.service.endpoints import commands as command_store
from diamond.service.endpoints import store as endpoint_store
from diamond.service.endpoints.facts import cluster_of, read_facts
from diamond.service.endpoints.load import note_load
from diamond.service.endpoints.pairing import AgentCall, refuse_older
from diamond.service.endpoints.rows import (
    CommandRow,
    Egress,
    EndpointPolicy,
    EndpointRow,
    Folders,
    OpenTaskRow,
    SiteProfile,
)
from diamond.service.output.recorded_metrics import record_metrics
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import JsonObject
from diamond.service.platform.event_log import News, publish
from diamond.service.platform.services import Services
from diamond.service.platform.wakeups.notifier import endpoint_topic, settings_topic, wait
from diamond.service.results.results import read_results
from diamond.service.tasks import store as task_rows
from diamond.service.tasks.stepping import Steps

MAX_WAIT_SECONDS = 25.0
POLL_SECONDS = 2.0
NEW_WORK = ("submit", "image", "data")
QUESTIONS_PER_MINUTE, QUESTIONS_PER_CLUSTER = 4.0, 6.0
EGRESS: dict[str, Egress] = {"all": "all", "logs": "logs", "states": "states"}
MAX_PROTOCOL = 1000


async def hello(services: Services, call: AgentCall, message: Hello) -> Welcome:
    """A new generation begins; every older agent of this endpoint is fenced off."""

    async def greet(tx: Transaction) -> Welcome:
        before = await endpoint_store.endpoint_by_id(tx.connection, call.endpoint.id, lock=True)
        assert before is not None
        generation = max(before.generation, message.last_generation) + 1
        endpoint = replace(_introduced(before, message), generation=generation)
        await endpoint_store.save_endpoint(tx, before, endpoint)
        await publish(tx, endpoint.owner, [News("endpoint", endpoint.id)])
        still_open = await endpoint_store.open_tasks(tx.connection, endpoint.id)
        return Welcome(
            endpoint=endpoint.id,
            name=endpoint.name,
            generation=generation,
            now=time.time(),
            restored=_is_from_a_backup(before, message),
            takes_facts=True,
            open_tasks=[_open(task) for task in still_open if not task.is_waiting],
            settings=agent_settings(endpoint),
            status_questions_per_minute=await _share(tx.connection, endpoint),
        )

    answer = await services.store.run(greet)
    # An agent that waits under an older generation learns of this one at once.
    services.notifier.wake([endpoint_topic(call.endpoint.id)])
    return answer


def _is_from_a_backup(endpoint: EndpointRow, message: Hello) -> bool:
    """The agent remembers a later generation, or later events, than are stored here."""
    if message.last_generation > endpoint.generation:
        return True
    return message.epoch == endpoint.epoch and message.confirmed > endpoint.have


def _standing(endpoint: EndpointRow, message: Hello) -> int:
    """Events continue from here: what a backup has lost, the agent now reports again under new numbers."""
    have = endpoint.have if message.epoch == endpoint.epoch else 0
    return max(have, message.confirmed)


async def take_events(services: Services, call: AgentCall, message: Events) -> EventsTaken:
    """All events of one call in one transaction; those already taken are skipped.

    After a gap nothing is taken: the agent sees from `have` that events were lost, and says hello.
    """
    incoming = read_events(message, clock=time.time())

    async def take(tx: Transaction) -> EventsTaken:
        endpoint = await endpoint_store.endpoint_by_id(tx.connection, call.endpoint.id, lock=True)
        assert endpoint is not None
        have = endpoint.have if endpoint.epoch == message.epoch else 0
        if incoming and incoming[0].n > have + 1:
            return EventsTaken(have)
        fresh = [event for event in incoming if event.n > have]
        unknown = await _apply(tx, endpoint, fresh)
        newest = max([have, *(event.n for event in fresh)])
        if newest != endpoint.have or message.epoch != endpoint.epoch:
            await endpoint_store.took_events(tx, endpoint.id, epoch=message.epoch, have=newest)
        return EventsTaken(newest, unknown)

    return await services.store.run(take)


async def next_commands(services: Services, call: AgentCall, message: Poll) -> Orders:
    """What the agent should do now; held while there is nothing."""
    endpoint, done = call.endpoint.id, message.done
    deadline = time.monotonic() + min(max(message.wait, 0.0), MAX_WAIT_SECONDS)
    turn = services.presence.new_turn(endpoint)
    services.notifier.wake([endpoint_topic(endpoint)])
    with (
        services.notifier.listen([endpoint_topic(endpoint)]) as bell,
        services.notifier.listen([settings_topic(endpoint)]) as new_settings,
    ):
        while True:
            bell.clear()
            left = deadline - time.monotonic()
            if not services.presence.has_turn(endpoint, turn) or services.notifier.closing:
                return await _answer(services, call, done)
            is_due = await _is_due(services, call)
            requests = await services.relay.take(endpoint)
            if is_due and not requests:
                await asyncio.sleep(services.presence.seconds_to_gather(endpoint))
            if is_due or requests or new_settings.is_set() or left <= 0:
                return await _answer(services, call, done, is_due=is_due, requests=requests)
            if done:
                await services.store.run(
                    partial(command_store.mark_done, endpoint=endpoint, done=done)
                )
                done = []
            await wait(bell, min(left, POLL_SECONDS))


async def store_profile(services: Services, call: AgentCall, message: ProfileReport) -> None:
    profile = SiteProfile(message.probed_at, message.facts)
    endpoint, cluster = call.endpoint.id, cluster_of(message.facts)

    async def put(tx: Transaction) -> None:
        await endpoint_store.change_endpoint(tx, endpoint, profile=profile, cluster=cluster)
        facts = {name: fact.value for name, fact in read_facts(message.facts).items()}
        await note_load(
            tx, owner=call.endpoint.owner, endpoint=endpoint, facts=facts, at=time.time()
        )
        await publish(tx, call.principal.user, [News("endpoint", endpoint)])

    await services.store.run(put)


def agent_settings(endpoint: EndpointRow) -> AgentSettings:
    """What the owner set here for the agent: corrected facts, and how long run directories stay."""
    corrections = {name: fact.value for name, fact in read_facts(endpoint.corrections).items()}
    limits = {name: limit for name, limit in asdict(endpoint.retention).items() if limit}
    return AgentSettings(corrections, limits)


async def _apply(tx: Transaction, endpoint: EndpointRow, fresh: list[ReadEvent]) -> list[str]:
    """Gives the tasks that the service does not know."""
    named = {event.task for event in fresh if event.task}
    known = await task_rows.tasks_by_id(tx.connection, named)
    steps = Steps(endpoint.owner, run_dir=endpoint.folders.work)
    for task in known.values():
        if task.endpoint == endpoint.id:
            await steps.load(tx, task)
    for event in fresh:
        if steps.knows(event.task):
            steps.apply(event.task, event.event)
    await steps.save(tx)
    await record_metrics(tx, steps.ended_tasks)
    await read_results(tx, steps.ended_tasks)
    return sorted(named - set(known))


async def _is_due(services: Services, call: AgentCall) -> bool:
    """A cheap question; a transaction only where there is something to hand over."""
    endpoint, generation = call.endpoint.id, call.generation
    async with services.store.read() as connection:
        refuse_older(await endpoint_store.newest_generation(connection, endpoint), generation)
        held_back = withheld(call.endpoint)
        return await command_store.has_due(connection, endpoint, generation, withheld=held_back)


async def _answer(
    services: Services,
    call: AgentCall,
    done: list[str],
    *,
    is_due: bool = False,
    requests: Sequence[JsonObject] = (),
) -> Orders:
    """Due commands, and which ends are recorded: sent once, and again whenever the agent mentions an ended task."""
    async with services.store.read() as connection:
        closed = await task_rows.unconfirmed_ends(connection, call.endpoint.id)
        stored = await endpoint_store.endpoint_by_id(connection, call.endpoint.id)
        endpoint = stored or call.endpoint
        share = await _share(connection, endpoint)

    async def hand_over(tx: Transaction) -> list[CommandRow]:
        await command_store.mark_done(tx, endpoint.id, done)
        await task_rows.confirm_ends(tx, closed)
        if not is_due:
            return []
        held_back, generation = withheld(endpoint), call.generation
        return await command_store.take_due(tx, endpoint.id, generation, withheld=held_back)

    due = await services.store.run(hand_over) if done or closed or is_due else []
    if due:
        services.presence.handed_over(endpoint.id)
    return Orders(
        commands=[_command(command) for command in due],
        requests=list(requests),
        closed=closed,
        settings=agent_settings(endpoint),
        status_questions_per_minute=share,
    )


def withheld(endpoint: EndpointRow) -> tuple[str, ...]:
    """Types of commands that an agent gets only once it is upgraded: older ones can be made to run other people's code."""
    return NEW_WORK if endpoint.protocol < OLDEST else ()


async def _share(connection: AsyncConnection, endpoint: EndpointRow) -> float:
    """The cluster's budget of status questions, divided among the agents there."""
    if not endpoint.cluster:
        return QUESTIONS_PER_MINUTE
    agents = max(await endpoint_store.agents_on_cluster(connection, endpoint.cluster), 1)
    return min(QUESTIONS_PER_MINUTE, QUESTIONS_PER_CLUSTER / agents)


def _command(command: CommandRow) -> dict[str, JsonValue]:
    return {
        "id": command.id,
        "type": command.type,
        "task": command.task,
        "attempt": command.attempt,
        **command.data,
    }


def _introduced(endpoint: EndpointRow, message: Hello) -> EndpointRow:
    return replace(
        endpoint,
        have=_standing(endpoint, message),
        epoch=message.epoch,
        host=message.host,
        user=message.user,
        agent_version=message.agent_version,
        protocol=message.protocol if 0 < message.protocol < MAX_PROTOCOL else 1,
        python=message.python,
        stays=message.stays[:16],
        folders=Folders(message.folders.keep, message.folders.work, message.folders.tmp),
        policy=_policy(message.policy),
        secrets=_secret_names(endpoint, message),
    )


def _policy(machine: MachinePolicy) -> EndpointPolicy:
    """What the machine lets leave, and until when its pairing is good; an older agent says nothing."""
    return EndpointPolicy(
        egress=EGRESS.get(machine.egress, "all"),
        lease_until=machine.lease_until,
        require_signed=machine.require_signed,
        community=machine.community,
        stands=machine.stands,
    )


def _secret_names(endpoint: EndpointRow, message: Hello) -> list[str] | None:
    """So that a spec can be checked before anybody asked for them; an older agent says nothing."""
    if message.secrets is None:
        return endpoint.secrets
    return sorted(name for name in message.secrets if IDENTIFIER.fullmatch(name))


def _open(task: OpenTaskRow) -> OpenTask:
    numbers = (entry["number"] for entry in task.attempts if entry["id"] == task.attempt)
    return OpenTask(task.id, task.attempt, next(numbers, 1))
