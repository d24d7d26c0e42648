"""Batch options that Diamond must own, each with where a person says it instead."""

from __future__ import annotations

from typing import Dict

_OWN = "Diamond needs it to find the job again and to tell its state truthfully."
_REQUEUE = "Diamond decides about the next attempt; see `continue:`."
_RESOURCES = "Say it under `resources:`, where it is checked."

PROTECTED_OPTIONS: Dict[str, str] = {
    "job-name": "Say `name:`. " + _OWN,
    "J": "Say `name:`. " + _OWN,
    "output": _OWN,
    "o": _OWN,
    "error": _OWN,
    "e": _OWN,
    "input": _OWN,
    "open-mode": _OWN,
    "parsable": _OWN,
    "wrap": "Say `run:`.",
    "test-only": "Use `diamond run --check`.",
    "wait": "Use `diamond run --wait`.",
    "W": "Use `diamond run --wait`.",
    "array": "Submit one task for each; " + _OWN,
    "a": "Submit one task for each; " + _OWN,
    "chdir": _OWN,
    "D": _OWN,
    "export": _OWN,
    "export-file": _OWN,
    "requeue": _REQUEUE,
    "no-requeue": _REQUEUE,
    "signal": _REQUEUE,
    "nodes": _RESOURCES,
    "N": _RESOURCES,
    "ntasks": _RESOURCES,
    "n": _RESOURCES,
    "time": _RESOURCES,
    "t": _RESOURCES,
    "mem": _RESOURCES,
    "cpus-per-task": _RESOURCES,
    "c": _RESOURCES,
    "gres": _RESOURCES,
    "gpus": _RESOURCES,
    "gpus-per-node": _RESOURCES,
    "uid": "An agent acts as its owner only.",
    "gid": "An agent acts as its owner only.",
}
