"""Costly work has a deadline, ends when nobody waits for it, and never stops the event loop."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from diamond.code.folder_listing import choose_listed
from diamond.core.errors import BadRequest, TooLarge, TooMany
from diamond.service.platform.workers import MOST_PER_PERSON, Workers


def with_workers(work: Callable[[Workers], Awaitable[None]], seconds: float = 10.0) -> None:
    async def run() -> None:
        workers = Workers(most=2, seconds=seconds)
        try:
            await work(workers)
        finally:
            await workers.close()

    asyncio.run(run())


def test_a_result_and_an_error_come_back_and_the_process_is_used_again() -> None:
    async def work(workers: Workers) -> None:
        first = await workers.run("u1", os.getpid)
        assert first != os.getpid()
        with pytest.raises(BadRequest, match="folders deep") as raised:
            await workers.run("u1", choose_listed, ["a/" * 500], {})
        assert raised.value.hint == "Send a flatter folder."
        assert await workers.run("u1", os.getpid) == first

    with_workers(work)


def test_what_takes_too_long_is_stopped_and_the_next_call_is_served() -> None:
    async def work(workers: Workers) -> None:
        endless = [workers.run(f"u{number}", time.sleep, 3600.0) for number in range(3)]
        results = await asyncio.gather(*endless, return_exceptions=True)
        assert [type(one) for one in results] == [TooLarge] * 3
        assert await workers.run("u1", abs, -1) == 1

    with_workers(work, seconds=0.5)


def test_whoever_stops_waiting_stops_the_work(tmp_path: Path) -> None:
    async def work(workers: Workers) -> None:
        pid = await workers.run("u1", os.getpid)
        abandoned = asyncio.create_task(workers.run("u1", time.sleep, 3600.0))
        await asyncio.sleep(0.2)
        abandoned.cancel()
        await asyncio.gather(abandoned, return_exceptions=True)
        assert not Path(f"/proc/{pid}").exists()

    with_workers(work)


def test_one_person_cannot_take_all_turns() -> None:
    async def work(workers: Workers) -> None:
        calls = [workers.run("greedy", time.sleep, 0.3) for _ in range(MOST_PER_PERSON + 2)]
        results = await asyncio.gather(*calls, return_exceptions=True)
        assert [type(one) for one in results].count(TooMany) == 2
        assert await workers.run("greedy", abs, -1) == 1

    with_workers(work)
