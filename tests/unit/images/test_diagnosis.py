"""Causes of failed steps, from outputs of the real tools that were recorded in `failures/`."""

from __future__ import annotations

from pathlib import Path

import pytest

from diamond.images.diagnosis import diagnose

FAILURES = Path(__file__).parent / "failures"


@pytest.mark.parametrize("file", sorted(FAILURES.glob("*.txt")), ids=lambda file: file.stem)
def test_a_recorded_failure_is_told_by_its_cause(file: Path) -> None:
    """A record is named `TOOL-CAUSE.txt`."""
    found = diagnose(file.read_text().splitlines(), 1, step="command-1")
    assert found.cause == file.stem.split("-", 1)[1]
    assert found.hint


def test_a_step_that_was_killed_ran_out_of_memory() -> None:
    assert diagnose(["compiling"], 137).cause == "out-of-memory"


def test_a_killed_step_on_a_full_disk_is_about_the_disk() -> None:
    assert diagnose(["write error: No space left on device"], 137).cause == "disk-full"


def test_a_base_without_package_manager_or_python_is_told_by_the_step_itself() -> None:
    assert diagnose(["diamond: this base has no package manager"], 64).cause == "no-package-manager"
    assert diagnose(["diamond: Python 3.12 is not in this base"], 65).cause == "no-python"


def test_a_program_may_end_with_the_same_codes() -> None:
    assert diagnose(["my own words"], 64).cause == "command-failed"


def test_what_nobody_foresaw_points_to_the_debugger() -> None:
    found = diagnose(["something odd"], 9, step="command-3")
    assert found.message == "The step command-3 ended with exit code 9"
    assert "Open a shell just before it" in found.hint


def test_a_hint_names_the_settings_as_they_are_written() -> None:
    found = diagnose(["no space left on device"], 1)
    assert "`build: {cache: …, tmp: …}`" in found.hint


def test_tiny_tools_have_words_of_their_own() -> None:
    assert diagnose(["wget: bad address 'x.invalid'"], 1).cause == "network"
    assert diagnose(["/opt/x: line 1: \x7fELF\x02\x01: not found"], 127).cause == "architecture"
