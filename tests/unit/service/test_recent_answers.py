"""Answers that are kept while they are asked for."""

from __future__ import annotations

import asyncio

from diamond.service.platform.answer_cache import Recent


def test_an_answer_is_made_once_and_the_oldest_give_way() -> None:
    made: list[str] = []

    async def ask(recent: Recent, key: str) -> bytes:
        async def make() -> bytes:
            made.append(key)
            return key.encode() * 4

        return await recent.get(key, make)

    async def story() -> None:
        recent = Recent(most_bytes=10)
        assert await ask(recent, "a") == await ask(recent, "a") == b"aaaa"
        await ask(recent, "b")
        await ask(recent, "a")
        await ask(recent, "c")
        await ask(recent, "a")
        await ask(recent, "b")

    asyncio.run(story())
    assert made == ["a", "b", "c", "b"]


def test_an_answer_larger_than_all_room_is_given_but_not_kept() -> None:
    made: list[int] = []

    async def make() -> bytes:
        made.append(1)
        return b"x" * 99

    async def story() -> None:
        recent = Recent(most_bytes=10)
        for _ in range(2):
            assert len(await recent.get("large", make)) == 99

    asyncio.run(story())
    assert len(made) == 2
