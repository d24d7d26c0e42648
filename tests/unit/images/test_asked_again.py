"""An image that is there already is found quickly: nothing is compiled, probed or started for it."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from diamond.agent.site.bundle import builder_file
from diamond.core.order import Environment
from diamond.runtimes.adapters import likely_builder
from diamond.runtimes.reporting import Report


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with programs that fail when anybody starts them."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def install(folder: Path, name: str) -> None:
    (folder / name).write_text("#!/bin/sh\nexit 9\n")
    (folder / name).chmod(0o755)


def test_the_likely_builder_is_seen_without_starting_anything(programs: Path) -> None:
    based = Environment(base="sif:/x.sif")
    assert likely_builder(based, "") is None
    install(programs, "podman")
    install(programs, "ch-image")
    found = [likely_builder(based, wanted) for wanted in ("", "podman", "apptainer")]
    assert [one.name if one else "" for one in found] == ["charliecloud", "podman", ""]


def test_without_a_base_it_is_a_virtual_environment(programs: Path) -> None:
    found = likely_builder(Environment(), "")
    assert found is not None
    assert found.name == "venv"
    assert likely_builder(Environment(), "podman") is None


def test_the_builder_is_compiled_for_the_agents_own_python(tmp_path: Path) -> None:
    file = Path(builder_file(tmp_path))
    assert sys.implementation.cache_tag in file.name
    assert builder_file(tmp_path) == str(file)
    script = "import diamond.runtimes.building as one; print(one.__cached__ or one.__file__)"
    words = [sys.executable, "-c", script]
    said = subprocess.check_output(words, env={"PYTHONPATH": str(file)}, text=True)
    assert said.strip().endswith("building.pyc")
    assert "diamond/runtimes/building.py" in zipfile.ZipFile(file).namelist()
    done = subprocess.run([sys.executable, str(file), "build", "--help"], check=True)
    assert done.returncode == 0


def test_a_failure_is_blamed_in_words_that_a_task_can_bear(tmp_path: Path) -> None:
    Report().blame("nobody listens")
    Report(tmp_path / "steps.jsonl").blame("step command-2 failed: " + "x" * 5000)
    told = json.loads((tmp_path / "culprit.json").read_text())
    assert told["message"].startswith("step command-2 failed: x")
    assert len(told["message"]) == 1000
    assert told["reason"] == "exit-code"
