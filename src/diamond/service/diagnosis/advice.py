"""What to say about a cause, and the change to the spec that removes it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from diamond.compose.raw_spec import RawSpec
from diamond.core.order import Resources
from diamond.core.units import show_minutes
from diamond.service.diagnosis.causes import Cause, Found
from diamond.service.diagnosis.packages import package_of, package_of_program


@dataclass(frozen=True)
class Ending:
    """What is known about a task that failed, besides its last lines."""

    task: str
    endpoint: str
    spec: RawSpec
    resources: Resources
    left_out: Sequence[str] = ()
    """Files that were not sent with the code, each with the reason."""
    has_code: bool = False
    has_gpus: bool | None = None
    """Whether the endpoint has any; None if that is not known."""
    has_checkpoint: bool = False
    may_resume: bool = False
    message: str = ""
    """What the batch system or the agent said."""


@dataclass(frozen=True)
class Fix:
    """One change, and the task runs again with it."""

    label: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    """New values by field, such as `resources.memory`; none: the same spec again."""


@dataclass(frozen=True)
class Diagnosis:
    cause: Cause
    title: str
    hint: str
    line: str = ""
    fix: Fix | None = None


def advise(found: Found, ending: Ending) -> Diagnosis:
    return _ADVICE[found.cause](found, ending)


def changed_spec(spec: RawSpec, fix: Fix, endpoint: str) -> RawSpec:
    """On the endpoint where it failed."""
    made = deepcopy(spec)
    made["on"] = endpoint
    for name, value in fix.changes.items():
        outer, _, inner = name.partition(".")
        if inner:
            made[outer] = {**(made.get(outer) or {}), inner: value}
        else:
            made[outer] = value
    return made


def _missing_package(found: Found, ending: Ending) -> Diagnosis:
    module = found.name
    title = f"The Python module `{module}` is not installed where the program ran"
    held_back = _left_out_as(module.partition(".")[0], ending.left_out)
    if held_back:
        hint = f"It was not sent with your code: {held_back}. Take it out of the ignore file, and run it again."
        return Diagnosis(found.cause, title, hint, found.line)
    package = package_of(module)
    if package is None:
        hint = (
            f"If `{module}` is your own module, it must be in the folder that you send. If it is a package of PyPI, "
            "add its name under `environment: {requirements: […]}`."
        )
        return Diagnosis(found.cause, title, hint, found.line)
    return _with_package(found, ending, title, package)


def _command_not_found(found: Found, ending: Ending) -> Diagnosis:
    title = f"The command `{found.name}` does not exist where the program ran"
    package = package_of_program(found.name)
    if package is not None:
        return _with_package(found, ending, title, package)
    hint = (
        "Check its spelling. If a module of the site provides it, load that with the fact `modules` of the endpoint; "
        "else use an image that has it."
    )
    return Diagnosis(found.cause, title, hint, found.line)


def _with_package(found: Found, ending: Ending, title: str, package: str) -> Diagnosis:
    environment = ending.spec.get("environment")
    if isinstance(environment, str):
        hint = f"Add `{package}` to the Python packages of the image `{environment}`, build it again, and rerun."
        return Diagnosis(found.cause, title, hint, found.line)
    listed = list((environment or {}).get("requirements") or [])
    if any(_names(line, package) for line in listed):
        hint = (
            f"`{package}` is among the Python packages of the spec, so the program was started with another Python. "
            "Start it with `python`, without a path and without activating another environment."
        )
        return Diagnosis(found.cause, title, hint, found.line)
    fix = Fix(
        f"Add {package} to the Python packages and rerun",
        {"environment.requirements": [*listed, package]},
    )
    hint = f"Add `{package}` under `environment: {{requirements: […]}}`."
    return Diagnosis(found.cause, title, hint, found.line, fix)


def _names(line: str, package: str) -> bool:
    """Whether a line of requirements asks for this package."""
    name = line.strip()[: len(package)].lower().replace("_", "-")
    following = line.strip()[len(package) :][:1]
    return name == package.lower() and not (following.isalnum() or following in tuple("-_."))


def _no_gpu(found: Found, ending: Ending) -> Diagnosis:
    title = "The program wants a GPU, and found none"
    if ending.resources.gpus_per_node:
        hint = (
            "The job has GPUs, but its packages were built without CUDA. Ask for the build that fits: "
            "`environment: {accelerator: cuda-12.8}`, or remove a CPU-only version from the requirements."
        )
        return Diagnosis(found.cause, title, hint, found.line)
    if ending.has_gpus is False:
        hint = f"{ending.endpoint} has no GPUs. Tell the program to use the CPU (often `--device cpu`), or run it on another endpoint."
        return Diagnosis(found.cause, title, hint, found.line)
    hint = "The spec requests no GPU: set `resources: {gpus_per_node: 1}`, or tell the program to use the CPU."
    fix = Fix("Request 1 GPU and rerun", {"resources.gpus_per_node": 1})
    return Diagnosis(found.cause, title, hint, found.line, fix)


def _gpu_memory(found: Found, ending: Ending) -> Diagnosis:
    hint = (
        "Use a smaller batch (with gradient accumulation the result is the same), a lower precision (bf16) or activation "
        "checkpointing, or request a GPU with more memory: `resources: {gpu_type: …}`."
    )
    return Diagnosis(found.cause, "The memory of the GPU is full", hint, found.line)


def _out_of_memory(found: Found, ending: Ending) -> Diagnosis:
    had = ending.resources.memory_mb
    if not had:
        hint = "The spec leaves the memory to the site's default. Request more: `resources: {memory: 16GB}`."
        fix = Fix("Request 16 GB of memory and rerun", {"resources.memory": "16GB"})
    else:
        more = f"{had * 2 // 1024}GB" if had >= 512 else f"{had * 2}MB"
        hint = f"It had {_size(had)} on each node. Request more: `resources: {{memory: {more}}}`."
        fix = Fix(
            f"Request {more[:-2]} {more[-2:]} of memory and rerun", {"resources.memory": more}
        )
    title = "The program used more memory than the job had"
    if found.line == "Killed":
        title = "The program was killed, most likely because it used more memory than the job had"
    return Diagnosis(found.cause, title, hint, found.line, fix)


def _size(megabytes: int) -> str:
    return f"{megabytes // 1024} GB" if megabytes % 1024 == 0 else f"{megabytes} MB"


def _time_limit(found: Found, ending: Ending) -> Diagnosis:
    minutes = ending.resources.walltime_minutes
    title = f"The time limit of {show_minutes(minutes)} was reached"
    if ending.may_resume and ending.has_checkpoint:
        hint = (
            f"It left a checkpoint. Continue from there: diamond resume {ending.task}. "
            "To continue by itself, put `continue: {on: [wall-time]}` in the spec."
        )
        return Diagnosis(found.cause, title, hint, found.line)
    hint = (
        "It left no checkpoint, so everything has to be computed again. Request more time, or save checkpoints and name "
        "them under `continue: {on: [wall-time], from: 'ckpt/*.pt'}`: then it continues by itself."
    )
    longer = show_minutes(2 * minutes)
    fix = Fix(f"Rerun with a time limit of {longer}", {"resources.walltime": f"{2 * minutes}m"})
    return Diagnosis(found.cause, title, hint, found.line, fix)


def _file_not_found(found: Found, ending: Ending) -> Diagnosis:
    path = found.name
    held_back = _left_out_as(path.rpartition("/")[2], ending.left_out)
    if held_back:
        hint = f"It was not sent with your code: {held_back}. Put large files on the machine and name their folder under `data:`."
    elif path.startswith(("/", "~")):
        hint = f"Check that this path exists on {ending.endpoint}, on the compute nodes too. Name folders of data under `data:`."
    else:
        hint = (
            "A relative path starts in the run directory, where your code is. Send the file with the code, or put it on "
            "the machine and name its folder under `data:`."
        )
    return Diagnosis(
        found.cause, f"The file `{path}` does not exist where the program ran", hint, found.line
    )


def _left_out_as(name: str, left_out: Sequence[str]) -> str:
    """What was not sent and has this name, as a file, a folder or a module."""
    names = (name, f"{name}.py")
    for entry in left_out:
        path = entry.partition(" (")[0].rstrip("/")
        if name and path.rpartition("/")[2] in names:
            return entry
    return ""


def _permission(found: Found, ending: Ending) -> Diagnosis:
    what = f"`{found.name}`" if found.name else "a file"
    hint = (
        f"Look at its owner and mode on {ending.endpoint} (ls -ld), or write to the run directory instead: a relative path "
        "is in it, and it is always yours. Images are read-only inside a job."
    )
    return Diagnosis(found.cause, f"The program was not allowed to use {what}", hint, found.line)


def _disk_full(found: Found, ending: Ending) -> Diagnosis:
    hint = (
        f"See what takes up space (diamond storage show, and your site's quota command for bytes and for the number of files), "
        f"then remove old run directories: diamond clean --on {ending.endpoint}"
    )
    title = "There is no room left: the disk is full, or your quota of bytes or files is used up"
    return Diagnosis(found.cause, title, hint, found.line)


def _ended_by_site(found: Found, ending: Ending) -> Diagnosis:
    title = "The site ended the job, not your program"
    if ending.may_resume and ending.has_checkpoint:
        hint = f"It left a checkpoint. Continue from there: diamond resume {ending.task}"
        return Diagnosis(found.cause, title, hint, found.line)
    hint = (
        "Run it again. To continue by itself after such an end, put `continue: {on: [preempted, node-lost]}` in the spec. "
        "If an administrator cancelled it, ask them why first."
    )
    return Diagnosis(found.cause, title, hint, found.line, Fix("Run it again"))


_ADVICE: Mapping[Cause, Callable[[Found, Ending], Diagnosis]] = {
    Cause.MISSING_PACKAGE: _missing_package,
    Cause.COMMAND_NOT_FOUND: _command_not_found,
    Cause.NO_GPU: _no_gpu,
    Cause.GPU_MEMORY: _gpu_memory,
    Cause.OUT_OF_MEMORY: _out_of_memory,
    Cause.TIME_LIMIT: _time_limit,
    Cause.FILE_NOT_FOUND: _file_not_found,
    Cause.PERMISSION: _permission,
    Cause.DISK_FULL: _disk_full,
    Cause.ENDED_BY_SITE: _ended_by_site,
}
