"""What the function around `accelerate` passes on, by bash and by sh."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from diamond.launchers.starters import accelerate

SHAPE = (
    "--num_machines 2 --machine_rank 1 --num_processes 4 --main_process_ip n1 --main_process_port 9"
)


@pytest.fixture
def fake(tmp_path: Path) -> Path:
    program = tmp_path / "accelerate"
    program.write_text('#!/bin/sh\necho "$* cpu=$ACCELERATE_USE_CPU"\n')
    program.chmod(0o755)
    return tmp_path


def said(fake: Path, shell: str, line: str, per_node: int = 2) -> str:
    variables = {
        "PATH": f"{fake}:{os.environ['PATH']}",
        "PET_NNODES": "2",
        "PET_NODE_RANK": "1",
        "PET_NPROC_PER_NODE": str(per_node),
        "PET_MASTER_ADDR": "n1",
        "PET_MASTER_PORT": "9",
    }
    words = [shell, "-c", accelerate.FUNCTION + line]
    return subprocess.run(
        words, env=variables, capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.mark.parametrize("shell", ["bash", "sh"])
@pytest.mark.parametrize(
    ("options", "passed", "cpu"),
    [
        ("train.py", "--multi_gpu train.py", ""),
        ("--cpu train.py --lr 1", "--multi_gpu train.py --lr 1", "true"),
        ("train.py --cpu", "--multi_gpu train.py --cpu", ""),
        ("-m pack.train --cpu --tpu", "--multi_gpu -m pack.train --cpu --tpu", ""),
        ("--use_fsdp train.py", "--use_fsdp train.py", ""),
        ("--config_file=c.yaml train.py", "--config_file=c.yaml train.py", ""),
        ("--no_python rank.sh --tpu", "--multi_gpu --no_python rank.sh --tpu", ""),
        ("train.py --config-file x", "--multi_gpu train.py --config-file x", ""),
    ],
)
def test_ranks_are_started_and_connected(
    fake: Path, shell: str, options: str, passed: str, cpu: str
) -> None:
    assert said(fake, shell, f"accelerate launch {options}") == f"launch {SHAPE} {passed} cpu={cpu}"


def test_words_stay_words(fake: Path) -> None:
    assert "a b|'c' $x" in said(fake, "bash", "accelerate launch t.py \"a b|'c' \\$x\"")
