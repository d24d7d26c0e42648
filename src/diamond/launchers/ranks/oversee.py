"""The overseer: on the first node, starts all ranks, watches them, names who failed, and gives the run's exit code."""

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
from typing import Dict, List, Mapping, Optional

from diamond.launchers.ranks.event_files import EventFiles, size_of
from diamond.launchers.ranks.hanging import (
    LATE_SECONDS,
    SETTLING_SECONDS,
    Pulse,
    silent_rank,
    slowest,
    standing,
)
from diamond.launchers.ranks.identity import node_name, without_identity
from diamond.launchers.ranks.marks import Marks, written_at
from diamond.launchers.ranks.meeting import Meeting
from diamond.launchers.ranks.plan import Plan, read_plan
from diamond.launchers.ranks.ports import reserve_port
from diamond.launchers.ranks.rendezvous import own_address
from diamond.launchers.ranks.starting import starting_words
from diamond.launchers.ranks.variables import launcher_variables
from diamond.launchers.ranks.verdict import Verdict, hung, judge
from diamond.launchers.ranks.waking import Waking

LOOK_SECONDS = 10.0
MARK_SECONDS = 5.0
"""How long a rank's mark may be on its way over a shared file system once its launcher has ended."""
GOOD_MARK_SECONDS = 75.0
"""The same where the launcher says that all went well: NFS may hide a new name for a minute, and nobody waits for bad news."""
KILL_SECONDS = 10.0


def oversee(plan_file: str) -> int:
    """Start the ranks of a plan and wait for their end."""
    plan = read_plan(plan_file)
    marks = Marks(Path(os.environ["DIAMOND_METRICS"]).parent)
    marks.folder.mkdir(exist_ok=True)
    verdict = Overseer(plan, marks).run()
    if verdict.culprit is not None:
        _write_culprit(marks.run_folder, verdict)
        _say(verdict.culprit.message)
    if verdict.note:
        _say(verdict.note)
    return verdict.code


class Overseer:
    def __init__(self, plan: Plan, marks: Marks) -> None:
        self._plan, self._marks = plan, marks
        self._pulse = Pulse(plan.hang_seconds)
        self._starter: Optional[subprocess.Popen[bytes]] = None
        self._asked: List[int] = []
        self._looked_at, self._settled_at = time.monotonic(), 0.0
        self._sizes: List[int] = []
        run_dir = Path(os.environ.get("DIAMOND_RUN_DIR", "."))
        self._events = EventFiles(run_dir, marks.run_folder / "started")
        self._meeting = Meeting(plan.ranks) if plan.kind == "tensorflow" else None

    def run(self) -> Verdict:
        waking = Waking()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2):
            signal.signal(number, self._ask)
        try:
            reserved = reserve_port(_seed(os.environ))
            self._starter = subprocess.Popen(
                starting_words(self._plan),
                env=self._variables(reserved.port),
                start_new_session=True,
            )
        except OSError as error:
            _say(f"the ranks cannot be started: {error}")
            return Verdict(127)
        for asked in self._asked:
            self._pass_on(asked)
        with reserved.claim:
            return self._watch(self._starter, waking)

    def _variables(self, port: int) -> Dict[str, str]:
        found = shared_variables(self._plan, self._marks, os.environ, port)
        if self._meeting is not None:
            found["DIAMOND_MEETING"] = self._meeting.invitation
        return found

    def _watch(self, starter: subprocess.Popen[bytes], waking: Waking) -> Verdict:
        interval = min(LOOK_SECONDS, self._plan.hang_seconds / 4 or LOOK_SECONDS)
        self._looked_at = time.monotonic()
        look_at = self._looked_at + interval
        files = [self._meeting.fileno()] if self._meeting is not None else []
        while starter.poll() is None:
            if waking.wait(look_at - time.monotonic(), files) and self._meeting is not None:
                self._meeting.let_in()
            if time.monotonic() < look_at:
                continue
            stuck, look_at = self._look(interval), time.monotonic() + interval
            if stuck is not None:
                self._end(starter)
                return stuck
        return self._judge(starter.returncode)

    def _judge(self, status: int) -> Verdict:
        """Marks may come late, but only those of ranks that have started are awaited."""
        launcher = status if status >= 0 else 128 - status
        until = time.monotonic() + (MARK_SECONDS if launcher else GOOD_MARK_SECONDS)
        while self._marks.unended() and time.monotonic() < until:
            time.sleep(0.1)
        return judge(
            self._marks.endings(),
            self._marks.unended(),
            expected=self._plan.ranks,
            launcher=launcher,
            asked=self._is_asked_to_end,
            said=self._marks.merged_lines("stderr"),
        )

    @property
    def _is_asked_to_end(self) -> bool:
        return signal.SIGTERM in self._asked or signal.SIGINT in self._asked

    def _look(self, interval: float) -> Optional[Verdict]:
        """A job that was suspended, or whose file system stood still, is given time: the clock ran on meanwhile."""
        now = time.monotonic()
        if now - self._looked_at > interval + LATE_SECONDS:
            self._pulse.resume(now)
            self._settled_at = now + SETTLING_SECONDS
        self._looked_at = now
        self._see(now)
        return None if now < self._settled_at else self._stuck(now)

    def _stuck(self, now: float) -> Optional[Verdict]:
        starts = self._marks.starts()
        open_ranks = set(starts) - set(self._marks.endings())
        beats = {rank: at for rank, at in self._marks.beats().items() if rank in open_ranks}
        silent = silent_rank(beats)
        if silent is not None:
            node = starts[silent].node
            words = f"rank {silent} on {node} gave no sign of life for minutes, while others did"
            return hung(silent, node, words, lost=True)
        silence = self._pulse.silent_for(now)
        return None if silence is None else self._hung(silence)

    def _hung(self, silence: float) -> Verdict:
        steps, starts = self._marks.steps(), self._marks.starts()
        rank = slowest(steps)
        words = f"no rank has logged a step or written a line for {silence:.0f} s"
        if rank is None or rank not in starts:
            return hung(-1, "", words + standing(steps, len(starts)))
        behind = f"rank {rank} on {starts[rank].node} stands at step {steps[rank]}, the others at {max(steps.values())}"
        lines = "\n".join(self._marks.last_lines(rank, 6))
        return hung(
            rank, starts[rank].node, f"{words}; {behind}" + (lines and f". It wrote last:\n{lines}")
        )

    def _see(self, now: float) -> None:
        """Signs of progress: a step, or a line once there were steps. TensorBoard's files are asked where nothing else tells
        steps; then a line only shows that something is done.
        """
        steps = self._marks.steps()
        metrics = written_at(self._marks.run_folder / "metrics.jsonl")
        tells = bool(steps) or metrics is not None
        events = None if tells else self._events.sizes(now)
        if not tells and events is None:
            return
        sizes = [size_of(self._marks.run_folder / name) for name in ("stdout.log", "stderr.log")]
        if tells:
            self._pulse.seen((metrics, sorted(steps.items()), sizes), now)
            return
        self._pulse.seen(events, now, in_bulk=True)
        if sizes != self._sizes:
            self._pulse.stirred(now)
        self._sizes = sizes

    def _ask(self, number: int, frame: Optional[FrameType]) -> None:
        self._asked.append(number)
        if self._starter is not None:
            self._pass_on(number)

    def _pass_on(self, number: int) -> None:
        """srun takes TERM as an order to kill at once: its ranks are asked by the batch system instead."""
        assert self._starter is not None
        job = os.environ.get("SLURM_JOB_ID", "")
        if self._plan.starter == "srun" and number in (signal.SIGTERM, signal.SIGINT) and job:
            with contextlib.suppress(OSError):
                subprocess.Popen(["scancel", "--quiet", "--signal=TERM", job])
        else:
            _signal(self._starter, number)

    def _end(self, starter: subprocess.Popen[bytes]) -> None:
        self._marks.write_end()
        _signal(starter, signal.SIGTERM)
        try:
            starter.wait(KILL_SECONDS)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(starter.pid, signal.SIGKILL)


def _seed(given: Mapping[str, str]) -> str:
    return given.get("DIAMOND_ATTEMPT", "") + given.get("DIAMOND_RUN", "")


def shared_variables(
    plan: Plan, marks: Marks, given: Mapping[str, str], port: int
) -> Dict[str, str]:
    """What all ranks are told alike. What the person has set wins where it does no harm."""
    variables = without_identity(given)
    names = [node_name(given), os.uname().nodename]
    variables.update(
        MASTER_ADDR=own_address(names, plan.interface, alone=plan.nodes == 1),
        MASTER_PORT=str(port),
        DIAMOND_RANKS=str(marks.folder),
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
    for name, value in _defaults(plan).items():
        variables.setdefault(name, value)
    if plan.binds and _binds(plan) and given.get("DIAMOND_BIND") != "none":
        variables["DIAMOND_BIND_CPUS"] = str(plan.cpus_per_rank)
    return variables


def _binds(plan: Plan) -> bool:
    """srun gives each of its tasks cores; to it, what torchrun, accelerate or mpirun start on a node is one task."""
    return plan.is_per_node or plan.kind == "mpi" or not plan.starter


def _defaults(plan: Plan) -> Dict[str, str]:
    found = {"OMP_NUM_THREADS": str(plan.cpus_per_rank), "NCCL_DEBUG": "WARN"}
    if plan.kind == "tensorflow":
        found["TF_FORCE_GPU_ALLOW_GROWTH"] = "true"
    return found


def _write_culprit(folder: Path, verdict: Verdict) -> None:
    assert verdict.culprit is not None
    with contextlib.suppress(OSError):
        (folder / "culprit.json").write_text(json.dumps(verdict.culprit.data()) + "\n")


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(number)


def _say(words: str) -> None:
    print(f"diamond: {words}", file=sys.stderr, flush=True)
