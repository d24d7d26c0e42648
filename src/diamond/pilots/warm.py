"""Warm Pythons on one node: short programs of one environment share what they import, and nothing else.

For each kind of program (its Python, its variables, what it imports, how many cores) one process has
imported everything already and forks for each program (`warm_server.py`). A crash ends that program alone. If no warm Python is
ready in time, the program starts as usual.
"""

from __future__ import annotations

import array
import ast
import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Dict, FrozenSet, List, Mapping, Optional, Sequence, Tuple

from diamond.launchers.ranks.pilot_share import VISIBLE_GPUS
from diamond.pilots.lean import Prepared
from diamond.pilots.processes import MARK

SERVER = str(Path(__file__).with_name("warm_server.py"))
STAGES = "diamond.training.stages"
FOR_STAGES = ("diamond.training.context",)
"""What runs a function as a stage, and what that imports; itself it is run, not imported."""
MOST_WARM = 4
"""On one node; the one that was used longest ago goes first."""
WARM_SECONDS = 120.0
"""How long the imports may take; then programs are started without them."""
IDLE_SECONDS = 60.0
ANSWER_SECONDS = 5.0
MOST_FILES, MOST_BYTES = 20, 1 << 18
"""Of a program's own code that are searched for imports."""
_PLAIN_LINE = re.compile(r"[A-Za-z0-9_./:,%+@= -]+")
_STDLIB: FrozenSet[str] = frozenset(getattr(sys, "stdlib_module_names", ()))
_PER_RUN = "DIAMOND_"


@dataclass(frozen=True)
class Kind:
    """Programs that may share a warm Python."""

    python: str
    modules: FrozenSet[str]
    variables: FrozenSet[Tuple[str, str]]
    cores: int


@dataclass
class WarmProcess:
    """A program that a warm Python became; as much of `Popen` as its runner needs."""

    pid: int
    returncode: Optional[int] = None


@dataclass
class _Server:
    process: subprocess.Popen[bytes]
    link: socket.socket
    until: float
    used_at: float
    is_ready: bool = False


@dataclass
class WarmPythons:
    _servers: Dict[Kind, _Server] = field(default_factory=dict)
    _failed: Dict[Kind, float] = field(default_factory=dict)
    """Kinds whose Python did not come up: none is tried again."""

    @property
    def pids(self) -> List[int]:
        return [each.process.pid for each in self._servers.values()]

    @property
    def coming(self) -> Dict[int, Kind]:
        """Those that are not ready yet, by the descriptor that says so."""
        return {
            each.link.fileno(): kind for kind, each in self._servers.items() if not each.is_ready
        }

    @property
    def due(self) -> Optional[float]:
        """When `time_passed` has something to do."""
        ends = [
            each.used_at + IDLE_SECONDS if each.is_ready else each.until
            for each in self._servers.values()
        ]
        return min(ends, default=None)

    def is_ready(self, kind: Kind) -> bool:
        return kind in self._servers and self._servers[kind].is_ready

    def is_coming(self, kind: Kind) -> bool:
        return kind in self._servers and not self._servers[kind].is_ready

    def prepare(self, kind: Kind, cores: List[int]) -> bool:
        """Start one if there is none. False: there will be none."""
        if kind in self._failed:
            return False
        if kind in self._servers:
            return True
        self._make_room()
        ours, theirs = socket.socketpair()
        try:
            allowed = os.sched_getaffinity(0)
            if cores:
                os.sched_setaffinity(0, cores)  # libraries count cores as they are loaded
            try:
                process = _start_server(kind, theirs)
            finally:
                os.sched_setaffinity(0, allowed)
        except OSError:
            ours.close()
            self._failed[kind] = time.monotonic()
            return False
        finally:
            theirs.close()
        now = time.monotonic()
        self._servers[kind] = _Server(process, ours, now + WARM_SECONDS, now)
        return True

    def heard(self, kind: Kind) -> None:
        """It has done its imports, or has ended."""
        server = self._servers[kind]
        with contextlib.suppress(OSError):
            if server.link.recv(1):
                server.is_ready, server.used_at = True, time.monotonic()
                server.link.settimeout(ANSWER_SECONDS)
                return
        self._give_up(kind)

    def start(
        self, kind: Kind, words: List[str], ready: Prepared, null: int, cores: List[int]
    ) -> Optional[WarmProcess]:
        """None: it could not, and nothing was started. The child begins only once its id is known here."""
        server = self._servers[kind]
        server.used_at = time.monotonic()
        asked = {
            "words": words,
            "folder": ready.folder,
            "environment": ready.environment,
            "cores": cores,
        }
        text = json.dumps(asked).encode()
        reader, writer = os.pipe()
        try:
            given = array.array("i", [ready.out, ready.err, null, reader])
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, given)]
            server.link.sendmsg([len(text).to_bytes(8, "big")], rights)
            server.link.sendall(text)
            answer = server.link.recv(32)
            if not answer.endswith(b"\n"):
                raise OSError("it has ended")
            pid = int(answer)
            os.write(writer, b"1")
        except (OSError, ValueError):
            self._give_up(kind)
            return None
        finally:
            os.close(reader)
            os.close(writer)
        return WarmProcess(pid)

    def time_passed(self, now: float) -> None:
        for kind, server in list(self._servers.items()):
            if not server.is_ready and now >= server.until:
                self._give_up(kind)
            elif server.is_ready and now >= server.used_at + IDLE_SECONDS:
                self._end(kind)

    def ended(self, pid: int, status: int) -> None:
        """The runner has reaped a process that is none of its programs."""
        for kind, server in list(self._servers.items()):
            if server.process.pid == pid:
                server.process.returncode = os.waitstatus_to_exitcode(status)
                self._give_up(kind)

    def _make_room(self) -> None:
        ready = [kind for kind, server in self._servers.items() if server.is_ready]
        if len(self._servers) >= MOST_WARM and ready:
            self._end(min(ready, key=lambda kind: self._servers[kind].used_at))

    def _give_up(self, kind: Kind) -> None:
        self._failed[kind] = time.monotonic()
        self._end(kind)

    def _end(self, kind: Kind) -> None:
        """It ends with its link; one that hangs is killed. The runner reaps it."""
        server = self._servers.pop(kind)
        server.link.close()
        with contextlib.suppress(OSError):
            if server.process.returncode is None:
                os.kill(server.process.pid, 9)


def _start_server(kind: Kind, link: socket.socket) -> subprocess.Popen[bytes]:
    words = [kind.python, SERVER, str(link.fileno()), json.dumps(sorted(kind.modules))]
    return subprocess.Popen(
        words,
        env={**dict(kind.variables), MARK: "warm"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[link.fileno()],
        start_new_session=True,
    )


def kind_of(
    call: List[str], environment: Mapping[str, str], folder: str, cores: List[int]
) -> Optional[Kind]:
    """Of a call of Python. None where a warm one would save nothing, as the program imports no package."""
    python = shutil.which(call[0], path=environment.get("PATH", ""))
    modules = _imports(call[1:], Path(folder))
    if python is None or not modules:
        return None
    own = {*VISIBLE_GPUS, "PWD", MARK}
    variables = frozenset(
        (name, value)
        for name, value in environment.items()
        if name not in own and not name.startswith(_PER_RUN)
    )
    return Kind(python, modules, variables, len(cores))


def _imports(words: List[str], folder: Path) -> FrozenSet[str]:
    """What the program's own files import at their top level, but for files of its own."""
    is_stage = words[:2] == ["-m", STAGES]
    first = folder / words[0]
    if words[0] == "-m":
        module = words[2].partition(":")[0] if is_stage and len(words) > 2 else words[1]
        first = folder / (module.replace(".", "/") + ".py")
    base = folder if words[0] == "-m" else first.parent
    found, left, seen = set(FOR_STAGES if is_stage else ()), [first], {first}
    for _ in range(MOST_FILES):
        for name in _names_in(left.pop()) if left else ():
            path, top = base / name.replace(".", "/"), base / name.partition(".")[0]
            own = {path.with_name(f"{path.name}.py"), path / "__init__.py"} - seen
            left += [each for each in own if each.is_file()]
            seen |= own
            if not (top.exists() or top.with_name(f"{top.name}.py").exists()):
                found.add(name)
    return frozenset(each for each in found if each.partition(".")[0] not in _STDLIB)


def _names_in(file: Path) -> Tuple[str, ...]:
    try:
        with file.open("rb") as opened:
            return _names_of(opened.read(MOST_BYTES))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return ()


@lru_cache(maxsize=64)
def _names_of(text: bytes) -> Tuple[str, ...]:
    """Steps of one stage have copies of the same files."""
    names: List[str] = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.Import):
            names += [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.append(node.module)
    return tuple(names)


def python_call(words: Sequence[str], line: str) -> List[str]:
    """The words of a call of Python, which may be started warm; empty for any other program.

    A line counts where it is nothing but such a call: with a quote, a variable or another command it is bash's.
    """
    call = list(words) if words else line.split() if _PLAIN_LINE.fullmatch(line.strip()) else []
    is_python = len(call) > 1 and call[0] in ("python", "python3")
    is_call = is_python and ((call[1] == "-m" and len(call) > 2) or call[1].endswith(".py"))
    return call if is_call else []
