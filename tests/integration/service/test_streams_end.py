"""An event stream ends with the sign-in that opened it: a token that was revoked hears nothing more."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from diamond.service.access.principal import LOCAL_USER, Kind, Principal, Role
from diamond.service.events import stream as events
from diamond.service.events.stream import EventStream
from diamond.service.people import session_store as sessions
from diamond.service.people import store as users
from diamond.service.people.first_start import first_start
from diamond.service.people.signed_in import is_still_valid
from diamond.service.platform.database.engine import Store
from diamond.service.platform.services import Services
from support.database import with_store


async def token(store: Store) -> Principal:
    made, _ = await store.run(
        lambda tx: users.add_credential(tx, LOCAL_USER, users.TOKEN, "x", expires=None)
    )
    return Principal(Kind.PERSON, LOCAL_USER, credential=made.id)


async def session(store: Store) -> Principal:
    proof = sessions.Proof()
    await store.run(lambda tx: sessions.add_session(tx, LOCAL_USER, proof, seconds=60))
    async with store.read() as connection:
        key = (await sessions.list_sessions(connection, LOCAL_USER))[0].id
    return Principal(Kind.PERSON, LOCAL_USER, credential=key, by_cookie=True)


async def still(store: Store, principal: Principal) -> bool:
    async with store.read() as connection:
        return await is_still_valid(connection, principal)


def test_a_long_call_is_good_as_long_as_what_it_was_made_with(tmp_path: Path) -> None:
    async def work(store: Store) -> list[bool]:
        await first_start(store)
        by_token, by_session = await token(store), await session(store)
        seen = [await still(store, by_token), await still(store, by_session)]
        key = by_session.credential
        await store.run(lambda tx: sessions.drop_session(tx, LOCAL_USER, key))
        seen.append(await still(store, by_session))
        await store.run(lambda tx: users.change_user(tx, LOCAL_USER, {"disabled": 1.0}))
        return [*seen, await still(store, by_token)]

    assert with_store(tmp_path, "", work) == [True, True, False, False]


def test_who_leaves_a_project_is_no_longer_what_she_was(tmp_path: Path) -> None:
    async def work(store: Store) -> bool:
        await first_start(store)
        principal = await token(store)
        member = Principal(
            Kind.PERSON, LOCAL_USER, credential=principal.credential, projects={"p1": Role.MEMBER}
        )
        return await still(store, member)

    assert not with_store(tmp_path, "", work)


def test_a_stream_ends_when_its_token_is_revoked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "STILL_SECONDS", 0.0)

    async def work(store: Store) -> list[str]:
        await first_start(store)
        principal = await token(store)
        key = principal.credential
        services = cast(Services, SimpleNamespace(store=store, notifier=store.notifier))
        stream = EventStream(services, principal)
        await stream.open([], "now")
        heard = []
        async for line in stream.lines():
            heard.append(line.split("\n")[1])
            await store.run(lambda tx: users.drop_credential(tx, LOCAL_USER, key))
        return heard

    assert with_store(tmp_path, "", work) == ["event: ready"]
