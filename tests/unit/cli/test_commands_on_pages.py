"""The commands that the pages offer for copying are commands that exist, with all their arguments."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from diamond.cli.main import app

PAGES = Path(__file__).parents[3] / "web" / "src"
LINE = re.compile(r"(?:line|command)=\{?[`\"]diamond ([^`\"\n]+)[`\"]")


def offered() -> list[str]:
    found: set[str] = set()
    for page in PAGES.rglob("*.tsx"):
        if ".test." not in page.name:
            found |= set(LINE.findall(page.read_text()))
    return sorted(found)


@pytest.mark.parametrize("line", offered())
def test_a_line_to_copy_is_a_whole_command(line: str) -> None:
    command: Any = get_command(app)
    words = shlex.split(re.sub(r"\$\{[^}]*\}", "x1", line))
    while hasattr(command, "get_command"):
        command = command.get_command(command.context_class(command), words.pop(0))
        assert command is not None, f"there is no command {line!r}"
    command.make_context("diamond", words)


def test_there_are_such_lines() -> None:
    assert len(offered()) >= 3
