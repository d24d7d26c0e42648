"""What `launch: auto` makes of a command, and what it says about it."""

from __future__ import annotations

from typing import Any

import pytest

from diamond.compose.faults import Faults
from diamond.compose.launch import LaunchChoice, check_launch, choose_launch
from diamond.compose.spec import Spec


def chosen(run: Any, *, launch: Any = "auto", **resources: int) -> LaunchChoice:
    return choose_launch(
        Spec.model_validate({"run": run, "launch": launch, "resources": resources})
    )


@pytest.mark.parametrize(
    ("run", "kind"),
    [
        ("python train.py", "single"),
        ("torchrun train.py", "torchrun"),
        ("cd x && $HOME/env/bin/torchrun --max-restarts 2 train.py", "torchrun"),
        ("python -m torch.distributed.run train.py", "torchrun"),
        (["accelerate", "launch", "train.py"], "accelerate"),
        ("mpirun -n 4 python train.py", "single"),
        ("srun hostname", "single"),
        ("python my-torchrun.py", "single"),
        ("python train.py --data /srun/x", "single"),
    ],
)
def test_auto_looks_at_the_command(run: Any, kind: str) -> None:
    assert chosen(run).launch.kind == kind


def test_a_plain_command_on_one_node_needs_no_words() -> None:
    assert chosen("python train.py").notes == []


def test_it_says_why_it_chose_what_the_command_does_not_say() -> None:
    for command in ("torchrun t.py", "accelerate launch t.py"):
        assert (chosen(command, nodes=2).notes, chosen(command, nodes=2).warnings) == ([], [])
    assert (
        "because the request has room for 8 processes"
        in chosen("python t.py", nodes=2, gpus_per_node=4).notes[0]
    )


def test_a_plain_command_on_several_nodes_runs_once_for_each_place() -> None:
    found = chosen("python t.py", nodes=2, gpus_per_node=4)
    assert (found.launch.kind, found.tasks_per_node) == ("per-rank", 4)


@pytest.mark.parametrize(
    ("run", "resources", "tasks"),
    [
        ("torchrun t.py", {"gpus_per_node": 4}, 4),
        ("torchrun t.py", {}, 1),
        ("torchrun --nproc-per-node=3 t.py", {"gpus_per_node": 4}, 3),
        ("torchrun --nproc_per_node 3 t.py", {"tasks_per_node": 2}, 2),
        ("accelerate launch --num_processes 8 t.py", {"nodes": 2}, 4),
        ("python t.py", {"gpus_per_node": 4}, 1),
    ],
)
def test_how_many_processes_a_node_gets(run: str, resources: dict[str, int], tasks: int) -> None:
    assert chosen(run, **resources).tasks_per_node == tasks


def test_one_process_with_several_gpus_is_told_that_it_could_be_more() -> None:
    assert "all 4 GPUs" in chosen("python t.py", gpus_per_node=4).warnings[0]


def test_options_that_bind_torchrun_elsewhere_are_pointed_out_on_many_nodes() -> None:
    run = "torchrun --standalone --nnodes=1 t.py"
    assert "--nnodes, --standalone in `run`" in chosen(run, nodes=2).warnings[0]
    assert len(chosen(run, nodes=1).warnings) == 0


def test_a_mapping_says_the_kind_and_the_patience() -> None:
    found = chosen("python t.py", launch={"kind": "per-rank", "hang": "30m"}, tasks_per_node=2)
    assert (found.launch.kind, found.launch.hang_seconds) == ("per-rank", 1800)


def test_more_processes_than_single_starts_are_a_fault() -> None:
    faults = Faults()
    raw = {"run": "python t.py", "launch": "single", "resources": {"tasks_per_node": 4}}
    check_launch(Spec.model_validate(raw), faults)
    assert faults.items[0]["field"] == "resources.tasks_per_node"


@pytest.mark.parametrize("kind", ["single", "auto"])
def test_a_patience_that_nobody_would_have_is_a_fault(kind: str) -> None:
    faults = Faults()
    raw = {"run": "python t.py", "launch": {"kind": kind, "hang": "30m"}}
    check_launch(Spec.model_validate(raw), faults)
    assert [one["field"] for one in faults.items] == ["launch.hang"]
    assert "per-rank" in faults.items[0]["hint"]
