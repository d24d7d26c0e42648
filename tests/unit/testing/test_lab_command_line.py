from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest

from diamond.testing.lab.commands import parser
from diamond.testing.lab.old_python import candidates, pyenvs


@pytest.mark.parametrize(
    "words",
    [
        ["--dir", "/x", "alpha", "node", "2", "fail"],
        ["alpha", "--dir", "/x", "node", "2", "fail"],
        ["alpha", "node", "2", "fail", "--dir", "/x"],
        ["alpha", "controller", "stop", "--dir", "/x"],
        ["--dir", "/y", "alpha", "controller", "stop", "--dir", "/x"],
    ],
)
def test_the_folder_of_a_lab_may_be_named_anywhere_in_a_break(words: list[str]) -> None:
    assert parser().parse_args(["break", *words]).dir == "/x"


def test_a_break_finds_the_usual_lab(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DIAMOND_LAB_DIR", raising=False)
    told = parser().parse_args(["break", "alpha", "node", "1", "fail"])
    assert (str(told.dir), told.json) == ("/tmp/diamond-lab", False)


def test_an_older_python_is_looked_for_beyond_what_home_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "pyenv" / "versions" / "3.9.1" / "bin" / "python3.9"
    program.parent.mkdir(parents=True)
    program.touch()
    monkeypatch.setenv("HOME", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    assert program in candidates()
    assert Path(pwd.getpwuid(os.getuid()).pw_dir) / ".pyenv" in pyenvs()
