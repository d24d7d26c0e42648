"""How people prove who they are: tokens for programs, one-time links for browsers."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from diamond.core.errors import BadRequest, Conflict, NotFound
from diamond.service.access.authorize import Action, require, require_scopes
from diamond.service.access.principal import EVERYTHING, Principal, Scope
from diamond.service.people import store as users
from diamond.service.people.session_store import Proof, add_session
from diamond.service.people.signed_in import read_scopes
from diamond.service.people.token_lineage import drop_offspring, end_within
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.event_log import changed, publish
from diamond.service.platform.idempotency import Once, once
from diamond.service.platform.services import Services

LINK_SECONDS = 600.0
LONG_AGO = 1.0
"""A link proves nothing anew: where a fresh sign-in is asked for, it is none."""


async def list_tokens(services: Services, principal: Principal) -> list[dict[str, Any]]:
    async with services.store.read() as connection:
        found = await users.list_credentials(connection, principal.user, users.TOKEN)
    return [_show(row) for row in found]


@dataclass(frozen=True)
class TokenWanted:
    name: str
    days: float | None = None
    scopes: tuple[Scope, ...] = ()
    """Empty: everything that the maker may do herself, but for administration."""


async def add_token(
    services: Services, principal: Principal, wanted: TokenWanted, key: str | None
) -> dict[str, Any]:
    """A token is never good for more, nor for longer, than the one that made it."""
    require(principal, Action.WRITE, owner=principal.user)
    name, scopes = wanted.name, _granted(principal, wanted.scopes)
    asked_end = time.time() + wanted.days * 86400 if wanted.days else None

    async def add(tx: Transaction) -> dict[str, Any]:
        known = await users.list_credentials(tx.connection, principal.user, users.TOKEN)
        if any(row["name"] == name for row in known):
            raise Conflict(f"You already have a token {name!r}", "Take another name.")
        expires = await end_within(tx.connection, principal.credential, asked_end)
        token, secret = await users.add_credential(
            tx,
            principal.user,
            users.TOKEN,
            name,
            expires=expires,
            scopes=scopes,
            maker=principal.credential,
        )
        await publish(tx, principal.user, [changed("tokens")])
        row = {"id": token, "name": name, "created": time.time(), "expires": expires}
        return {**_show({**row, "scopes": scopes, "used": None}), "token": secret}

    asked = Once.of(key, "POST /tokens", {"name": name, "days": wanted.days, "scopes": scopes})
    return await once(services.store, principal, asked, add, secret=True)


def _granted(principal: Principal, wanted: tuple[Scope, ...]) -> str:
    beyond = sorted(scope.value for scope in set(wanted) - principal.scopes)
    if beyond:
        raise BadRequest(
            f"This sign-in is itself not good for {', '.join(beyond)}",
            f"Scopes: {', '.join(sorted(scope.value for scope in principal.scopes))}.",
        )
    granted = set(wanted) or set(principal.scopes) - {Scope.ADMIN}
    return " ".join(scope.value for scope in Scope if scope in granted)


def _show(row: Mapping[str, Any]) -> dict[str, Any]:
    shown = {key: row[key] for key in ("id", "name", "created", "expires", "used")}
    return {
        **shown,
        "scopes": [scope.value for scope in Scope if scope in read_scopes(row["scopes"])],
    }


async def remove_token(services: Services, principal: Principal, token: str) -> None:
    """With all that came of it. `this`: the one that asks."""
    token = principal.credential if token == "this" else token
    require(principal, Action.WRITE, owner=principal.user)

    async def remove(tx: Transaction) -> None:
        if not await users.drop_credential(tx, principal.user, token):
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
        _, code = await users.add_credential(
            tx, principal.user, users.LINK, "", expires=expires, maker=principal.credential
        )
        return code

    return f"{services.settings.url}/open?code={await services.store.run(add)}"


async def use_link(services: Services, code: str, proof: Proof) -> str | None:
    """The secret for the browser's cookie, or None for a code that is used up, too old or unknown."""

    async def use(tx: Transaction) -> str | None:
        link, now = await users.take_credential(tx, users.LINK, code), time.time()
        if link is None:
            return None
        end = now + services.settings.session_seconds
        end = await end_within(tx.connection, link["maker"], end) or end
        shown = replace(proof, signed_in=LONG_AGO, maker=link["maker"])
        return await add_session(tx, link["owner"], shown, seconds=end - now)

    return await services.store.run(use)
