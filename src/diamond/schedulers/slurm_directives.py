"""The `#SBATCH` lines of a batch script: only what the site takes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Dict, List, Mapping

from diamond.core.errors import BadRequest
from diamond.core.order import Placement, Resources
from diamond.schedulers.base import Submission
from diamond.schedulers.options import check_option

_PLAIN = re.compile(r"^[\w./:,=@+%&|*\[\]()-]*$", re.ASCII)


def directives(submission: Submission, flags: Mapping[str, str]) -> List[str]:
    options = {
        **_own(submission),
        **_size(submission.resources, flags),
        **_place(submission.placement, flags),
        **left_out(submission, flags),
        **({"comment": submission.comment} if submission.comment else {}),
    }
    return [f"#SBATCH {_line(key, value)}" for key, value in options.items()]


def plain_directives(name: str, resources: Resources) -> List[str]:
    """For somebody else's cluster: the size, and nothing of a site or of Diamond."""
    options = {"job-name": name, **_size(resources, {})}
    return [f"#SBATCH {_line(key, value)}" for key, value in options.items()]


def _own(submission: Submission) -> Dict[str, str]:
    return {
        "job-name": submission.name,
        "output": output_pattern(submission.folder / "native.log"),
        "open-mode": "append",
        "no-requeue": "",
    }


def _size(resources: Resources, flags: Mapping[str, str]) -> Dict[str, str]:
    tasks = resources.tasks_per_node
    wanted = {"nodes": str(resources.nodes), "ntasks": str(resources.nodes * tasks)}
    if resources.nodes > 1 or tasks > 1:
        wanted["ntasks-per-node"] = str(tasks)
    wanted["cpus-per-task"] = str(resources.cpus_per_task)
    wanted["time"] = str(resources.walltime_minutes)
    if resources.memory_mb:
        wanted["mem"] = f"{resources.memory_mb}M"
    if resources.gpus_per_node:
        wanted["gres"] = _gres(resources)
    return _taken(wanted, flags)


def left_out(submission: Submission, flags: Mapping[str, str]) -> Dict[str, str]:
    """Nodes that have failed before; a person's own list is kept with them."""
    own = submission.placement.options.get("exclude", "")
    names = ",".join([*([own] if own else []), *submission.exclude])
    if not submission.exclude or flags.get("exclude") == "refuses":
        return {}
    return {"exclude": names}


def _gres(resources: Resources) -> str:
    kind = f":{resources.gpu_type}" if resources.gpu_type else ""
    return f"gpu{kind}:{resources.gpus_per_node}"


def _place(placement: Placement, flags: Mapping[str, str]) -> Dict[str, str]:
    for key, value in placement.options.items():
        check_option(key, value)
    named = {
        "partition": placement.partition,
        "account": placement.account,
        "qos": placement.qos,
        "reservation": placement.reservation,
        "constraint": placement.constraint,
    }
    named = {key: value for key, value in named.items() if value}
    return {**_taken(named, flags), **placement.options}


def _taken(wanted: Dict[str, str], flags: Mapping[str, str]) -> Dict[str, str]:
    return {
        key: value
        for key, value in wanted.items()
        if flags.get("ntasks" if key == "ntasks-per-node" else key) != "refuses"
    }


def output_pattern(path: Path) -> str:
    """A path for `--output`: Slurm fills in %-patterns, unless there is a backslash, which then quotes."""
    said = str(path)
    return said.replace("\\", "\\\\") if "\\" in said else said.replace("%", "%%")


def _line(key: str, value: str) -> str:
    return f"--{key}={quoted(value)}" if value else f"--{key}"


def quoted(value: str) -> str:
    """One word for sbatch's own reader of `#SBATCH` lines, which knows quotes and backslashes."""
    if re.search(r"[\x00-\x1f\x7f]", value):
        raise BadRequest(
            f"{value!r} holds a control character and cannot stand in a batch script",
            "Choose a name or folder without line breaks and other invisible characters.",
        )
    if _PLAIN.match(value):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
