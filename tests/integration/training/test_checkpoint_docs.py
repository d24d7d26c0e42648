"""The example for people is a program that runs."""

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


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_first_example_trains_saves_and_finds_its_work_done_the_second_time(
    tmp_path: Path,
) -> None:
    script = tmp_path / "train.py"
    example = re.search(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert example
    script.write_text(example.group(1))
    environ = {**os.environ, "PYTHONPATH": str(Path(diamond.__file__).parents[1])}
    for _ in range(2):
        subprocess.run([sys.executable, script], cwd=tmp_path, env=environ, check=True)
    lines = (tmp_path / "checkpoints" / "checkpoints.jsonl").read_text().splitlines()
    events = [(line["event"], line["step"]) for line in map(json.loads, lines)]
    assert events == [("saved", 1570), ("resumed", 1570)]
