"""Starts the ranks of a training like a launcher: when one dies, all are ended."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from support.waiting import wait_for

PROGRAM = Path(__file__).parent / "trainings" / "small.py"
LONG = 120.0


class Job:
    """One attempt: `world_size` processes with their output in files."""

    def __init__(self, folder: Path, words: list[str], *, world_size: int = 1, **environ: str):
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.outputs = [folder / f"rank-{rank}.out" for rank in range(world_size)]
        port = free_port()
        self.ranks = [
            self._start(words, {**variables(rank, world_size, port), **environ})
            for rank in range(world_size)
        ]

    def _start(self, words: list[str], environ: dict[str, str]) -> subprocess.Popen[bytes]:
        """In its own session, so that all of it can be killed at once, as a batch system does."""
        rank = int(environ["RANK"])
        errors = self.folder / f"rank-{rank}.err"
        with self.outputs[rank].open("wb") as out, errors.open("ab") as err:
            return subprocess.Popen(
                [sys.executable, str(PROGRAM), *words],
                cwd=self.folder,
                env={**os.environ, **environ},
                stdout=out,
                stderr=err,
                start_new_session=True,
            )

    def __enter__(self) -> Job:
        return self

    def __exit__(self, *args: object) -> None:
        self.kill()

    def said(self, event: str, rank: int = 0) -> list[dict[str, Any]]:
        lines = [json.loads(line) for line in whole_lines(self.outputs[rank])]
        return [line for line in lines if line["event"] == event]

    def held_at(self, step: int) -> bool:
        """Whether all ranks wait at a step in `HOLD_AT`."""
        ranks = range(len(self.ranks))
        return all(any(one["step"] == step for one in self.said("held", r)) for r in ranks)

    def release(self, step: int) -> None:
        (self.folder / f"go-{step}").touch()

    def wait_until(self, look: Callable[[], Any], what: str) -> Any:
        """Fails at once if the job ends first."""

        def look_twice() -> Any:
            ended = not self.is_running
            found = look()
            assert found or not ended, f"the job ended before {what}: {self.errors()}"
            return found

        return wait_for(look_twice, LONG, what=what)

    @property
    def is_running(self) -> bool:
        return any(one.poll() is None for one in self.ranks)

    def end(self) -> list[int]:
        """Wait for the ranks; as soon as one fails, kill the others as a launcher would."""
        wait_for(lambda: not self.is_running or self._one_failed(), LONG, what="an end")
        if self._one_failed():
            self.kill()
        return [one.wait() for one in self.ranks]

    def kill(self) -> None:
        """Kill everything at once, writers included."""
        for one in self.ranks:
            kill_group(one.pid)
            one.wait()

    def kill_rank(self, rank: int) -> None:
        """Kill only the process; its writer lives a little longer, as on a real node."""
        self.ranks[rank].kill()
        self.ranks[rank].wait()

    def kill_writer(self, rank: int) -> bool:
        return self.signal_writer(rank, signal.SIGKILL)

    def signal_writer(self, rank: int, number: int) -> bool:
        """Returns whether there was one."""
        said = self.said("started", rank) + self.said("step", rank)
        if not said or not self.is_running:
            return False
        try:
            os.kill(said[-1]["writer"], number)
        except ProcessLookupError:
            return False
        return True

    def errors(self) -> str:
        return "\n".join(path.read_text() for path in sorted(self.folder.glob("rank-*.err")))

    def _one_failed(self) -> bool:
        return any(one.poll() not in (None, 0, 75) for one in self.ranks)


def run_to_the_end(
    folder: Path, words: list[str], *, world_size: int = 1, **environ: str
) -> dict[str, Any]:
    """The last output of rank 0 of an undisturbed job."""
    job = Job(folder, words, world_size=world_size, **environ)
    assert job.end() == [0] * world_size, job.errors()
    return job.said("end")[0]


def variables(rank: int, world_size: int, port: int) -> dict[str, str]:
    return {
        "RANK": str(rank),
        "LOCAL_RANK": str(rank),
        "WORLD_SIZE": str(world_size),
        "LOCAL_WORLD_SIZE": str(world_size),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "GLOO_SOCKET_IFNAME": "lo",
        "OMP_NUM_THREADS": "1",
    }


def whole_lines(path: Path) -> Iterator[str]:
    """A line without a line end is still being written."""
    if not path.exists():
        return
    yield from (line for line in path.read_text().splitlines(keepends=True) if line.endswith("\n"))


def kill_group(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
