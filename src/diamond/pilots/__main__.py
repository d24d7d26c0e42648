"""Run by its path inside an allocation, so that nothing in the user's folder can hide a module of the standard library."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import List

sys.path[0] = str(Path(__file__).resolve().parents[2])


def main(command: List[str]) -> int:
    """`run PILOT.JSON`, `node NAME CORES MEMORY GPUS`, `dask-scheduler …` or `dask-worker …`."""
    act, *rest = command
    if act == "node":
        from diamond.pilots.node import run_node

        return run_node(rest[0], cores=int(rest[1]), memory_mb=int(rest[2]), gpus=int(rest[3]))
    if act == "dask-scheduler":
        from diamond.pilots.dask_processes import run_scheduler

        return run_scheduler(rest)
    if act == "dask-worker":
        from diamond.pilots.dask_processes import run_worker

        return run_worker(rest)
    from diamond.pilots.program import run_pilot

    return run_pilot(rest[0])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
