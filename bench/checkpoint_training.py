"""A training of 400 MB with one torch thread, measured: `python -m bench.checkpoint_training arms|slowdown …`.

A process of its own, so that nothing of the benchmark runs in it. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_state_dict
from torch.distributed.checkpoint.state_dict_saver import AsyncCheckpointerType

from diamond.training import Checkpointer

WARM_UP = 2
STEPS = 4
"""Long enough that a save of the first step is on disk before the last: what it disturbs is counted."""
Times = dict[str, list[float]]


class Training:
    """32 layers with AdamW: 403 MB of parameters and averages."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.model = torch.nn.Sequential(*(torch.nn.Linear(1024, 1024) for _ in range(32)))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4)
        self.batch = torch.randn(64, 1024)
        self.step()

    def compute(self) -> None:
        self.optimizer.zero_grad()
        self.model(self.batch).square().mean().backward()

    def step(self) -> None:
        self.compute()
        self.optimizer.step()

    def state(self) -> dict[str, Any]:
        model, optimizer = get_state_dict(self.model, self.optimizer)
        return {"model": model, "optimizer": optimizer}

    @property
    def total_bytes(self) -> int:
        return 3 * sum(one.nbytes for one in self.model.parameters())


def main() -> None:
    given = parser().parse_args()
    torch.set_num_threads(1)
    training = Training()
    if given.what == "arms":
        found = measure_arms(training, given.folder, given.count + WARM_UP)
    else:
        found = measure_slowdown(training, given.folder, given.count, given.seconds, given.every)
    print(json.dumps(found), flush=True)


def measure_arms(training: Training, folder: Path, rounds: int) -> Times:
    """All arms in turn, round by round, so that a busy minute hits them alike."""
    join_alone()
    ours, limits = Ours(training, folder / "ours"), Limits(training.total_bytes, folder)
    arms: list[Callable[[], Times]] = [
        limits.memcpy,
        limits.raw_write,
        partial(torch_save, training, folder),
        partial(dcp_save, training, folder),
        partial(async_save, training, folder, "THREAD"),
        partial(async_save, training, folder, "PROCESS"),
        ours.in_call,
        ours.overlapped,
        ours.added,
    ]
    found: Times = {}
    for number in range(rounds):
        for arm in arms:
            for name, values in arm().items():
                found.setdefault(name, []).extend(values if number >= WARM_UP else [])
    ours.close()
    return found


class Ours:
    """Diamond's arms: the whole copy in the call, the copy beside the next step, and what a loop loses."""

    def __init__(self, training: Training, folder: Path) -> None:
        self._training = training
        options: dict[str, Any] = {"keep": 1}
        self._now = Checkpointer(
            training.model, training.optimizer, folder=folder / "a", overlap=False, **options
        )
        self._later = Checkpointer(
            training.model, training.optimizer, folder=folder / "b", **options
        )
        self._number = 0

    def in_call(self) -> Times:
        began = time.perf_counter()
        self._now.save(self._next())
        blocked = time.perf_counter() - began
        self._now.wait()
        return {"in-call": [blocked], "durable": [time.perf_counter() - began]}

    def overlapped(self) -> Times:
        """The wait of the optimizer's step is measured by the checkpointer and added to the call."""
        self._later.save(self._next())
        self._training.step()
        self._later.wait()
        return {"overlapped": [self._later.cost.blocked_seconds]}

    def added(self) -> Times:
        without = self._loop(save=False)
        return {"added": [self._loop(save=True) - without]}

    def close(self) -> None:
        self._now.close()
        self._later.close()

    def _loop(self, *, save: bool) -> float:
        began = time.perf_counter()
        for number in range(STEPS):
            if save and number == 0:
                self._later.save(self._next())
            self._training.step()
        took = time.perf_counter() - began
        self._later.wait()
        return took

    def _next(self) -> int:
        self._number += 1
        return self._number


class Limits:
    """What no way of saving can beat: one copy in memory, one write to the disk."""

    def __init__(self, total_bytes: int, folder: Path) -> None:
        self._source = torch.randint(0, 255, (total_bytes,), dtype=torch.uint8)
        self._target = self._source.clone()
        self._content = memoryview(self._source.numpy())
        self._path = folder / "raw"

    def memcpy(self) -> Times:
        """Into memory that was touched before."""
        return {"memcpy": [timed(lambda: self._target.copy_(self._source))]}

    def raw_write(self) -> Times:
        """In large pieces, then synced; a new file each time, as a checkpoint is."""
        took = timed(partial(write_and_sync, self._path, self._content))
        self._path.unlink()
        return {"raw write": [took]}


def torch_save(training: Training, folder: Path) -> Times:
    def save() -> None:
        with (folder / "torch.pt").open("wb") as file:
            torch.save(training.state(), file)
            file.flush()
            os.fsync(file.fileno())

    return {"torch.save": [timed(save)]}


def dcp_save(training: Training, folder: Path) -> Times:
    target = folder / "dcp"
    took = timed(lambda: dcp.save(training.state(), checkpoint_id=target))
    shutil.rmtree(target)
    return {"dcp.save": [took]}


def async_save(training: Training, folder: Path, kind: str) -> Times:
    """With its defaults; what counts is how long the call holds the training up."""
    target = folder / kind
    began = time.perf_counter()
    saving = dcp.async_save(
        training.state(),
        checkpoint_id=target,
        async_checkpointer_type=AsyncCheckpointerType[kind],
    )
    blocked = time.perf_counter() - began
    getattr(saving, "upload_completion", saving).result()
    shutil.rmtree(target)
    return {f"async {kind}": [blocked]}


def measure_slowdown(
    training: Training, folder: Path, pairs: int, seconds: float, every: float
) -> Times:
    """Steps per second without and with saves, in pairs that follow each other."""
    checkpointer = Checkpointer(training.model, training.optimizer, folder=folder / "slowdown")
    checkpointer.save(0, wait=True)
    found: Times = {"never": [], "saving": []}
    done = 0
    for pair in range(pairs):
        order = ["never", "saving"] if pair % 2 == 0 else ["saving", "never"]
        for arm in order:
            steps, took = train_for(
                training, seconds, checkpointer if arm == "saving" else None, done, every
            )
            done += steps
            found[arm].append(steps / took)
    checkpointer.close()
    return found


def train_for(
    training: Training, seconds: float, checkpointer: Checkpointer | None, done: int, every: float
) -> tuple[int, float]:
    """The first save comes half an interval after the start, so that all of it falls into this arm."""
    began = time.perf_counter()
    next_save, steps = began + every / 2, 0
    while time.perf_counter() - began < seconds:
        training.step()
        steps += 1
        if checkpointer is not None and time.perf_counter() >= next_save:
            checkpointer.save(done + steps)
            next_save += every
    took = time.perf_counter() - began
    if checkpointer is not None:
        checkpointer.wait()
    return steps, took


def write_and_sync(path: Path, content: memoryview) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        done = 0
        while done < len(content):
            done += os.write(descriptor, content[done : done + (64 << 20)])
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def timed(action: Callable[[], Any]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def join_alone() -> None:
    """torch's asynchronous saves want a process group even for one process."""
    store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", str(store.port + 1))
    dist.init_process_group("gloo", store=store, rank=0, world_size=1)


def parser() -> argparse.ArgumentParser:
    one = argparse.ArgumentParser(prog="bench.checkpoint_training", description=__doc__)
    one.add_argument("what", choices=["arms", "slowdown"])
    one.add_argument("--folder", type=Path, required=True)
    one.add_argument("--count", type=int, required=True)
    one.add_argument("--seconds", type=float, default=120.0)
    one.add_argument("--every", type=float, default=30.0)
    return one


if __name__ == "__main__":
    main()
