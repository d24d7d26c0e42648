"""Only `schedulers/` and `launchers/starters/` know a batch system by name; everybody else asks for abilities."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "diamond"
ADAPTERS = ("schedulers/", "launchers/starters/")
ALLOWED = {
    "testing/lab/": "the lab itself",
    "core/batch_systems.py": "reads profiles from before abilities were stated, in one function",
    "compose/launch.py": "recognises launchers that a user calls in their own command",
    "frames/ranks.py": "stands alone in a program that anybody's launcher may have started, and keeps to the memory of its job",
    "training/metrics.py": "stands alone in a program that anybody's launcher may have started",
}
"""Each file or folder that may name one, and why."""
NAMES = re.compile(
    r"slurm|\b(sbatch|srun|scancel|squeue|scontrol|sacct|sacctmgr|sinfo|salloc|sshare|sprio|scrontab)\b"
    r"|SBATCH_|\b(qsub|qdel|qstat|bsub|bkill|bjobs|flux|htcondor|pbs)\b",
    re.IGNORECASE,
)
FILE_ENDING = re.compile(r"\.[a-z]+")
"""Users have files called `train.sbatch`."""
NOT_A_SCHEDULER = ("carrier", "users.c.id")
"""`local` is also the name of a carrier, of the first user and of this machine's endpoint."""


def files(ending: str) -> Iterator[tuple[str, Path]]:
    for path in sorted(SOURCE.rglob(f"*{ending}")):
        name = path.relative_to(SOURCE).as_posix()
        if not name.startswith((*ADAPTERS, *ALLOWED)):
            yield name, path


def docstrings(tree: ast.AST) -> set[int]:
    """Texts that stand alone explain; they decide nothing."""
    return {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def words_of(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every name and every text that the program uses."""
    skipped = docstrings(tree)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in skipped
        ):
            yield node.lineno, node.value
        elif isinstance(node, ast.Name):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute):
            yield node.lineno, node.attr
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, f"{node.module} {' '.join(alias.name for alias in node.names)}"


def decides_by_local(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Compare):
            continue
        sides = [node.left, *node.comparators]
        text = ast.unparse(node)
        is_other = any(word in text for word in NOT_A_SCHEDULER)
        if not is_other and any(
            isinstance(side, ast.Constant) and side.value == "local" for side in sides
        ):
            yield node.lineno, text


def test_no_program_text_outside_the_adapters_names_a_batch_system() -> None:
    found = [
        f"{name}:{line}: {text[:80]!r}"
        for name, path in files(".py")
        for line, text in words_of(ast.parse(path.read_text()))
        if NAMES.search(text) and not FILE_ENDING.fullmatch(text)
    ]
    assert not found, "ask the adapter: schedulers/base.py and launchers/starters/base.py"


def test_nothing_decides_by_the_name_local() -> None:
    found = [
        f"{name}:{line}: {text}"
        for name, path in files(".py")
        for line, text in decides_by_local(ast.parse(path.read_text()))
    ]
    assert not found, "ask for an ability: core/batch_systems.py"


def test_the_shell_of_a_batch_script_names_none_either() -> None:
    found = [
        f"{name}:{number}: {line.strip()}"
        for name, path in files(".sh")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if NAMES.search(line)
    ]
    assert not found, "give it to the script by `script_variables()`"


@pytest.mark.parametrize("place", sorted(ALLOWED))
def test_every_exception_is_still_needed(place: str) -> None:
    """An entry whose files are gone or clean is removed."""
    path = SOURCE / place
    sources = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    texts = [text for source in sources for _, text in words_of(ast.parse(source.read_text()))]
    decides = [d for source in sources for d in decides_by_local(ast.parse(source.read_text()))]
    assert decides or any(NAMES.search(text) for text in texts)


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ('if scheduler["name"] == "local": pass', True),
        ('if facts.get("scheduler") != "local": pass', True),
        ('if endpoint.carrier == "local": pass', False),
        ('name = "local"', False),
    ],
)
def test_a_decision_by_the_name_local_is_recognised(text: str, is_found: bool) -> None:
    assert bool(list(decides_by_local(ast.parse(text)))) == is_found
