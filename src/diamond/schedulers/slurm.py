"""Slurm: sbatch, squeue, sacct and scancel, on behalf of the agent's owner."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Collection, Dict, List, Mapping, Optional, Sequence

from diamond.core.batch_systems import BatchAbilities, ScriptVariables
from diamond.core.errors import DiamondError, Refused
from diamond.core.native import NativeStatus
from diamond.core.task import Reason
from diamond.schedulers import slurm_directives, slurm_site
from diamond.schedulers.base import InsideJob, NativeTools, Submission
from diamond.schedulers.login_environment import LoginEnvironment
from diamond.schedulers.slurm_calls import (
    SUBMIT_SECONDS,
    answer,
    ask,
    job_environment,
    refused,
    unanswered,
)
from diamond.schedulers.slurm_parsing import (
    SACCT_FORMAT,
    SQUEUE_FORMAT,
    read_job_id,
    read_sacct,
    read_squeue,
)
from diamond.schedulers.slurm_steps import require_overlap, step_words

FIND_WINDOW_SECONDS = 30 * 86400
SIGKILL = 9
_NO_ACCOUNTING = re.compile(
    r"accounting storage is disabled|supported accounting_storage plugin", re.IGNORECASE
)
_GONE = re.compile(r"invalid job id|already completing or completed|job has already finished", re.I)
_NOT_WAITING = re.compile(_GONE.pattern + r"|no longer pending", re.I)
_MEMORY_KILL = re.compile(r"exceeded (job |step )?memory limit|oom[-_ ]kill|out of memory", re.I)

SECONDS_LEFT = (
    'if [ -n "${SLURM_JOB_END_TIME:-}" ] && [ -n "${SLURM_JOB_START_TIME:-}" ]; then '
    'echo "$((SLURM_JOB_END_TIME - SLURM_JOB_START_TIME))"; else '
    'm=; while read -r line; do case $line in "#SBATCH --time="*) m=${line#*=} ;; "#"*) ;; *) break ;; esac; '
    'done <"$0"; case $m in "" | *[!0-9]*) ;; *) echo "$((m * 60))" ;; esac; fi'
)
"""Both times are the controller's, so a node's clock does not matter; Slurm before 23.02 has neither, and then
the script reads its own head, without a process for it."""

HAS_NODES = (
    "command -v squeue >/dev/null || return 1; local state; "
    'if state=$(squeue -h -o %T -j "$1" 2>/dev/null); then case $state in "" | PENDING | REQUEUE*) return 1 ;; esac; '
    'else case $(squeue -h -j "$1" 2>&1) in *"Invalid job id"*) return 1 ;; esac; fi; return 0'
)
"""A job that is suspended has its nodes, and its processes will continue; one that was requeued waits for new ones."""


UNSEEN_BY_LIGHTNING = '[ -z "$SLURM_JOB_NAME" ] || export SLURM_JOB_NAME=bash'
"""Lightning takes a job of that name for an interactive one; otherwise it would requeue the job by itself."""


class SlurmScheduler:
    name = "slurm"
    abilities = BatchAbilities()
    tools = NativeTools(job_variable="SLURM_JOB_ID", crontab="scrontab", submit_command="sbatch")

    @staticmethod
    def is_here() -> bool:
        """Where `sbatch` answers: some images bring the command without a cluster behind it."""
        if not shutil.which("sbatch"):
            return False
        try:
            return ask(["sbatch", "--version"]).returncode == 0
        except DiamondError:
            return False

    def __init__(self, folder: Path) -> None:
        self._attempts = folder / "attempts"
        self._login = LoginEnvironment()
        self._attempts.mkdir(parents=True, exist_ok=True)
        _drop_dangling(self._attempts)

    def directives(self, submission: Submission, flags: Mapping[str, str]) -> List[str]:
        return slurm_directives.directives(submission, flags)

    def submit(self, submission: Submission) -> str:
        command = ["sbatch", "--parsable", str(submission.script)]
        environment = job_environment(self._login.get(), os.environ)
        done = ask(command, cwd=submission.folder, seconds=SUBMIT_SECONDS, environment=environment)
        native_id = read_job_id(done.stdout)
        if done.returncode == 0 and native_id is None:
            raise unanswered(command, f"its answer has no job id: {done.stdout.strip()[:200]!r}")
        if done.returncode or native_id is None:
            raise refused(command, done.stderr)
        self._remember(native_id, submission.folder)
        return native_id

    def find(self, name: str) -> Optional[str]:
        queued = read_squeue(_output_of([*_squeue(), f"--name={name}"]))
        known = queued or self._accounted([f"--name={name}", "-S", _window_start()])
        mine = sorted((k for k, status in known.items() if status.name == name), key=_number)
        return mine[-1] if mine else None

    def status(self, ids: Collection[str]) -> Mapping[str, NativeStatus]:
        if not ids:
            return {}
        rows = read_squeue(_output_of(_squeue()))
        return {key: self._explained(key, rows[key]) for key in ids if key in rows}

    def history(self, ids: Collection[str]) -> Mapping[str, NativeStatus]:
        if not ids:
            return {}
        rows = self._accounted(["-j", ",".join(sorted(ids))])
        return {key: self._explained(key, rows[key]) for key in ids if key in rows}

    def cancel(self, native_id: str) -> None:
        command = ["scancel", native_id]
        done = ask(command)
        if done.returncode and not _GONE.search(done.stderr):
            raise refused(command, done.stderr)

    def kill(self, native_id: str) -> None:
        """The script kills its program itself: `scancel` sends SIGTERM, and SIGKILL only after the site's KillWait,
        usually 30 s, with `--signal=KILL --full` too (22.05)."""
        command = ["scancel", "--signal=QUIT", "--batch", native_id]
        done = ask(command)
        if done.returncode and not _GONE.search(done.stderr):
            raise refused(command, done.stderr)

    def leave_out(self, native_id: str, submission: Submission, flags: Mapping[str, str]) -> None:
        names = slurm_directives.left_out(submission, flags).get("exclude")
        if not names:
            return
        command = ["scontrol", "update", f"JobId={native_id}", f"ExcNodeList={names}"]
        done = ask(command)
        if done.returncode and not _NOT_WAITING.search(done.stderr):
            raise refused(command, done.stderr)

    def inside_job(
        self, native_id: str, command: Sequence[str], *, node: str = "", terminal: bool = False
    ) -> InsideJob:
        require_overlap(answer(["srun", "--version"]))
        environment = job_environment(self._login.get(), os.environ)
        term = {"TERM": os.environ["TERM"]} if "TERM" in os.environ else {}
        step_command = step_words(native_id, node=node, terminal=terminal)
        return InsideJob([*step_command, *command], {**environment, **term})

    def probe(self) -> Dict[str, Dict[str, Any]]:
        return slurm_site.probe()

    def free(self) -> Dict[str, Any]:
        return slurm_site.free()

    def script_variables(self) -> ScriptVariables:
        return ScriptVariables(
            job_id="$SLURM_JOB_ID",
            nodes="$SLURM_JOB_NODELIST",
            restart_count="${SLURM_RESTART_COUNT:-0}",
            seconds_left=SECONDS_LEFT,
            has_nodes=HAS_NODES,
            starter="srun",
            at_start="unset SLURM_EXPORT_ENV",
            before_program=UNSEEN_BY_LIGHTNING,
            names=("SLURM_*", "SLURMD_*"),
        )

    def _accounted(self, which: List[str]) -> Dict[str, NativeStatus]:
        """What `sacct` knows; nothing where the site keeps no accounts."""
        command = ["sacct", "-X", "-n", "-P", f"--format={SACCT_FORMAT}", *which]
        try:
            done = ask(command)
        except Refused:
            return {}
        if done.returncode and _NO_ACCOUNTING.search(done.stderr):
            return {}
        if done.returncode:
            raise unanswered(command, done.stderr.strip()[:200])
        return read_sacct(done.stdout)

    def _remember(self, native_id: str, attempt: Path) -> None:
        """A link to the attempt's folder: the kill messages in its `native.log` explain an ending."""
        link = self._attempts / native_id
        with contextlib.suppress(OSError):  # the job is queued: a full disk must not hide that
            link.unlink(missing_ok=True)
            link.symlink_to(attempt.absolute())

    def _explained(self, native_id: str, status: NativeStatus) -> NativeStatus:
        """Where memory is watched by sampling, Slurm kills with signal 9 and says why only in the log."""
        if status.status != "ended" or status.signal != SIGKILL:
            return status
        if not _MEMORY_KILL.search(_tail(self._attempts / native_id / "native.log")):
            return status
        return replace(
            status, reason=Reason.OUT_OF_MEMORY.value, message="it used more memory than it had"
        )


def _output_of(command: List[str]) -> str:
    """The output of a query; '' if it fails for any reason."""
    try:
        return answer(command)
    except Refused as error:
        raise unanswered(command, error.message) from error


def _squeue() -> List[str]:
    return ["squeue", "--noheader", "-t", "all", "-u", str(os.getuid()), "-O", SQUEUE_FORMAT]


def _number(job_id: str) -> int:
    return int(re.split(r"\D", job_id)[0])


def _window_start() -> str:
    return time.strftime("%Y-%m-%d", time.localtime(time.time() - FIND_WINDOW_SECONDS))


def _tail(path: Path, size: int = 65536) -> str:
    try:
        with path.open("rb") as log:
            log.seek(0, os.SEEK_END)
            log.seek(max(0, log.tell() - size))
            return log.read().decode("utf-8", "replace")
    except OSError:
        return ""


def _drop_dangling(folder: Path) -> None:
    for link in folder.iterdir():
        if link.is_symlink() and not link.exists():
            link.unlink()
