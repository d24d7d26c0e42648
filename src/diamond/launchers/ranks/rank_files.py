"""The files in which ranks report: `ranks/<rank>.started`, `.heartbeat`, `.step`, `.exit`."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from signal import SIGABRT
from typing import Dict, List, NamedTuple, Optional, Tuple

TEARDOWN_LINE = "terminate called without an active exception"
CONTINUE = 75
"""The exit code by which a program asks to be continued."""


class Start(NamedTuple):
    rank: int
    node: str
    at: float


class Ending(NamedTuple):
    """How one rank's program ended."""

    rank: int
    node: str
    code: int
    signal: int = 0
    at: float = 0.0
    was_asked: bool = False
    """It had been asked to end before."""
    finished: bool = False
    """It had called `training.finish()`."""
    memory: bool = False
    """Meanwhile the kernel had killed a process in its control group because memory ran out."""
    alone: bool = False
    """It had loaded torch or jax and was never seen connected to the other ranks."""
    lines: Tuple[str, ...] = ()
    """The last lines that it wrote."""

    @property
    def is_teardown_abort(self) -> bool:
        """Its program was aborted as its C++ libraries shut down, with threads of gloo still running: Lightning leaves
        them so. Python writes more than this line when it is aborted while it works.
        """
        return self.signal == SIGABRT and self.lines[-1:] == (TEARDOWN_LINE,)

    @property
    def is_good(self) -> bool:
        """A signal after `finish()` comes from libraries that shut down, when all work is done."""
        return self.code in (0, CONTINUE) if not self.signal else self.finished


class RankFiles:
    """Those of one run."""

    def __init__(self, run_folder: Path) -> None:
        self.run_folder = run_folder
        self.folder = run_folder / "ranks"

    def log(self, rank: int, stream: str) -> Path:
        return self.run_folder / f"rank-{rank}.{stream}.log"

    def step_file(self, rank: int) -> Path:
        return self.folder / f"{rank}.step"

    def is_connected(self, rank: int) -> bool:
        """`diamond.frames` says so itself: its ranks meet at ports of their own."""
        return (self.folder / f"{rank}.connected").exists()

    def write_start(self, rank: int, node: str) -> None:
        self._write(f"{rank}.started", f"{node} {os.getpid()} {time.time():.3f}\n")

    def beat(self, rank: int) -> None:
        self._write(f"{rank}.heartbeat", f"{time.time():.3f}\n")

    def write_exit(
        self,
        rank: int,
        code: int,
        signal: int,
        *,
        was_asked: bool,
        memory: bool = False,
        alone: bool = False,
    ) -> None:
        """One line in one write: it counts once its line end is there."""
        values = ["asked" if was_asked else "own"]
        values += ["memory"] if memory else []
        values += ["alone"] if alone else []
        self._write(f"{rank}.exit", f"{code} {signal} {time.time():.3f} {' '.join(values)}\n")

    def starts(self) -> Dict[int, Start]:
        starts = {}
        for rank in self._ranks(".started"):
            values = self._values(f"{rank}.started")
            if len(values) == 3:
                starts[rank] = Start(rank, values[0], float(values[2]))
        return starts

    def endings(self) -> Dict[int, Ending]:
        starts = self.starts()
        endings = {}
        for rank in self._ranks(".exit"):
            values = self._values(f"{rank}.exit")
            if len(values) >= 4:
                node = starts[rank].node if rank in starts else ""
                endings[rank] = self._ending(rank, node, values)
        return endings

    def unended(self) -> Dict[int, Start]:
        """Those that started and left no exit file. On a full disk that file is empty, but it is there."""
        ended = set(self._ranks(".exit"))
        return {rank: start for rank, start in self.starts().items() if rank not in ended}

    def others_end_well(self, rank: int, world_size: int, seconds: float) -> bool:
        """Wait for the ends of all other ranks; False as soon as one is bad, or if some take longer."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            endings = [ending for ending in self.endings().values() if ending.rank != rank]
            if not all(ending.is_good or ending.is_teardown_abort for ending in endings):
                return False
            if len(endings) == world_size - 1:
                return True
            time.sleep(0.2)
        return False

    def write_end(self) -> None:
        """Say that all ranks should end soon."""
        self._write("end", "")

    def must_end(self) -> bool:
        """Whether there is nothing left to wait for: a rank failed by itself, or the overseer says so."""
        if (self.folder / "end").exists():
            return True
        return any(
            not ending.is_good and not ending.was_asked for ending in self.endings().values()
        )

    def beats(self) -> Dict[int, float]:
        """When each rank last wrote its heartbeat, by the clock of the file system."""
        beats = {}
        for rank in self._ranks(".heartbeat"):
            written = written_at(self.folder / f"{rank}.heartbeat")
            if written is not None:
                beats[rank] = written
        return beats

    def steps(self) -> Dict[int, int]:
        """The newest step that each rank has reported."""
        steps = {}
        for rank in self._ranks(".step"):
            values = self._values(f"{rank}.step")
            if values and values[0].lstrip("-").isdigit():
                steps[rank] = int(values[0])
        return steps

    def last_lines(self, rank: int, most: int = 12) -> List[str]:
        for stream in ("stderr", "stdout"):
            lines = _tail(self.log(rank, stream), most)
            if lines:
                return lines
        return []

    def merged_lines(self, stream: str) -> List[str]:
        """The last lines of all ranks, and of what started them."""
        return _tail(self.run_folder / f"{stream}.log", 400, 64 << 10)

    def _ending(self, rank: int, node: str, values: List[str]) -> Ending:
        """Its time is the file system's, because the clocks of nodes differ."""
        finished = (self.run_folder / "finished" / str(rank)).exists()
        at = written_at(self.folder / f"{rank}.exit") or float(values[2])
        ending = Ending(
            rank,
            node,
            code=int(values[0]),
            signal=int(values[1]),
            at=at,
            was_asked=values[3] == "asked",
            finished=finished,
            memory="memory" in values[4:],
            alone="alone" in values[4:],
        )
        if ending.is_good:
            return ending
        return ending._replace(lines=tuple(self.last_lines(rank)))

    def _ranks(self, suffix: str) -> List[int]:
        try:
            names = [name for name in os.listdir(str(self.folder)) if name.endswith(suffix)]  # noqa: PTH208
        except OSError:
            return []
        stems = [name[: -len(suffix)] for name in names]
        return sorted(int(stem) for stem in stems if stem.isdigit())

    def _values(self, name: str) -> List[str]:
        try:
            text = (self.folder / name).read_text()
        except OSError:
            return []
        return text.split() if text.endswith("\n") else []

    def _write(self, name: str, text: str) -> None:
        """A program runs on when the disk is full."""
        with contextlib.suppress(OSError):
            (self.folder / name).write_text(text)


def written_at(path: Path) -> Optional[float]:
    try:
        return path.stat().st_mtime
    except OSError:
        return None


def _tail(path: Path, most: int, size: int = 8 << 10) -> List[str]:
    try:
        with path.open("rb") as source:
            source.seek(max(0, path.stat().st_size - size))
            text = source.read().decode("utf-8", "replace")
    except OSError:
        return []
    return [line.rstrip() for line in text.splitlines() if line.strip()][-most:]
