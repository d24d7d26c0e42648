"""Imports point one way, and what travels to a cluster needs nothing but an old Python."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "diamond"
CARRIED = (
    "core",
    "schedulers",
    "images",
    "runtimes",
    "launchers",
    "agent",
    "training",
    "data",
    "planning",
)
CAPABILITIES = {
    "compose",
    "planning",
    "images",
    "data",
    "schedulers",
    "runtimes",
    "launchers",
    "training",
}
ALLOWED = {
    "core": {"core"},
    **{name: {"core", name} for name in CAPABILITIES},
    "compose": {"core", "compose", "schedulers", "images"},
    "runtimes": {"core", "images", "runtimes"},
    "launchers": {"core", "launchers", "runtimes"},
    "planning": {"core", "planning", "training"},
    "agent": {"core", "agent"} | CAPABILITIES - {"compose"},
    "notation": {"core", "notation"},
    "service": {"core", "service", "notation"} | CAPABILITIES | {"agent"},
    "sdk": {"core", "sdk", "data", "notation"},
    "cli": {"core", "cli", "sdk", "data"},
    "testing": {"core", "schedulers", "images", "runtimes", "launchers", "testing"},
}
LAZY = {
    ("service", "agent"): "service/agent_file.py builds the file it serves",
    ("cli", "testing"): "`diamond lab`",
}


def modules(*folders: str) -> Iterator[Path]:
    for folder in folders:
        yield from sorted((SOURCE / folder).rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


@pytest.mark.parametrize("part", sorted(ALLOWED))
def test_imports_point_one_way(part: str) -> None:
    wrong = []
    for path in modules(part):
        for name in imported(path):
            words = name.split(".")
            if words[0] != "diamond" or len(words) < 2:
                continue
            if words[1] not in ALLOWED[part] and (part, words[1]) not in LAZY:
                wrong.append(f"{path.relative_to(SOURCE)} imports {name}")
    assert not wrong


def test_what_travels_imports_the_standard_library_only() -> None:
    foreign = [
        f"{path.relative_to(SOURCE)} imports {name}"
        for path in modules(*CARRIED)
        for name in imported(path)
        if name.split(".")[0]
        not in sys.stdlib_module_names | {"diamond"} | brought_by_the_job(path)
    ]
    assert not foreign


def brought_by_the_job(path: Path) -> set[str]:
    """What a training has anyway; `diamond.training` imports such modules when they are first used."""
    return (
        {"torch", "lightning", "transformers"}
        if path.is_relative_to(SOURCE / "training")
        else set()
    )


def test_the_training_library_is_there_without_torch() -> None:
    script = (
        "import sys; sys.modules['torch'] = None; "
        "import diamond.training, diamond.training.sampler, diamond.training.install; "
        "from diamond.training.checkpoints import events, folder, interval, manifest, room"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize(
    ("folders", "version"), [(CARRIED, (3, 9)), (("training",), (3, 8))], ids=["agent", "job"]
)
def test_what_travels_is_written_in_an_older_python(
    folders: tuple[str, ...], version: tuple[int, int]
) -> None:
    for path in [SOURCE / "__init__.py", *modules(*folders)]:
        tree = ast.parse(path.read_text(), filename=str(path), feature_version=version)
        assert not [n for n in ast.walk(tree) if isinstance(n, ast.Match)], path


def test_files_and_functions_stay_small() -> None:
    big = [
        f"{p.relative_to(SOURCE)}: {n}"
        for p in SOURCE.rglob("*.py")
        if (n := len(p.read_text().splitlines())) > 600
    ]
    assert not big
