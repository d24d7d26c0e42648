"""The shim around one rank's program: gives it its variables, keeps its output, tells of its end."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from types import FrameType
from typing import IO, Dict, List, Optional

from diamond.launchers.ranks.binding import bind_rank
from diamond.launchers.ranks.copying import Copy
from diamond.launchers.ranks.identity import Identity, own_identity
from diamond.launchers.ranks.marks import CONTINUE, Marks
from diamond.launchers.ranks.memory import memory_kills
from diamond.launchers.ranks.variables import (
    interface_variables,
    rank_variables,
    tensorflow_variables,
)
from diamond.launchers.ranks.waking import Waking

BEAT_SECONDS = 15.0
PATIENCE_SECONDS = 5.0
"""Between the request to end, after another rank has failed, and the kill."""
DRAIN_SECONDS = 0.5
"""How long output is awaited from what the program has left behind."""
ONCE_SECONDS = 5.0
"""The same signal may come by several ways; the program gets it once."""
PASSED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)


def run_rank(words: List[str]) -> int:
    """Run the program to its end. 75 is told to the launcher as 0: the mark says it, and nothing has failed."""
    me, marks = own_identity(), Marks(Path(os.environ["DIAMOND_RANKS"]).parent)
    os.environ.update(rank_variables(me, os.environ))
    os.environ.update(interface_variables(os.environ, os.uname().nodename))
    os.environ["DIAMOND_STEP_FILE"] = str(marks.step_file(me.rank))
    bind_rank(me.local_rank, me.local_world_size, os.environ)
    rank = Rank(me, marks)
    try:
        claim = _meet_others(me)
    except OSError as error:
        return rank.give_up(f"the ranks cannot meet: {error}", 1)
    with claim or contextlib.nullcontext():
        code, number = rank.run(words)
    if number:
        return 128 + number
    return 0 if code == CONTINUE else code


def _meet_others(me: Identity) -> Optional[socket.socket]:
    """For TensorFlow: a port of this node, told to all ranks. Other jobs are kept off it while what is returned is open."""
    if "DIAMOND_MEETING" not in os.environ:
        return None
    from diamond.launchers.ranks.meeting import meet
    from diamond.launchers.ranks.ports import reserve_port

    port, claim = reserve_port(f"{os.environ.get('DIAMOND_ATTEMPT', '')}.{me.rank}")
    workers = meet(os.environ["MASTER_ADDR"], os.environ["DIAMOND_MEETING"], me.rank, port)
    os.environ.update(tensorflow_variables(me.rank, workers))
    return claim


def run_rank_of_launcher(words: List[str]) -> int:
    """Started in the place of Python: with what Python is told, or with `--program` and other words."""
    if words[:1] == ["--program"]:
        return run_rank(words[1:])
    return run_rank([_python_of(os.getppid()), *words])


def _python_of(pid: int) -> str:
    """As a launcher was called: only by that name does a virtual environment's Python find its packages."""
    return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode()


class Rank:
    def __init__(self, me: Identity, marks: Marks) -> None:
        self._me, self._marks = me, marks
        self._child: Optional[subprocess.Popen[bytes]] = None
        self._passed_at: Dict[int, float] = {}
        self._early: List[int] = []
        self._kill_at: Optional[float] = None
        self._kills_before = memory_kills()

    def run(self, words: List[str]) -> tuple[int, int]:
        """The program's exit code, and the signal that ended it or 0."""
        waking = Waking()
        for number in PASSED_ON:
            signal.signal(number, self._asked)
        self._marks.write_start(self._me.rank, self._me.node)
        try:
            self._child = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                preexec_fn=_own_group,
            )
        except OSError as error:
            os.write(2, f"diamond: {words[0]} cannot be started: {error.strerror}\n".encode())
            return self._tell(127, 0)
        for early in self._early:
            self._pass_on(early)
        self._watch(self._child, waking)
        status = self._child.wait()
        return self._tell(max(status, 0), max(-status, 0))

    def give_up(self, words: str, code: int) -> int:
        """Without having started the program."""
        self._marks.write_start(self._me.rank, self._me.node)
        os.write(2, f"diamond: {words}\n".encode())
        return self._tell(code, 0)[0]

    def _asked(self, number: int, frame: Optional[FrameType]) -> None:
        if self._child is None:
            self._early.append(number)
        elif time.monotonic() - self._passed_at.get(number, float("-inf")) > ONCE_SECONDS:
            self._pass_on(number)

    def _pass_on(self, number: int) -> None:
        self._passed_at[number] = time.monotonic()
        self._signal(number)
        if number == signal.SIGTERM and self._marks.must_end():
            self._kill_at = time.monotonic() + PATIENCE_SECONDS

    def _signal(self, number: int) -> None:
        if self._child is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._child.pid, number)

    def _watch(self, child: subprocess.Popen[bytes], waking: Waking) -> None:
        copies = self._copies(child)
        beat_at = 0.0
        ended_at: Optional[float] = None
        while True:
            now = time.monotonic()
            if now >= beat_at:
                self._marks.beat(self._me.rank)
                beat_at = now + BEAT_SECONDS
            if self._kill_at is not None and now >= self._kill_at:
                self._signal(signal.SIGKILL)
            if child.poll() is not None and ended_at is None:
                ended_at = now
            if ended_at is not None and (not copies or now - ended_at > DRAIN_SECONDS):
                break
            copies = _copy(copies, waking, _pause(beat_at - now, ended_at, self._kill_at))
        for copy in copies:
            copy.close()

    def _copies(self, child: subprocess.Popen[bytes]) -> List[Copy]:
        tag = f"[{self._me.rank}] ".encode() if self._me.rank else b""
        pairs = ((child.stdout, "stdout", 1), (child.stderr, "stderr", 2))
        return [
            _open_copy(pipe, self._marks.log(self._me.rank, name), merged, tag)
            for pipe, name, merged in pairs
            if pipe
        ]

    def _tell(self, code: int, number: int) -> tuple[int, int]:
        """Written before anything of the program is cleared away: the mark is what counts."""
        told = signal.SIGTERM in self._passed_at or signal.SIGINT in self._passed_at
        memory = bool(code or number) and memory_kills() > self._kills_before
        self._marks.write_exit(self._me.rank, code, number, told=told, memory=memory)
        self._signal(signal.SIGKILL)
        return code, number


def _open_copy(pipe: IO[bytes], own: Path, merged: int, tag: bytes) -> Copy:
    target: Optional[int] = None
    with contextlib.suppress(OSError):
        target = os.open(str(own), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    return Copy(pipe.fileno(), target, merged, tag)


def _copy(copies: List[Copy], waking: Waking, seconds: float) -> List[Copy]:
    """Wait for output or a signal; gives the streams that go on."""
    ready = waking.wait(seconds, [copy.source for copy in copies])
    left = []
    for copy in copies:
        if copy.source in ready and not copy.take():
            copy.close()
        else:
            left.append(copy)
    return left


def _pause(until_beat: float, ended_at: Optional[float], kill_at: Optional[float]) -> float:
    if ended_at is not None:
        return 0.05
    return max(0.0, min(until_beat, 0.5) if kill_at is not None else until_beat)


def _own_group() -> None:
    """So that a signal reaches all of the program, and the shim outlives it. Python's own handlers are not inherited."""
    os.setpgid(0, 0)
