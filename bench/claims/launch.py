"""Diamond's launch over two nodes, compared with `srun torchrun` by hand: from the node's prolog to the first step."""

from __future__ import annotations

import random
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path

from bench.claim import Claim, Findings, Options
from bench.jobs import PARTITION, spec
from bench.numbers import median, seconds
from bench.stack import Stack, cluster_env, slurm_stack
from bench.stamps import next_stamp, stamp_in
from bench.waiting import wait_for
from diamond.sdk import Client
from diamond.testing.lab import Cluster

FULL_COUNT = 15
NODES, RANKS_PER_NODE = 2, 1
MOST = 1.1
STEP_SECONDS = 300.0
PROGRAM = Path(__file__).parent.parent / "arms" / "first_step.py"
TORCHRUN = Path(sys.executable).with_name("torchrun")
_BY_HAND = """\
#!/bin/bash
export MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1) OMP_NUM_THREADS=1
srun --ntasks-per-node=1 --cpus-per-task={cpus} bash -c 'exec {torchrun} --nnodes={nodes} --nproc-per-node={ranks} \
--node-rank=$SLURM_NODEID --master-addr=$MASTER_ADDR --master-port=$((15000 + SLURM_JOB_ID % 15000)) "$@"' bash {program} "$1"
"""


def measure(options: Options) -> Findings:
    with slurm_stack(options.folder) as stack:
        arms = {
            "Diamond": lambda stamp: by_diamond(stack.service.client(), stamp),
            "by hand": lambda stamp: by_hand(stack, options.folder, stamp),
        }
        taken = sample(arms, stack, options.samples(FULL_COUNT))
    return judge(taken)


def sample(
    arms: dict[str, Callable[[Path], None]], stack: Stack, count: int
) -> dict[str, list[float]]:
    """Round by round, both in a new order; the first round is a warm-up and not counted."""
    taken: dict[str, list[float]] = {name: [] for name in arms}
    for turn in range(count + 1):
        for name in random.sample(sorted(arms), len(arms)):
            stamp = stack.stamps.folder / f"step-{turn}-{name.replace(' ', '-')}"
            started = len(stack.stamps.times("prolog"))
            arms[name](stamp)
            prolog = next_stamp(lambda: stack.stamps.times("prolog"), known=started)
            step = stamp_in(stamp, within=STEP_SECONDS)
            wait_until_idle(stack.cluster)
            if turn:
                taken[name].append(step - prolog)
    return taken


def by_diamond(client: Client, stamp: Path) -> None:
    asked = spec([str(TORCHRUN), str(PROGRAM), str(stamp)])
    resources = {"nodes": NODES, "tasks_per_node": RANKS_PER_NODE, "walltime": "1h"}
    client.run({**asked, "resources": resources}, folder=stamp.parent)


def by_hand(stack: Stack, folder: Path, stamp: Path) -> None:
    script = folder / "by-hand.sh"
    quoted = {"torchrun": shlex.quote(str(TORCHRUN)), "program": shlex.quote(str(PROGRAM))}
    script.write_text(
        _BY_HAND.format(nodes=NODES, ranks=RANKS_PER_NODE, cpus=RANKS_PER_NODE, **quoted)
    )
    words = [
        "sbatch",
        f"--partition={PARTITION}",
        f"--nodes={NODES}",
        "--ntasks-per-node=1",
        f"--cpus-per-task={RANKS_PER_NODE}",
        f"--output={folder}/by-hand.out",
        str(script),
        str(stamp),
    ]
    stack.cluster.run(words, env=cluster_env(stack.cluster, stack.stamps))


def wait_until_idle(cluster: Cluster) -> None:
    wait_for(lambda: not cluster.run(["squeue", "--noheader"]).stdout.strip(), within=STEP_SECONDS)
    time.sleep(random.uniform(0, 1))


def judge(taken: dict[str, list[float]]) -> Findings:
    findings = Findings()
    for name, values in taken.items():
        findings.add(f"{name}: prolog to first step", seconds(values))
    ratio = median(taken["Diamond"]) / median(taken["by hand"])
    findings.add("Diamond / by hand", f"{ratio:.2f}×", f"≤ {MOST}×", ratio <= MOST)
    findings.note(
        f"DDP by gloo on {NODES} nodes of the lab with {RANKS_PER_NODE} rank each, torch imported again each time."
    )
    return findings


CLAIM = Claim("launch", "Launch over nodes, compared with srun torchrun", measure)
