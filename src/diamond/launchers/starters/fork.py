"""Starts ranks on the one machine of a job whose batch system has no starter; ends all when one fails, as others do."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from types import FrameType
from typing import TYPE_CHECKING, Callable, Dict, List, Optional

from diamond.launchers.starters.base import FORWARDED_SIGNALS, Starter, send_signal, shim
from diamond.launchers.starters.identity import Identity, node_name, torch_variables
from diamond.launchers.starters.mpirun import Mpirun

if TYPE_CHECKING:
    from diamond.launchers.starters.plan import LaunchPlan


class Fork:
    gives_cores = False

    def command(self, plan: LaunchPlan, program: List[str]) -> List[str]:
        return program if plan.is_per_node else [*shim("fork"), str(plan.ranks), *program]

    def for_mpi(self, wanted: str) -> Starter:
        return Mpirun(self)

    def signal(self, process: subprocess.Popen[bytes], number: int) -> None:
        send_signal(process, number)

    def on_each_node(self, cores: int) -> Dict[str, List[str]]:
        return {node_name(os.environ): []}

    def reports_memory_kill(self, line: str) -> bool:
        return False


def fork_ranks(count: int, command: List[str], on_failure: Callable[[], None]) -> int:
    """Start `count` shims, pass signals on, end all when one fails. The first bad exit code, or 0.

    `on_failure` is called before the others are ended.
    """
    ranks: List[subprocess.Popen[bytes]] = []
    received: List[int] = []

    def pass_on(number: int, frame: Optional[FrameType]) -> None:
        received.append(number)
        _signal_all(ranks, number)

    for number in FORWARDED_SIGNALS:
        signal.signal(number, pass_on)
    for rank in range(count):
        ranks.append(subprocess.Popen(command, env=_variables(rank, count)))
    for early in received:
        _signal_all(ranks, early)
    return _wait(ranks, received, on_failure)


def _variables(rank: int, count: int) -> Dict[str, str]:
    me = Identity(rank, count, rank, count, 0, node_name(os.environ))
    return {**os.environ, **torch_variables(me)}


def _wait(
    ranks: List[subprocess.Popen[bytes]], received: List[int], on_failure: Callable[[], None]
) -> int:
    """`received`: signals from outside, after which each rank has its own time to end."""
    left, first_bad = list(ranks), 0
    while left:
        for ended in [rank for rank in left if rank.poll() is not None]:
            left.remove(ended)
            if ended.returncode and not first_bad:
                first_bad = ended.returncode if ended.returncode > 0 else 128 - ended.returncode
                if not received:
                    on_failure()
                _signal_all(left, signal.SIGTERM)
        time.sleep(0.02)
    return first_bad


def _signal_all(ranks: List[subprocess.Popen[bytes]], number: int) -> None:
    for rank in ranks:
        send_signal(rank, number)
