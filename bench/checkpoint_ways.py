"""Ways to save one training of 400 MB, each in its own process: `python -m bench.checkpoint_ways WAY --folder F`.

A training uses one way. In a shared process, the ways would reuse each other's warm memory without page faults.
`bench/turns.py` lets them measure in turn.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict_saver import AsyncCheckpointerType

from bench.checkpoint_training import Training, timed
from bench.turns import Times
from diamond.training import Checkpointer

STEPS = 4
"""Enough steps that a save at the first one is on disk before the last, so that all disturbance is counted."""
Measure = Callable[[], Times]


def main() -> None:
    given = parser().parse_args()
    torch.set_num_threads(1)
    serve(WAYS[given.way](given.folder), sys.stdin)


def serve(measure: Measure, lines: Iterable[str]) -> None:
    print("{}", flush=True)
    for _ in lines:
        print(json.dumps(measure()), flush=True)


def copying(folder: Path) -> Measure:
    """The limit for a copy: into memory that was touched a moment ago, on a core that is awake."""
    source = torch.randint(0, 255, (Training().total_bytes,), dtype=torch.uint8)
    target = source.clone()

    def measure() -> Times:
        target.copy_(source)
        return {"memcpy": [timed(lambda: target.copy_(source))]}

    return measure


def writing(name: str, flag: int, folder: Path) -> Measure:
    """The limit for a save: large pieces to a new file, then a sync. Around the page cache, or through it."""
    content = memoryview(
        mmap.mmap(-1, Training().total_bytes)
    )  # on a page's start, as direct writes need it
    content[:] = os.urandom(len(content))

    def measure() -> Times:
        took = timed(partial(write_and_sync, folder / "raw", content, flag))
        (folder / "raw").unlink()
        return {name: [took]}

    return measure


def torch_save(folder: Path) -> Measure:
    training = Training()

    def save() -> None:
        with (folder / "torch.pt").open("wb") as file:
            torch.save(training.state(), file)
            file.flush()
            os.fsync(file.fileno())

    def measure() -> Times:
        training.step()
        return {"torch.save": [timed(save)]}

    return measure


def dcp_save(folder: Path) -> Measure:
    training = Training()

    def measure() -> Times:
        training.step()
        took = timed(lambda: dcp.save(training.state(), checkpoint_id=folder / "dcp"))
        shutil.rmtree(folder / "dcp")
        return {"dcp.save": [took]}

    return measure


def async_save(kind: str, folder: Path) -> Measure:
    """With its defaults; measured is how long the call blocks the training."""
    join_alone()
    training = Training()

    def measure() -> Times:
        training.step()
        began = time.perf_counter()
        saving = dcp.async_save(
            training.state(),
            checkpoint_id=folder / kind,
            async_checkpointer_type=AsyncCheckpointerType[kind],
        )
        blocked = time.perf_counter() - began
        getattr(saving, "upload_completion", saving).result()
        shutil.rmtree(folder / kind)
        return {f"async {kind}": [blocked]}

    return measure


def in_call(folder: Path) -> Measure:
    """Diamond's, with the whole copy inside the call."""
    training = Training()
    options: dict[str, Any] = {"folder": folder / "saved", "keep": 1, "overlap": False}
    checkpointer = Checkpointer(training.model, training.optimizer, **options)
    number = counter()

    def measure() -> Times:
        training.step()
        began = time.perf_counter()
        checkpointer.save(number())
        blocked = time.perf_counter() - began
        checkpointer.wait()
        durable = time.perf_counter() - began
        wait_until_pruned(folder / "saved")
        return {"in-call": [blocked], "durable": [durable]}

    return measure


def overlapped(folder: Path) -> Measure:
    """Diamond's default: the copy runs during the next step; the optimizer's wait for it is added to the call."""
    training = Training()
    checkpointer = Checkpointer(training.model, training.optimizer, folder=folder / "saved", keep=1)
    number = counter()

    def loop(*, save: bool) -> tuple[float, float]:
        began, waited = time.perf_counter(), core_wait_seconds()
        for step in range(STEPS):
            if save and step == 0:
                checkpointer.save(number())
            training.step()
        took, waited = time.perf_counter() - began, core_wait_seconds() - waited
        checkpointer.wait()
        wait_until_pruned(folder / "saved")
        return took, waited

    def measure() -> Times:
        without, waited_without = loop(save=False)
        took, waited = loop(save=True)
        return {
            "overlapped": [checkpointer.cost.blocked_seconds],
            "added": [took - without],
            "added, waiting for a core": [waited - waited_without],
        }

    return measure


def core_wait_seconds() -> float:
    """How long this thread was ready to run while all cores were busy with others, so far."""
    return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9


WAYS: dict[str, Callable[[Path], Measure]] = {
    "memcpy": copying,
    "raw": partial(writing, "raw write, direct", os.O_DIRECT),
    "raw-cached": partial(writing, "raw write, cached", 0),
    "torch": torch_save,
    "dcp": dcp_save,
    "thread": partial(async_save, "THREAD"),
    "process": partial(async_save, "PROCESS"),
    "in-call": in_call,
    "overlapped": overlapped,
}


def write_and_sync(path: Path, content: memoryview, flag: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | flag, 0o600)
    try:
        done = 0
        while done < len(content):
            done += os.write(descriptor, content[done : done + (64 << 20)])
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def wait_until_pruned(folder: Path) -> None:
    """Removing the previous checkpoint belongs to this way; the next one starts with an idle disk."""
    while len([path for path in folder.iterdir() if "step-" in path.name]) > 1:
        time.sleep(0.01)


def join_alone() -> None:
    """torch's asynchronous saves need a process group even for one process."""
    store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", str(store.port + 1))
    dist.init_process_group("gloo", store=store, rank=0, world_size=1)


def counter() -> Callable[[], int]:
    numbers = iter(range(1, 1 << 30))
    return lambda: next(numbers)


def parser() -> argparse.ArgumentParser:
    one = argparse.ArgumentParser(prog="bench.checkpoint_ways", description=__doc__)
    one.add_argument("way", choices=WAYS)
    one.add_argument("--folder", type=Path, required=True)
    return one


if __name__ == "__main__":
    main()
