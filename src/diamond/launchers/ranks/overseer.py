"""The overseer: on the first node, starts all ranks, watches them, names the one that failed, and returns the run's exit code."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Dict, List, Mapping, NamedTuple, Optional

from diamond.launchers.ranks.address_exchange import AddressExchange
from diamond.launchers.ranks.event_files import EventFiles, size_of
from diamond.launchers.ranks.hang_detection import (
    LATE_SECONDS,
    SETTLING_SECONDS,
    ProgressMonitor,
    progress_words,
    silent_rank,
    slowest,
)
from diamond.launchers.ranks.node_address import own_address
from diamond.launchers.ranks.ports import reserve_port
from diamond.launchers.ranks.rank_files import RankFiles, written_at
from diamond.launchers.ranks.signal_pipe import SignalPipe
from diamond.launchers.ranks.variables import launcher_variables, open_mpi_variables
from diamond.launchers.ranks.verdict import Verdict, hung, judge
from diamond.launchers.starters.base import END_NOW, Starter, send_signal
from diamond.launchers.starters.identity import node_name, without_identity
from diamond.launchers.starters.plan import LaunchPlan, read_plan
from diamond.launchers.starters.registry import choose_starter, starting_command

CHECK_SECONDS = 10.0
EXIT_FILE_SECONDS = 5.0
"""How long a rank's exit file may take to appear on a shared file system once the launcher has ended."""
GOOD_EXIT_FILE_SECONDS = 75.0
"""The same if the launcher succeeded: NFS may hide a new name for a minute, and a failure should be reported at once."""
KILL_SECONDS = 10.0


def oversee(plan_file: str) -> int:
    """Start the ranks of a plan and wait for their end."""
    plan = read_plan(plan_file)
    files = RankFiles(Path(os.environ["DIAMOND_METRICS"]).parent)
    files.folder.mkdir(exist_ok=True)
    verdict = Overseer(plan, files).run()
    if verdict.culprit is not None:
        _write_culprit(files.run_folder, verdict)
        _say(verdict.culprit.message)
    if verdict.warning:
        _write_warning(files.run_folder, verdict.warning)
    for sentence in filter(None, (verdict.note, verdict.warning)):
        _say(sentence)
    return verdict.code


class Started(NamedTuple):
    """The ranks, once they are on their way."""

    starter: Starter
    process: subprocess.Popen[bytes]

    def signal(self, number: int) -> None:
        self.starter.signal(self.process, number)


class Overseer:
    def __init__(self, plan: LaunchPlan, files: RankFiles) -> None:
        self._plan, self._files = plan, files
        self._progress = ProgressMonitor(plan.hang_seconds)
        self._started: Optional[Started] = None
        self._received: List[int] = []
        self._checked_at, self._settled_at = time.monotonic(), 0.0
        self._sizes: List[int] = []
        run_dir = Path(os.environ.get("DIAMOND_RUN_DIR", "."))
        self._events = EventFiles(run_dir, files.run_folder / "started")
        self._exchange = AddressExchange(plan.ranks) if plan.kind == "tensorflow" else None

    def run(self) -> Verdict:
        signals = SignalPipe()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2, END_NOW):
            signal.signal(number, self._receive)
        try:
            reserved = reserve_port(_seed(os.environ))
            started = self._start(choose_starter(self._plan), reserved.port)
        except (OSError, LookupError) as error:
            _say(f"the ranks cannot be started: {error}")
            return Verdict(127)
        self._started = started
        for early in self._received:
            started.signal(early)
        with reserved.claim:
            return self._watch(started, signals)

    def _start(self, starter: Starter, port: int) -> Started:
        process = subprocess.Popen(
            starting_command(self._plan, starter),
            env=self._variables(starter, port),
            start_new_session=True,
        )
        return Started(starter, process)

    def _variables(self, starter: Starter, port: int) -> Dict[str, str]:
        variables = shared_variables(self._plan, self._files, os.environ, port)
        if self._exchange is not None:
            variables["DIAMOND_ADDRESS_EXCHANGE"] = self._exchange.ticket
        if (
            self._plan.binds
            and _binds(self._plan, starter)
            and os.environ.get("DIAMOND_BIND") != "none"
        ):
            variables["DIAMOND_BIND_CPUS"] = str(self._plan.cpus_per_rank)
        return variables

    def _watch(self, started: Started, signals: SignalPipe) -> Verdict:
        interval = min(CHECK_SECONDS, self._plan.hang_seconds / 4 or CHECK_SECONDS)
        self._checked_at = time.monotonic()
        check_at = self._checked_at + interval
        sockets = [self._exchange.fileno()] if self._exchange is not None else []
        while started.process.poll() is None:
            if signals.wait(check_at - time.monotonic(), sockets) and self._exchange is not None:
                self._exchange.accept()
            if time.monotonic() < check_at:
                continue
            stuck, check_at = self._check(interval), time.monotonic() + interval
            if stuck is not None:
                self._end(started.process)
                return stuck
        return self._judge(started)

    def _judge(self, started: Started) -> Verdict:
        """Exit files may come late; only those of ranks that have started are waited for."""
        status = started.process.returncode
        launcher = status if status >= 0 else 128 - status
        until = time.monotonic() + (EXIT_FILE_SECONDS if launcher else GOOD_EXIT_FILE_SECONDS)
        while self._files.unended() and time.monotonic() < until:
            time.sleep(0.1)
        lines = self._files.merged_lines("stderr")
        return judge(
            self._files.endings(),
            self._files.unended(),
            expected=self._plan.ranks,
            launcher=launcher,
            asked=self._is_asked_to_end,
            memory_killed=any(map(started.starter.reports_memory_kill, lines)),
        )

    @property
    def _is_asked_to_end(self) -> bool:
        return not {signal.SIGTERM, signal.SIGINT, END_NOW}.isdisjoint(self._received)

    def _check(self, interval: float) -> Optional[Verdict]:
        """After a suspended job or a stalled file system the ranks get time, since the clock ran on meanwhile."""
        now = time.monotonic()
        if now - self._checked_at > interval + LATE_SECONDS:
            self._progress.resume(now)
            self._settled_at = now + SETTLING_SECONDS
        self._checked_at = now
        self._observe(now)
        return None if now < self._settled_at else self._stuck(now)

    def _stuck(self, now: float) -> Optional[Verdict]:
        starts = self._files.starts()
        open_ranks = set(starts) - set(self._files.endings())
        beats = {rank: at for rank, at in self._files.beats().items() if rank in open_ranks}
        silent = silent_rank(beats)
        if silent is not None:
            node = starts[silent].node
            message = (
                f"rank {silent} on {node} has sent no heartbeat for minutes, while others have"
            )
            return hung(silent, node, message, lost=True)
        silence = self._progress.silent_for(now)
        return None if silence is None else self._hung(silence)

    def _hung(self, silence: float) -> Verdict:
        steps, starts = self._files.steps(), self._files.starts()
        rank = slowest(steps)
        message = f"no rank has logged a step or written a line for {silence:.0f} s"
        if rank is None or rank not in starts:
            return hung(-1, "", message + progress_words(steps, len(starts)))
        node = starts[rank].node
        behind = (
            f"rank {rank} on {node} is at step {steps[rank]}, the others at {max(steps.values())}"
        )
        lines = "\n".join(self._files.last_lines(rank, 6))
        return hung(rank, node, f"{message}; {behind}" + (lines and f". Its last lines:\n{lines}"))

    def _observe(self, now: float) -> None:
        """Signs of progress: a step, or a line once there were steps. TensorBoard's files count only where no step is
        reported otherwise; then a line only shows that something is done.
        """
        steps = self._files.steps()
        metrics = written_at(self._files.run_folder / "metrics.jsonl")
        has_steps = bool(steps) or metrics is not None
        events = None if has_steps else self._events.sizes(now)
        if not has_steps and events is None:
            return
        sizes = [size_of(self._files.run_folder / name) for name in ("stdout.log", "stderr.log")]
        if has_steps:
            self._progress.seen((metrics, sorted(steps.items()), sizes), now)
            return
        self._progress.seen(events, now, in_bulk=True)
        if sizes != self._sizes:
            self._progress.active(now)
        self._sizes = sizes

    def _receive(self, number: int, frame: Optional[FrameType]) -> None:
        self._received.append(number)
        if self._started is not None:
            self._started.signal(number)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        self._files.write_end()
        send_signal(process, signal.SIGTERM)
        try:
            process.wait(KILL_SECONDS)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def _seed(given: Mapping[str, str]) -> str:
    return given.get("DIAMOND_ATTEMPT", "") + given.get("DIAMOND_RUN", "")


def shared_variables(
    plan: LaunchPlan, files: RankFiles, given: Mapping[str, str], port: int
) -> Dict[str, str]:
    """The variables that are the same for all ranks. What the user has set wins where it does no harm."""
    variables = without_identity(given)
    names = [node_name(given), os.uname().nodename]
    variables.update(
        MASTER_ADDR=own_address(names, plan.interface, alone=plan.nodes == 1),
        MASTER_PORT=str(port),
        DIAMOND_RANKS=str(files.folder),
        DIAMOND_LAUNCH=plan.kind,
        DIAMOND_NODES=str(plan.nodes),
        DIAMOND_RANKS_PER_NODE=str(plan.ranks_per_node),
        DIAMOND_RANK_PYTHON=plan.rank_python,
    )
    if plan.is_per_node:
        variables.update(launcher_variables(variables))
    if plan.interface:
        for name in ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME"):
            variables.setdefault(name, plan.interface)
    if plan.kind == "mpi":
        host = os.uname().nodename
        variables.update(open_mpi_variables(variables, host, interface=plan.interface))
    for name, value in _defaults(plan).items():
        variables.setdefault(name, value)
    return variables


def _binds(plan: LaunchPlan, starter: Starter) -> bool:
    """To a starter that gives cores, what torchrun, accelerate or mpirun start on a node is a single process."""
    return plan.is_per_node or plan.kind == "mpi" or not starter.gives_cores


def _defaults(plan: LaunchPlan) -> Dict[str, str]:
    defaults = {"OMP_NUM_THREADS": str(plan.cpus_per_rank), "NCCL_DEBUG": "WARN"}
    if plan.kind == "tensorflow":
        defaults["TF_FORCE_GPU_ALLOW_GROWTH"] = "true"
    return defaults


def _write_culprit(folder: Path, verdict: Verdict) -> None:
    assert verdict.culprit is not None
    with contextlib.suppress(OSError):
        (folder / "culprit.json").write_text(json.dumps(verdict.culprit.data()) + "\n")


def _write_warning(folder: Path, message: str) -> None:
    with contextlib.suppress(OSError):
        (folder / "warning.json").write_text(json.dumps({"message": message}) + "\n")


def _say(message: str) -> None:
    print(f"diamond: {message}", file=sys.stderr, flush=True)
