"""A run on one Slurm cluster, reproduced on another, with differences planted between them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from diamond.testing.lab import Lab
from support.diamond import Diamond, diamond_up

PROGRAM = """\
import os, pathlib, random, sys
from diamond import training
data = pathlib.Path(os.environ["DIAMOND_DATA"], "numbers", "a.csv")
loss = float(data.read_text()) * (1 + random.Random(int(sys.argv[1])).random())
for step in range(3):
    loss /= 2
    training.log(step=step, loss=loss)
folder = pathlib.Path("artifacts")
folder.mkdir(exist_ok=True)
(folder / "model.txt").write_text(repr(loss))
"""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def diamond(slurm_lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Diamond]:
    folder = tmp_path_factory.mktemp("reproduce")
    made = Diamond(folder / "home", folder, {"DIAMOND_SSH": f"ssh -F {slurm_lab.ssh_config}"})
    with diamond_up(made):
        for name in ("alpha", "beta"):
            added = made.call("endpoint", "add", name, "--ssh", name)
            assert added.returncode == 0, added.stderr
        yield made


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where both clusters read it."""
    folder = tmp_path_factory.mktemp("numbers")
    for above in (folder, *folder.parents[:3]):
        above.chmod(above.stat().st_mode | 0o055)
    (folder / "a.csv").write_text("1.0")
    (folder / "a.csv").chmod(0o644)
    return folder


def ran(diamond: Diamond, numbers: Path, *words: str) -> str:
    job = diamond.folder / "train"
    job.mkdir(exist_ok=True)
    (job / "train.py").write_text(PROGRAM)
    (job / "diamond.yaml").write_text(
        "name: train\nrun: python3 train.py {seed}\nparams: {seed: 1}\n"
        f"account: research\ndata: {{numbers: {numbers}}}\n"
    )
    done = diamond.call("run", "train", "--wait", *words)
    assert done.returncode == 0, done.stderr
    return str(diamond.ask("tasks", "--limit", "1")["items"][0]["id"])


def reproduced(diamond: Diamond, task: str, *words: str) -> Any:
    done = diamond.call("reproduce", task, "--wait", "--json", *words, timeout=500)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)["verdict"]


def kinds(verdict: Any) -> list[str]:
    return [cause["kind"] for cause in verdict["causes"]]


def test_a_run_on_alpha_is_identical_on_beta_until_one_byte_changes(
    diamond: Diamond, numbers: Path
) -> None:
    task = ran(diamond, numbers, "--on", "alpha")
    same = reproduced(diamond, task, "--on", "beta")
    assert same["level"] == "identical", same
    (numbers / "a.csv").write_text("1.1")
    changed = reproduced(diamond, task, "--on", "beta")
    (numbers / "a.csv").write_text("1.0")
    assert changed["level"] == "different"
    assert kinds(changed)[0] == "data" and "numbers/a.csv" in changed["causes"][0]["text"]
    other = ran(diamond, numbers, "--on", "alpha", "--set", "seed=2")
    compared = diamond.ask("compare", task, other, "--why")
    assert kinds(compared["verdict"])[0] == "seed"
