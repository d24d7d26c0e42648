"""Asking Slurm: one command, one answer, and what a failure means."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Dict, List, Mapping, Optional

from diamond.core.errors import Refused, Unanswered
from diamond.schedulers.slurm_words import refusal

SUBMIT_SECONDS = 60
ASK_SECONDS = 45
"""slurmctld's own clients give up after MessageTimeout (10 s by default, up to 100 s at large sites)."""

_KEPT = ("SLURM_CONF", "SLURM_CLUSTERS", "SLURM_JWT")
_SLURM_SETTINGS = re.compile(r"^(SLURM|SBATCH|SQUEUE|SACCT|SINFO|SCANCEL|SALLOC|SRUN|SCONTROL)_")
_AWAY = re.compile(
    r"unable to contact slurm controller|socket timed out|slurm_persist_conn|connection refused"
    r"|connection reset|connection timed out|zero bytes were transmitted|unexpected message"
    r"|unable to establish (controller|slurm) connection|slurm_load_\w+ error: transport"
    r"|communication connection failure|resource temporarily unavailable|slurm backup controller"
    r"|protocol authentication error|munge|problem talking to the database|no route to host"
    r"|dns srv lookup failed|could not establish a configuration source|error receiving response",
    re.IGNORECASE,
)


def ask(
    command: List[str],
    *,
    cwd: Optional[Path] = None,
    seconds: float = ASK_SECONDS,
    environment: Optional[Mapping[str, str]] = None,
) -> subprocess.CompletedProcess[str]:
    """Run one Slurm command. Raises `Unanswered` when there is no telling what Slurm did."""
    try:
        done = subprocess.run(
            [shutil.which(command[0]) or command[0], *command[1:]],
            cwd=str(cwd) if cwd else None,
            env=environment or clean_environment(os.environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=seconds,
        )
    except subprocess.TimeoutExpired as error:
        raise unanswered(command, f"no answer within {seconds:.0f} s") from error
    except OSError as error:
        raise _not_started(command, error) from error
    if done.returncode < 0:
        raise unanswered(command, f"it was killed by signal {-done.returncode}")
    if done.returncode and _AWAY.search(done.stderr):
        raise unanswered(command, site_words(done.stderr))
    return done


def _not_started(command: List[str], error: OSError) -> Refused:
    """The command did not even run, so nothing can have been queued."""
    if isinstance(error, FileNotFoundError) and error.filename == command[0]:
        return Refused(
            f"{command[0]} is not installed here",
            "Start the agent where the Slurm commands are on PATH.",
            code="no-scheduler",
        )
    return Refused(
        f"{command[0]} could not be started: {error}",
        "Look whether the work folder is still there and the login node has room for processes.",
    )


def answer(command: List[str], *, seconds: float = ASK_SECONDS) -> str:
    """The output of a question; a refusal raises `Refused`."""
    done = ask(command, seconds=seconds)
    if done.returncode:
        raise refused(command, done.stderr)
    return done.stdout


def refused(command: List[str], stderr: str) -> Refused:
    said = site_words(stderr) or f"{command[0]} gave no reason"
    known = refusal(said)
    return Refused(f"{known.message} Slurm said: {said}", known.hint, code=known.code)


def unanswered(command: List[str], why: str) -> Unanswered:
    return Unanswered(
        f"Slurm did not answer {command[0]}: {why}",
        "Nothing is lost: Diamond asks again. If it lasts, look at the site's status page.",
    )


def site_words(stderr: str) -> str:
    """What the site printed, without the command's name before each line."""
    lines = (
        re.sub(r"^\s*\w+: (error: |fatal: )?", "", line).strip() for line in stderr.splitlines()
    )
    return " / ".join(dict.fromkeys(line for line in lines if line))


def clean_environment(environment: Mapping[str, str]) -> Dict[str, str]:
    """Without what would change the meaning of our commands: an agent may itself live in a job."""
    return {**_without_settings(environment), "LC_ALL": "C", "SLURM_TIME_FORMAT": "%s"}


def job_environment(login: Mapping[str, str], own: Mapping[str, str]) -> Dict[str, str]:
    """What a job is handed by sbatch: the person's login, and the agent's own way to the cluster."""
    way = {key: own[key] for key in _KEPT if key in own}
    return {**_without_settings(login), **way}


def _without_settings(environment: Mapping[str, str]) -> Dict[str, str]:
    return {
        key: value
        for key, value in environment.items()
        if key in _KEPT or not _SLURM_SETTINGS.match(key)
    }
