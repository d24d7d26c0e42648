"""Endpoints: add, pair, confirm, correct, remove."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import replace

from pydantic import JsonValue
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.compose.profile_facts import check_corrections, check_facts
from diamond.core import ids
from diamond.core.errors import BadRequest, Conflict, NotFound
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Principal
from diamond.service.endpoints import schemas, store
from diamond.service.endpoints.commands import Command, send
from diamond.service.endpoints.facts import cluster_of
from diamond.service.endpoints.presence import went_away
from diamond.service.endpoints.profiles import profile_to_start_from
from diamond.service.endpoints.rows import (
    Carrier,
    EndpointRow,
    EndpointState,
    Retention,
    SiteProfile,
)
from diamond.service.endpoints.views import pairing_line, revive_line, show_endpoint, show_profile
from diamond.service.people.shares import PROFILE, drop_shares
from diamond.service.people.store import hash_secret
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.database.rows import JsonObject
from diamond.service.platform.event_log import News, changed, publish
from diamond.service.platform.idempotency import Once, once_as
from diamond.service.platform.services import Services
from diamond.service.platform.wakeups.notifier import endpoint_topic, settings_topic

PAIRING_SECONDS = 600.0
FIRST_STATES: dict[Carrier, EndpointState] = {
    "https": "pairing",
    "ssh": "sign-in",
    "local": "offline",
}


async def list_endpoints(services: Services, principal: Principal) -> list[schemas.Endpoint]:
    async with services.store.read() as connection:
        endpoints = await store.list_endpoints(connection, principal.user)
    return [show_endpoint(endpoint, services.settings) for endpoint in endpoints]


async def get_endpoint(services: Services, principal: Principal, name: str) -> schemas.Endpoint:
    return show_endpoint(await load_endpoint(services, principal, name), services.settings)


async def load_endpoint(
    services: Services, principal: Principal, name: str, action: Action = Action.READ
) -> EndpointRow:
    async with services.store.read() as connection:
        return await find_endpoint(connection, principal, name, action)


async def add_endpoint(
    services: Services, principal: Principal, request: schemas.EndpointRequest, key: str | None
) -> schemas.EndpointAdded:
    """https: a pairing code for the machine. ssh, local: the key, for the caller's own bridge."""
    require(principal, Action.WRITE, owner=principal.user)

    async def add(tx: Transaction) -> schemas.EndpointAdded:
        if await store.find_endpoint(tx.connection, principal.user, request.name):
            raise Conflict(
                f"You already have an endpoint {request.name}",
                "Choose another name, or remove the old one with `diamond endpoint remove`.",
            )
        secret = ids.new_secret()
        endpoint = _new_endpoint(principal, request, secret)
        if request.profile:
            probed, corrections = await profile_to_start_from(
                tx.connection, principal, request.profile
            )
            endpoint = replace(endpoint, profile=probed, corrections=corrections)
        is_first = not await store.list_endpoints(tx.connection, principal.user)
        endpoint = replace(endpoint, is_default=is_first)
        await store.add_endpoint(tx, endpoint)
        await publish(tx, principal.user, [News("endpoint", endpoint.id)])
        shown = show_endpoint(endpoint, services.settings)
        if endpoint.carrier != "https":
            return schemas.EndpointAdded(endpoint=shown, key=secret)
        line = pairing_line(services.settings)
        return schemas.EndpointAdded(endpoint=shown, pairing_code=secret, line=line)

    request_once = Once.of(key, "POST /endpoints", request.model_dump())
    return await once_as(
        schemas.EndpointAdded, services.store, principal, request_once, add, secret=True
    )


async def confirm_endpoint(
    services: Services, principal: Principal, name: str, accept: bool
) -> schemas.Endpoint:
    """The owner has seen which host and user paired; until then the key does nothing."""

    async def confirm(tx: Transaction, endpoint: EndpointRow) -> EndpointRow:
        if endpoint.state != "confirming":
            raise Conflict(
                f"Endpoint {name} does not wait for a confirmation: it is {endpoint.state}"
            )
        now = time.time()
        if accept:
            return replace(endpoint, confirmed=True, state="offline", since=now)
        return replace(endpoint, key_hash=None, host="", user="", state="pairing", since=now)

    return await _change(services, principal, name, confirm)


async def renew_pairing(services: Services, principal: Principal, name: str) -> schemas.Pairing:
    """A fresh code for the same endpoint; what is paired now keeps working until the code is used."""
    code = ids.new_secret()

    async def renew(tx: Transaction, endpoint: EndpointRow) -> EndpointRow:
        if endpoint.carrier != "https":
            raise Conflict(f"{name} is reached by {endpoint.carrier}: it needs no pairing code")
        expires = time.time() + PAIRING_SECONDS
        return replace(endpoint, pairing_hash=hash_secret(code), pairing_expires=expires)

    await _change(services, principal, name, renew)
    return schemas.Pairing(pairing_code=code, line=pairing_line(services.settings))


async def renew_key(services: Services, principal: Principal, name: str) -> schemas.Key:
    """A new key for the caller's bridge; older keys end."""
    key = ids.new_secret()

    async def renew(tx: Transaction, endpoint: EndpointRow) -> EndpointRow:
        if endpoint.carrier == "https":
            raise Conflict(
                f"{name} keeps its key on the machine", "Use POST …/pairing for a new code."
            )
        return replace(endpoint, key_hash=hash_secret(key))

    await _change(services, principal, name, renew)
    return schemas.Key(key=key)


async def change_endpoint(
    services: Services, principal: Principal, name: str, change: schemas.EndpointChange
) -> schemas.Endpoint:
    async def apply(tx: Transaction, endpoint: EndpointRow) -> EndpointRow:
        if change.name and change.name != endpoint.name:
            endpoint = await _renamed(tx, principal, endpoint, change.name)
        if change.default is not None:
            await store.clear_default(tx, principal.user)
            # Cleared in the row too, so that setting it again counts as a change.
            await store.change_endpoint(tx, endpoint.id, is_default=change.default)
            endpoint = replace(endpoint, is_default=change.default)
        if change.corrections is not None:
            check_corrections(change.corrections)
            endpoint = _corrected(endpoint, change.corrections, principal)
        if change.retention is not None:
            limits = Retention(change.retention.older_than_days, change.retention.max_gigabytes)
            endpoint = replace(endpoint, retention=limits)
        return endpoint

    return await _change(services, principal, name, apply)


async def remove_endpoint(services: Services, principal: Principal, name: str) -> None:
    async def remove(tx: Transaction) -> None:
        endpoint = await find_endpoint(tx.connection, principal, name, Action.WRITE)
        still_open = await store.open_tasks(tx.connection, endpoint.id)
        if still_open:
            raise Conflict(
                f"{len(still_open)} tasks are still open on {name}",
                "Cancel them first, or wait for their end.",
            )
        await services.forget_endpoint(tx, endpoint.id)
        await drop_shares(tx, PROFILE, endpoint.id)
        await store.drop_endpoint(tx, endpoint.id)
        await publish(tx, principal.user, [changed("endpoints")])

    await services.store.run(remove)


async def export_profile(services: Services, principal: Principal, name: str) -> JsonObject:
    return show_profile(await load_endpoint(services, principal, name))


async def import_profile(
    services: Services, principal: Principal, name: str, profile: JsonObject
) -> JsonObject:
    """A profile from a file: its facts hold until the next probe, its corrections stay."""
    facts, corrections = profile.get("facts", {}), profile.get("corrections", {})
    if (
        profile.get("version") != 1
        or not isinstance(facts, dict)
        or not isinstance(corrections, dict)
    ):
        raise BadRequest(
            "This is not a site profile", 'It has "version": 1, "facts" and "corrections".'
        )
    check_facts({**facts, **corrections})
    probed = SiteProfile(probe_time(profile.get("probed_at")), facts)

    async def put(tx: Transaction, endpoint: EndpointRow) -> EndpointRow:
        cluster = cluster_of(facts)
        return replace(endpoint, profile=probed, corrections=corrections, cluster=cluster)

    await _change(services, principal, name, put)
    return await export_profile(services, principal, name)


async def probe_endpoint(
    services: Services, principal: Principal, name: str, compute: bool
) -> None:
    async def probe(tx: Transaction) -> None:
        endpoint = await find_endpoint(tx.connection, principal, name, Action.WRITE)
        await send(tx, [Command("probe", endpoint.id, endpoint.owner, data={"compute": compute})])

    await services.store.run(probe)


async def upgrade_agent(services: Services, principal: Principal, name: str) -> None:
    """Only an agent with its own link: the others are brought along by their bridge at each start."""
    _, digest = await services.agent_file.get()

    async def upgrade(tx: Transaction) -> None:
        endpoint = await find_endpoint(tx.connection, principal, name, Action.WRITE)
        if endpoint.carrier != "https":
            raise Conflict(
                f"The agent of {name} is brought along at each start",
                f"Start it again: {revive_line(endpoint)}",
            )
        if endpoint.policy.stands:
            raise Conflict(
                f"{name} has its own policy, and accepts no agent from a service",
                f"Put {services.settings.url}/agent.pyz there by hand, and start it again.",
            )
        await send(tx, [Command("upgrade", endpoint.id, endpoint.owner, data={"digest": digest})])

    await services.store.run(upgrade)


async def carrier_closed(services: Services, principal: Principal, name: str) -> schemas.Endpoint:
    """The bridge of an endpoint reports that its connection is gone."""
    endpoint = await load_endpoint(services, principal, name, Action.WRITE)
    if endpoint.state == "online":
        await went_away(services, endpoint)
    return await get_endpoint(services, principal, name)


async def find_endpoint(
    connection: AsyncConnection, principal: Principal, name: str, action: Action = Action.READ
) -> EndpointRow:
    endpoint = await store.find_endpoint(connection, principal.user, name)
    if endpoint is None:
        known = [other.name for other in await store.list_endpoints(connection, principal.user)]
        hint = (
            f"Your endpoints: {', '.join(known)}." if known else "Add one: `diamond endpoint add`."
        )
        raise NotFound(f"There is no endpoint {name!r}", hint)
    require(principal, action, owner=endpoint.owner, what="endpoint")
    return endpoint


def probe_time(value: JsonValue) -> float | None:
    """When a profile was probed; anything but a number is unknown."""
    return None if isinstance(value, bool) or not isinstance(value, (int, float)) else value


Change = Callable[[Transaction, EndpointRow], Awaitable[EndpointRow]]


async def _change(
    services: Services, principal: Principal, name: str, change: Change
) -> schemas.Endpoint:
    async def apply(tx: Transaction) -> schemas.Endpoint:
        before = await find_endpoint(tx.connection, principal, name, Action.WRITE)
        after = await change(tx, before)
        if after != before:
            await store.save_endpoint(tx, before, after)
            tx.wake(settings_topic(before.id))
            tx.wake(endpoint_topic(before.id))
            await publish(tx, before.owner, [News("endpoint", before.id)])
        return show_endpoint(after, services.settings)

    return await services.store.run(apply)


def _new_endpoint(
    principal: Principal, request: schemas.EndpointRequest, secret: str
) -> EndpointRow:
    now, is_paired = time.time(), request.carrier == "https"
    return EndpointRow(
        id=ids.new_id(ids.ENDPOINT),
        owner=principal.user,
        name=request.name,
        carrier=request.carrier,
        ssh_host=request.ssh_host,
        state=FIRST_STATES[request.carrier],
        since=now,
        created=now,
        confirmed=not is_paired,
        pairing_hash=hash_secret(secret) if is_paired else None,
        pairing_expires=now + PAIRING_SECONDS if is_paired else None,
        key_hash=None if is_paired else hash_secret(secret),
    )


async def _renamed(
    tx: Transaction, principal: Principal, endpoint: EndpointRow, name: str
) -> EndpointRow:
    if await store.find_endpoint(tx.connection, principal.user, name):
        raise Conflict(f"You already have an endpoint {name}")
    await store.rename_in_tasks(tx, endpoint.id, name)
    return replace(endpoint, name=name)


def _corrected(endpoint: EndpointRow, changes: JsonObject, principal: Principal) -> EndpointRow:
    """null removes a correction."""
    kept = {name: fact for name, fact in endpoint.corrections.items() if name not in changes}
    added: JsonObject = {
        name: {"value": value, "by": principal.name, "at": time.time()}
        for name, value in changes.items()
        if value is not None
    }
    return replace(endpoint, corrections={**kept, **added})
