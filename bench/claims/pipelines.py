"""A pipeline in one allocation of real Slurm: an unchanged one again, an MPI stage beside plain `mpirun`, and twelve trainings
beside separate jobs."""

from __future__ import annotations

import math
import random
import shlex
import subprocess
import time
from pathlib import Path
from typing import Any

from bench.claim import Claim, Findings, Options
from bench.claims.pilot_engines import python_with
from bench.jobs import PARTITION
from bench.numbers import median
from bench.stack import Stack, cluster_env, slurm_stack
from bench.waiting import wait_for
from diamond.sdk import Client

STAGES, TURNS = 100, 5
TRAININGS, TRAINING_SECONDS = 12, 4.0
NODES, CORES = 2, 4
PROGRAM = Path(__file__).parents[1] / "arms" / "allreduce.py"
MOST_AGAIN, MOST_MPI, MOST_SPENT = 3.0, 1.05, 1 / 3
HALF: dict[str, Any] = {
    "nodes": NODES,
    "cpus_per_node": CORES // 2,
    "walltime": "30m",
    "memory": "1GB",
}
"""Leaves room for a job beside it."""
WHOLE: dict[str, Any] = {**HALF, "cpus_per_node": CORES}


def measure(options: Options) -> Findings:
    findings = Findings()
    with slurm_stack(options.folder, nodes=NODES, cpus=CORES, stamped=False) as stack:
        client = stack.service.client()
        # The environment of pilots is made before anything is measured.
        client.start_pilot(on=f"cluster/{PARTITION}", idle="20m", **HALF)
        run(client, {"first": {"run": "true"}}, HALF)
        unchanged(client, findings)
        mpi_stages(stack, options, findings)
        release(client)
        trainings(client, findings)
    findings.note(
        f"{NODES} nodes of the lab with {CORES} cores each, on one machine with two cores. A training is a sleep of "
        f"{TRAINING_SECONDS:.0f} s, so that what is spent beyond it does not depend on the cores; the bare time is that of "
        f"{TRAININGS} of them on all cores. Each round asks for its own allocation, and the wait for it counts."
    )
    return findings


def run(
    client: Client, stages: dict[str, Any], allocation: dict[str, Any]
) -> tuple[dict[str, Any], float]:
    """The pipeline as it ended, and the seconds that it took. Without an allocation each step is a job of its own."""
    spec = {
        "name": "bench",
        "on": f"cluster/{PARTITION}",
        "resources": {"memory": "100MB", "walltime": "5m"},
        **({"together": allocation} if allocation else {}),
        "pipeline": stages,
    }
    began = time.monotonic()
    made = client.run_pipeline(spec, with_code=False)
    ended = client.wait_pipeline(made["id"])
    if ended["state"] != "succeeded":
        raise ValueError(ended["message"])
    return ended, time.monotonic() - began


def unchanged(client: Client, findings: Findings) -> None:
    stages = {
        "many": {
            "run": "echo {n} >out",
            "map": {"n": list(range(STAGES))},
            "outputs": {"out": "out"},
        }
    }
    _, first = run(client, stages, HALF)
    findings.add(f"{STAGES} stages in one allocation, the first time", f"{first:.1f} s")
    again = [run(client, stages, HALF) for _ in range(TURNS)]
    executed = sum(ended["counts"]["done"] for ended, _ in again)
    took = median([seconds for _, seconds in again])
    is_good = took < MOST_AGAIN and executed == 0
    what = f"the same again, unchanged ({executed} executed)"
    findings.add(what, f"{took:.2f} s", f"< {MOST_AGAIN:.0f} s, nothing executed", is_good)


def mpi_stages(stack: Stack, options: Options, findings: Findings) -> None:
    words = [str(python_with(options.cache, "mpi", ["mpi4py"])), str(PROGRAM)]
    taken: dict[str, list[float]] = {"stage": [], "plain": []}
    for turn in range(TURNS + 1):
        for name in random.sample(sorted(taken), 2):
            file = options.folder / f"{name}-{turn}"
            (by_stage if name == "stage" else by_hand)(stack, [*words, str(file)], file)
            if turn:  # the first round is a warm-up
                taken[name].append(float(file.read_text()))
    ratio = median(taken["stage"]) / median(taken["plain"])
    for name, what in (("stage", "MPI stage in a pilot, 2 nodes"), ("plain", "plain mpirun there")):
        findings.add(f"{what}: the program's own time", f"median {median(taken[name]):.2f} s")
    findings.add("MPI stage / plain mpirun", f"{ratio:.3f}", f"≤ {MOST_MPI}", ratio <= MOST_MPI)


def by_stage(stack: Stack, words: list[str], _: Path) -> None:
    resources = {"nodes": NODES, "tasks_per_node": 1}
    stage = {"run": words, "launch": "mpi", "resources": resources}
    run(stack.service.client(), {"mpi": stage}, HALF)


def by_hand(stack: Stack, words: list[str], file: Path) -> None:
    """On the same nodes, while the pilot has nothing to do."""
    script = file.with_suffix(".sh")
    script.write_text(f"#!/bin/bash\nexec mpirun --allow-run-as-root {shlex.join(words)}\n")
    asked = [f"-N{NODES}", "--ntasks-per-node=1", "--mem=100M", "-t5"]
    subprocess.run(
        ["sbatch", "--wait", *asked, "-o", f"{file}.log", str(script)],
        env=cluster_env(stack.cluster, None),
        check=True,
        capture_output=True,
    )


def release(client: Client) -> None:
    for pilot in client.pilots():
        client.stop_pilot(pilot["id"], now=True)
    wait_for(lambda: all(one["ended"] for one in client.pilots()), within=60)


def trainings(client: Client, findings: Findings) -> None:
    stages = {
        "train": {
            "run": f"sleep {TRAINING_SECONDS}",
            "map": {"model": [f"model-{n}" for n in range(TRAININGS)]},
        }
    }
    bare = TRAINING_SECONDS * math.ceil(TRAININGS / (NODES * CORES))
    spent: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(2):
        for together in random.sample([True, False], 2):
            spent[together].append(run(client, stages, WHOLE if together else {})[1] - bare)
            release(client)
    ours, apart = median(spent[True]), median(spent[False])
    findings.add(
        f"{TRAININGS} trainings as separate jobs: beyond their bare {bare:.0f} s", f"{apart:.1f} s"
    )
    findings.add("the same in one allocation", f"{ours:.1f} s, {ours / TRAININGS:.2f} s for each")
    ratio = ours / apart
    findings.add("one allocation / separate jobs", f"{ratio:.2f}", "≤ 0.33", ratio <= MOST_SPENT)


CLAIM = Claim("pipelines", "Pipelines in one allocation", measure)
