"""Probe runs on nodes of a real Slurm cluster: as many ranks as asked for, measured by what they log, and ended."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from support.stack import Stack
from support.waiting import wait_for

PROGRAM = """\
import os, sys, time
from diamond import training

batch, ranks = int(sys.argv[1]), int(os.environ.get("WORLD_SIZE", "1"))
for step in range(1, 100_000):
    time.sleep(0.01 * batch)  # The work of a rank goes by its share of the batch.
    training.log(step, loss=1 / step, ranks=ranks)
"""


def over(stack: Stack, scale: str) -> Any:
    found = stack.client.get(f"/scales/{scale}")
    return found if found["state"] != "running" else None


def test_two_sizes_are_probed_measured_and_ended(stack: Stack) -> None:
    spec = {
        "name": "net",
        "run": ["python3", "-c", PROGRAM, "{batch}"],
        "params": {"batch": 20},
        "on": stack.name,
        "resources": {"memory": "200MB", "walltime": "10m"},
    }
    body = {"spec": spec, "nodes": [1, 2], "goal": "soonest", "steps": 6, "together": True}
    made = stack.client.post("/scales", body)
    told = wait_for(lambda: over(stack, made["id"]), what="the end of the scale")
    assert told["state"] == "done", told
    assert [one["ranks"] for one in told["probes"]] == [1, 2]
    one, two = (probe["step_seconds"] for probe in told["probes"])
    # A step waits 0.2 s on one node and 0.1 s on two; a busy machine makes both longer.
    assert one >= 0.2
    assert two >= 0.1
    assert (told["probes"][1]["params"], told["unit"]) == ({"batch": 10}, "samples")
    for probe in told["probes"]:
        stack.until(probe["task"], "cancelled")
    [ranks] = stack.client.get(f"/tasks/{told['probes'][1]['task']}/metrics?name=ranks")["items"]
    assert ranks["points"][-1][2] == 2


TRAINING = Path(__file__).parents[2] / "support" / "trainings" / "tuned.py"


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_real_training_sees_the_same_batches_on_one_and_two_nodes(stack: Stack) -> None:
    """The program ends at once when an update does not see 64 samples; the losses show that they are the same ones."""
    params = {"batch_size": 16, "accumulate": 4, "precision": "fp32", "num_workers": 0}
    spec = {
        "name": "tuned",
        "run": [sys.executable, str(TRAINING), "64"],
        "params": params,
        "on": stack.name,
        "launch": "per-rank",
        "resources": {"memory": "2GB", "walltime": "10m"},
    }
    made = stack.client.post("/scales", {"spec": spec, "nodes": [1, 2], "steps": 30})
    told = wait_for(lambda: over(stack, made["id"]), 600, what="the end of the scale")
    assert told["state"] == "done", told
    assert [one["params"] for one in told["probes"]] == [{}, {"accumulate": 2}]
    alone, both = (
        [points(stack, one["task"], name) for name in ("ranks", "samples", "loss")]
        for one in told["probes"]
    )
    assert (alone[0][0], both[0][0]) == (1, 2)
    assert set(alone[1] + both[1]) == {64}
    assert both[2][:30] == pytest.approx(alone[2][:30], rel=1e-4)
    assert alone[2][29] < 0.9 * alone[2][0]


def points(stack: Stack, task: str, name: str) -> list[float]:
    """As many as a probe has to tell at least."""

    def look() -> list[float]:
        found = stack.client.get(f"/tasks/{task}/metrics?name={name}")["items"]
        values = [point[2] for point in found[0]["points"]] if found else []
        return values if len(values) >= 30 else []

    return wait_for(look, what=f"thirty values of {name}")
