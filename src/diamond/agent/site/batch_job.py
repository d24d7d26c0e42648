"""The agent as a batch job, where compute nodes reach the service and login nodes end long processes."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from diamond.agent.disk import write_whole
from diamond.agent.folders import Folders
from diamond.agent.site.presence import BATCH_JOB
from diamond.agent.site.profile import Profile
from diamond.core.order import Resources
from diamond.schedulers.base import Scheduler, Submission

LONGEST_MINUTES = 7 * 24 * 60
MEMORY_MB = 500


def submit_agent(
    scheduler: Scheduler, folders: Folders, command: Sequence[str]
) -> tuple[str, Path]:
    """The job's id and its script, written as the site wants it: limits, account and flags are learned first."""
    profile = Profile({name: fact["value"] for name, fact in scheduler.probe().items()})
    minutes = min(profile.longest_minutes() or LONGEST_MINUTES, LONGEST_MINUTES)
    submission = Submission(
        name="diamond-agent",
        script=folders.keep / "agent-job.sh",
        folder=folders.keep,
        resources=Resources(walltime_minutes=minutes, memory_mb=MEMORY_MB),
        placement=profile.own_placement(),
    )
    lines = [
        "#!/bin/bash",
        *scheduler.directives(submission, profile.flags),
        *(f"export {name}={shlex.quote(value)}" for name, value in _variables(folders).items()),
        "exec " + " ".join(shlex.quote(word) for word in command),
    ]
    write_whole(submission.script, ("\n".join(lines) + "\n").encode(), mode=0o700)
    return scheduler.submit(submission), submission.script


def _variables(folders: Folders) -> dict[str, str]:
    """On a compute node the folders are the same as where it was paired."""
    places = {f"DIAMOND_{name.upper()}": path for name, path in folders.as_data().items()}
    return {**places, "DIAMOND_STAYS": BATCH_JOB}
