"""Secrets of an endpoint: values stay there, names are known here."""

from __future__ import annotations

from diamond.core.errors import BadRequest
from diamond.core.ids import IDENTIFIER
from diamond.service.access.authorize import Action
from diamond.service.access.principal import Principal
from diamond.service.endpoints.ask_agent import require_endpoint_online
from diamond.service.endpoints.endpoints import load_endpoint
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.endpoints.store import change_endpoint
from diamond.service.platform.services import Services


async def list_secrets(services: Services, principal: Principal, name: str) -> list[str]:
    """Names only: a value never comes back."""
    endpoint = await online_endpoint(services, principal, name, Action.READ)
    answer = await services.relay.ask_json(endpoint.id, "list-secrets")
    names = sorted(str(secret) for secret in answer.get("items", []))
    await _remember(services, endpoint, names)
    return names


async def set_secret(
    services: Services, principal: Principal, name: str, secret: str, value: str
) -> None:
    """The value passes through memory to the endpoint and is stored nowhere else."""
    _check_name(secret)
    endpoint = await online_endpoint(services, principal, name, Action.WRITE)
    await services.relay.ask_json(endpoint.id, "set-secret", name=secret, value=value)
    await list_secrets(services, principal, name)


async def delete_secret(services: Services, principal: Principal, name: str, secret: str) -> None:
    _check_name(secret)
    endpoint = await online_endpoint(services, principal, name, Action.WRITE)
    await services.relay.ask_json(endpoint.id, "delete-secret", name=secret)
    await list_secrets(services, principal, name)


async def online_endpoint(
    services: Services, principal: Principal, name: str, action: Action
) -> EndpointRow:
    endpoint = await load_endpoint(services, principal, name, action)
    require_endpoint_online(services, endpoint)
    return endpoint


async def _remember(services: Services, endpoint: EndpointRow, names: list[str]) -> None:
    """The names, so that a spec can be checked while the endpoint is away."""
    if endpoint.secrets != names:
        await services.store.run(lambda tx: change_endpoint(tx, endpoint.id, secrets=names))


def _check_name(secret: str) -> None:
    if not IDENTIFIER.fullmatch(secret):
        raise BadRequest(
            f"{secret!r} is not a name for a secret", "Letters, digits and _, such as HF_TOKEN."
        )
