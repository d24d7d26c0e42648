"""Processes that measure in turn: each once per line it receives, answering with one JSON object of times."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

Times = dict[str, list[float]]


def measure_in_turn(
    module: str, ways: Iterable[str], folder: Path, *, rounds: int, warm_up: int
) -> Times:
    """Round by round, so that a busy minute affects all ways equally; each starts with an idle disk."""
    started = [Way(module, name, folder / name) for name in ways]
    found: Times = {}
    for number in range(rounds + warm_up):
        for way in started:
            for name, values in way.once().items():
                found.setdefault(name, []).extend(values if number >= warm_up else [])
    for way in started:
        way.close()
    return found


class Way:
    """One of the processes, as seen from outside: `python -m MODULE WAY --folder F`."""

    def __init__(self, module: str, name: str, folder: Path) -> None:
        folder.mkdir()
        words = [sys.executable, "-m", module, name, "--folder", str(folder)]
        env = {**os.environ, "OMP_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            words, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._answer()

    def once(self) -> Times:
        os.sync()
        assert self._process.stdin is not None
        print("once", file=self._process.stdin, flush=True)
        return self._answer()

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _answer(self) -> Times:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("{"):
                found: Times = json.loads(line)
                return found
        raise RuntimeError(f"a measuring process has ended: {self._process.args!r}")
