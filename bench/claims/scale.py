"""How good the advised number of nodes is, compared with the best of a full sweep."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.claim import Claim, Findings, Options
from bench.jobs import PARTITION
from bench.stack import Stack, slurm_stack
from diamond.planning.scaling import Goal, Point, Probe, curve

NODES, PROBED = 4, [1, 2, 4]
FULL_STEPS = 60
PROBE_STEPS = 20
NEAR_ENOUGH = 0.9
FLOOR = 0.7
GOALS = {
    "soonest": Goal.SOONEST,
    "cheapest": Goal.CHEAPEST,
    f"efficiency:{FLOOR}": Goal.EFFICIENCY,
}
SCRIPTS = {
    "nearly all of it scales": "0.40 / ranks + 0.01",
    "a sixth does not scale": "0.36 * (1 / 6 + 5 / 6 / ranks)",
    "communication grows with the ranks": "0.20 / ranks + 0.03 * (ranks - 1)",
}
PROGRAM = """\
import os, random, time
from diamond import training

ranks = int(os.environ.get("WORLD_SIZE", "1"))
for step in range(1, 100_000):
    pace = {pace}
    time.sleep(pace * random.uniform(0.95, 1.05) * (3 if step < 4 else 1))
    training.log(step, loss=1 / step)
"""
NOTES = [
    "The lab's nodes share two cores, so no real load can scale over them. Instead, each script sleeps as long as its formula (in brackets) says "
    "for its number of ranks, ± 5 %, and three times that in its first three steps. Everything else is real: Slurm, launch, logs, probes, advice.",
    f"`diamond scale --nodes {','.join(map(str, PROBED))}` of {PROBE_STEPS} steps each, compared with a sweep of every number of nodes from 1 to {NODES} with {FULL_STEPS} steps, measured in the same way. "
    "The ratio compares what the goal asks for, both by the sweep's numbers: throughput, throughput per node, and throughput among those above the floor.",
]


def measure(options: Options) -> Findings:
    findings = Findings(notes=list(NOTES))
    with slurm_stack(options.folder, nodes=NODES, stamped=False) as stack:
        for name, pace in SCRIPTS.items():
            spec = spec_of(options.folder, name, pace)
            steps = max(PROBE_STEPS, options.samples(FULL_STEPS))
            swept = sweep(stack, spec, list(range(1, NODES + 1)), steps)
            for goal, kind in GOALS.items():
                judge(findings, f"{name} ({pace}), {goal}", swept, kind, advised(stack, spec, goal))
    return findings


def spec_of(folder: Path, name: str, pace: str) -> dict[str, Any]:
    program = folder / f"{name.replace(' ', '-')}.py"
    program.write_text(PROGRAM.format(pace=pace))
    return {
        "name": name,
        "run": ["python3", str(program), "{batch}"],
        "params": {"batch": 120},
        "on": f"cluster/{PARTITION}",
        "resources": {"walltime": "30m", "memory": "200MB"},
    }


def sweep(stack: Stack, spec: Mapping[str, Any], sizes: list[int], steps: int) -> list[Point]:
    """The throughput of every number of nodes, from long runs of the same script."""
    told = finished(stack, spec, {"nodes": sizes, "steps": steps})
    return curve(
        [
            Probe(one["nodes"], one["samples_per_step"], [one["step_seconds"]])
            for one in told["probes"]
        ]
    )


def advised(stack: Stack, spec: Mapping[str, Any], goal: str) -> int:
    wanted = {"nodes": PROBED, "steps": PROBE_STEPS, "goal": goal}
    return int(finished(stack, spec, wanted)["advice"]["nodes"])


def finished(stack: Stack, spec: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    client = stack.service.client()
    no_code = stack.service.folder.parent / "empty"
    no_code.mkdir(exist_ok=True)
    told = client.wait_scale(client.scale(spec, wanted, folder=no_code)["id"])
    if told["state"] != "done":
        raise SystemExit(f"bench: a scale {told['state']}: {told['message']}")
    return told


def judge(findings: Findings, what: str, swept: list[Point], goal: Goal, nodes: int) -> None:
    worth = {one.nodes: value(one, goal) for one in swept}
    best = max(worth, key=lambda one: worth[one])
    ratio = worth[nodes] / worth[best]
    words = f"{ratio:.2f} ({nodes} advised, {best} the best)"
    findings.add(what, words, f"≥ {NEAR_ENOUGH}", ratio >= NEAR_ENOUGH)


def value(point: Point, goal: Goal) -> float:
    """The value that a goal maximizes; 0 below its floor."""
    if goal is Goal.CHEAPEST:
        return point.throughput / point.nodes
    if goal is Goal.EFFICIENCY and point.efficiency < FLOOR:
        return 0.0
    return point.throughput


CLAIM = Claim("scale", "The advised number of nodes, compared with a full sweep", measure)
