"""How people prove who they are: tokens for programs, one-time links for browsers."""

from __future__ import annotations

import time
from typing import Any

from diamond.core.errors import Conflict, NotFound, NotSignedIn
from diamond.service.authorize import Action, require
from diamond.service.principal import Kind, Principal
from diamond.service.services import Services
from diamond.service.store import users
from diamond.service.store.engine import Transaction
from diamond.service.store.streams import changed, publish
from diamond.service.use_cases.idempotency import Once, once

LINK_SECONDS = 600.0
SESSION_SECONDS = 30 * 86400.0
SIGN_IN_HINT = "Run `diamond open` for a link, or send `Authorization: Bearer <token>`."


async def person_of(services: Services, *, token: str, session: str) -> Principal:
    """The person behind a token or a cookie."""
    kind, secret = (users.TOKEN, token) if token else (users.SESSION, session)
    if not secret:
        raise NotSignedIn("You are not signed in", SIGN_IN_HINT)
    async with services.store.read() as connection:
        row = await users.find_credential(connection, kind, secret)
    if row is None:
        raise NotSignedIn("This sign-in is not valid, or no longer", SIGN_IN_HINT)
    return Principal(Kind.PERSON, row["owner"], row["user_name"], by_cookie=kind == users.SESSION)


async def list_tokens(services: Services, principal: Principal) -> list[dict[str, Any]]:
    async with services.store.read() as connection:
        found = await users.list_credentials(connection, principal.user, users.TOKEN)
    return [{key: row[key] for key in ("id", "name", "created", "expires")} for row in found]


async def add_token(
    services: Services, principal: Principal, name: str, days: float | None, key: str | None
) -> dict[str, Any]:
    require(principal, Action.WRITE, owner=principal.user)
    now = time.time()
    expires = now + days * 86400 if days else None

    async def add(tx: Transaction) -> dict[str, Any]:
        known = await users.list_credentials(tx.connection, principal.user, users.TOKEN)
        if any(row["name"] == name for row in known):
            raise Conflict(f"You already have a token {name!r}", "Take another name.")
        token, secret = await users.add_credential(
            tx, principal.user, users.TOKEN, name, expires=expires
        )
        await publish(tx, principal.user, [changed("tokens")])
        return {"id": token, "name": name, "created": now, "expires": expires, "token": secret}

    wanted = Once.of(key, "POST /tokens", {"name": name, "days": days})
    return await once(services.store, principal, wanted, add, secret=True)


async def remove_token(services: Services, principal: Principal, token: str) -> None:
    require(principal, Action.WRITE, owner=principal.user)

    async def remove(tx: Transaction) -> None:
        if not await users.drop_credential(tx, principal.user, token):
            raise NotFound(f"There is no token {token!r}")
        await publish(tx, principal.user, [changed("tokens")])

    await services.store.run(remove)


async def make_link(services: Services, principal: Principal) -> str:
    """A link that signs one browser in, once, within ten minutes."""
    require(principal, Action.WRITE, owner=principal.user)
    expires = time.time() + LINK_SECONDS

    async def add(tx: Transaction) -> str:
        _, code = await users.add_credential(tx, principal.user, users.LINK, "", expires=expires)
        return code

    return f"{services.settings.url}/open?code={await services.store.run(add)}"


async def use_link(services: Services, code: str) -> str | None:
    """The secret for the browser's cookie, or None for a code that is used up, too old or unknown."""

    async def use(tx: Transaction) -> str | None:
        owner = await users.take_credential(tx, users.LINK, code)
        if owner is None:
            return None
        expires = time.time() + SESSION_SECONDS
        _, secret = await users.add_credential(tx, owner, users.SESSION, "", expires=expires)
        return secret

    return await services.store.run(use)
