"""The guides of docs/bring-your-script.md that need nothing from the internet but packages, over two nodes of a lab."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from diamond.notation.yaml_reader import read_spec
from support.launching import log
from support.stack import Stack
from support.waiting import wait_for

PAGE = Path(__file__).parents[3] / "docs" / "bring-your-script.md"
MINUTES = 600.0
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


def guide(title: str, stack: Stack, tools: Path, folder: Path) -> dict[str, Any]:
    """The spec as it stands, with its program where it can be read, and an environment that has its packages."""
    (text,) = re.findall(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE.read_text(), re.M | re.S)
    (spec,) = (read_spec(found) for found in re.findall(r"^```yaml\n(.*?)^```", text, re.M | re.S))
    program = folder / "main.py"
    program.write_text("".join(re.findall(r"<<'END'\n(.*?)^END$", text, re.M | re.S)))
    run = spec["run"].replace("main.py", str(program))
    del spec["environment"]
    spec["resources"]["walltime"] = "10m"
    return {**spec, "run": f"export PATH={tools}:$PATH\n{run}", "on": stack.name}


def ended(stack: Stack, spec: dict[str, Any]) -> str:
    task = str(stack.client.post("/jobs", {"spec": spec})["tasks"][0]["id"])
    assert stack.until(task, "succeeded", seconds=MINUTES)["message"] == "", "no warning"
    return task


def test_jax(stack: Stack, tools: Path, tmp_path: Path) -> None:
    task = ended(stack, guide("JAX", stack, tools, tmp_path))
    wait_for(lambda: any("process 1 of 2" in line for line in log(stack, task)))


def test_mpi4py(stack: Stack, tools: Path, tmp_path: Path) -> None:
    task = ended(stack, guide("mpi4py", stack, tools, tmp_path))
    wait_for(lambda: any("process 3 of 4" in line for line in log(stack, task)))


def test_lightning_continues_from_its_checkpoint(stack: Stack, tools: Path, tmp_path: Path) -> None:
    spec = guide("A Lightning module", stack, tools, tmp_path)
    again = '; [ $? = 0 ] || exit 1; [ "$DIAMOND_ATTEMPT_NUMBER" = 2 ] || exit 75'
    spec["run"] = spec["run"].replace("{epochs}", "$((DIAMOND_ATTEMPT_NUMBER * {epochs}))") + again
    spec |= {"params": {"epochs": 2}, "continue": {**spec["continue"], "on": ["exit-75"]}}
    task = ended(stack, spec)
    words = "Restored all states from the checkpoint"
    lines = wait_for(lambda: log(stack, task, "stderr"), what="the last attempt's log")
    assert lines is not None and any(words in line for line in lines)
