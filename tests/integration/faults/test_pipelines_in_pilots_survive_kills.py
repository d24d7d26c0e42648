"""Fifty steps in one allocation on real Slurm: service and agent are killed in the middle, and nothing is lost or repeated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from diamond.testing.lab import Lab
from support.stack import Stack, running_stack
from support.waiting import wait_for


@pytest.fixture(scope="module")
def stack(slurm_lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with running_stack(slurm_lab.cluster("alpha"), tmp_path_factory.mktemp("packed")) as running:
        yield running


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_fifty_steps_run_once_whatever_dies_above_them(stack: Stack) -> None:
    note = f'echo "{{name}}" >>{stack.counter}; sleep 0.2'
    numbers = list(range(20))
    stages: dict[str, Any] = {
        "first": {
            "run": f"{note.format(name='first-{n}')}; echo {{n}} >out",
            "map": {"n": numbers},
            "outputs": {"out": "out"},
        },
        "second": {"run": f"{note.format(name='second-{n}')}; cat {{first.out}}", "map": "first"},
        "third": {
            "run": note.format(name="third-{n}"),
            "map": {"n": numbers[:9]},
            "needs": ["second"],
        },
        "last": {"run": note.format(name="last"), "needs": ["third"]},
    }
    spec = {
        "name": "packed",
        "on": stack.name,
        "together": {"walltime": "10m", "nodes": 2},
        "pipeline": stages,
    }
    made = stack.client.post("/pipelines", {"spec": spec})["id"]
    wait_for(lambda: len(executed(stack)) >= 10, what="ten executions", seconds=300)
    stack.kill_service()
    wait_for(lambda: len(executed(stack)) >= 12, what="executions without a service")
    stack.start_service()
    wait_for(lambda: len(executed(stack)) >= 25, what="executions after it", seconds=200)
    stack.kill_agent()
    stack.start_agent()

    def over() -> Any:
        found = stack.client.get(f"/pipelines/{made}")
        return found if found["state"] != "running" else None

    ended = wait_for(over, what="the end of the pipeline", seconds=400)
    assert ended["state"] == "succeeded", ended["message"]
    assert ended["counts"]["done"] == 50
    names = executed(stack)
    assert len(names) == len(set(names)) == 50, "each ran, and none twice"
    steps = [step for stage in ended["stages"] for step in stage["steps"]]
    (pilot,) = {step["pilot"] for step in steps}
    assert {step["tries"] for step in steps} == {1}
    wait_for(lambda: stack.client.get(f"/pilots/{pilot}")["state"] == "succeeded", what="its end")
    timeline = stack.client.get(f"/pilots/{pilot}/timeline")
    assert len(timeline["items"]) == 50 and len(timeline["allocations"]) == 1
    assert {item["stage"] for item in timeline["items"]} == set(stages)


def executed(stack: Stack) -> list[str]:
    return stack.counter.read_text().splitlines() if stack.counter.exists() else []
