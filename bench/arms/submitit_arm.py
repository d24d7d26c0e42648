"""submitit: a Python function, pickled."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import submitit  # type: ignore[import-not-found,unused-ignore]
from loop import serve  # type: ignore[import-not-found,unused-ignore]

executor = submitit.AutoExecutor(folder=f"{sys.argv[1]}/submitit", cluster="slurm")
executor.update_parameters(timeout_min=5, slurm_partition="batch")


def first_line(path: str) -> None:
    Path(path).write_text(f"{time.time()}\n")


serve(lambda path: executor.submit(first_line, path))
