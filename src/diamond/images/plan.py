"""The steps of a build, each with a key that says whether it must be run at all."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Tuple

from diamond.core.errors import BadRequest
from diamond.core.ids import IDENTIFIER
from diamond.core.order import Environment, EnvironmentFile
from diamond.images.bases import read_base
from diamond.images.recipe import Recipe, digest_of
from diamond.images.scripts import (
    command_script,
    files_script,
    input_name,
    python_script,
    system_script,
    variables_script,
)

VERSION = 1
BASE, SYSTEM, PYTHON, VARIABLES, FILES, COMMAND, TEST, PACK = (
    "base",
    "system",
    "python",
    "variables",
    "files",
    "command",
    "test",
    "pack",
)
CHANGING = frozenset({SYSTEM, PYTHON, VARIABLES, FILES, COMMAND})
"""Steps that leave something in the image."""
MAX_LINES = 100_000
_ASIDE = re.compile(r"(set [-+]\w+|cd \S+|export \w+=\S*)$|#")


@dataclass(frozen=True)
class Step:
    name: str
    """Unique in a plan: `base`, `command-2`."""
    kind: str
    title: str
    script: str
    """For `sh -eu`; '' for what the runtime does itself (base, pack)."""
    key: str

    @property
    def changes(self) -> bool:
        return self.kind in CHANGING


@dataclass(frozen=True)
class BuildPlan:
    recipe: Recipe
    builder: str
    """The runtime whose layers these are: keys of different builders never meet."""
    steps: Tuple[Step, ...]

    @property
    def identity(self) -> str:
        return self.recipe.identity

    @property
    def top(self) -> Step:
        """The last step that leaves something in the image."""
        return [step for step in self.steps if step.changes or step.kind == BASE][-1]

    def below(self, step: Step) -> Step:
        """The step whose result this one starts from."""
        before = self.steps[: self.steps.index(step)]
        return [earlier for earlier in before if earlier.changes or earlier.kind == BASE][-1]

    def step(self, name: str) -> Step:
        for step in self.steps:
            if step.name == name:
                return step
        known = ", ".join(step.name for step in self.steps)
        raise BadRequest(f"This build has no step {name!r}", f"Its steps are: {known}.")


def make_plan(recipe: Recipe, builder: str) -> BuildPlan:
    """What to do, in order. Raises `BadRequest` for what cannot be built at all."""
    check_environment(recipe.environment)
    first = {
        "version": VERSION,
        "builder": builder,
        "base": recipe.base_digest,
        "platform": recipe.platform,
    }
    if builder == "venv":
        first["python"] = recipe.environment.python
    key, steps = digest_of(first), []
    base = recipe.environment.base or "the endpoint's own Python"
    steps.append(Step(BASE, BASE, base, "", key))
    for name, kind, title, script in _scripts(recipe):
        facts: Dict[str, Any] = {"parent": key, "kind": kind, "script": script}
        own = digest_of(facts)
        steps.append(Step(name, kind, title, script, own))
        key = own if kind in CHANGING else key
    pack = Step(PACK, PACK, "one file", "", digest_of({"parent": key, "kind": PACK}))
    # A test runs in the finished file, as a job will. A virtual environment has no file, and is its own working state.
    at = len(steps) - (bool(recipe.environment.test) and builder != "venv")
    return BuildPlan(recipe, builder, (*steps[:at], pack, *steps[at:]))


def check_environment(environment: Environment) -> None:
    """Faults that no machine is needed to see."""
    base = read_base(environment.base)
    if not base.kind and environment.system:
        raise BadRequest(
            "System packages need a container: " + ", ".join(environment.system),
            "Name a `base:` image, or leave `system:` out if the machine has them already.",
        )
    never = "\n\r\0" if base.kind else "\0"
    for name, value in environment.variables.items():
        if not IDENTIFIER.fullmatch(name) or set(value) & set(never):
            raise BadRequest(
                f"The variable {name!r} cannot be set in an image",
                "Names are letters, digits and _; a value is one line.",
            )
    for file in environment.files:
        _check_file(file, has_container=bool(base.kind))
    lines = sum(command.count("\n") + 1 for command in environment.commands)
    if lines > MAX_LINES:
        raise BadRequest(
            f"{lines} lines of commands are more than {MAX_LINES}",
            "Put them into a script under `files:` and run that.",
        )


def inputs(recipe: Recipe) -> Dict[str, EnvironmentFile]:
    """The files that steps copy into the image, by the name that they have in the site folder."""
    return {input_name(file): file for file in recipe.environment.files}


def has_venv(environment: Environment) -> bool:
    return bool(environment.requirements or environment.lock or environment.python)


def _scripts(recipe: Recipe) -> Iterator[Tuple[str, str, str, str]]:
    environment, venv = recipe.environment, has_venv(recipe.environment)
    if environment.system:
        title = _some(environment.system)
        yield SYSTEM, SYSTEM, title, system_script(environment.system)
    if venv:
        title = _some(environment.requirements) or "as the lock says"
        yield PYTHON, PYTHON, title, python_script(environment, recipe.lock)
    if environment.variables or venv:
        title = _some(list(environment.variables)) or "PATH"
        script = variables_script(environment.variables, has_venv=venv)
        yield VARIABLES, VARIABLES, title, script
    if environment.files:
        title = _some([file.to for file in environment.files])
        yield FILES, FILES, title, files_script(environment.files)
    for number, command in enumerate(environment.commands, start=1):
        script = command_script(command, environment.variables, has_venv=venv)
        yield f"{COMMAND}-{number}", COMMAND, _first_line(command), script
    if environment.test:
        script = command_script(environment.test, environment.variables, has_venv=venv)
        yield TEST, TEST, _first_line(environment.test), script


def _check_file(file: EnvironmentFile, *, has_container: bool) -> None:
    if not file.to or file.to.endswith("/") or ".." in file.to.split("/"):
        raise BadRequest(
            f"{file.to!r} is not a valid path for a file", "Write a path such as /opt/x.txt."
        )
    if file.to.startswith("/") and not has_container:
        raise BadRequest(
            f"Without a container a file cannot be laid at {file.to}",
            "Write a path relative to the virtual environment, or name a `base:` image.",
        )


def _some(names: List[str], count: int = 4) -> str:
    shown = ", ".join(names[:count])
    return f"{shown} and {len(names) - count} more" if len(names) > count else shown


def _first_line(command: str) -> str:
    """The first that does something: settings, remarks and a change of folder go before most others."""
    lines = [line.strip() for line in command.splitlines() if line.strip()]
    line = next(
        (candidate for candidate in lines if not _ASIDE.match(candidate)), lines[0] if lines else ""
    )
    return line if len(line) <= 80 else line[:79] + "…"
