"""Record what a run uses: CPU, memory and GPUs of all its processes on all its nodes.

python -m diamond.training.sampler --run-folder runs/1 --pid 4711

On the first node it writes usage.jsonl: the sum, and each node's own numbers if there are several. On every other
node a sampler (`--node`) leaves its newest numbers in `usage/`, because two nodes cannot append to one file of NFS.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import time
from pathlib import Path
from typing import Callable, Dict, List, Optional, Tuple

from diamond.training.energy import EnergyMeter
from diamond.training.facts import machine, note
from diamond.training.gpus import gpu_usage
from diamond.training.processes import Usage, is_alive, run_usage

LONGEST_INTERVAL_SECONDS = 60.0
MOST_NODES = 32
"""Beyond that only the sum is kept: each number of each node would be its own curve."""
STALE_INTERVALS = 3
_LOOK_EVERY_SECONDS = 0.5


def main(argv: Optional[List[str]] = None) -> int:
    """Sample until the process ends; never fail the run."""
    parser = argparse.ArgumentParser(prog="diamond.training.sampler", description=__doc__)
    parser.add_argument("--run-folder", type=Path, required=True)
    parser.add_argument("--pid", type=int, required=True)
    parser.add_argument("--interval", type=float, default=10.0)
    parser.add_argument("--node", default="", help="Not the first node: leave the newest numbers.")
    parser.add_argument("--packages", action="store_true", help="Note the packages of this Python.")
    given = parser.parse_args(argv)
    if not given.node:
        note(machine(with_packages=given.packages), given.run_folder)
    write = _leave_newest if given.node else _append_sum
    _sample(given.pid, write(given.run_folder, given.node), interval=given.interval)
    return 0


def interval_after(elapsed: float, interval: float) -> float:
    """Seconds to the next sample: a long run is sampled less often."""
    return max(interval, min(LONGEST_INTERVAL_SECONDS, elapsed / 60))


def usage_line(
    before: Usage, after: Usage, *, now: float, energy: Optional[EnergyMeter] = None
) -> Dict[str, object]:
    """What a node uses, from two samples of the same processes."""
    gpus = gpu_usage()
    watts = [gpu["power_watts"] for gpu in gpus if "power_watts" in gpu]
    used = energy.read(watts, now=time.monotonic()) if energy else {}
    return {
        "time": round(now, 3),
        "cpu_percent": round(after.cpu_percent_since(before), 1),
        "memory_mb": round(after.memory_bytes / 2**20, 1),
        **used,
        "gpus": gpus,
    }


def summed(own: Dict[str, object], others: Dict[str, Dict[str, object]]) -> Dict[str, object]:
    """The line of usage.jsonl: sums over all nodes, and `node/name` for each node if there are several."""
    if not others:
        return own
    nodes = {_own_node(): own, **others}
    line: Dict[str, object] = {"time": own["time"], "gpus": own["gpus"]}
    for name in ("cpu_percent", "memory_mb"):
        line[name] = round(sum(_number(numbers.get(name)) for numbers in nodes.values()), 1)
    if all("energy_joules" in numbers for numbers in nodes.values()):
        joules = (_number(numbers["energy_joules"]) for numbers in nodes.values())
        line["energy_joules"] = round(sum(joules), 1)
    for node, numbers in sorted(nodes.items()) if len(nodes) <= MOST_NODES else ():
        line.update({f"{node}/{name}": value for name, value in _flat(numbers)})
    return line


class OtherNodes:
    """The newest numbers of each other node; one that has left none for a while no longer counts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: Dict[str, Tuple[int, float]] = {}
        """When each file was written, by its own clock, and when that was first noticed, by this process's clock."""

    def numbers(self, stale_seconds: float) -> Dict[str, Dict[str, object]]:
        numbers: Dict[str, Dict[str, object]] = {}
        for file in sorted(self._folder.glob("*.json")):
            with contextlib.suppress(OSError, ValueError):
                written = file.stat().st_mtime_ns
                now = time.monotonic()
                known = self._seen.get(file.name)
                if known is None or known[0] != written:
                    self._seen[file.name] = known = (written, now)
                data = json.loads(file.read_text())
                if now - known[1] <= stale_seconds and isinstance(data, dict):
                    numbers[file.stem] = data
        return numbers


Write = Callable[[Dict[str, object], float], None]


def _append_sum(run_folder: Path, node: str) -> Write:
    others = OtherNodes(run_folder / "usage")

    def write(line: Dict[str, object], wait: float) -> None:
        whole = summed(line, others.numbers(STALE_INTERVALS * wait))
        _append(run_folder / "usage.jsonl", json.dumps(whole).encode() + b"\n")

    return write


def _leave_newest(run_folder: Path, node: str) -> Write:
    target = run_folder / "usage" / f"{node.replace('/', '_')}.json"

    def write(line: Dict[str, object], wait: float) -> None:
        aside = target.with_suffix(".new")
        with contextlib.suppress(OSError):
            target.parent.mkdir(exist_ok=True)
            aside.write_text(json.dumps(line))
            aside.replace(target)

    return write


def _sample(pid: int, write: Write, *, interval: float) -> None:
    """The first line comes after a second, so that a short run has one too."""
    started, energy = time.monotonic(), EnergyMeter()
    before = run_usage(pid, os.environ)
    wait = min(1.0, interval)
    while _alive_for(pid, wait):
        after = run_usage(pid, os.environ)
        wait = interval_after(time.monotonic() - started, interval)
        write(usage_line(before, after, now=time.time(), energy=energy), wait)
        before = after


def _own_node() -> str:
    return os.uname().nodename.partition(".")[0]


def _number(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


def _flat(numbers: Dict[str, object]) -> List[Tuple[str, object]]:
    """As the service names them: `gpu0_percent` for a number of the first GPU."""
    values = [(name, numbers.get(name)) for name in ("cpu_percent", "memory_mb")]
    values += [(name, numbers[name]) for name in ("energy_joules",) if name in numbers]
    gpus = numbers.get("gpus")
    for at, gpu in enumerate(gpus if isinstance(gpus, list) else []):
        if isinstance(gpu, dict):
            values += [(f"gpu{at}_{name}", gpu[name]) for name in gpu if name != "index"]
    return values


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
