"""`engine_arm.py NAME COUNT`: /bin/true so many times by one engine, on two cores; prints when it began, and what it took.

Run by the Python that has the engine. `up`: from the process's start to the engine's first result; `seconds`: for COUNT
further ones, all handed over at once.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable

BEGAN = time.time()
Run = Callable[[int], None]


def program(_: int = 0) -> int:
    return subprocess.call(["/bin/true"])


def dask() -> Run:
    from distributed import Client, LocalCluster

    client = Client(
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50)
    )

    def run(count: int) -> None:
        client.gather(client.map(program, range(count), pure=False))

    return run


def parsl() -> Run:
    import parsl as parsl_
    from parsl.config import Config
    from parsl.executors import HighThroughputExecutor
    from parsl.providers import LocalProvider

    executor = HighThroughputExecutor(
        label="two",
        max_workers_per_node=2,
        address="127.0.0.1",
        provider=LocalProvider(init_blocks=1, max_blocks=1),
    )
    parsl_.load(Config(executors=[executor], strategy="none"))
    app = parsl_.python_app(_true)

    def run(count: int) -> None:
        for future in [app() for _ in range(count)]:
            future.result()

    return run


def _true() -> int:
    import subprocess

    return subprocess.call(["/bin/true"])


def ray() -> Run:
    import ray as ray_

    ray_.init(num_cpus=2, include_dashboard=False, logging_level="error")
    remote = ray_.remote(_true)

    def run(count: int) -> None:
        ray_.get([remote.remote() for _ in range(count)])

    return run


def hyperqueue() -> Run:
    from hyperqueue import Job, LocalCluster
    from hyperqueue.cluster import WorkerConfig

    cluster = LocalCluster()
    cluster.start_worker(WorkerConfig(cores=2))
    client = cluster.client()

    def run(count: int) -> None:
        job = Job()
        for _ in range(count):
            job.program(["/bin/true"])
        client.wait_for_jobs([client.submit(job)])

    return run


def radical() -> Run:
    import radical.pilot as rp

    session = rp.Session()
    pilots, tasks = rp.PilotManager(session=session), rp.TaskManager(session=session)
    pilot = pilots.submit_pilots(
        rp.PilotDescription({"resource": "local.localhost", "runtime": 30, "cores": 2})
    )
    tasks.add_pilots(pilot)

    def run(count: int) -> None:
        tasks.submit_tasks([rp.TaskDescription({"executable": "/bin/true"}) for _ in range(count)])
        tasks.wait_tasks()

    return run


ENGINES: dict[str, Callable[[], Run]] = {
    "dask": dask,
    "parsl": parsl,
    "ray": ray,
    "hyperqueue": hyperqueue,
    "radical": radical,
}


def main(name: str, count: str) -> None:
    run = ENGINES[name]()
    run(1)
    up = time.time() - BEGAN
    began = time.time()
    run(int(count))
    print(json.dumps({"up": up, "seconds": time.time() - began, "count": int(count)}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
    # Some engines leave threads that nothing ends.
    import os

    os._exit(0)
