"""40 people at once: each adds an endpoint, starts their own agent on the cluster and runs a first job."""

from __future__ import annotations

import contextlib
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.claim import Claim, Findings, Options
from bench.jobs import spec
from bench.numbers import median
from bench.people import add_people
from bench.stack import Service, cluster_env, slurm_cluster, started_agent, started_service
from bench.waiting import wait_for
from diamond.testing.lab import Cluster

FULL_COUNT = 40
MOST_SECONDS = 300.0
GIVE_UP_SECONDS = 900.0
FINAL = ("succeeded", "failed", "cancelled")


def measure(options: Options) -> Findings:
    count = options.samples(FULL_COUNT)
    with contextlib.ExitStack() as stack:
        cluster = stack.enter_context(slurm_cluster(options.folder, None, nodes=4, cpus=8))
        service = stack.enter_context(started_service(options.folder / "service"))
        people = add_people(service, count)
        pool = stack.enter_context(ThreadPoolExecutor(count))
        agents = stack.enter_context(contextlib.ExitStack())
        began = time.perf_counter()
        runs = [
            pool.submit(first_run, agents, cluster, one, options.folder / f"p{number}")
            for number, one in enumerate(people)
        ]
        ended = [run.result() - began for run in runs]
    findings, last = Findings(), max(ended)
    findings.add("a first run had ended after", f"median {median(ended):.0f} s")
    bar = f"≤ {MOST_SECONDS:g} s"
    findings.add(f"the last of {count}", f"{last:.0f} s", bar, last <= MOST_SECONDS)
    findings.note(
        "From adding the endpoint to the job's end, all at once, everything on this machine."
    )
    return findings


def first_run(
    agents: contextlib.ExitStack, cluster: Cluster, person: Service, folder: Path
) -> float:
    """When their job had succeeded."""
    env = cluster_env(cluster, None)
    agents.enter_context(started_agent(person, "cluster", folder, env, within=GIVE_UP_SECONDS))
    client = person.client()
    task = client.run(spec(["true"]), folder=folder, with_code=False).task.id

    def end() -> str:
        state = client.task(task).state
        return state if state in FINAL else ""

    state = wait_for(end, within=GIVE_UP_SECONDS, every=0.5)
    if state != "succeeded":
        raise SystemExit(f"bench: a first run has {state}")
    return time.perf_counter()


CLAIM = Claim("class", "First runs of 40 people who start at once", measure)
