"""The batch script: fixed text under a head of quoted values.

The person's command is never pasted in: it lies in `command.sh` beside the script.
"""

from __future__ import annotations

import pkgutil
import re
import shlex
from dataclasses import dataclass, field
from typing import List, Mapping, Sequence

from diamond.core.batch_systems import ScriptVariables
from diamond.core.errors import BadRequest
from diamond.core.order import Order
from diamond.launchers.starters import accelerate
from diamond.runtimes.base import Entered

_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_APART = 'export PYTHONNOUSERSITE=1 PYTHONPATH="$diamond_training"'
"""Keeps a person's own packages (`~/.local`, her shell's PYTHONPATH) out of a virtual environment; modules may add theirs."""


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
    ranks: str = ""
    """The program that oversees the ranks; empty where there is but one process."""
    defaults: Mapping[str, str] = field(default_factory=dict)
    """Variables for what nobody has set."""


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


def command_file(order: Order) -> str:
    """What `command.sh` holds: the person's line as written, or the words of a program, quoted."""
    if order.launch.kind == "accelerate" and order.launch.starts_ranks:
        return accelerate.FUNCTION + "export -f accelerate\n" + _command(order, with_exec=False)
    return _command(order, with_exec=True)


def _command(order: Order, *, with_exec: bool) -> str:
    if order.argv:
        words = " ".join(shlex.quote(word) for word in order.argv)
        return f"exec {words}\n" if with_exec else f"{words}\n"
    return order.command.rstrip("\n") + "\n"


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
    }
    lines = [f"diamond_{name}={shlex.quote(value)}" for name, value in values.items()]
    return [*lines, _words("secrets", batch.order.secrets), _words("prefix", batch.entered.prefix)]


def _words(name: str, words: Sequence[str]) -> str:
    return f"diamond_{name}=({' '.join(shlex.quote(word) for word in words)})"


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
    """Modules first, then the environment, then what the person set herself."""
    lines = ["diamond_enter() {", ":"]
    if batch.entered.path:
        lines.append(_APART)
    if batch.modules:
        lines.append('. "$diamond_folder/modules.sh"')
    for name, value in _variables(batch).items():
        lines.append(f"export {_checked(name)}={shlex.quote(value)}")
    for name, value in batch.defaults.items():
        lines.append(f'export {_checked(name)}="${{{name}-{value}}}"')
    if batch.entered.path:
        lines.append(f'export PATH={shlex.quote(":".join(batch.entered.path))}:"$PATH"')
    return [*lines, "}"]


def _variables(batch: Batch) -> Mapping[str, str]:
    own = batch.order.environment.variables if batch.order.environment else {}
    data = {data_variable(name): path for name, path in batch.data.items()}
    return {**data, **batch.entered.variables, **own}


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
