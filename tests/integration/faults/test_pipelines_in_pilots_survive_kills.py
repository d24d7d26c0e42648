"""Fifty steps in one allocation on real Slurm. Each part is killed in the middle: no finished step is repeated, none is lost,
every state is true, and the pipeline says what happened to its allocations."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from diamond.testing.lab import Lab
from support.pilots import pilot_processes
from support.stack import FINAL, Stack, running_stack
from support.waiting import wait_for

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
NUMBERS = list(range(20))
STEPS = 50
IN_THE_MIDDLE = 12


@pytest.fixture(scope="module", params=["alpha", "beta"])
def stack(
    request: pytest.FixtureRequest, slurm_lab: Lab, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stack]:
    folder = tmp_path_factory.mktemp(request.param)
    with running_stack(slurm_lab.cluster(request.param), folder) as running:
        yield running


@dataclass
class Graph:
    """The pipeline under test. Each execution of a step notes that it began and that it is done in the step's own file."""

    stack: Stack
    notes: Path
    id: str = ""
    finished: dict[str, str] = field(default_factory=dict)
    """Steps that were done before the kill, with their tasks."""

    def submit(self) -> None:
        self.notes.mkdir()
        once = f"{self.notes}/{{0}}"
        body = f"echo begin >>{once}; sleep 0.5; {{1}}; echo done >>{once}"
        first = '[ "$RANK" = 0 ]'
        until = f"until [ -e {self.notes}/go ]; do sleep 0.1; done"
        stages: dict[str, Any] = {
            "first": {
                "run": body.format("first-{n}", "echo {n} >out"),
                "map": {"n": NUMBERS},
                "outputs": {"out": "out"},
            },
            "second": {"run": body.format("second-{n}", "cat {first.out}"), "map": "first"},
            "wide": {
                "run": f"! {first} || echo begin >>{self.notes}/wide-; {until}; "
                f"! {first} || echo done >>{self.notes}/wide-",
                "resources": {"nodes": 2},
                "launch": "per-rank",
                "retries": 1,
            },
            "third": {
                "run": body.format("third-{n}", "true"),
                "map": {"n": NUMBERS[:8]},
                "needs": ["first"],
            },
            "last": {"run": body.format("last-", "true"), "needs": ["second", "third", "wide"]},
        }
        spec = {
            "name": self.notes.name,
            "on": self.stack.name,
            "together": {"walltime": "10m", "nodes": 2, "cpus_per_node": 4},
            "pipeline": stages,
        }
        self.id = self.stack.client.post("/pipelines", {"spec": spec})["id"]

    def now(self) -> Any:
        return self.stack.client.get(f"/pipelines/{self.id}")

    def steps(self) -> dict[str, Any]:
        """By the name of their notes."""
        return {
            f"{stage['name']}-{step['item'].get('n', '')}": step
            for stage in self.now()["stages"]
            for step in stage["steps"]
        }

    def until_in_the_middle(self) -> None:
        def enough() -> bool:
            done = {
                name: one["task"] for name, one in self.steps().items() if one["state"] == "done"
            }
            self.finished = done
            return len(done) >= IN_THE_MIDDLE

        wait_for(enough, what=f"{IN_THE_MIDDLE} finished steps", seconds=300)

    def until_over(self) -> Any:
        def over() -> Any:
            found = self.now()
            return found if found["state"] != "running" else None

        return wait_for(over, what="the end of the pipeline", seconds=400, every=0.5)

    def noted(self, step: str, word: str) -> int:
        place = self.notes / step
        return place.read_text().split().count(word) if place.exists() else 0

    def check(self, *, most_begun: int = 1) -> Any:
        """The guarantees that hold whatever was killed."""
        ended = self.until_over()
        assert ended["state"] == "succeeded", ended["message"]
        steps = self.steps()
        assert len(steps) == ended["counts"]["done"] == STEPS
        for name, task in self.finished.items():
            assert steps[name]["task"] == task, f"{name} was done, and is done by another task"
            assert self.noted(name, "begin") == 1, f"{name} was done, and ran again"
        for name, step in steps.items():
            assert 1 <= self.noted(name, "begin") <= max(most_begun, step["tries"]), name
            assert self.noted(name, "done") >= 1, (
                f"{name} is called done, and its program never was"
            )
        return ended

    def items(self) -> list[Any]:
        """What the journals of all its pilots have."""
        pilots = [one["id"] for one in self.now()["pilots"]]
        shown = [self.stack.client.get(f"/pilots/{pilot}/timeline") for pilot in pilots]
        return [item for one in shown for item in one["items"]]

    def check_states(self) -> None:
        """Every task is what its journal says of it, or its program had just ended when its node's runner was killed."""
        for item in self.items():
            task = self.stack.task(item["task"])
            assert task["state"] in FINAL, task
            is_good = (item["reason"], item["code"]) == ("exit", 0)
            has_ended = task["exit_code"] == 0 and bool(item["reason"])
            assert (task["state"] == "succeeded") == (is_good or has_ended), (item, task["reason"])

    def most_files_left(self) -> int:
        """Of one step beside its outputs and logs."""
        tasks = [self.stack.run_dir(step["task"]).parent for step in self.steps().values()]
        return max(len(files_beside_outputs(task)) for task in tasks)


def files_beside_outputs(task: Path) -> list[Path]:
    own = [each.relative_to(task) for each in task.rglob("*") if each.is_file()]
    return [each for each in own if each.parts[0] != "run" and each.suffix != ".log"]


@pytest.fixture
def graph(stack: Stack, tmp_path: Path) -> Iterator[Graph]:
    stack.restart_what_died()
    graph = Graph(stack, tmp_path / "graph")
    graph.submit()
    yield graph
    stack.restart_what_died()
    pilots = [one["id"] for one in graph.now()["pilots"]]
    stack.client.post(f"/pipelines/{graph.id}/cancel")
    for pilot in pilots:  # the next test gets one of its own
        stack.client.post(f"/pilots/{pilot}/stop", {"now": True})
        wait_for(lambda: stack.task(pilot)["state"] in FINAL, what="the end of its pilot")  # noqa: B023


def pilot_of(graph: Graph) -> str:
    (pilot,) = graph.now()["pilots"]
    return str(pilot["id"])


def kill_process(graph: Graph, act: str) -> None:
    os.kill(pilot_processes(pilot_of(graph), act)[0], signal.SIGKILL)


def kill_rank(graph: Graph) -> None:
    wide = wait_for(lambda: graph.steps()["wide-"]["task"], what="the task of the wide step")
    pid = wait_for(lambda: rank_of(wide, "1"), what="its second rank")
    os.kill(pid, signal.SIGKILL)


def rank_of(task: str, rank: str) -> int:
    """The newest process of one rank, 0 if there is none. Nodes of the lab number their processes themselves."""
    asked = {f"DIAMOND_TASK={task}".encode(), f"RANK={rank}".encode()}
    pids = [
        int(place.parent.name)
        for place in Path("/proc").glob("[0-9]*/environ")
        if asked <= set(environment_of(place).split(b"\0"))
    ]
    shells = [pid for pid in pids if b"command.sh" in environment_of(Path(f"/proc/{pid}/cmdline"))]
    return max(shells, default=0)


def environment_of(place: Path) -> bytes:
    try:
        return place.read_bytes()
    except OSError:
        return b""


def kill_agent(graph: Graph) -> None:
    graph.stack.kill_agent()
    graph.stack.start_agent()


def kill_service(graph: Graph) -> None:
    graph.stack.kill_service()
    graph.stack.start_service()


def end_allocation(graph: Graph) -> None:
    graph.stack.slurm("scancel", graph.stack.native_id(pilot_of(graph)))


def fail_node(graph: Graph) -> None:
    pilot = pilot_of(graph)
    timeline = graph.stack.client.get(f"/pilots/{pilot}/timeline")
    node = timeline["allocations"][0]["nodes"][-1]["name"]
    graph.stack.cluster.break_node(node, "fail")
    try:
        wait_for(
            lambda: any(step["lost"] for step in graph.steps().values()),
            what="steps that are said to be lost",
            seconds=200,
        )
    finally:
        graph.stack.cluster.break_node(node, "start")


@dataclass(frozen=True)
class Kill:
    act: Callable[[Graph], None]
    told: str = ""
    """How the journal says that what ran ended; empty: nothing that ran was lost."""
    pilots: int = 1
    allocations: int = 1
    """Of the first pilot."""
    reason: str = ""
    """How the first pilot ended, if it did."""


KILLS = {
    "the engine's server": Kill(lambda graph: kill_process(graph, "dask-scheduler"), "engine"),
    "a worker": Kill(lambda graph: kill_process(graph, "dask-worker"), "node-lost"),
    "a rank": Kill(kill_rank),
    "the agent": Kill(kill_agent),
    "the service": Kill(kill_service),
    "the allocation": Kill(end_allocation, pilots=2, reason="by-site"),
    "a node": Kill(fail_node, "node-lost", allocations=2),
}


@pytest.mark.parametrize("what", KILLS)
def test_no_finished_step_is_repeated_and_none_is_lost(graph: Graph, what: str) -> None:
    kill = KILLS[what]
    graph.until_in_the_middle()
    kill.act(graph)
    (graph.notes / "go").touch()
    is_lossy = bool(kill.told or kill.reason or what == "a rank")
    ended = graph.check(most_begun=2 if is_lossy else 1)
    assert len(ended["pilots"]) == kill.pilots, ended["pilots"]
    assert ended["pilots"][0]["allocations"] == kill.allocations
    steps = graph.steps()
    lost = [name for name, step in steps.items() if step["lost"]]
    if kill.told or kill.reason:
        assert lost, "nothing that ran is said to have been lost"
    else:
        assert not lost
    assert {name for name, step in steps.items() if step["tries"] > 1} == (
        {"wide-"} if what == "a rank" else set()
    )
    if kill.reason:
        assert ended["pilots"][0]["state"] == "failed"
        assert ended["pilots"][0]["reason"] == kill.reason
    if kill.told and kill.allocations == 1:
        assert kill.told in {item["reason"] for item in graph.items()}
    if not kill.reason and kill.allocations == 1:
        graph.check_states()
    wait_for(lambda: graph.most_files_left() <= 2, what="steps with two files each")


def test_a_cancel_in_the_middle_leaves_nothing_running(graph: Graph) -> None:
    graph.until_in_the_middle()
    job = graph.stack.native_id(pilot_of(graph))
    graph.stack.client.post(f"/pipelines/{graph.id}/cancel")
    steps = graph.steps()
    assert {step["state"] for step in steps.values()} == {"done", "cancelled"}
    assert all(steps[name]["state"] == "done" for name in graph.finished)
    tasks = {step["task"] for step in steps.values() if step["task"]}
    for task in [*tasks, pilot_of(graph)]:
        wait_for(lambda: graph.stack.task(task)["state"] in FINAL, what=f"the end of {task}")  # noqa: B023
    marks = [f"DIAMOND_TASK={task}\0".encode() for task in tasks]
    left = [
        place
        for place in Path("/proc").glob("[0-9]*/environ")
        if any(mark in environment_of(place) for mark in marks)
    ]
    assert not left
    wait_for(
        lambda: not graph.stack.slurm("squeue", "-h", "-t", "RUNNING", "-j", job, check=False),
        what="the end of the allocation",
    )
