from __future__ import annotations

import pytest

from diamond.testing.lab.commands import parser


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
