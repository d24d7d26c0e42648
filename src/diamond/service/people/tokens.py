"""How people prove who they are: tokens for programs, one-time links for browsers."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from diamond.core.errors import BadRequest, Conflict, NotFound
from diamond.service.access.authorize import Action, require, require_scopes
from diamond.service.access.principal import EVERYTHING, Principal, Scope
from diamond.service.people import store as people_store
from diamond.service.people.rows import CredentialRow, UserRow
from diamond.service.people.schemas import NewToken, Token
from diamond.service.people.session_store import Proof, add_session
from diamond.service.people.signed_in import read_scopes
from diamond.service.people.token_lineage import drop_offspring, end_within
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.idempotency import Once, once_as
from diamond.service.platform.services import Services

LINK_SECONDS = 600.0
LONG_AGO = 1.0
"""A link does not count where a fresh sign-in is required."""


async def list_tokens(services: Services, principal: Principal) -> list[Token]:
    async with services.store.read() as connection:
        tokens = await people_store.list_credentials(connection, principal.user, people_store.TOKEN)
    return [_show(token) for token in tokens]


@dataclass(frozen=True)
class TokenWanted:
    name: str
    days: float | None = None
    scopes: tuple[Scope, ...] = ()
    """Empty: all that its maker may do, except administration."""


async def add_token(
    services: Services, principal: Principal, wanted: TokenWanted, key: str | None
) -> NewToken:
    """A token never has more scopes, nor a later end, than the one that made it."""
    require(principal, Action.WRITE, owner=principal.user)
    name, scopes = wanted.name, _granted(principal, wanted.scopes)
    wanted_end = time.time() + wanted.days * 86400 if wanted.days else None

    async def add(tx: Transaction) -> NewToken:
        known = await people_store.list_credentials(
            tx.connection, principal.user, people_store.TOKEN
        )
        if any(token.name == name for token in known):
            raise Conflict(f"You already have a token {name!r}", "Choose another name.")
        token, secret = await people_store.add_credential(
            tx,
            principal.user,
            people_store.TOKEN,
            name,
            expires=await end_within(tx.connection, principal.credential, wanted_end),
            scopes=scopes,
            maker=principal.credential,
        )
        await publish(tx, principal.user, [changed("tokens")])
        return NewToken(**dict(_show(token)), token=secret)

    request = Once.of(key, "POST /tokens", {"name": name, "days": wanted.days, "scopes": scopes})
    return await once_as(NewToken, services.store, principal, request, add, secret=True)


def _granted(principal: Principal, wanted: tuple[Scope, ...]) -> str:
    beyond = sorted(scope.value for scope in set(wanted) - principal.scopes)
    if beyond:
        raise BadRequest(
            f"This sign-in itself lacks {', '.join(beyond)}",
            f"Scopes: {', '.join(sorted(scope.value for scope in principal.scopes))}.",
        )
    granted = set(wanted) or set(principal.scopes) - {Scope.ADMIN}
    return " ".join(scope.value for scope in Scope if scope in granted)


def _show(token: CredentialRow) -> Token:
    granted = read_scopes(token.scopes)
    return Token(
        id=token.id,
        name=token.name,
        created=token.created,
        expires=token.expires,
        used=token.used,
        scopes=[scope for scope in Scope if scope in granted],
    )


async def remove_token(services: Services, principal: Principal, token: str) -> None:
    """With everything that was made with it. `this`: the token that the caller uses."""
    token = principal.credential if token == "this" else token
    require(principal, Action.WRITE, owner=principal.user)

    async def remove(tx: Transaction) -> None:
        if not await people_store.drop_credential(tx, principal.user, token):
            raise NotFound(f"There is no token {token!r}")
        await drop_offspring(tx, principal.user, token)
        await publish(tx, principal.user, [changed("tokens")])

    await services.store.run(remove)


async def make_link(services: Services, principal: Principal) -> str:
    """A link that signs one browser in, once, within ten minutes. A browser may do all that its person may."""
    require(principal, Action.WRITE, owner=principal.user)
    require_scopes(principal, EVERYTHING if principal.is_admin else EVERYTHING - {Scope.ADMIN})
    expires = time.time() + LINK_SECONDS

    async def add(tx: Transaction) -> str:
        _, code = await people_store.add_credential(
            tx, principal.user, people_store.LINK, "", expires=expires, maker=principal.credential
        )
        return code

    return f"{services.settings.url}/open?code={await services.store.run(add)}"


async def who_link_is_for(services: Services, code: str) -> UserRow | None:
    """None for a code that was used, has expired or is unknown."""
    async with services.store.read() as connection:
        link = await people_store.find_credential(connection, people_store.LINK, code)
        return await people_store.find_user(connection, link.owner) if link else None


async def use_link(services: Services, code: str, proof: Proof) -> str | None:
    """The secret for the browser's cookie; None for a code that was used, has expired or is unknown."""

    async def use(tx: Transaction) -> str | None:
        link, now = await people_store.take_credential(tx, people_store.LINK, code), time.time()
        if link is None:
            return None
        end = now + services.settings.session_seconds
        end = await end_within(tx.connection, link.maker, end) or end
        by_link = replace(proof, signed_in=LONG_AGO, maker=link.maker)
        return await add_session(tx, link.owner, by_link, seconds=end - now)

    return await services.store.run(use)
