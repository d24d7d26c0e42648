from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from diamond.core.facts import merge, read_facts

PROGRAM = """
import random, numpy, torch
from diamond import training
training.seed(42)
drawn = random.random(), float(numpy.random.rand()), float(torch.rand(()))
training.log(0, loss=1.0)
training.log(1, loss=0.5)
print(drawn)
"""


def run(folder: Path, program: str, **variables: str) -> str:
    variables = {"DIAMOND_METRICS": str(folder / "metrics.jsonl"), **variables}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PATH": "", **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_a_program_that_logs_notes_its_libraries_and_seeds_once(tmp_path: Path) -> None:
    drawn = run(
        tmp_path, PROGRAM, PYTHONHASHSEED="7", HF_TOKEN_SEED_X="/home/ada", OMP_NUM_THREADS="2"
    )
    text = (tmp_path / "facts.jsonl").read_text()
    assert len(text.splitlines()) == 1
    facts = read_facts(text.encode())
    assert facts is not None
    assert facts.seeds == {"PYTHONHASHSEED": "7", "diamond": "42", "torch": "42"}
    assert {"torch", "numpy"} <= set(facts.libraries)
    assert "json" not in facts.libraries
    assert facts.settings["OMP_NUM_THREADS"] == "2"
    assert drawn == run(tmp_path, PROGRAM)


def test_the_sampler_notes_the_machine_and_its_packages(tmp_path: Path) -> None:
    program = (
        "from diamond.training.sampler import main;"
        f"main(['--run-folder', {str(tmp_path)!r}, '--pid', '999999', '--packages'])"
    )
    run(tmp_path, program)
    facts = read_facts((tmp_path / "facts.jsonl").read_bytes())
    assert facts is not None
    assert facts.cores > 0
    assert facts.packages["pytest"]
    assert facts.python == sys.version.split()[0]


def test_outside_of_a_job_nothing_is_written(tmp_path: Path) -> None:
    program = "from diamond import training; training.seed(1); training.log(0, loss=1.0)"
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, capture_output=True)
    assert list(tmp_path.iterdir()) == []


def test_later_facts_complete_earlier_ones() -> None:
    first = read_facts(json.dumps({"cpu": "EPYC", "seeds": {"a": "1"}}).encode())
    second = read_facts(json.dumps({"cores": 4, "seeds": {"b": "2"}}).encode())
    assert first is not None
    assert second is not None
    both = merge([first, second])
    assert (both.cpu, both.cores, both.seeds) == ("EPYC", 4, {"a": "1", "b": "2"})
