"""`diamond login`: a program asks, its user agrees in a browser, and the program gets a token (as in RFC 8628).

A program on the same machine as the browser may name its own address there (RFC 8252). The token is then given only to
a caller with the code that the browser brought to that address, so that nobody can trick a stranger into agreeing for them.
"""

from __future__ import annotations

import secrets
import time
from collections import defaultdict
from dataclasses import replace
from ipaddress import ip_address, ip_network
from urllib.parse import urlencode

from diamond.core import ids
from diamond.core.errors import Conflict, NotFound, TooLarge
from diamond.service.access.authorize import Action, require, require_scopes
from diamond.service.access.principal import Principal, Scope
from diamond.service.people import store as people_store
from diamond.service.people.signed_in import read_scopes
from diamond.service.people.store import hash_secret
from diamond.service.people.token_lineage import end_within
from diamond.service.platform.database.engine import Transaction
from diamond.service.platform.services import Services
from diamond.service.sign_in import device_store
from diamond.service.sign_in.rows import DeviceRow
from diamond.service.sign_in.schemas import DeviceAsked, DeviceDecided, DeviceShown, DeviceToken

SECONDS = 600.0
INTERVAL_SECONDS = 2.0
TOKEN_SECONDS = 90 * 86400.0
MOST_OPEN, MOST_FROM_ONE = 1000, 50
"""Anyone may ask, so there are limits in total and for each address. Whoever asks most makes room for others."""


async def ask(
    services: Services, name: str, scopes: list[Scope], address: str, redirect: str = ""
) -> DeviceAsked:
    secret, now = ids.new_secret(), time.time()
    device = DeviceRow(
        hash=hash_secret(secret),
        user_code=_user_code(),
        owner=None,
        state="waiting",
        name=name,
        scopes=" ".join(sorted(scopes)),
        address=address,
        created=now,
        expires=now + SECONDS,
        maker="",
        redirect=redirect,
        word_hash="",
    )

    async def add(tx: Transaction) -> None:
        await _make_room(tx, address)
        await device_store.add_code(tx, device)

    await services.store.run(add)
    return DeviceAsked(
        device_code=secret,
        user_code=device.user_code,
        url=f"{services.settings.url}/device?code={device.user_code}",
        expires=device.expires,
        interval=INTERVAL_SECONDS,
    )


async def _make_room(tx: Transaction, address: str) -> None:
    """Raises for an address with too many open requests; if all places are taken, the busiest one loses its oldest."""
    waiting: dict[str, list[str]] = defaultdict(list)
    for digest, other in await device_store.open_codes(tx.connection):
        waiting[network_of(other)].append(digest)
    own = network_of(address)
    if len(waiting[own]) >= MOST_FROM_ONE:
        raise TooLarge("Too many programs are waiting to be let in", "Try again in ten minutes.")
    if sum(map(len, waiting.values())) >= MOST_OPEN:
        busiest = max(waiting.values(), key=len)
        await device_store.drop_code(tx, busiest[0])


def network_of(address: str) -> str:
    """Of IPv6, the part that a provider gives to one customer."""
    try:
        known = ip_address(address)
    except ValueError:
        return address
    return str(ip_network((known, 64), strict=False)) if known.version == 6 else address


async def show_device(services: Services, user_code: str) -> DeviceShown:
    """The program that asks, for its user to recognise."""
    async with services.store.read() as connection:
        device = await device_store.find_by_user_code(connection, _plain(user_code))
    if device is None:
        raise NotFound(
            f"No program waits with the code {user_code!r}", "Run `diamond login` again."
        )
    return DeviceShown(
        user_code=device.user_code,
        name=device.name,
        scopes=_granted(device.scopes),
        address=device.address,
        created=device.created,
        expires=device.expires,
        state=device.state,
    )


async def decide(
    services: Services, principal: Principal, user_code: str, accept: bool
) -> DeviceDecided:
    """Says where the browser goes next, if the program waits for it there."""
    require(principal, Action.WRITE, owner=principal.user)
    code = ids.new_secret()

    async def write(tx: Transaction) -> str:
        device = await device_store.find_by_user_code(tx.connection, _plain(user_code))
        if device is None:
            raise NotFound(f"No program waits with the code {user_code!r}")
        if accept:
            require_scopes(principal, frozenset(_granted(device.scopes)))
        decided = replace(
            device,
            owner=principal.user,
            state="accepted" if accept else "refused",
            maker=principal.credential,
            word_hash=hash_secret(code) if device.redirect else "",
        )
        if not await device_store.save_decision(tx, decided):
            raise Conflict("This program was already answered")
        return device.redirect

    redirect = await services.store.run(write)
    answer = {"code": code} if accept else {"error": "access_denied"}
    return DeviceDecided(redirect=f"{redirect}?{urlencode(answer)}" if redirect else None)


async def fetch(services: Services, secret: str, code: str = "") -> DeviceToken:
    """The token, once, after the user has agreed; until then `waiting`. `code`: what a redirect brought."""

    async def take(tx: Transaction) -> DeviceToken:
        device = await device_store.find_by_secret(tx.connection, secret)
        if device is None:
            raise NotFound("This request has expired", "Run `diamond login` again.")
        is_unproven = device.word_hash and device.word_hash != hash_secret(code)
        if device.state == "waiting" or (device.state == "accepted" and is_unproven):
            return DeviceToken(state="waiting", token=None)
        is_first = await device_store.drop_code(tx, device.hash)
        if not is_first or device.state == "refused" or device.owner is None:
            return DeviceToken(state="refused", token=None)
        return DeviceToken(state="accepted", token=await _add_token(tx, device, device.owner))

    return await services.store.run(take)


async def _add_token(tx: Transaction, device: DeviceRow, owner: str) -> str:
    _, secret = await people_store.add_credential(
        tx,
        owner,
        people_store.TOKEN,
        f"{device.name} ({time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime())})",
        scopes=" ".join(_granted(device.scopes)),
        expires=await end_within(tx.connection, device.maker, time.time() + TOKEN_SECONDS),
        maker=device.maker,
    )
    return secret


def _granted(text: str) -> list[Scope]:
    """Without any asked for: all but administration."""
    granted = read_scopes(text) if text else read_scopes("") - {Scope.ADMIN}
    return [scope for scope in Scope if scope in granted]


def _user_code() -> str:
    """Eight letters that are easy to read aloud."""
    letters = "".join(secrets.choice("BCDFGHJKLMNPQRSTVWXZ") for _ in range(8))
    return f"{letters[:4]}-{letters[4:]}"


def _plain(code: str) -> str:
    letters = "".join(letter for letter in code.upper() if letter.isalpha())
    return f"{letters[:4]}-{letters[4:8]}"
