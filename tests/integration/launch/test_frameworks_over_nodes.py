"""Real frameworks over several nodes of a real Slurm cluster: each rank finds the others and says so."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from support.launching import launch, log
from support.stack import Stack
from support.waiting import wait_for

TRAININGS = Path(__file__).parents[2] / "support" / "trainings"
MINUTES = 600.0
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


def words(tools: Path, *command: str) -> str:
    return shlex.join([str(tools / command[0]), *command[1:]])


def script(name: str) -> str:
    return str(TRAININGS / name)


def answers(stack: Stack, task: str, ranks: int) -> set[str]:
    """What the ranks say after their place: one thing, if they have found each other."""
    stack.until(task, "succeeded", seconds=MINUTES)
    pattern = re.compile(rf"rank (\d+) of {ranks}: (\S+)$")

    def found() -> dict[str, str]:
        lines = [pattern.search(line) for line in log(stack, task)]
        return {match[1]: match[2] for match in lines if match}

    said = wait_for(lambda: found() if len(found()) == ranks else None, what="a line of each rank")
    assert said is not None
    return set(said.values())


@pytest.mark.parametrize("kind", ["ddp", "fsdp"])
def test_torch_trains_on_four_ranks_of_two_nodes_by_torchrun(
    stack: Stack, tools: Path, kind: str
) -> None:
    task = launch(stack, words(tools, "torchrun", script("ranks_ddp.py"), kind))
    assert len(answers(stack, task, 4)) == 1


def test_torch_trains_on_one_rank_of_each_of_two_nodes_by_its_variables(
    stack: Stack, tools: Path
) -> None:
    run = words(tools, "python", script("ranks_ddp.py"), "ddp")
    task = launch(stack, run, kind="per-rank", nodes=2, tasks=1)
    assert len(answers(stack, task, 2)) == 1


def test_torchrun_starts_the_program_of_one_rank_too(stack: Stack, tools: Path) -> None:
    run = f"PATH={shlex.quote(str(tools))}:$PATH\n" + words(
        tools, "python", script("ranks_ddp.py"), "ddp"
    )
    task = launch(
        stack,
        run,
        kind="torchrun",
        nodes=1,
        environment={"variables": {"PATH": f"{tools}:/usr/bin:/bin"}},
    )
    assert len(answers(stack, task, 2)) == 1


def test_a_rank_killed_in_mid_training_is_named_and_nobody_waits_for_it(
    stack: Stack, tools: Path
) -> None:
    run = "KILLED_RANK=2 " + words(tools, "torchrun", script("ranks_ddp.py"), "ddp")
    task = launch(stack, run)
    ended = stack.until(task, "failed", seconds=MINUTES)
    assert ended["reason"] == "signal"
    assert re.match(r"rank 2 on beta-n\d was killed by signal 9 \(SIGKILL\)", ended["message"])


def test_accelerate_launches_over_two_nodes(stack: Stack, tools: Path) -> None:
    run = f"PATH={shlex.quote(str(tools))}:$PATH\naccelerate launch " + script(
        "ranks_accelerate.py"
    )
    assert answers(stack, launch(stack, run), 4) == {"6"}


def test_a_single_process_of_accelerate_asks_to_be_continued(stack: Stack, tools: Path) -> None:
    """accelerate itself makes 1 of its exit code 75."""
    program = "import os, sys; sys.exit(75 * (os.environ['DIAMOND_ATTEMPT_NUMBER'] == '1'))"
    run = f"PATH={shlex.quote(str(tools))}:$PATH\necho {shlex.quote(program)} >one.py\naccelerate launch one.py"
    task = launch(stack, run, nodes=1, tasks=1)
    ended = stack.until(task, "succeeded", seconds=MINUTES)
    assert len(ended["attempts"]) == 2


def test_mpi_ranks_of_two_nodes_find_each_other(stack: Stack, tools: Path) -> None:
    if not shutil.which("mpirun"):
        pytest.skip("no MPI is installed here")
    run = words(tools, "python", script("ranks_mpi.py"))
    assert answers(stack, launch(stack, run, kind="mpi"), 4) == {"6"}


def test_jax_processes_of_two_nodes_find_each_other(stack: Stack, tools: Path) -> None:
    run = words(tools, "python", script("ranks_jax.py"))
    assert answers(stack, launch(stack, run, kind="jax", tasks=1), 2) == {"1"}


def test_tensorflow_workers_of_two_nodes_find_each_other(stack: Stack, tensorflow: Path) -> None:
    run = words(tensorflow, "python", script("ranks_tensorflow.py"))
    assert answers(stack, launch(stack, run, kind="tensorflow", tasks=1), 2) == {"3"}


def test_lightning_trains_over_two_nodes_and_leaves_requeuing_to_diamond(
    stack: Stack, tools: Path
) -> None:
    run = words(tools, "python", script("ranks_lightning.py"))
    task = launch(stack, run, kind="per-rank")
    assert answers(stack, task, 4) == {"6"}
    assert "does not requeue" in log(stack, task)


def test_the_hugging_face_trainer_trains_over_two_nodes(stack: Stack, tools: Path) -> None:
    run = words(tools, "torchrun", script("ranks_transformers.py"))
    assert answers(stack, launch(stack, run, tasks=1), 2) == {"1"}
