"""What an image's own files set when somebody enters it without Diamond."""

from __future__ import annotations

import subprocess

from diamond.images.scripts import command_script, variables_script


def _apptainers(script: str) -> str:
    """The text that the step writes for apptainer."""
    lines = script.split("91-diamond.sh <<'END_OF_TEXT'\n", 1)[1]
    return lines.split("END_OF_TEXT\n", 1)[0]


def test_programs_are_found_where_apptainer_has_not_set_path_yet() -> None:
    text = _apptainers(variables_script({"SEASON": "it's winter"}, has_venv=True))
    asked = f'unset PATH\n{text}echo "$PATH" "$SEASON"'
    said = subprocess.check_output(["/bin/sh", "-euc", asked], env={}, text=True).strip()
    path, season = said.split(" ", 1)
    assert season == "it's winter"
    assert path.split(":")[0] == "/opt/venv/bin" and "/usr/bin" in path.split(":")


def test_a_path_that_the_base_sets_is_kept() -> None:
    text = _apptainers(variables_script({}, has_venv=True))
    asked = f'PATH=/opt/conda/bin\n{text}echo "$PATH"'
    said = subprocess.check_output(["/bin/sh", "-euc", asked], env={}, text=True).strip()
    assert said == "/opt/venv/bin:/opt/conda/bin"


def test_a_command_has_a_home_also_where_the_runtime_sets_none() -> None:
    script = command_script('echo "$HOME"', {}, has_venv=False)
    said = subprocess.check_output(
        ["/bin/sh", "-eu", "-c", script], env={"PATH": "/bin"}, text=True
    )
    assert said == "/root\n"
