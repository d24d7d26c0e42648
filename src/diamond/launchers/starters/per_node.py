"""Launchers that run once on each node and start the ranks there themselves."""

from __future__ import annotations

from typing import Dict, List, Tuple

from diamond.launchers.starters import accelerate, torchrun
from diamond.launchers.starters.plan import LaunchPlan

_LAUNCHERS: Dict[str, Tuple[str, str]] = {
    "torchrun": (torchrun.SCRIPT, torchrun.NO_PYTHON),
    "accelerate": (accelerate.SCRIPT, accelerate.NO_PYTHON),
}
"""For each, shell text that calls it, and its option for a program that is not a Python file."""


def node_command(plan: LaunchPlan) -> List[str]:
    """The user's own call of the launcher; else one around their program, inside what it runs in."""
    if plan.starts_ranks:
        return plan.command
    script, option = _LAUNCHERS[plan.kind]
    program = plan.command[len(plan.inside) :]
    launcher = ["sh", "-c", script, "sh", option, plan.rank_python, "--program"]
    return [*plan.inside, *plan.with_variables, *launcher, *program]
