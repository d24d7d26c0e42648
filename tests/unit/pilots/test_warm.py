"""Which programs may share a warm Python, and what it imports for them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from diamond.pilots.warm import kind_of, python_call


@pytest.mark.parametrize(
    ("words", "line", "call"),
    [
        (["python3", "-m", "a.b", "x y"], "", ["python3", "-m", "a.b", "x y"]),
        ([], "python train.py --lr 0.1\n", ["python", "train.py", "--lr", "0.1"]),
        ([], "python train.py 'a b'", []),
        ([], "python train.py; rm x", []),
        ([], "python train.py $HOME", []),
        ([], "exec python train.py", []),
        ([], "python -c pass", []),
        (["python3"], "", []),
        (["./train.py"], "", []),
    ],
)
def test_a_plain_call_of_python_is_recognised(words: list[str], line: str, call: list[str]) -> None:
    assert python_call(words, line) == call


def test_it_imports_packages_and_never_files_of_the_program(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import os, torch.nn\nfrom model import Net\nimport numpy")
    (tmp_path / "model.py").write_text("from einops import rearrange\ndef f():\n    import later")
    (tmp_path / "numpy").mkdir()
    environment = {"PATH": str(Path(sys.executable).parent), "DIAMOND_TASK": "t1", "A": "b"}
    kind = kind_of(["python3", "train.py"], environment, str(tmp_path), [0, 1])
    assert kind is not None
    assert kind.modules == {"torch.nn", "einops"}
    assert dict(kind.variables) == {"PATH": environment["PATH"], "A": "b"}
    assert kind.cores == 2
    (tmp_path / "plain.py").write_text("import json")
    assert kind_of(["python3", "plain.py"], environment, str(tmp_path), []) is None
