"""An endpoint's profile shown to others: what the machine offers, so that they pair an agent of their own there.

Sharing one never lets anybody run as its owner, and tells nothing that is hers alone: accounts, folders, waits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import NotFound
from diamond.service.access.principal import Principal
from diamond.service.endpoints.store import endpoints_by_id
from diamond.service.endpoints.views import effective_facts, show_profile
from diamond.service.people import store as users
from diamond.service.people.shares import PROFILE, things_shared_with
from diamond.service.platform.services import Services

Row = Mapping[str, Any]
Shown = dict[str, Any]
HERS = frozenset({"accounts", "folders", "waits"})
"""Facts of the person, not of the machine."""


async def list_profiles(services: Services, principal: Principal) -> list[Shown]:
    """Those that are shared with the caller."""
    async with services.store.read() as connection:
        found = await _shared(connection, principal)
        people = await users.people_by_id(connection, {row["owner"] for row in found.values()})
    names = {one["id"]: one["name"] for one in people}
    return [_show(row, names) for row in found.values()]


async def get_profile(services: Services, principal: Principal, profile: str) -> Shown:
    found = await list_profiles(services, principal)
    for one in found:
        if one["id"] == profile:
            return one
    raise _absent(profile)


async def profile_to_start_from(
    connection: AsyncConnection, principal: Principal, profile: str
) -> Shown:
    """What a new endpoint knows before its own first probe."""
    found = (await _shared(connection, principal)).get(profile)
    if found is None:
        raise _absent(profile)
    shown = open_part(found)
    stored = {"version": 1, "probed_at": shown["probed_at"], "facts": shown["facts"]}
    return {"profile": stored, "corrections": shown["corrections"]}


def open_part(row: Row) -> Shown:
    profile = show_profile(row)
    return {
        **profile,
        "facts": {name: _plain(name, fact) for name, fact in _open(profile["facts"])},
        "corrections": {name: _plain(name, fact) for name, fact in _open(profile["corrections"])},
    }


def _open(facts: Row) -> list[tuple[str, Any]]:
    return [(name, fact) for name, fact in facts.items() if name not in HERS]


def _plain(name: str, fact: Any) -> Any:
    """Which of her accounts may use a partition is hers."""
    if name != "partitions" or not isinstance(fact, dict) or not isinstance(fact["value"], list):
        return fact
    told = [{**one, "accounts": None, "qos": None} for one in fact["value"]]
    return {**fact, "value": told}


async def _shared(connection: AsyncConnection, principal: Principal) -> dict[str, Row]:
    wanted = await things_shared_with(connection, PROFILE, principal.user)
    found = await endpoints_by_id(connection, wanted) if wanted else {}
    return {key: row for key, row in found.items() if row["owner"] != principal.user}


def _show(row: Row, names: Mapping[str, str]) -> Shown:
    facts = effective_facts(row)
    return {
        "id": row["id"],
        "name": row["name"],
        "owner": row["owner"],
        "owner_name": names.get(row["owner"], ""),
        "carrier": row["carrier"],
        "ssh_host": row["ssh_host"],
        "host": row["host"],
        "cluster": str(facts.get("cluster") or ""),
        "state": row["state"],
        "community": bool((row["policy"] or {}).get("community")),
        "profile": open_part(row),
    }


def _absent(profile: str) -> NotFound:
    return NotFound(
        f"No profile {profile!r} is shared with you", "GET /profiles lists those that are."
    )
