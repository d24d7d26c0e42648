"""Choose how the processes of a spec are started: as it says, or from its command."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from diamond.compose.faults import Faults
from diamond.compose.spec import LaunchSpec, Spec
from diamond.core.order import Launch

_TORCHRUN = re.compile(r"(?<![\w.-])torchrun\b|torch\.distributed\.(?:run|launch)\b")
_ACCELERATE = re.compile(r"(?<![\w.-])accelerate\s+launch\b")
_OWN_RANKS = re.compile(
    r"(?<![\w/.-])(mpirun|mpiexec|srun|horovodrun|deepspeed|ibrun|jsrun|aprun)\b"
)
_PER_NODE = re.compile(r"--(?:nproc[-_]per[-_]node|num[-_]processes)[= ](\d+)\b")
_ITS_OWN = re.compile(
    r"--(nnodes|node[-_]rank|master[-_](?:addr|port)|rdzv[-_]\w+|standalone|num[-_]machines"
    r"|machine[-_]rank|main[-_]process[-_](?:ip|port))\b"
)
_LAUNCHER_WORDS = {"torchrun": _TORCHRUN, "accelerate": _ACCELERATE}


@dataclass(frozen=True)
class LaunchChoice:
    launch: Launch
    tasks_per_node: int
    warnings: list[str]
    notes: list[str] = field(default_factory=list)
    """What was chosen, and why: nothing is wrong."""


def choose_launch(spec: Spec) -> LaunchChoice:
    """The kind of launch, the processes per node, warnings and notes for the user."""
    asked = (
        spec.launch if isinstance(spec.launch, LaunchSpec) else LaunchSpec(kind=spec.launch, hang=0)
    )
    kind, why = (asked.kind, "") if asked.kind != "auto" else _detect(spec)
    text = _text(spec)
    pattern = _LAUNCHER_WORDS.get(kind)
    starts_ranks = bool(pattern and pattern.search(text))
    tasks = _tasks(spec, kind, text)
    # What the command itself says needs no note.
    notes = [f"launch: {kind}, {why}"] if why and not starts_ranks else []
    warnings = _about_options(kind, text, spec) if starts_ranks else []
    warnings += _about_single(spec, kind, text) if kind == "single" else []
    return LaunchChoice(Launch(kind, starts_ranks, asked.hang), tasks, warnings, notes)


def starts_its_own(spec: Spec) -> bool:
    """Whether the command itself starts processes on all nodes, as mpirun does."""
    return bool(_OWN_RANKS.search(_text(spec)))


def check_launch(spec: Spec, faults: Faults) -> None:
    """Adds a fault for each combination that makes no sense."""
    kind = choose_launch(spec).launch.kind
    if kind != "single" and spec.notebook:
        faults.add(
            "launch", "A notebook runs as one process", "Remove `launch`, or run a script instead."
        )
    if kind == "single" and isinstance(spec.launch, LaunchSpec) and spec.launch.hang:
        faults.add(
            "launch.hang",
            "`hang` has no effect with launch: single, which is not watched for hangs",
            "Use launch: {kind: per-rank, hang: …}, which also watches a single process, or remove `hang`.",
        )
    if (
        kind == "single"
        and spec.resources.tasks_per_node > 1
        and not _OWN_RANKS.search(_text(spec))
    ):
        faults.add(
            "resources.tasks_per_node",
            f"launch: single starts one process, not {spec.resources.tasks_per_node}",
            "Use launch: per-rank, torchrun or mpi, or remove tasks_per_node.",
        )


def _detect(spec: Spec) -> tuple[str, str]:
    """What `auto` means for a spec, and why; no reason is given for a plain command on one node."""
    text = _text(spec)
    if _ACCELERATE.search(text):
        return "accelerate", "because the command starts accelerate"
    if _TORCHRUN.search(text):
        return "torchrun", "because the command starts torchrun"
    own = _OWN_RANKS.search(text)
    if own or spec.notebook:
        return (
            "single",
            f"because the command starts its own processes with {own[1]}" if own else "",
        )
    nodes, tasks = spec.resources.node_count, spec.resources.tasks_per_node
    if nodes > 1 or tasks > 1:
        return (
            "per-rank",
            f"because the request has room for {nodes * max(tasks, spec.resources.gpus_per_node, 1)} processes",
        )
    return "single", ""


def _tasks(spec: Spec, kind: str, text: str) -> int:
    """As requested; else from the command's own options; else one per GPU."""
    asked = spec.resources
    if asked.tasks_per_node:
        return asked.tasks_per_node
    if kind == "single":
        return 1
    given = _PER_NODE.search(text)
    if given and kind == "torchrun":
        return max(1, int(given[1]))
    if given and kind == "accelerate":
        return max(1, int(given[1]) // asked.node_count)
    return asked.gpus_per_node or 1


def _about_options(kind: str, text: str, spec: Spec) -> list[str]:
    """Options in the command override what Diamond passes to the launcher, which usually breaks a run on several nodes."""
    own = sorted({f"--{option}" for option in _ITS_OWN.findall(text)})
    if not own or spec.resources.node_count == 1:
        return []
    return [
        f"{', '.join(own)} in `run` override what Diamond passes to {kind}; remove them unless you need them"
    ]


def _about_single(spec: Spec, kind: str, text: str) -> list[str]:
    gpus, nodes = spec.resources.gpus_per_node, spec.resources.node_count
    if _OWN_RANKS.search(text) or (gpus < 2 and nodes < 2):
        return []
    where = f"{nodes} nodes but uses only the first" if nodes > 1 else f"all {gpus} GPUs"
    return [f"one process has {where}; launch: torchrun or per-rank starts one per GPU"]


def _text(spec: Spec) -> str:
    return spec.run if isinstance(spec.run, str) else " ".join(spec.run or [])
