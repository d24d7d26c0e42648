"""How a machine's agent gets its key and proves who it is."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from diamond.core import ids
from diamond.core.agent_messages import Pair
from diamond.core.errors import BadRequest, NotSignedIn
from diamond.core.protocol import Paired
from diamond.service.access.authorize import Action, require
from diamond.service.access.principal import Kind, Principal
from diamond.service.endpoints import store
from diamond.service.endpoints.attention import endpoint_needs
from diamond.service.endpoints.rows import EndpointRow
from diamond.service.notifications.notify import Notice, tell
from diamond.service.people.signed_in import account_disabled
from diamond.service.people.store import hashed
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import News, publish
from diamond.service.platform.http.problems import AwaitingConfirmation, GenerationStale
from diamond.service.platform.services import Services


@dataclass(frozen=True)
class AgentCall:
    """One call of an agent: who, and its endpoint as it now is."""

    principal: Principal
    endpoint: EndpointRow
    generation: int


async def pair(services: Services, request: Pair) -> Paired:
    """Trade a code, once, for a key that does nothing until the owner has confirmed."""
    code, key = request.code, ids.new_secret()

    async def take(tx: Transaction) -> Paired:
        row = await store.endpoint_by_pairing(tx.connection, hashed(code))
        row = row and await store.endpoint_by_id(tx.connection, row.id, lock=True)
        if row is None or row.pairing_hash != hashed(code) or _is_over(row):
            raise BadRequest(
                "This pairing code is unknown, used up or older than ten minutes",
                "Ask for a fresh one: `diamond endpoint add NAME`.",
                code="bad-pairing-code",
            )
        paired = _paired(row, request, key)
        await store.save_endpoint(tx, row, paired)
        notices = await tell(tx, row.owner, [_confirm_notice(paired)])
        await publish(tx, row.owner, [News("endpoint", row.id), *notices])
        return Paired(row.id, row.name, key)

    return await services.store.run(take)


def _confirm_notice(row: EndpointRow) -> Notice:
    need = endpoint_needs(row, has_open_tasks=False)[0]
    key = f"confirm:{row.id}:{row.since:.0f}"
    return Notice(key, "confirm", need.title, need.hint, endpoint=row.name)


async def agent_of(services: Services, key: str, generation: int | None) -> AgentCall:
    """The agent behind a key; None for a call that needs no generation yet."""
    async with services.store.read() as connection:
        row = await store.endpoint_by_key(connection, hashed(key)) if key else None
    if row is None:
        raise NotSignedIn(
            "This endpoint key is not valid, or no longer",
            "Pair the machine again, or `diamond endpoint connect NAME`.",
        )
    if row.disabled:
        raise account_disabled()
    principal = Principal(Kind.AGENT, row.owner, row.name, endpoint=row.id)
    require(principal, Action.REPORT, owner=row.owner, endpoint=row.id)
    if not row.confirmed:
        raise AwaitingConfirmation(
            "The owner has not yet confirmed this machine",
            f"The owner types: diamond endpoint confirm {row.name}",
        )
    if generation is not None:
        await _fence(services, row, generation)
    return AgentCall(principal, row, generation or 0)


def refuse_older(newest: int, generation: int) -> None:
    if generation < newest:
        raise GenerationStale(
            f"A newer agent ({newest}) has taken over from this one ({generation})",
            "This agent must stop at once.",
        )


async def _fence(services: Services, row: EndpointRow, generation: int) -> None:
    refuse_older(row.generation, generation)
    if generation > row.generation:
        # The service was restored from a backup: the machine knows better.
        await services.store.run(
            lambda tx: store.change_endpoint(tx, row.id, generation=generation)
        )


def _is_over(row: EndpointRow) -> bool:
    return (row.pairing_expires or 0.0) < time.time()


def _paired(row: EndpointRow, request: Pair, key: str) -> EndpointRow:
    return replace(
        row,
        pairing_hash=None,
        pairing_expires=None,
        key_hash=hashed(key),
        confirmed=False,
        state="confirming",
        since=time.time(),
        host=request.host[:255],
        user=request.user[:255],
        agent_version=request.agent_version[:64],
        python=request.python[:64],
    )
