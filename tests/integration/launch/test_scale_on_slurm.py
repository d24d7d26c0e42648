"""Probe runs on nodes of a real Slurm cluster: as many ranks as asked for, measured by what they log, and ended."""

from __future__ import annotations

from typing import Any

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
        "name": "net", "run": ["python3", "-c", PROGRAM, "{batch}"], "params": {"batch": 20},
        "on": stack.name, "resources": {"memory": "200MB", "walltime": "10m"},
    }  # fmt: skip
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
