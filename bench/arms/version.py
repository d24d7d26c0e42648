"""One version's side of `bench.against`: its own service measured by its own client, a turn for each line on stdin.

Runs in that version's virtual environment and checkout. Each answer is one line of JSON: wall and CPU seconds by what was done.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.claims import burst, task_list
from bench.processes import cpu_seconds
from bench.stack import slurm_stack

Turn = Callable[[], dict[str, tuple[float, float]]]


def main() -> None:
    what, folder = sys.argv[1], Path(sys.argv[2])
    with SIDES[what](folder) as turn:
        print("ready", flush=True)
        for _ in sys.stdin:
            print(json.dumps(turn()), flush=True)


@contextlib.contextmanager
def task_lists(folder: Path) -> Iterator[Turn]:
    """Each query of the claim `task-list` once, on 100 000 tasks in either database."""
    with contextlib.ExitStack() as exits:
        services = {}
        for database, urls in task_list.DATABASES.items():
            _, url = exits.enter_context(urls())
            home = folder / database
            services[database] = task_list.filled(exits, home, url, task_list.MANY)

        def turn() -> dict[str, tuple[float, float]]:
            taken = {}
            for database, service in services.items():
                for name, query in task_list.QUERIES.items():
                    before = cpu_seconds(service.pid)
                    wall = task_list.timed(service.client(), query)
                    taken[f"{database}, {name}"] = (wall, cpu_seconds(service.pid) - before)
            return taken

        yield turn


@contextlib.contextmanager
def bursts(folder: Path) -> Iterator[Turn]:
    """The jobs of the claim `burst`: from the first submit() to all final, and the CPU of service and agent until Slurm is quiet."""
    with slurm_stack(folder, stamped=False) as stack:
        burst.run_ours(stack, 5)
        both = (stack.service.pid, stack.agent.pid)

        def turn() -> dict[str, tuple[float, float]]:
            before = [cpu_seconds(pid) for pid in both]
            taken, _ = burst.run_ours(stack, burst.JOBS)
            time.sleep(2)
            used = [cpu_seconds(pid) - old for pid, old in zip(both, before, strict=True)]
            return {"service": (taken, used[0]), "agent": (taken, used[1])}

        yield turn


SIDES = {"task-list": task_lists, "burst": bursts}

if __name__ == "__main__":
    main()
