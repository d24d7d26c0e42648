"""The examples for people are programs that run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import diamond

PAGE = Path(__file__).parents[3] / "docs" / "checkpoints.md"
OWN_LOOP = """
import torch
from diamond import training

model = torch.nn.Linear(10, 1)
optimizer = torch.optim.AdamW(model.parameters())
checkpointer = training.Checkpointer(model, optimizer)
validation_loss = torch.tensor(0.5)

def train_one_step():
    optimizer.zero_grad()
    model(torch.ones(2, 10)).sum().backward()
    optimizer.step()

"""
OTHER_TOOL = """
import torch
model = torch.nn.Linear(10, 1)
before = model.weight.detach().clone()
"""


def blocks() -> list[str]:
    """All of them but those of Lightning and transformers, which have an environment of their own to run in."""
    found = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return [one for one in found if "lightning" not in one and "transformers" not in one]


def run(folder: Path, program: str) -> None:
    script = folder / "train.py"
    script.write_text(program)
    environ = {**os.environ, "PYTHONPATH": str(Path(diamond.__file__).parents[1])}
    subprocess.run([sys.executable, script], cwd=folder, env=environ, check=True)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_examples_train_save_go_on_and_are_read_without_diamond(tmp_path: Path) -> None:
    """The second time the first finds its work done; the loop that stays as it is goes on with it."""
    plain, own_loop, other_tool = blocks()
    run(tmp_path, plain)
    run(tmp_path, plain)
    run(tmp_path, f"{OTHER_TOOL}{other_tool}assert not torch.equal(before, model.weight)")
    lines = (tmp_path / "checkpoints" / "checkpoints.jsonl").read_text().splitlines()
    events = [(line["event"], line["step"]) for line in map(json.loads, lines)]
    assert events == [("saved", 1570), ("resumed", 1570)]
    run(tmp_path, f"{OWN_LOOP}{own_loop}assert step == 10_000")
