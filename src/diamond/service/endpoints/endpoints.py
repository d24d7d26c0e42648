"""Endpoints: add, pair, confirm, correct, remove."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.compose.profile_facts import check_corrections, check_facts
from diamond.core import ids
from diamond.core.errors import BadRequest, Conflict, NotFound
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Principal
from diamond.service.endpoints import store as rows
from diamond.service.endpoints.commands import Command, send
from diamond.service.endpoints.presence import went_away
from diamond.service.endpoints.profiles import profile_to_start_from
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.views import pairing_line, revive_line, show_endpoint, show_profile
from diamond.service.people.shares import PROFILE, drop_shares
from diamond.service.people.store import hash_secret
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import News, changed, publish
from diamond.service.platform.idempotency import Once, once
from diamond.service.platform.services import Services

PAIRING_SECONDS = 600.0
Row = Mapping[str, Any]
Shown = dict[str, Any]


async def list_endpoints(services: Services, principal: Principal) -> list[Shown]:
    async with services.store.read() as connection:
        found = await rows.list_endpoints(connection, principal.user)
    return [show_endpoint(row, services.settings) for row in found]


async def get_endpoint(services: Services, principal: Principal, name: str) -> Shown:
    return show_endpoint(await load_endpoint(services, principal, name), services.settings)


async def load_endpoint(
    services: Services, principal: Principal, name: str, action: Action = Action.READ
) -> Row:
    async with services.store.read() as connection:
        return await find_endpoint(connection, principal, name, action)


async def add_endpoint(
    services: Services, principal: Principal, wanted: dict[str, Any], key: str | None
) -> Shown:
    """https: a pairing code for the machine. ssh, local: the key, for the caller's own bridge."""
    require(principal, Action.WRITE, owner=principal.user)

    async def add(tx: Transaction) -> Shown:
        if await rows.find_endpoint(tx.connection, principal.user, wanted["name"]):
            raise Conflict(
                f"You already have an endpoint {wanted['name']}",
                "Take another name, or remove the old one with `diamond endpoint remove`.",
            )
        secret, row = _new_row(principal, wanted)
        if wanted.get("profile"):
            row |= await profile_to_start_from(tx.connection, principal, wanted["profile"])
        row["is_default"] = not await rows.list_endpoints(tx.connection, principal.user)
        await rows.add_endpoint(tx, row)
        await publish(tx, principal.user, [News("endpoint", row["id"])])
        stored = await rows.endpoint_by_id(tx.connection, row["id"])
        assert stored is not None
        return {
            "endpoint": show_endpoint(stored, services.settings),
            **_secret(services, row, secret),
        }

    wanted_once = Once.of(key, "POST /endpoints", wanted)
    return await once(services.store, principal, wanted_once, add, secret=True)


async def confirm_endpoint(
    services: Services, principal: Principal, name: str, accept: bool
) -> Shown:
    """The owner has seen which host and user paired; without her word the key does nothing."""

    async def confirm(tx: Transaction, row: Row) -> dict[str, Any]:
        if row["state"] != "confirming":
            raise Conflict(
                f"Endpoint {name} does not wait for a confirmation: it is {row['state']}"
            )
        if accept:
            return {"confirmed": True, "state": "offline", "since": time.time()}
        cleared = {"key_hash": None, "host": "", "user": "", "state": "pairing"}
        return {**cleared, "since": time.time()}

    return await _change(services, principal, name, confirm)


async def renew_pairing(services: Services, principal: Principal, name: str) -> Shown:
    """A fresh code for the same endpoint; what is paired now keeps working until the code is used."""
    code = ids.new_secret()

    async def renew(tx: Transaction, row: Row) -> dict[str, Any]:
        if row["carrier"] != "https":
            raise Conflict(f"{name} is reached by {row['carrier']}: it needs no pairing code")
        return {"pairing_hash": hash_secret(code), "pairing_expires": time.time() + PAIRING_SECONDS}

    await _change(services, principal, name, renew)
    return {"pairing_code": code, "line": pairing_line(services.settings)}


async def renew_key(services: Services, principal: Principal, name: str) -> Shown:
    """A new key for the caller's bridge; older keys end."""
    key = ids.new_secret()

    async def renew(tx: Transaction, row: Row) -> dict[str, Any]:
        if row["carrier"] == "https":
            raise Conflict(
                f"{name} keeps its key on the machine", "Use POST …/pairing for a new code."
            )
        return {"key_hash": hash_secret(key)}

    await _change(services, principal, name, renew)
    return {"key": key}


async def change_endpoint(
    services: Services, principal: Principal, name: str, change: dict[str, Any]
) -> Shown:
    async def apply(tx: Transaction, row: Row) -> dict[str, Any]:
        values: dict[str, Any] = {}
        if change.get("name") and change["name"] != row["name"]:
            values["name"] = await _free_name(tx, principal, row, change["name"])
        if change.get("default") is not None:
            await rows.clear_default(tx, principal.user)
            values["is_default"] = change["default"]
        if change.get("corrections") is not None:
            check_corrections(change["corrections"])
            values["corrections"] = _corrected(row, change["corrections"], principal)
        if change.get("retention") is not None:
            values["retention"] = change["retention"]
        return values

    return await _change(services, principal, name, apply)


async def remove_endpoint(services: Services, principal: Principal, name: str) -> None:
    async def remove(tx: Transaction) -> None:
        row = await find_endpoint(tx.connection, principal, name, Action.WRITE)
        still_open = await rows.open_tasks(tx.connection, row["id"])
        if still_open:
            raise Conflict(
                f"{len(still_open)} tasks are still open on {name}",
                "Cancel them first, or wait for their end.",
            )
        await services.forget_endpoint(tx, row["id"])
        await drop_shares(tx, PROFILE, row["id"])
        await rows.drop_endpoint(tx, row["id"])
        await publish(tx, principal.user, [changed("endpoints")])

    await services.store.run(remove)


async def export_profile(services: Services, principal: Principal, name: str) -> Shown:
    return show_profile(await load_endpoint(services, principal, name))


async def import_profile(
    services: Services, principal: Principal, name: str, profile: dict[str, Any]
) -> Shown:
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

    async def put(tx: Transaction, row: Row) -> dict[str, Any]:
        stored = {"version": 1, "probed_at": profile.get("probed_at"), "facts": facts}
        return {"profile": stored, "corrections": corrections, "cluster": _cluster(facts)}

    await _change(services, principal, name, put)
    return await export_profile(services, principal, name)


async def probe_endpoint(
    services: Services, principal: Principal, name: str, compute: bool
) -> None:
    async def probe(tx: Transaction) -> None:
        row = await find_endpoint(tx.connection, principal, name, Action.WRITE)
        await send(tx, [Command("probe", row["id"], row["owner"], data={"compute": compute})])

    await services.store.run(probe)


async def upgrade_agent(services: Services, principal: Principal, name: str) -> None:
    """Only an agent with a link of its own: the others are brought along by their bridge at each start."""
    _, digest = await services.agent_file.get()

    async def upgrade(tx: Transaction) -> None:
        row = await find_endpoint(tx.connection, principal, name, Action.WRITE)
        if row["carrier"] != "https":
            raise Conflict(
                f"The agent of {name} is brought along at each start",
                f"Start it again: {revive_line(row)}",
            )
        if (row["policy"] or {}).get("stands"):
            raise Conflict(
                f"{name} has a policy of its own, and takes no agent from a service",
                f"Put {services.settings.url}/agent.pyz there by hand, and start it again.",
            )
        await send(tx, [Command("upgrade", row["id"], row["owner"], data={"digest": digest})])

    await services.store.run(upgrade)


async def carrier_closed(services: Services, principal: Principal, name: str) -> Shown:
    """The bridge of an endpoint says that its connection is gone."""
    row = await load_endpoint(services, principal, name, Action.WRITE)
    if row["state"] == "online":
        await went_away(services, row)
    return await get_endpoint(services, principal, name)


async def find_endpoint(
    connection: AsyncConnection, principal: Principal, name: str, action: Action = Action.READ
) -> EndpointRow:
    row = await rows.find_endpoint(connection, principal.user, name)
    if row is None:
        known = [other["name"] for other in await rows.list_endpoints(connection, principal.user)]
        hint = (
            f"Your endpoints: {', '.join(known)}." if known else "Add one: `diamond endpoint add`."
        )
        raise NotFound(f"There is no endpoint {name!r}", hint)
    require(principal, action, owner=row["owner"], what="endpoint")
    return row


Change = Callable[[Transaction, Row], Awaitable[dict[str, Any]]]


async def _change(services: Services, principal: Principal, name: str, change: Change) -> Shown:
    async def apply(tx: Transaction) -> Shown:
        row = await find_endpoint(tx.connection, principal, name, Action.WRITE)
        values = await change(tx, row)
        if values:
            await rows.change_endpoint(tx, row["id"], values)
            await publish(tx, row["owner"], [News("endpoint", row["id"])])
        return show_endpoint({**row, **values}, services.settings)

    return await services.store.run(apply)


def _new_row(principal: Principal, wanted: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    now, secret, paired = time.time(), ids.new_secret(), wanted["carrier"] == "https"
    away = {"https": "pairing", "ssh": "sign-in", "local": "offline"}[wanted["carrier"]]
    row: dict[str, Any] = {
        "id": ids.new_id(ids.ENDPOINT),
        "owner": principal.user,
        "name": wanted["name"],
        "carrier": wanted["carrier"],
        "ssh_host": wanted.get("ssh_host", ""),
        "state": away,
        "since": now,
        "created": now,
        "confirmed": not paired,
    }
    if paired:
        row |= {"pairing_hash": hash_secret(secret), "pairing_expires": now + PAIRING_SECONDS}
    else:
        row |= {"key_hash": hash_secret(secret)}
    return secret, row


def _secret(services: Services, row: dict[str, Any], secret: str) -> dict[str, Any]:
    if row["carrier"] == "https":
        return {"pairing_code": secret, "line": pairing_line(services.settings)}
    return {"key": secret}


async def _free_name(tx: Transaction, principal: Principal, row: Row, name: str) -> str:
    if await rows.find_endpoint(tx.connection, principal.user, name):
        raise Conflict(f"You already have an endpoint {name}")
    await rows.rename_in_tasks(tx, row["id"], name)
    return name


def _corrected(row: Row, changes: dict[str, Any], principal: Principal) -> dict[str, Any]:
    """null takes a correction back."""
    kept = {name: fact for name, fact in (row["corrections"] or {}).items() if name not in changes}
    stamp = {"by": principal.name, "at": time.time()}
    added = {
        name: {"value": value, **stamp} for name, value in changes.items() if value is not None
    }
    return {**kept, **added}


def _cluster(facts: dict[str, Any]) -> str:
    fact = facts.get("cluster")
    return str(fact.get("value", "")) if isinstance(fact, dict) else ""
