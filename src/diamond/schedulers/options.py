"""The raw way through: options that a person may hand to the batch system, and those that Diamond must own."""

from __future__ import annotations

import re
from typing import Dict

from diamond.core.errors import BadRequest

_OWN = "Diamond needs it to find the job again and to tell its state truthfully."
_REQUEUE = "Diamond decides about the next attempt; see `continue:`."
_RESOURCES = "Say it under `resources:`, where it is checked."
_OWNER = "An agent acts as its owner only."
_NOTHING = "Nothing would be submitted."

PROTECTED_OPTIONS: Dict[str, str] = {
    "job-name": "Say `name:`. " + _OWN,
    "J": "Say `name:`. " + _OWN,
    "output": _OWN,
    "o": _OWN,
    "error": _OWN,
    "e": _OWN,
    "input": _OWN,
    "i": _OWN,
    "open-mode": _OWN,
    "parsable": _OWN,
    "quiet": _OWN,
    "Q": _OWN,
    "verbose": _OWN,
    "v": _OWN,
    "wrap": "Say `run:`.",
    "test-only": "Use `diamond run --check`.",
    "wait": "Use `diamond run --wait`.",
    "W": "Use `diamond run --wait`.",
    "array": "Submit one task for each; " + _OWN,
    "a": "Submit one task for each; " + _OWN,
    "chdir": _OWN,
    "D": _OWN,
    "export": "Say `environment: variables`.",
    "export-file": "Say `environment: variables`.",
    "get-user-env": "Say `environment: variables`.",
    "container": "Say `environment:`. A container that Diamond has not verified would run instead.",
    "container-id": "Say `environment:`. A container that Diamond has not verified would run instead.",
    "requeue": _REQUEUE,
    "no-requeue": _REQUEUE,
    "no-kill": _REQUEUE,
    "k": _REQUEUE,
    "signal": _REQUEUE,
    "hold": "A held job would wait forever.",
    "H": "A held job would wait forever.",
    "partition": "Say `on: endpoint/partition`.",
    "p": "Say `on: endpoint/partition`.",
    "cluster": "Name the endpoint with `on:`.",
    "clusters": "Name the endpoint with `on:`.",
    "M": "Name the endpoint with `on:`.",
    "account": "Say `account:`.",
    "A": "Say `account:`.",
    "nodes": _RESOURCES,
    "N": _RESOURCES,
    "ntasks": _RESOURCES,
    "n": _RESOURCES,
    "ntasks-per-node": _RESOURCES,
    "time": _RESOURCES,
    "t": _RESOURCES,
    "time-min": _RESOURCES,
    "mem": _RESOURCES,
    "mem-per-cpu": _RESOURCES,
    "mem-per-gpu": _RESOURCES,
    "cpus-per-task": _RESOURCES,
    "c": _RESOURCES,
    "gres": _RESOURCES,
    "gpus": _RESOURCES,
    "G": _RESOURCES,
    "gpus-per-node": _RESOURCES,
    "gpus-per-task": _RESOURCES,
    "uid": _OWNER,
    "gid": _OWNER,
    "help": _NOTHING,
    "h": _NOTHING,
    "usage": _NOTHING,
    "version": _NOTHING,
    "V": _NOTHING,
}

_LONG_NAME = re.compile(r"^[a-z][a-z0-9]+(-[a-z0-9]+)*$")
_BREAKS_A_LINE = re.compile(r"[\x00-\x1f\x7f\"'\\`]")


def _meant_by(key: str) -> str:
    """sbatch accepts the start of a name for the whole: --parti is --partition."""
    return next(
        (
            option
            for option in PROTECTED_OPTIONS
            if key and option.startswith(key) and option != key
        ),
        "",
    )


def check_option(key: str, value: str) -> None:
    """Raises `BadRequest` that names an option which cannot stand in a batch script."""
    if key in PROTECTED_OPTIONS:
        raise BadRequest(f"Diamond sets the option {key!r} itself", PROTECTED_OPTIONS[key])
    meant = _meant_by(key)
    if meant:
        raise BadRequest(
            f"{key!r} is short for the option {meant!r}, which Diamond sets itself",
            PROTECTED_OPTIONS[meant],
        )
    if not _LONG_NAME.match(key):
        raise BadRequest(
            f"{key!r} is not the long name of an option",
            "Write it as in `man sbatch`, without the dashes: constraint, mail-type, …",
        )
    if _BREAKS_A_LINE.search(value):
        raise BadRequest(
            f"The value of option {key!r} cannot be handed to the batch system",
            "Leave out quotes, backslashes and line breaks.",
        )
