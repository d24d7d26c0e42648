"""Starts the ranks of one machine that has no batch system; behaves as `srun --kill-on-bad-exit` does."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path
from types import FrameType
from typing import Dict, List, Optional

from diamond.launchers.ranks.identity import Identity, node_name, torch_variables
from diamond.launchers.ranks.marks import Marks
from diamond.launchers.ranks.rank import PASSED_ON


def fork_ranks(count: int, words: List[str]) -> int:
    """Start `count` shims, pass signals on, end all when one fails. The first bad exit code, or 0."""
    ranks: Dict[int, subprocess.Popen[bytes]] = {}
    early: List[int] = []

    def pass_on(number: int, frame: Optional[FrameType]) -> None:
        early.append(number)
        _signal_all(list(ranks.values()), number)

    for number in PASSED_ON:
        signal.signal(number, pass_on)
    for rank in range(count):
        ranks[rank] = subprocess.Popen(words, env=_variables(rank, count))
    for asked in early:
        _signal_all(list(ranks.values()), asked)
    return _wait(list(ranks.values()), early)


def _variables(rank: int, count: int) -> Dict[str, str]:
    me = Identity(rank, count, rank, count, 0, node_name(os.environ))
    return {**os.environ, **torch_variables(me)}


def _wait(left: List[subprocess.Popen[bytes]], asked: List[int]) -> int:
    """`asked`: signals from outside, which leave each rank its own time to end."""
    first_bad = 0
    while left:
        for one in [one for one in left if one.poll() is not None]:
            left.remove(one)
            if one.returncode and not first_bad:
                first_bad = one.returncode if one.returncode > 0 else 128 - one.returncode
                if not asked:
                    Marks(Path(os.environ["DIAMOND_RANKS"]).parent).write_end()
                _signal_all(left, signal.SIGTERM)
        time.sleep(0.02)
    return first_bad


def _signal_all(ranks: List[subprocess.Popen[bytes]], number: int) -> None:
    for one in ranks:
        if one.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                one.send_signal(number)
