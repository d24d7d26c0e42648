"""Starts, watches and ends the programs of a pilot on one node: one thread, one process, nothing but the standard library.

JSON lines come in at standard input and go out at standard output. An end of the input means that the engine is gone: then
everything here is killed. The process adopts what its programs leave behind (PR_SET_CHILD_SUBREAPER), so that nothing escapes.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import time
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Set, Tuple, Union

from diamond.launchers.ranks.pilot_share import VISIBLE_GPUS
from diamond.launchers.starters.identity import cpus_on_node
from diamond.pilots.journal import CANCELLED, EXIT, TIME_LIMIT
from diamond.pilots.lean import TURNED_AWAY, LeanRun, Prepared, TurnedAway
from diamond.pilots.processes import (
    MARK,
    adopt_orphans,
    children,
    kill_all,
    kill_together,
    mark_of,
    processes,
    send,
)
from diamond.pilots.warm import Kind, WarmProcess, WarmPythons, kind_of

KILL_SECONDS = 5.0
"""Between SIGTERM and SIGKILL."""
LIMIT_SECONDS = 10.0
"""The same at the time limit, where the program may still save."""
NOT_STARTED = 127


@dataclass
class Program:
    """One that runs."""

    id: str
    process: Union[subprocess.Popen[bytes], WarmProcess]
    mark: str
    limit_at: float
    lean: Optional[LeanRun] = None
    cause: str = ""
    kill_at: Optional[float] = None


class NodeRunner:
    """`own`: variables that name this very node. The rest of what programs inherit comes with the first line of input."""

    def __init__(self, own: Mapping[str, str]) -> None:
        self._own = dict(own)
        self._host = own.get("HOSTNAME", os.uname().nodename)
        self._base: Dict[str, str] = {}
        self._programs: Dict[int, Program] = {}
        self._by_id: Dict[str, Program] = {}
        self._held: Dict[str, Mapping[str, Any]] = {}
        """Those that begin when another ends."""
        self._next: Dict[str, str] = {}
        self._warm = WarmPythons()
        self._warming: Dict[str, Tuple[Mapping[str, Any], Kind]] = {}
        """Those that begin when a warm Python has done its imports."""
        self._is_closing = False
        self._input = b""
        self._allowed = self._bound = os.sched_getaffinity(0)
        self._happened: List[Dict[str, Any]] = []
        self._null = os.open(os.devnull, os.O_RDONLY)

    def run(self) -> None:
        wake = _wake_on_signals()
        adopt_orphans()
        while self._step(wake):
            pass
        self._end_all()

    def _step(self, wake: int) -> bool:
        """False once the engine is gone."""
        coming = self._warm.coming
        ready, _, _ = select.select([0, wake, *coming], [], [], self._pause())
        if wake in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(wake, 4096)
        if 0 in ready and not self._read():
            return False
        for each in set(ready).intersection(coming):
            self._warm.heard(coming[each])
        self._reap()
        self._time_passed()
        self._begin_warm_ones()
        return self._tell()

    def _pause(self) -> float:
        now = time.monotonic()
        dues = [
            each.limit_at if each.kill_at is None else each.kill_at for each in self._by_id.values()
        ]
        dues += [each.lean.due for each in self._by_id.values() if each.lean is not None]
        dues += [self._warm.due] if self._warm.due is not None else []
        return max(0.0, min([*dues, now + 30.0]) - now)

    def _read(self) -> bool:
        text = os.read(0, 1 << 20)
        *lines, self._input = (self._input + text).split(b"\n")
        for line in lines:
            command = json.loads(line)
            if "environment" in command:
                self._base = {**command["environment"], **self._own}
            elif "start" in command:
                self._start(command["start"])
            elif "close" in command:
                self._is_closing = True
            elif "take_back" in command:
                self._take_back(str(command["take_back"]))
            elif "kill" in command:
                self._kill(str(command["kill"]), bool(command.get("at_once")))
        return bool(text)

    def _start(self, launch: Mapping[str, Any]) -> None:
        name, after = str(launch["id"]), str(launch.get("after", ""))
        if self._knows(name):
            return
        if self._knows(after):
            self._held[name], self._next[after] = launch, name
            return
        kind = self._kind(launch)
        if kind is None or self._warm.is_ready(kind):
            self._begin(launch, kind)
        elif self._warm.prepare(kind, launch["cores"]):
            self._warming[name] = (launch, kind)
        else:
            self._begin(launch, None)

    def _knows(self, name: str) -> bool:
        return name in self._by_id or name in self._held or name in self._warming

    def _kind(self, launch: Mapping[str, Any]) -> Optional[Kind]:
        """Of a program that a warm Python may become."""
        if not launch.get("lean") or not launch["lean"].get("call"):
            return None
        try:
            lean = LeanRun.of(launch, self._host)
            environment = lean.call_environment(self._base)
            return kind_of(lean.call, environment, lean.run_dir, launch["cores"])
        except Exception:  # what is wrong with it is said when it is started
            return None

    def _begin_warm_ones(self) -> None:
        """Those whose Python has done its imports, or will not come."""
        for name, (launch, kind) in list(self._warming.items()):
            if self._warm.is_ready(kind) or not self._warm.is_coming(kind):
                del self._warming[name]
                self._begin(launch, kind)

    def _begin(self, launch: Mapping[str, Any], kind: Optional[Kind]) -> None:
        name = str(launch["id"])
        lean: Optional[LeanRun] = None
        try:
            lean = LeanRun.begin(launch, self._host) if launch.get("lean") else None
            process = self._spawn(launch, lean, kind)
        except TurnedAway as error:
            self._not_started(launch, None, TURNED_AWAY, str(error))
            return
        except Exception as error:
            self._not_started(launch, lean, NOT_STARTED, str(error))
            return
        mark = str(launch["environment"].get(MARK, name))
        program = Program(name, process, mark, time.monotonic() + float(launch["seconds"]), lean)
        self._programs[process.pid] = self._by_id[name] = program
        self._happened.append({"begun": name, "at": time.time()})
        if lean is not None:
            lean.started(process.pid)

    def _spawn(
        self, launch: Mapping[str, Any], lean: Optional[LeanRun], kind: Optional[Kind]
    ) -> Union[subprocess.Popen[bytes], WarmProcess]:
        """Bound by the parent's own affinity: a function between fork and exec would cost a slow fork."""
        ready = lean.prepare(self._base) if lean is not None else self._prepare(launch)
        try:
            if lean is not None and kind is not None and self._warm.is_ready(kind):
                warm = ready._replace(environment=lean.call_environment(self._base))
                became = self._warm.start(kind, lean.call[1:], warm, self._null, launch["cores"])
                if became is not None:
                    return became
            self._bind(set(launch["cores"]) or self._allowed)
            return subprocess.Popen(
                ready.words,
                env=ready.environment,
                cwd=ready.folder,
                stdin=self._null,
                stdout=ready.out,
                stderr=ready.err,
                start_new_session=True,
            )
        finally:
            for each in {ready.out, ready.err}:
                os.close(each)

    def _bind(self, cores: Set[int]) -> None:
        """This process stays there until the next start: each move to another core waits for its turn there."""
        if cores != self._bound:
            os.sched_setaffinity(0, cores)
            self._bound = cores

    def _prepare(self, launch: Mapping[str, Any]) -> Prepared:
        folder = str(launch["folder"])
        log = _open_log(f"{folder}/native.log")
        environment = {**self._base, **launch["environment"]}
        return Prepared(list(launch["words"]), folder, environment, log, log)

    def _not_started(
        self, launch: Mapping[str, Any], lean: Optional[LeanRun], code: int, why: str
    ) -> None:
        text = f"diamond: it could not be started: {why}\n"
        if lean is not None:
            lean.failed(text)
            lean.ended(code)
        else:
            with contextlib.suppress(OSError):
                log = _open_log(f"{launch['folder']}/native.log")
                os.write(log, text.encode())
                os.close(log)
        self._say_over(str(launch["id"]), code, EXIT)

    def _kill(self, name: str, at_once: bool) -> None:
        program = self._by_id.get(name)
        if program is not None:
            self._end(program, CANCELLED, 0.0 if at_once else KILL_SECONDS)
        elif self._warming.pop(name, None) or self._unhold(name):
            self._say_over(name, -signal.SIGTERM, CANCELLED)

    def _take_back(self, name: str) -> None:
        if self._unhold(name):
            self._happened.append({"given_back": name})

    def _unhold(self, name: str) -> bool:
        """False if it was not waiting for another. The one behind it moves up."""
        if self._held.pop(name, None) is None:
            return False
        before = next(each for each, after in self._next.items() if after == name)
        del self._next[before]
        if name in self._next:
            self._next[before] = self._next.pop(name)
        return True

    def _say_over(self, name: str, code: int, reason: str) -> None:
        """And begin the one that waits for it."""
        self._happened.append({"over": name, "code": code, "reason": reason, "at": time.time()})
        after = self._next.pop(name, "")
        if after:
            self._start(self._held.pop(after))

    def _end(self, program: Program, cause: str, seconds: float) -> None:
        program.cause = program.cause or cause
        due = time.monotonic() + seconds
        program.kill_at = due if program.kill_at is None else min(program.kill_at, due)
        for pid in self._members({program.mark}, {program.process.pid}):
            send(pid, signal.SIGCONT)
            send(pid, signal.SIGTERM)

    def _time_passed(self) -> None:
        now = time.monotonic()
        for program in list(self._by_id.values()):
            if program.kill_at is not None and now >= program.kill_at:
                program.kill_at = now + 1.0
                kill_together(self._members({program.mark}, {program.process.pid}))
            elif program.kill_at is None and now >= program.limit_at:
                self._end(program, TIME_LIMIT, LIMIT_SECONDS)
            if program.lean is not None:
                program.lean.time_passed(now)
        self._warm.time_passed(now)

    def _reap(self) -> None:
        over: List[Tuple[Program, int]] = []
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            program = self._programs.pop(pid, None)
            if program is None:
                self._warm.ended(pid, status)
            else:
                code = os.waitstatus_to_exitcode(status)
                program.process.returncode = code
                over.append((program, code))
        if over:
            self._sweep(over)
        for program, code in over:
            del self._by_id[program.id]
            if program.lean is not None:
                program.lean.ended(code)
            self._say_over(program.id, code, program.cause or EXIT)

    def _sweep(self, over: List[Tuple[Program, int]]) -> None:
        """Nothing of a program outlives it. What it left is our own child by now; without any, no list is read."""
        for _ in range(50):
            if not self._strays():
                return
            marks = {program.mark for program, _ in over}
            left = self._members(marks, {program.process.pid for program, _ in over})
            if not left:
                return
            kill_together(left)
            time.sleep(0.01)
            self._reap_strays()

    def _reap_strays(self) -> None:
        for pid in self._strays():
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)

    def _strays(self) -> Set[int]:
        return children() - set(self._programs) - set(self._warm.pids)

    def _members(self, marks: Set[str], roots: Set[int]) -> List[int]:
        """All processes of these executions, also those that left their session."""
        parents, sessions = processes()
        mine = set(roots)
        grown = True
        while grown:
            more = {pid for pid, parent in parents.items() if parent in mine} - mine
            grown = bool(more)
            mine |= more
        mine |= {pid for pid, session in sessions.items() if session in roots}
        strays = {pid for pid, parent in parents.items() if parent == os.getpid()} - mine
        mine |= {pid for pid in strays - set(self._programs) if mark_of(pid) in marks}
        return sorted(pid for pid in mine if pid in parents and pid != os.getpid())

    def _tell(self) -> bool:
        """False if nobody listens."""
        if not self._happened:
            return True
        text = "".join(json.dumps(each) + "\n" for each in self._happened).encode()
        self._happened = []
        try:
            view = memoryview(text)
            while view:
                view = view[os.write(1, view) :]
        except OSError:
            return False
        return True

    def _end_all(self) -> None:
        """Asked to close: SIGTERM, a moment, SIGKILL, so that a batch script still says how its program ended. An engine that
        is simply gone has been given up already, and others may begin in the place of what runs here: SIGKILL."""
        self._held, self._next, self._warming = {}, {}, {}
        if self._is_closing:
            for program in self._by_id.values():
                self._end(program, CANCELLED, 2.0)
            until = time.monotonic() + 4.0
            while self._by_id and time.monotonic() < until:
                time.sleep(0.02)
                self._reap()
                self._time_passed()
        kill_all()


def _open_log(path: str) -> int:
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)


def _wake_on_signals() -> int:
    reader, writer = os.pipe()
    for end in (reader, writer):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        # The engine says when it ends. What is ignored would stay so in every program.
        signal.signal(number, lambda *_: None)
    return reader


def run_node(name: str, *, cores: int, memory_mb: int, gpus: int) -> int:
    """Until the input ends."""
    here = describe_node(name, cores=cores, memory_mb=memory_mb, gpus=gpus)
    os.write(1, (json.dumps({"node": here}) + "\n").encode())
    NodeRunner({"HOSTNAME": name}).run()
    return 0


def describe_node(name: str, *, cores: int, memory_mb: int, gpus: int) -> Dict[str, Any]:
    """What this node offers the pilot, as its batch system bounds it; asked are `cores`, `memory_mb` and `gpus`."""
    allowed = sorted(os.sched_getaffinity(0))
    jobs_own = max(cpus_on_node(os.environ), cores)
    is_bound = cores <= len(allowed) <= jobs_own
    return {
        "name": name,
        "cores": allowed if is_bound else list(range(cores or len(allowed))),
        "memory_mb": memory_mb,
        "gpus": own_gpus(os.environ, gpus),
        "is_bound": is_bound,
    }


def own_gpus(environment: Mapping[str, str], asked: int) -> List[int]:
    """By the indices that the batch system gave the job; where it names them otherwise, counted from 0."""
    for variable in VISIBLE_GPUS:
        named = [each for each in environment.get(variable, "").split(",") if each.strip()]
        if named:
            return [int(each) if each.isdigit() else index for index, each in enumerate(named)]
    return list(range(asked))
