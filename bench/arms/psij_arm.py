"""PSI/J: a program and its arguments."""

from __future__ import annotations

import sys
from datetime import timedelta

from loop import serve  # type: ignore[import-not-found,unused-ignore]
from psij import (  # type: ignore[import-not-found,unused-ignore]
    Job,
    JobAttributes,
    JobExecutor,
    JobSpec,
)

program = sys.argv[2]
executor = JobExecutor.get_instance("slurm")


def submit(path: str) -> None:
    attributes = JobAttributes(duration=timedelta(minutes=5), queue_name="batch")
    executor.submit(Job(JobSpec(executable=program, arguments=[path], attributes=attributes)))


serve(submit)
