"""The start and end of a program's training: `init` and `finish`."""

from __future__ import annotations

import atexit
import ctypes
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterable, List

from diamond.training import metrics

Ending = Callable[[bool], None]
"""Called with whether all ranks end together; if not, this may be the only one, because of an error."""


@dataclass(frozen=True)
class Session:
    """This process among those of the job."""

    rank: int
    local_rank: int
    world_size: int
    device: str
    """For `.to(device)`: `cuda:1`, or `cpu`."""


def init() -> Session:
    """Join the other ranks, if the launcher has started several and torch is imported; does nothing otherwise."""
    world_size = _number("WORLD_SIZE", 1)
    session = Session(
        metrics.rank(), _number("LOCAL_RANK", 0), world_size, _device(_number("LOCAL_RANK", 0))
    )
    if world_size > 1 and "torch" in sys.modules:
        _join(session)
    return session


def finish() -> None:
    """Write everything to disk, leave the other ranks, and mark this rank as finished."""
    while _endings:
        _endings.pop()(True)
    _part()
    metrics.flush()
    _mark()


def at_finish(ending: Ending) -> None:
    """Run `ending` at `finish`, or when the program ends without it."""
    _endings.append(ending)


def not_at_finish(ending: Ending) -> None:
    """It has already run."""
    if ending in _endings:
        _endings.remove(ending)


_endings: List[Ending] = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_endings.clear)  # its end is not the training's end


@atexit.register
def _end_without_finish() -> None:
    while _endings:
        _endings.pop()(False)


def _join(session: Session) -> None:
    dist = _distributed()
    if dist is None or dist.is_initialized():
        return
    on_device = session.device.startswith("cuda")
    if on_device:
        sys.modules["torch"].cuda.set_device(session.local_rank)
    dist.init_process_group("cpu:gloo,cuda:nccl" if on_device else "gloo")


def _part() -> None:
    """torch 2.13 sometimes aborts or hangs if a group is destroyed right after its last use, so it is never destroyed.

    A gloo thread may still hold the last collective and need the interpreter to release it, while destroying the group
    (with a DDP model, when that is freed) waits for the thread and holds the interpreter: a deadlock.
    """
    dist = _distributed()
    if dist is not None and dist.is_initialized():
        parting = dist.barrier(async_op=True)
        _keep_for_good([parting, *dist.distributed_c10d._world.pg_map])
        parting.wait()
        if sys.modules["torch"].cuda.is_available():
            sys.modules["torch"].cuda.synchronize()
        dist.destroy_process_group()


def _keep_for_good(things: Iterable[Any]) -> None:
    """Also while the interpreter removes its modules."""
    for thing in things:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


def _distributed() -> Any:
    torch = sys.modules.get("torch")
    if torch is None or not torch.distributed.is_available():
        return None
    return torch.distributed


def _device(local_rank: int) -> str:
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return "cpu"
    return f"cuda:{local_rank % torch.cuda.device_count()}"


def _mark() -> None:
    """`finished/<rank>` in the run's folder, because torchrun's exit code is not always right."""
    path = os.environ.get("DIAMOND_METRICS", "")
    if not path:
        return
    try:
        folder = Path(path).parent / "finished"
        folder.mkdir(exist_ok=True)
        (folder / str(metrics.rank())).touch()
    except OSError:
        return


def _number(name: str, otherwise: int) -> int:
    text = os.environ.get(name, "")
    return int(text) if text.isdigit() else otherwise
