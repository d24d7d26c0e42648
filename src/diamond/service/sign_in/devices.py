"""`diamond login`: a program asks, its person agrees in a browser, and the program gets a token (as in RFC 8628).

A program on the browser's own machine may name an address of its own there (RFC 8252). Then the token is given only to who shows
the word that the browser brought to that address: nobody can have somebody far away agree for him.
"""

from __future__ import annotations

import secrets
import time
from typing import Any
from urllib.parse import urlencode

from diamond.core import ids
from diamond.core.errors import Conflict, NotFound, TooLarge
from diamond.service.access.authorize import Action, require, require_scopes
from diamond.service.access.principal import Principal, Scope
from diamond.service.people import store as users
from diamond.service.people.signed_in import read_scopes
from diamond.service.people.store import hashed
from diamond.service.people.token_lineage import end_within
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.services import Services
from diamond.service.sign_in import device_store as rows

SECONDS = 600.0
INTERVAL_SECONDS = 2.0
TOKEN_SECONDS = 90 * 86400.0
MOST_OPEN, MOST_FROM_ONE = 1000, 50
"""Anyone may ask: so many at a time in all, and so many from one address, and no more."""


async def ask(
    services: Services, name: str, scopes: list[Scope], address: str, redirect: str = ""
) -> dict[str, Any]:
    secret, code = ids.new_secret(), _user_code()
    row = {
        "hash": hashed(secret),
        "user_code": code,
        "owner": None,
        "state": rows.WAITING,
        "name": name,
        "scopes": " ".join(sorted(scopes)),
        "address": address,
        "created": time.time(),
        "expires": time.time() + SECONDS,
        "redirect": redirect,
    }

    async def add(tx: Transaction) -> None:
        of_all, of_one = await rows.count_codes(tx.connection, address)
        if of_all >= MOST_OPEN or of_one >= MOST_FROM_ONE:
            raise TooLarge("Too many programs wait for their person", "Try again in ten minutes.")
        await rows.add_code(tx, row)

    await services.store.run(add)
    url = f"{services.settings.url}/device?code={code}"
    return {
        "device_code": secret,
        "user_code": code,
        "url": url,
        "expires": row["expires"],
        "interval": INTERVAL_SECONDS,
    }


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


async def decide(
    services: Services, principal: Principal, user_code: str, accept: bool
) -> dict[str, Any]:
    """Gives where the browser goes next, if the program waits for it there."""
    require(principal, Action.WRITE, owner=principal.user)
    word = ids.new_secret()

    async def write(tx: Transaction) -> str:
        row = await rows.find_by_user_code(tx.connection, _plain(user_code))
        if row is None:
            raise NotFound(f"No program waits with the code {user_code!r}")
        if accept:
            require_scopes(principal, _granted(row["scopes"]))
        values = {
            "owner": principal.user,
            "state": rows.ACCEPTED if accept else rows.REFUSED,
            "maker": principal.credential,
            "word_hash": hashed(word) if row["redirect"] else "",
        }
        if not await rows.decide(tx, row, values):
            raise Conflict("This program has its answer already")
        return str(row["redirect"])

    redirect = await services.store.run(write)
    told = {"code": word} if accept else {"error": "access_denied"}
    return {"redirect": f"{redirect}?{urlencode(told)}" if redirect else None}


async def fetch(services: Services, secret: str, word: str = "") -> dict[str, Any]:
    """The token, once, after its person has agreed; until then `waiting`. `word`: what a redirect brought."""

    async def take(tx: Transaction) -> dict[str, Any]:
        row = await rows.find_by_secret(tx.connection, secret)
        if row is None:
            raise NotFound("This request is over", "Run `diamond login` again.")
        is_unproven = row["word_hash"] and row["word_hash"] != hashed(word)
        if row["state"] == rows.WAITING or (row["state"] == rows.ACCEPTED and is_unproven):
            return {"state": rows.WAITING, "token": None}
        if not await rows.drop_code(tx, row) or row["state"] == rows.REFUSED:
            return {"state": rows.REFUSED, "token": None}
        scopes = " ".join(one for one in Scope if one in _granted(row["scopes"]))
        name = f"{row['name']} ({time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime())})"
        end = await end_within(tx.connection, row["maker"], time.time() + TOKEN_SECONDS)
        _, token = await users.add_credential(
            tx, row["owner"], users.TOKEN, name, scopes=scopes, expires=end, maker=row["maker"]
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
