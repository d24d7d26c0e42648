"""Record what a run uses: CPU, memory and GPUs of a process and all its children.

python -m diamond.training.sampler --run-folder runs/1 --pid 4711
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import List, Optional

from diamond.training.gpus import gpu_usage
from diamond.training.processes import Usage, is_alive, tree_usage

LONGEST_INTERVAL_SECONDS = 60.0
_LOOK_EVERY_SECONDS = 0.5


def main(argv: Optional[List[str]] = None) -> int:
    """Sample until the process ends; never fail the run."""
    parser = argparse.ArgumentParser(prog="diamond.training.sampler", description=__doc__)
    parser.add_argument("--run-folder", type=Path, required=True)
    parser.add_argument("--pid", type=int, required=True)
    parser.add_argument("--interval", type=float, default=10.0)
    given = parser.parse_args(argv)
    _sample(given.pid, target=given.run_folder / "usage.jsonl", interval=given.interval)
    return 0


def interval_after(elapsed: float, interval: float) -> float:
    """Seconds to the next sample: a long run is sampled less often."""
    return max(interval, min(LONGEST_INTERVAL_SECONDS, elapsed / 60))


def usage_line(before: Usage, after: Usage, *, now: float) -> bytes:
    """One line of usage.jsonl, from two samples of the same tree."""
    line = {
        "time": round(now, 3),
        "cpu_percent": round(after.cpu_percent_since(before), 1),
        "memory_mb": round(after.memory_bytes / 2**20, 1),
        "gpus": gpu_usage(),
    }
    return json.dumps(line).encode() + b"\n"


def _sample(pid: int, *, target: Path, interval: float) -> None:
    """The first line comes after a second, so that a short run has one too."""
    started = time.monotonic()
    before = tree_usage(pid)
    wait = min(1.0, interval)
    while _alive_for(pid, wait):
        after = tree_usage(pid)
        _append(target, usage_line(before, after, now=time.time()))
        before = after
        wait = interval_after(time.monotonic() - started, interval)


def _alive_for(pid: int, seconds: float) -> bool:
    """Wait this long, but not beyond the end of the process; return whether it is alive."""
    until = time.monotonic() + seconds
    while is_alive(pid):
        left = until - time.monotonic()
        if left <= 0:
            return True
        time.sleep(min(left, _LOOK_EVERY_SECONDS))
    return False


def _append(target: Path, line: bytes) -> None:
    try:
        descriptor = os.open(target, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    except OSError:
        return
    try:
        os.write(descriptor, line)
    except OSError:
        return
    finally:
        os.close(descriptor)


if __name__ == "__main__":
    sys.exit(main())
