"""Jobs as processes of this machine, with their own queue: cores, memory and GPUs are shared out in order."""

from __future__ import annotations

import hashlib
import logging
import os
import pkgutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Collection, Dict, List, Mapping, Optional, Sequence

from diamond.core.batch_systems import SINGLE_MACHINE, ScriptVariables
from diamond.core.errors import BadRequest, NotFound
from diamond.core.native import NativeStatus
from diamond.schedulers.base import InsideJob, NativeTools, Submission
from diamond.schedulers.local_endings import Ending, ended, queued, read_ending, running
from diamond.schedulers.local_machine import capacity
from diamond.schedulers.local_sharing import check_fits, left_over, missing_resources, share
from diamond.schedulers.local_store import (
    ENDED,
    QUEUED,
    RUNNING,
    LocalJob,
    LocalStore,
    job_text,
    new_job_id,
    write,
)
from diamond.schedulers.local_supervisor import boot, identity, send

log = logging.getLogger(__name__)

UNCLAIMED_SECONDS = 5.0
"""After that a job without a supervisor was left by an agent that died between two lines."""


class LocalScheduler:
    name = "local"
    abilities = SINGLE_MACHINE
    tools = NativeTools(job_variable="DIAMOND_LOCAL_JOB_ID")

    def __init__(self, folder: Path) -> None:
        self._store = LocalStore(folder)
        self._capacity = capacity(folder / "settings.json")
        self._supervisor = _install_supervisor(folder)
        self._children: List[subprocess.Popen[bytes]] = []
        self._store.forget_old()

    def directives(self, submission: Submission, flags: Mapping[str, str]) -> List[str]:
        return []

    def submit(self, submission: Submission) -> str:
        check_fits(self._capacity, submission.resources)
        job = _job_of(submission)
        self._store.add(job)
        try:
            self.advance()
        except OSError as error:
            log.warning("job %s is queued but could not be started yet: %s", job.id, error)
        return job.id

    def find(self, name: str) -> Optional[str]:
        return self._store.find(name)

    def status(self, ids: Collection[str]) -> Mapping[str, NativeStatus]:
        statuses = {job_id: self._status(job_id) for job_id in ids}
        return {job_id: status for job_id, status in statuses.items() if status is not None}

    def history(self, ids: Collection[str]) -> Mapping[str, NativeStatus]:
        return {}

    def cancel(self, native_id: str) -> None:
        with self._store.locked():
            place = self._store.place(native_id)
            if place is None or place[0] == ENDED:
                return
            state, path = place
            write(path / "cancel", "")
            if state == QUEUED:
                self._end(native_id, QUEUED, Ending("cancelled"))
            else:
                _signal_supervisor(path)
        self.advance()

    def kill(self, native_id: str) -> None:
        """The supervisor gives it no time to end."""
        with self._store.locked():
            place = self._store.place(native_id)
            if place is not None and place[0] != ENDED:
                write(place[1] / "kill", "")

    def advance(self) -> None:
        """Start what fits now, in order; record what has ended. Time limits are kept by the supervisors."""
        with self._store.locked():
            self._children = [child for child in self._children if child.poll() is None]
            busy = self._running()
            for job_id in self._store.ids(QUEUED):
                job = self._store.read(self._store.folder / QUEUED / job_id)
                if job is None:
                    self._end(job_id, QUEUED, Ending("lost"))
                elif busy and missing_resources(self._capacity, job, busy):
                    break
                else:
                    busy.append(self._start(job, busy))

    def inside_job(
        self, native_id: str, command: Sequence[str], *, node: str = "", terminal: bool = False
    ) -> InsideJob:
        """With the cores and GPUs that the job was given, by its variables."""
        here = os.uname().nodename
        if node and node != here:
            raise BadRequest(f"This job has no node {node!r}", f"It runs on {here}.")
        place = self._store.place(native_id)
        job = self._store.read(place[1]) if place and place[0] == RUNNING else None
        if job is None:
            raise NotFound(f"No job {native_id} runs on {here}", "Sign in to the machine it is on.")
        return InsideJob(list(command), {**_plain_environment(), **job.environment})

    def probe(self) -> Dict[str, Dict[str, Any]]:
        have, now = self._capacity, time.time()
        facts: Dict[str, Any] = {
            "scheduler": {"name": "local", "version": "1"},
            "cluster": f"local@{os.uname().nodename}",
            "cores": have.cores,
            "memory_mb": have.memory_mb,
            "gpus": {have.gpu_type: len(have.gpus)} if have.gpus else {},
            "flags": {},
            "free": self.free()["value"],
        }
        return {key: {"value": v, "source": "this machine", "at": now} for key, v in facts.items()}

    def free(self) -> Dict[str, Any]:
        with self._store.locked():
            busy = self._running()
        value = {**left_over(self._capacity, busy), "pending": len(self._store.ids(QUEUED))}
        return {"value": {"local": value}, "source": "this machine", "at": time.time()}

    def script_variables(self) -> ScriptVariables:
        return ScriptVariables(
            job_id="$DIAMOND_LOCAL_JOB_ID", seconds_left='echo "$DIAMOND_LOCAL_SECONDS"'
        )

    def _running(self) -> List[LocalJob]:
        """What runs now; moves on what has ended, and back what was never started."""
        alive: List[LocalJob] = []
        for job_id in self._store.ids(RUNNING):
            path = self._store.folder / RUNNING / job_id
            job, ending = self._store.read(path), self._ending(path)
            if job is None or ending is not None:
                self._end(job_id, RUNNING, ending or Ending("lost"))
            elif _was_never_started(path):
                self._store.move(job_id, RUNNING, QUEUED)
            else:
                alive.append(job)
        return alive

    def _ending(self, path: Path) -> Optional[Ending]:
        """How a job under `running/` ended; None while it runs or may still be starting."""
        supervisor = _read(path / "supervisor")
        is_over = bool(supervisor) and not _is_alive(supervisor)
        ending = read_ending(_read(path / "end"))
        if ending or not is_over:
            return ending
        _kill_left_behind(path)
        return Ending("reboot" if supervisor.split()[-1] != boot() else "lost")

    def _end(self, job_id: str, state: str, ending: Ending) -> None:
        path = self._store.folder / state / job_id
        if not (path / "end").exists():
            write(path / "end", ending.text())
        self._store.move(job_id, state, ENDED)

    def _start(self, job: LocalJob, busy: List[LocalJob]) -> LocalJob:
        started = replace(job, environment=share(self._capacity, job, busy))
        path = self._store.folder / QUEUED / job.id
        write(path / "job.json", job_text(started))
        path = self._store.move(job.id, QUEUED, RUNNING)
        os.utime(path)
        with (path / "supervisor.log").open("ab") as output:
            child = subprocess.Popen(
                self._command(started, path),
                env={**_plain_environment(), **started.environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd="/",
                start_new_session=True,
            )
        self._children.append(child)
        return started

    def _command(self, job: LocalJob, path: Path) -> List[str]:
        python = [sys.executable, "-I", "-S", str(self._supervisor)]
        return [*python, str(path), job.folder, job.script, str(job.walltime_seconds)]

    def _status(self, job_id: str) -> Optional[NativeStatus]:
        place = self._store.place(job_id)
        if place is None:
            return None
        state, path = place
        job = self._store.read(path) or self._moved(job_id)
        if job is None:
            return None
        if state == QUEUED:
            return queued(job, self._wait(job))
        ending = read_ending(_read(path / "end")) if state == ENDED else self._ending(path)
        return ended(job, ending) if ending else running(job)

    def _moved(self, job_id: str) -> Optional[LocalJob]:
        place = self._store.place(job_id)
        return self._store.read(place[1]) if place else None

    def _wait(self, job: LocalJob) -> str:
        if self._store.ids(QUEUED)[:1] != [job.id]:
            return "waiting for its turn: other local jobs are ahead"
        paths = (self._store.folder / RUNNING / each for each in self._store.ids(RUNNING))
        busy = [each for each in map(self._store.read, paths) if each]
        missing = missing_resources(self._capacity, job, busy)
        return f"next in line: waiting for {missing}" if missing else "about to start"


def _job_of(submission: Submission) -> LocalJob:
    asked = submission.resources
    return LocalJob(
        id=new_job_id(),
        name=submission.name,
        script=str(submission.script.absolute()),
        folder=str(submission.folder.absolute()),
        cores=asked.cpus_per_node,
        threads=asked.cpus_per_task,
        memory_mb=asked.memory_mb,
        gpus=asked.gpus_per_node,
        walltime_seconds=asked.walltime_minutes * 60,
        submitted_at=time.time(),
    )


def _install_supervisor(folder: Path) -> Path:
    """A copy outside of the agent's one file, which may be replaced while jobs run; named by content."""
    source = pkgutil.get_data("diamond.schedulers", "local_supervisor.py")
    assert source is not None
    path = folder / f"supervisor-{hashlib.sha256(source).hexdigest()[:12]}.py"
    if not path.exists():
        write(path, source.decode("utf-8"))
    return path


def _plain_environment() -> Dict[str, str]:
    """The agent's, without what concerns the agent alone."""
    return {key: value for key, value in os.environ.items() if not key.startswith("DIAMOND_")}


def _was_never_started(path: Path) -> bool:
    return (
        not (path / "supervisor").exists()
        and time.time() - path.stat().st_mtime > UNCLAIMED_SECONDS
    )


def _is_alive(said: str) -> bool:
    return identity(int(said.split()[0])) == said


def _signal_supervisor(path: Path) -> None:
    supervisor = _read(path / "supervisor")
    if supervisor and _is_alive(supervisor):
        send(int(supervisor.split()[0]), signal.SIGTERM)


def _kill_left_behind(path: Path) -> None:
    """A supervisor that was killed leaves its job's session behind."""
    child = _read(path / "child")
    if child and _is_alive(child):
        send(-int(child.split()[0]), signal.SIGKILL)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return ""
