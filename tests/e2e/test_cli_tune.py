"""A person tries the settings of a real training before she trains: `diamond scale --tune --wait` on one machine."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from diamond.sdk import Client
from support.diamond import Diamond, diamond_up

TRAINING = Path(__file__).parents[1] / "support" / "trainings" / "tuned.py"
SPEC = """\
name: net
run: {python} train.py
params: {{batch_size: 16, accumulate: 4, precision: fp32, num_workers: 0}}
resources: {{walltime: 10m, cpus_per_task: 2}}
"""
TRIED = ["precision=bf16", "batch_size=32", "batch_size=64", "num_workers=1", "num_workers=2"]


@pytest.fixture
def diamond(tmp_path: Path) -> Iterator[Diamond]:
    folder = tmp_path / "net"
    folder.mkdir()
    shutil.copy(TRAINING, folder / "train.py")
    (folder / "diamond.yaml").write_text(SPEC.format(python=sys.executable))
    made = Diamond(tmp_path / "home", folder)
    with diamond_up(made):
        yield made


def last(diamond: Diamond, task: str, name: str) -> float:
    told = json.loads((diamond.home / "token.json").read_text())
    [series] = Client(told["url"], told["token"]).metrics(task, name=name)
    return float(series["points"][-1][2])


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_each_setting_of_a_real_training_is_tried_and_told(diamond: Diamond) -> None:
    done = diamond.call("scale", "--tune", "--steps", "10", "--wait", timeout=800)
    assert done.returncode == 0, done.stderr
    for change in TRIED:
        assert f"{change}: measured" in done.stderr
        assert f"  {change}: " in done.stdout
    assert "e+" not in done.stdout
    probes: dict[str, Any] = {one["label"]: one for one in diamond.ask("scale", "show")["probes"]}
    assert probes["batch_size=64"]["samples_per_step"] == 4 * 64
    assert list(probes) == ["as written", *TRIED]
    bits = [last(diamond, probes[name]["task"], "bits") for name in ("as written", TRIED[0])]
    assert bits == [32, 16]
