"""`diamond login`: a program asks, its person agrees in a browser, and the program gets a token (as in RFC 8628)."""

from __future__ import annotations

import secrets
import time
from typing import Any

from diamond.core import ids
from diamond.core.errors import Conflict, NotFound, TooLarge
from diamond.service.authorize import Action, require, require_scopes
from diamond.service.principal import Principal, Scope
from diamond.service.services import Services
from diamond.service.store import device_codes as rows
from diamond.service.store import users
from diamond.service.store.engine import Transaction
from diamond.service.store.users import hashed
from diamond.service.use_cases.signed_in import read_scopes

SECONDS = 600.0
INTERVAL_SECONDS = 2.0
TOKEN_SECONDS = 90 * 86400.0
MOST_OPEN = 1000
"""Anyone may ask: so many at a time, and no more."""


async def ask(services: Services, name: str, scopes: list[Scope], address: str) -> dict[str, Any]:
    secret, code = ids.new_secret(), _user_code()
    row = {
        "hash": hashed(secret), "user_code": code, "owner": None, "state": rows.WAITING,
        "name": name, "scopes": " ".join(sorted(scopes)), "address": address,
        "created": time.time(), "expires": time.time() + SECONDS,
    }  # fmt: skip

    async def add(tx: Transaction) -> None:
        if await rows.count_codes(tx.connection) >= MOST_OPEN:
            raise TooLarge("Too many programs wait for their person", "Try again in ten minutes.")
        await rows.add_code(tx, row)

    await services.store.run(add)
    url = f"{services.settings.url}/device?code={code}"
    return {
        "device_code": secret, "user_code": code, "url": url, "expires": row["expires"],
        "interval": INTERVAL_SECONDS,
    }  # fmt: skip


async def look(services: Services, user_code: str) -> dict[str, Any]:
    """What asks, for its person to recognise."""
    async with services.store.read() as connection:
        row = await rows.find_by_user_code(connection, _plain(user_code))
    if row is None:
        raise NotFound(
            f"No program waits with the code {user_code!r}", "Run `diamond login` again."
        )
    names = ("user_code", "name", "address", "created", "expires", "state")
    shown = {name: row[name] for name in names}
    return {**shown, "scopes": [one for one in Scope if one in _granted(row["scopes"])]}


async def decide(services: Services, principal: Principal, user_code: str, accept: bool) -> None:
    require(principal, Action.WRITE, owner=principal.user)

    async def word(tx: Transaction) -> None:
        row = await rows.find_by_user_code(tx.connection, _plain(user_code))
        if row is None:
            raise NotFound(f"No program waits with the code {user_code!r}")
        if accept:
            require_scopes(principal, _granted(row["scopes"]))
        state = rows.ACCEPTED if accept else rows.REFUSED
        if not await rows.decide(tx, row, principal.user, state):
            raise Conflict("This program has its answer already")

    await services.store.run(word)


async def fetch(services: Services, secret: str) -> dict[str, Any]:
    """The token, once, after its person has agreed; until then `waiting`."""

    async def take(tx: Transaction) -> dict[str, Any]:
        row = await rows.find_by_secret(tx.connection, secret)
        if row is None:
            raise NotFound("This request is over", "Run `diamond login` again.")
        if row["state"] == rows.WAITING:
            return {"state": rows.WAITING, "token": None}
        if not await rows.drop_code(tx, row) or row["state"] == rows.REFUSED:
            return {"state": rows.REFUSED, "token": None}
        scopes = " ".join(one for one in Scope if one in _granted(row["scopes"]))
        name = f"{row['name']} ({time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime())})"
        _, token = await users.add_credential(
            tx, row["owner"], users.TOKEN, name, scopes=scopes, expires=time.time() + TOKEN_SECONDS
        )
        return {"state": rows.ACCEPTED, "token": token}

    return await services.store.run(take)


def _granted(text: str) -> frozenset[Scope]:
    """None asked for: all but administration."""
    return read_scopes(text) if text else read_scopes("") - {Scope.ADMIN}


def _user_code() -> str:
    """Eight letters that are read aloud well."""
    letters = "".join(secrets.choice("BCDFGHJKLMNPQRSTVWXZ") for _ in range(8))
    return f"{letters[:4]}-{letters[4:]}"


def _plain(code: str) -> str:
    letters = "".join(one for one in code.upper() if one.isalpha())
    return f"{letters[:4]}-{letters[4:8]}"
