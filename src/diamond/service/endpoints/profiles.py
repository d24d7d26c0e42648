"""An endpoint's profile shown to others: what the machine offers, so that they pair their own agent there.

Sharing one never lets anybody run as its owner, and shows nothing private to the owner: accounts, folders, waits.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue
from sqlalchemy.ext.asyncio import AsyncConnection

from diamond.core.errors import NotFound
from diamond.service.access.principal import Principal
from diamond.service.endpoints.facts import effective_facts
from diamond.service.endpoints.rows import EndpointRow, SiteProfile
from diamond.service.endpoints.schemas import SharedProfile
from diamond.service.endpoints.store import endpoints_by_id
from diamond.service.people import store as people_store
from diamond.service.people.shares import PROFILE, things_shared_with
from diamond.service.platform.database.rows import JsonObject
from diamond.service.platform.services import Services

PRIVATE = frozenset({"accounts", "folders", "waits"})
"""Facts of the owner, not of the machine."""


async def list_profiles(services: Services, principal: Principal) -> list[SharedProfile]:
    """Those that are shared with the caller."""
    async with services.store.read() as connection:
        shared = await _shared(connection, principal)
        owners = {endpoint.owner for endpoint in shared.values()}
        people = await people_store.people_by_id(connection, owners)
    names = {person.id: person.name for person in people}
    return [_show(endpoint, names) for endpoint in shared.values()]


async def get_profile(services: Services, principal: Principal, profile: str) -> SharedProfile:
    for shared in await list_profiles(services, principal):
        if shared.id == profile:
            return shared
    raise _absent(profile)


async def profile_to_start_from(
    connection: AsyncConnection, principal: Principal, profile: str
) -> tuple[SiteProfile, JsonObject]:
    """What a new endpoint knows before its own first probe, and the corrections of that."""
    endpoint = (await _shared(connection, principal)).get(profile)
    if endpoint is None:
        raise _absent(profile)
    probed = SiteProfile(endpoint.profile.probed_at, _public(endpoint.profile.facts))
    return probed, _public(endpoint.corrections)


def _public(facts: JsonObject) -> JsonObject:
    return {name: _public_fact(name, fact) for name, fact in facts.items() if name not in PRIVATE}


def _public_fact(name: str, fact: JsonValue) -> JsonValue:
    """Without which of the owner's accounts may use a partition."""
    if name != "partitions" or not isinstance(fact, dict):
        return fact
    partitions = fact.get("value")
    if not isinstance(partitions, list):
        return fact
    public: list[JsonValue] = [
        {**partition, "accounts": None, "qos": None}
        for partition in partitions
        if isinstance(partition, dict)
    ]
    return {**fact, "value": public}


async def _shared(connection: AsyncConnection, principal: Principal) -> dict[str, EndpointRow]:
    ids = await things_shared_with(connection, PROFILE, principal.user)
    shared = await endpoints_by_id(connection, ids) if ids else {}
    return {key: endpoint for key, endpoint in shared.items() if endpoint.owner != principal.user}


def _show(endpoint: EndpointRow, names: Mapping[str, str]) -> SharedProfile:
    return SharedProfile(
        id=endpoint.id,
        name=endpoint.name,
        owner=endpoint.owner,
        owner_name=names.get(endpoint.owner, ""),
        carrier=endpoint.carrier,
        ssh_host=endpoint.ssh_host,
        host=endpoint.host,
        cluster=str(effective_facts(endpoint).get("cluster") or ""),
        state=endpoint.state,
        community=endpoint.policy.community,
        profile={
            "version": 1,
            "probed_at": endpoint.profile.probed_at,
            "facts": _public(endpoint.profile.facts),
            "corrections": _public(endpoint.corrections),
        },
    )


def _absent(profile: str) -> NotFound:
    return NotFound(
        f"No profile {profile!r} is shared with you", "GET /profiles lists those that are."
    )
