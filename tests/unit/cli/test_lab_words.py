"""`diamond lab` hands its words on as they were typed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def diamond(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "diamond.cli", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_words_after_two_dashes_stay_a_command() -> None:
    done = diamond("lab", "run", "alpha", "--dir", "/nowhere/lab", "--", "bash", "-c", "true")
    assert "unrecognized" not in done.stderr
    assert "/nowhere/lab" in done.stderr


def test_help_is_the_labs_own() -> None:
    assert "break" in diamond("lab", "--help").stdout


def test_taking_down_no_lab_says_so(tmp_path: Path) -> None:
    done = diamond("lab", "down", "--dir", str(tmp_path / "none"))
    assert done.returncode == 0 and "There is no lab" in done.stdout
