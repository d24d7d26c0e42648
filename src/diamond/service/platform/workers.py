"""Work that keeps a processor busy, in a few separate processes.

A thread cannot be stopped, and it takes turns with the event loop; a process can be killed at its deadline, or when nobody
waits for its answer any more. At most `most` work at once; each person may have a few calls running or waiting.
"""

from __future__ import annotations

import asyncio
import pickle
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import Counter
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from diamond.core.errors import TooLarge, TooMany
from diamond.service.platform.worker_process import HEAD, Failure

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")
MOST_WORKERS = 2
MOST_PER_PERSON = 4
MOST_WAITING = 32
SECONDS = 10.0
HINT = "Ask for less at a time."
WORKER = "from diamond.service.platform.worker_process import main; main()"


class Workers:
    def __init__(self, most: int = MOST_WORKERS, seconds: float = SECONDS) -> None:
        self._turns, self._seconds = asyncio.Semaphore(most), seconds
        self._idle: list[Process] = []
        self._calls: Counter[str] = Counter()
        """Running or waiting, by person."""

    async def run(
        self,
        person: str,
        function: Callable[Arguments, Result],
        *arguments: Arguments.args,
        **_: Arguments.kwargs,
    ) -> Result:
        """The result of a module's function; TooLarge when it takes too long, TooMany when too many calls wait.

        Whoever stops waiting (a cancelled call) stops the work too.
        """
        if self._calls[person] >= MOST_PER_PERSON or self._calls.total() >= MOST_WAITING:
            raise TooMany("Too many costly calls are running", "Try again in a few seconds.")
        self._calls[person] += 1
        try:
            async with self._turns:
                return await self._work(function, arguments)
        finally:
            self._calls[person] -= 1
            self._calls += Counter()  # Forget those who have none.

    async def close(self) -> None:
        while self._idle:
            await _end(self._idle.pop())

    async def _work(self, function: Callable[..., Result], arguments: tuple[object, ...]) -> Result:
        process = await self._process()
        is_done = False
        try:
            async with asyncio.timeout(self._seconds):
                result = await _ask(process, (function, arguments, self._seconds))
            is_done = True
        except TimeoutError:
            raise TooLarge(
                f"This took longer than {self._seconds:g} seconds and was stopped",
                HINT,
            ) from None
        except (EOFError, OSError):
            raise TooLarge("This needed more memory than there is", HINT) from None
        finally:
            if is_done:
                self._idle.append(process)
            else:
                await asyncio.shield(_end(process))
        if isinstance(result, Failure):
            raise result.error
        answer: Result = result
        return answer

    async def _process(self) -> Process:
        while self._idle:
            process = self._idle.pop()
            if process.returncode is None:
                return process
        return await _start()


async def _start() -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        WORKER,
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        start_new_session=True,
    )


async def _ask(process: Process, call: tuple[object, ...]) -> Any:
    assert process.stdin is not None
    assert process.stdout is not None
    body = pickle.dumps(call)
    process.stdin.write(HEAD.pack(len(body)) + body)
    await process.stdin.drain()
    size = HEAD.unpack(await process.stdout.readexactly(HEAD.size))[0]
    return pickle.loads(await process.stdout.readexactly(size))


async def _end(process: Process) -> None:
    if process.returncode is None:
        process.kill()
    await process.wait()
