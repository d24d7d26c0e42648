"""Which agent calls."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from diamond.core.errors import InvalidRequest
from diamond.service.endpoints.pairing import AgentCall, agent_of
from diamond.service.endpoints.presence import heard_of
from diamond.service.platform.http.routing import bearer, get_services

MOST_DIGITS = 18


async def get_agent(request: Request) -> AgentCall:
    services = get_services(request)
    call = await agent_of(services, bearer(request), _generation(request))
    await heard_of(services, call.endpoint)
    return call


async def get_new_agent(request: Request) -> AgentCall:
    """An agent that says hello has no generation yet."""
    services = get_services(request)
    call = await agent_of(services, bearer(request), None)
    await heard_of(services, call.endpoint)
    return call


def _generation(request: Request) -> int:
    value = request.headers.get("diamond-generation", "")
    if not value:
        raise InvalidRequest("Diamond-Generation is missing", "Say hello first.")
    if not value.isascii() or not value.isdigit() or len(value) > MOST_DIGITS:
        raise InvalidRequest(
            f"Diamond-Generation must be a whole number of at most {MOST_DIGITS} digits"
        )
    return int(value)


Agent = Annotated[AgentCall, Depends(get_agent)]


NewAgent = Annotated[AgentCall, Depends(get_new_agent)]
