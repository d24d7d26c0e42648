"""The batch script: fixed text under a head of quoted values.

A person's line is never pasted in: it is in `command.sh` beside the script. Variables of a spec or an image never reach a
shell of ours: `start.sh` names them to `env`, which starts the program, inside the container where there is one.
"""

from __future__ import annotations

import pkgutil
import re
import shlex
from dataclasses import dataclass, field
from typing import Dict, List, Mapping, Sequence

from diamond.core.batch_systems import ScriptVariables
from diamond.core.errors import BadRequest
from diamond.core.order import Order
from diamond.launchers.starters import accelerate
from diamond.launchers.starters.identity import SET_FOR_RANKS
from diamond.runtimes.base import Entered

_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_APART = 'export PYTHONNOUSERSITE=1 PYTHONPATH="$diamond_training"'
"""Keeps a user's own packages (`~/.local`, PYTHONPATH of their shell) out of a virtual environment; modules may add theirs."""


@dataclass(frozen=True)
class Batch:
    """What one attempt's script needs to know. Paths are absolute."""

    task: str
    attempt: str
    number: int
    folder: str
    """The attempt's folder."""
    run_dir: str
    inbox: str
    order: Order
    secret_store: str = ""
    training: str = ""
    """A PYTHONPATH entry that holds `diamond.training`."""
    entered: Entered = field(default_factory=Entered)
    data: Mapping[str, str] = field(default_factory=dict)
    """Each name under `data:` with its path on this machine."""
    after: str = ""
    """The folder of the attempt whose end this one must await; empty: it has ended already, or there is none."""
    modules: Sequence[str] = ()
    """Lines of the site profile to run before the program."""
    program: Sequence[str] = ()
    """The words that start the program, inside whatever it runs in."""
    with_variables: Sequence[str] = ()
    """The words that give another command the program's variables: for a shell inside."""
    ranks: str = ""
    """The program that oversees the ranks; empty where there is but one process."""
    defaults: Mapping[str, str] = field(default_factory=dict)
    """Defaults for variables that are not set."""


def render_script(batch: Batch, *, directives: Sequence[str], variables: ScriptVariables) -> str:
    """The script for a batch system whose `directives` and `script_variables` are given."""
    parts = [
        "#!/bin/bash",
        *directives,
        f"# Diamond: attempt {batch.number} of task {batch.task}",
        *_head(batch),
        *_own_words(variables),
        *_enter(batch),
        _text("turn.sh") if batch.after else "diamond_await_turn() { :; }",
    ]
    return "\n".join(parts) + "\n" + _text("budget.sh") + _text("batch.sh")


@dataclass(frozen=True)
class Started:
    """How the program of an attempt is started, inside whatever it runs in, and the files that this takes."""

    words: Sequence[str]
    """The command line; the first of them are `with_variables`."""
    with_variables: Sequence[str] = ()
    """Words in front of any command that is to have the program's variables; empty where there are none."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Names in the attempt's folder with their text."""


def start_program(order: Order, folder: str, *, entered: Entered, training: str = "") -> Started:
    """The words of a program are started as they are, by `env`, so that no shell stands in between; a line, by bash."""
    variables = program_variables(order, entered, training)
    files: Dict[str, str] = {}
    before: List[str] = []
    if variables:
        files["start.sh"] = _start_file(variables)
        before = ["/bin/sh", f"{folder}/start.sh"]
    program = order.program
    if program.words and not _is_wrapped(order):
        return Started([*(before or ["env"]), *program.words], before, files)
    files["command.sh"] = _command_file(order)
    return Started([*before, "bash", f"{folder}/command.sh"], before, files)


def program_variables(order: Order, entered: Entered, training: str) -> Dict[str, str]:
    """Those of the image, then those of the spec. What a launcher tells each rank stays the launcher's own."""
    own = order.environment.variables if order.environment else {}
    variables = {_checked(name): value for name, value in {**entered.variables, **own}.items()}
    if order.launch.kind != "single":
        variables = {name: value for name, value in variables.items() if name not in SET_FOR_RANKS}
    if "PATH" in variables:
        variables["PATH"] = ":".join([*entered.path, variables["PATH"]])
    if "PYTHONPATH" in variables:
        variables["PYTHONPATH"] = ":".join(filter(None, [variables["PYTHONPATH"], training]))
    return variables


def _start_file(variables: Mapping[str, str]) -> str:
    """Quoted words alone: no value is evaluated. Not on a command line, where other people of a node could read them."""
    assignments = " ".join(shlex.quote(f"{name}={value}") for name, value in variables.items())
    return (
        "#!/bin/sh\n# Diamond: starts a command with the variables of its spec and its image.\n"
        'command -v "$1" >/dev/null 2>&1 || [ "$1" != bash ] || { shift; set -- sh "$@"; }\n'
        f'exec env {assignments} "$@"\n'
    )


def _is_wrapped(order: Order) -> bool:
    """Whether `accelerate` is a function around the program of that name."""
    return order.launch.kind == "accelerate" and order.launch.starts_ranks


def _command_file(order: Order) -> str:
    """The person's line as written; for `accelerate`, with our function around it."""
    line = order.program.text.rstrip("\n") + "\n"
    return accelerate.FUNCTION + "export -f accelerate\n" + line if _is_wrapped(order) else line


def data_variable(name: str) -> str:
    """`era5-land` -> `DIAMOND_DATA_ERA5_LAND`."""
    return "DIAMOND_DATA_" + re.sub(r"[^A-Za-z0-9_]", "_", name).upper()


def _head(batch: Batch) -> List[str]:
    values = {
        "task": batch.task,
        "attempt": batch.attempt,
        "number": str(batch.number),
        "folder": batch.folder,
        "run_dir": batch.run_dir,
        "inbox": batch.inbox,
        "secret_store": batch.secret_store,
        "training": batch.training,
        "pattern": batch.order.resume.pattern,
        "lead": str(int(batch.order.resume.lead_seconds)),
        "asked": str(60 * batch.order.resources.walltime_minutes),
        "ranks": batch.ranks,
        "on": " ".join(batch.order.resume.on),
        "after": batch.after,
        "inside": "image" if batch.entered.prefix else "",
    }
    lines = [f"diamond_{name}={shlex.quote(value)}" for name, value in values.items()]
    program = [*batch.entered.prefix, *batch.program]
    inside = [*batch.entered.prefix, *batch.with_variables]
    return [
        *lines,
        _bash_array("secrets", batch.order.secrets),
        _bash_array("archives", [word for pair in batch.entered.mounts for word in pair]),
        _bash_array("caches", [word for three in batch.entered.caches for word in three]),
        _bash_array("filler", batch.entered.filler),
        _bash_array("command", program),
        _bash_array("inside", inside),
    ]


def _bash_array(name: str, values: Sequence[str]) -> str:
    return f"diamond_{name}=({' '.join(shlex.quote(word) for word in values)})"


def _own_words(variables: ScriptVariables) -> List[str]:
    """The batch system's own shell text, fixed by its adapter."""
    return [
        f"diamond_job={variables.job_id}",
        f"diamond_nodes={variables.nodes}",
        f"diamond_restarts={variables.restart_count}",
        *_function("diamond_seconds_left", variables.seconds_left or ":"),
        *_function("diamond_has_nodes", variables.has_nodes or "return 1"),
        *_function("diamond_before_program", variables.before_program or ":"),
        *([variables.at_start] if variables.at_start else []),
    ]


def _function(name: str, commands: str) -> List[str]:
    return [f"{name}() {{", commands, "}"]


def _enter(batch: Batch) -> List[str]:
    """Modules first, then where data is and what the environment needs: names and values of our own making."""
    lines = ["diamond_enter() {", ":"]
    path = [] if batch.entered.prefix else batch.entered.path
    if path:
        lines.append(_APART)
    if batch.modules:
        lines.append('. "$diamond_folder/modules.sh"')
    for name, value in exported_variables(batch).items():
        lines.append(f"export {_checked(name)}={shlex.quote(value)}")
    for name, value in batch.defaults.items():
        lines.append(f'export {_checked(name)}="${{{name}-{value}}}"')
    if path:
        lines.append(f'export PATH={shlex.quote(":".join(path))}:"$PATH"')
    return [*lines, "}"]


def exported_variables(batch: Batch) -> Mapping[str, str]:
    """Where data is, and what the environment needs."""
    data = {data_variable(name): path for name, path in batch.data.items()}
    return {**data, **batch.entered.exported}


def _checked(name: str) -> str:
    if not _VARIABLE_NAME.fullmatch(name):
        raise BadRequest(
            f"{name!r} cannot be the name of a variable",
            "Use letters, digits and underscores, not starting with a digit.",
        )
    return name


def _text(name: str) -> str:
    text = pkgutil.get_data("diamond.launchers", name)
    assert text is not None
    return text.decode()
