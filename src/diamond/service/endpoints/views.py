"""Endpoints as the API shows them."""

from __future__ import annotations

from dataclasses import asdict

from diamond.core.protocol import OLDEST
from diamond.service.endpoints import schemas
from diamond.service.endpoints.facts import effective_facts
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.platform.database.rows import JsonObject
from diamond.service.settings import Settings


def show_endpoint(endpoint: EndpointRow, settings: Settings) -> schemas.Endpoint:
    return schemas.Endpoint(
        id=endpoint.id,
        name=endpoint.name,
        owner=endpoint.owner,
        state=endpoint.state,
        carrier=endpoint.carrier,
        ssh_host=endpoint.ssh_host,
        host=endpoint.host,
        user=endpoint.user,
        agent_version=endpoint.agent_version,
        last_seen=endpoint.last_seen,
        since=endpoint.since,
        default=endpoint.is_default,
        stays=endpoint.stays,
        revive=revive_line(endpoint),
        outdated=why_outdated(endpoint, settings),
        profile={**show_profile(endpoint), "values": effective_facts(endpoint)},
        retention=schemas.RetentionLimits(**asdict(endpoint.retention)),
        policy=schemas.EndpointPolicy.model_validate(asdict(endpoint.policy)),
        created=endpoint.created,
    )


def show_profile(endpoint: EndpointRow) -> JsonObject:
    """As exported: what was probed, and the corrections that win over it."""
    return {
        "version": 1,
        "probed_at": endpoint.profile.probed_at,
        "facts": endpoint.profile.facts,
        "corrections": endpoint.corrections,
    }


def why_outdated(endpoint: EndpointRow, settings: Settings) -> str:
    """Why an endpoint gets no new work, and what to do; '' if it does."""
    if not endpoint.generation or endpoint.protocol >= OLDEST:
        return ""
    reason = (
        f"Its agent ({endpoint.agent_version or 'of an unknown version'}) is too old to be given new work: "
        "it could be made to run other people's code. Jobs that it has already continue, new ones wait. "
    )
    if endpoint.carrier != "https":
        return reason + f"Start it again: {revive_line(endpoint)}"
    if endpoint.policy.stands:
        return reason + f"Put {settings.url}/agent.pyz on the machine by hand, and start it again."
    return reason + f"Upgrade it: diamond endpoint upgrade {endpoint.name}"


def revive_line(endpoint: EndpointRow) -> str:
    """What to type when the endpoint is away."""
    if endpoint.carrier == "local":
        return f"diamond endpoint start {endpoint.name}"
    if endpoint.carrier == "ssh":
        return f"diamond endpoint connect {endpoint.name}"
    place = f" # on {endpoint.host} as {endpoint.user}" if endpoint.host else ""
    return f"python3 ~/.diamond-agent/agent.pyz run --endpoint {endpoint.id}{place}"


def pairing_line(settings: Settings) -> str:
    """One line to paste on a login node; the code is asked for, so that it stays out of `ps` and history."""
    url = settings.url
    return (
        "mkdir -p ~/.diamond-agent && "
        f"curl -fsS {url}/agent.pyz -o ~/.diamond-agent/agent.pyz && "
        f"python3 ~/.diamond-agent/agent.pyz pair --url {url}"
    )
