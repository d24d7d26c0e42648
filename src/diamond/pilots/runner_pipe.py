"""The node's own process (`node.py`), as its parent holds it: commands go in, what happened comes out, in batches."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Callable, List, Mapping, Sequence

from diamond.pilots.engine import Begun, Event, GivenBack, Over
from diamond.pilots.processes import adopt_orphans, kill_all

MAIN = str(Path(__file__).with_name("__main__.py"))


def own_command(act: str, *words: str) -> List[str]:
    """This program once more, by this very Python. `-E -s`: nothing of the user's is loaded."""
    return [sys.executable, "-E", "-s", MAIN, act, *words]


class RunnerPipe:
    """`report` is called from a thread of its own, with one or more events; `gone` once, when the process has ended and
    nothing that it started is left."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        report: Callable[[List[Mapping[str, Any]]], None],
        gone: Callable[[], None],
    ) -> None:
        self._report, self._gone = report, gone
        self._sending = threading.Lock()
        adopt_orphans()
        self.process = subprocess.Popen(
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        threading.Thread(target=self._listen, name="runner", daemon=True).start()

    def send(self, commands: Sequence[Mapping[str, Any]]) -> None:
        """A process that is gone takes nothing: `gone` is called for it."""
        text = "".join(json.dumps(each) + "\n" for each in commands).encode()
        assert self.process.stdin is not None
        with self._sending:
            try:
                view = memoryview(text)
                while view:
                    view = view[os.write(self.process.stdin.fileno(), view) :]
            except OSError:
                return

    def close(self) -> None:
        """It ends its programs and goes."""
        assert self.process.stdin is not None
        self.send([{"close": True}])
        with self._sending:
            self.process.stdin.close()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        rest = b""
        while True:
            text = os.read(self.process.stdout.fileno(), 1 << 20)
            if not text:
                break
            *lines, rest = (rest + text).split(b"\n")
            if lines:
                self._report([json.loads(line) for line in lines])
        self.process.wait()
        kill_all(only_executions=True)
        self._gone()


def event_of(said: Mapping[str, Any]) -> Event:
    if "begun" in said:
        return Begun(str(said["begun"]), float(said["at"]))
    if "given_back" in said:
        return GivenBack(str(said["given_back"]))
    return Over(str(said["over"]), int(said["code"]), str(said["reason"]), float(said["at"]))
