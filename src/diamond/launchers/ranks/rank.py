"""The shim around one rank's program: sets its variables, keeps its output, reports its end."""

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

from diamond.launchers.ranks.cpu_binding import bind_rank
from diamond.launchers.ranks.memory_kills import memory_kills
from diamond.launchers.ranks.node_sampling import sampled
from diamond.launchers.ranks.output_tee import OutputTee
from diamond.launchers.ranks.pilot_share import keep_to_share, own_share
from diamond.launchers.ranks.rank_contact import RankContact, seconds_to_next_look
from diamond.launchers.ranks.rank_files import CONTINUE, RankFiles
from diamond.launchers.ranks.signal_pipe import SignalPipe
from diamond.launchers.ranks.variables import (
    interface_variables,
    rank_variables,
    tensorflow_variables,
)
from diamond.launchers.starters.base import END_NOW, FORWARDED_SIGNALS
from diamond.launchers.starters.identity import Identity, own_identity

BEAT_SECONDS = 15.0
PATIENCE_SECONDS = 5.0
"""Between the request to end, after another rank has failed, and the kill."""
TEARDOWN_SECONDS = 20.0
"""How long a rank that was aborted as it shut down waits for the others to end well."""
DRAIN_SECONDS = 0.5
"""How long to wait for output of processes that the program has left behind."""
ONCE_SECONDS = 5.0
"""The same signal may arrive by several routes; the program gets it once."""


def run_rank(command: List[str]) -> int:
    """Run the program to its end. The launcher gets 0 for 75: the exit file has it, and nothing has failed."""
    me, files = own_identity(), RankFiles(Path(os.environ["DIAMOND_RANKS"]).parent)
    os.environ.update(rank_variables(me, os.environ))
    os.environ.update(interface_variables(os.environ, os.uname().nodename))
    os.environ["DIAMOND_NODE_RANK"] = str(me.node_rank)
    os.environ["DIAMOND_STEP_FILE"] = str(files.step_file(me.rank))
    _bind(me)
    rank = Rank(me, files)
    try:
        claim = _exchange_addresses(me)
    except OSError as error:
        return rank.give_up(f"the ranks cannot exchange their addresses: {error}", 1)
    with claim or contextlib.nullcontext(), sampled(me, files):
        code, number = rank.run(command)
    if number == signal.SIGABRT and _is_end_of_work(me, files):
        return 0
    if number:
        return 128 + number
    return 0 if code == CONTINUE else code


def _bind(me: Identity) -> None:
    """Inside a pilot, within what the execution has of this node."""
    share = own_share(os.environ, me.node)
    if share is not None:
        os.environ.update(keep_to_share(share))
    bind_rank(
        me.local_rank, me.local_world_size, os.environ, own=share.cores if share is not None else ()
    )


def _is_end_of_work(me: Identity, files: RankFiles) -> bool:
    """Whether an abort came after the work, so that the launcher must not end the others for it."""
    own = files.endings().get(me.rank)
    if own is None or not own.is_teardown_abort or own.was_asked:
        return False
    return files.others_end_well(me.rank, me.world_size, TEARDOWN_SECONDS)


def _exchange_addresses(me: Identity) -> Optional[socket.socket]:
    """For TensorFlow: a port of this node, made known to all ranks. No other job takes it while the result is open."""
    ticket = os.environ.get("DIAMOND_ADDRESS_EXCHANGE")
    if ticket is None:
        return None
    from diamond.launchers.ranks.address_exchange import exchange_addresses
    from diamond.launchers.ranks.ports import reserve_port

    port, claim = reserve_port(f"{os.environ.get('DIAMOND_ATTEMPT', '')}.{me.rank}")
    workers = exchange_addresses(os.environ["MASTER_ADDR"], ticket, me.rank, port)
    os.environ.update(tensorflow_variables(me.rank, workers))
    return claim


def run_rank_of_launcher(command: List[str]) -> int:
    """Started instead of Python: with Python's arguments, or with `--program` and a command."""
    if command[:1] == ["--program"]:
        return run_rank(command[1:])
    return run_rank([_python_of(os.getppid()), *command])


def _python_of(pid: int) -> str:
    """By the name it was called: only so does a virtual environment's Python find its packages."""
    return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode()


class Rank:
    def __init__(self, me: Identity, files: RankFiles) -> None:
        self._me, self._files = me, files
        self._child: Optional[subprocess.Popen[bytes]] = None
        self._passed_at: Dict[int, float] = {}
        self._early: List[int] = []
        self._kill_at: Optional[float] = None
        self._kills_before = memory_kills()
        self._contact: Optional[RankContact] = None

    def run(self, command: List[str]) -> tuple[int, int]:
        """The program's exit code, and the signal that ended it or 0."""
        signals = SignalPipe()
        for number in FORWARDED_SIGNALS:
            signal.signal(number, self._receive)
        self._files.write_start(self._me.rank, self._me.node)
        try:
            self._child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                preexec_fn=_own_group,
            )
        except OSError as error:
            os.write(2, f"diamond: {command[0]} cannot be started: {error.strerror}\n".encode())
            return self._report(127, 0)
        for early in self._early:
            self._pass_on(early)
        if self._me.world_size > 1:
            self._contact = RankContact(self._child.pid, int(os.environ.get("MASTER_PORT", "0")))
        self._watch(self._child, signals)
        status = self._child.wait()
        return self._report(max(status, 0), max(-status, 0))

    def give_up(self, message: str, code: int) -> int:
        """Without having started the program."""
        self._files.write_start(self._me.rank, self._me.node)
        os.write(2, f"diamond: {message}\n".encode())
        return self._report(code, 0)[0]

    def _receive(self, number: int, frame: Optional[FrameType]) -> None:
        if self._child is None:
            self._early.append(number)
        elif time.monotonic() - self._passed_at.get(number, float("-inf")) > ONCE_SECONDS:
            self._pass_on(number)

    def _pass_on(self, number: int) -> None:
        self._passed_at[number] = time.monotonic()
        self._signal(signal.SIGKILL if number == END_NOW else number)
        if number == signal.SIGTERM and self._files.must_end():
            self._kill_at = time.monotonic() + PATIENCE_SECONDS

    def _signal(self, number: int) -> None:
        if self._child is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._child.pid, number)

    def _watch(self, child: subprocess.Popen[bytes], signals: SignalPipe) -> None:
        tees = self._tees(child)
        began = time.monotonic()
        beat_at, look_at = 0.0, began + 1.0
        ended_at: Optional[float] = None
        while True:
            now = time.monotonic()
            if now >= beat_at:
                self._files.beat(self._me.rank)
                beat_at = now + BEAT_SECONDS
            if self._contact is not None and now >= look_at and ended_at is None:
                self._contact.look()
                look_at = now + seconds_to_next_look(now - began)
            if self._kill_at is not None and now >= self._kill_at:
                self._signal(signal.SIGKILL)
            if child.poll() is not None and ended_at is None:
                ended_at = now
            if ended_at is not None and (not tees or now - ended_at > DRAIN_SECONDS):
                break
            idle = self._contact is None or self._contact.is_connected
            next_at = beat_at if idle else min(beat_at, look_at)
            tees = _copy(tees, signals, _pause(next_at - now, ended_at, self._kill_at))
        for tee in tees:
            tee.close()

    def _tees(self, child: subprocess.Popen[bytes]) -> List[OutputTee]:
        tag = f"[{self._me.rank}] ".encode() if self._me.rank else b""
        pairs = ((child.stdout, "stdout", 1), (child.stderr, "stderr", 2))
        return [
            _open_tee(pipe, self._files.log(self._me.rank, name), merged, tag)
            for pipe, name, merged in pairs
            if pipe
        ]

    def _report(self, code: int, number: int) -> tuple[int, int]:
        """Written before anything of the program is cleared away: the exit file is what counts."""
        was_asked = not {signal.SIGTERM, signal.SIGINT, END_NOW}.isdisjoint(self._passed_at)
        memory = bool(code or number) and memory_kills() > self._kills_before
        alone = self._contact is not None and self._contact.is_alone
        alone = alone and not self._files.is_connected(self._me.rank)
        self._files.write_exit(
            self._me.rank, code, number, was_asked=was_asked, memory=memory, alone=alone
        )
        self._signal(signal.SIGKILL)
        return code, number


def _open_tee(pipe: IO[bytes], own: Path, merged: int, tag: bytes) -> OutputTee:
    target: Optional[int] = None
    with contextlib.suppress(OSError):
        target = os.open(str(own), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    return OutputTee(pipe.fileno(), target, merged, tag)


def _copy(tees: List[OutputTee], signals: SignalPipe, seconds: float) -> List[OutputTee]:
    """Wait for output or a signal; returns the streams that are still open."""
    ready = signals.wait(seconds, [tee.source for tee in tees])
    still_open = []
    for tee in tees:
        if tee.source in ready and not tee.copy():
            tee.close()
        else:
            still_open.append(tee)
    return still_open


def _pause(until_beat: float, ended_at: Optional[float], kill_at: Optional[float]) -> float:
    if ended_at is not None:
        return 0.05
    return max(0.0, min(until_beat, 0.5) if kill_at is not None else until_beat)


def _own_group() -> None:
    """So that a signal reaches all processes of the program, and the shim survives it."""
    os.setpgid(0, 0)
