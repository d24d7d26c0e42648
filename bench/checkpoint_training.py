"""A training of 400 MB with one torch thread, saving or not: `python -m bench.checkpoint_training …`.

A separate process, so that it contains nothing of the benchmark. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch.distributed.checkpoint.state_dict import get_state_dict

from bench.turns import Times
from diamond.training import Checkpointer


class Training:
    """32 layers with AdamW: 403 MB of parameters and optimizer state."""

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
    found = measure_slowdown(Training(), given.folder, given.count, given.seconds, given.every)
    print(json.dumps(found), flush=True)


def measure_slowdown(
    training: Training, folder: Path, pairs: int, seconds: float, every: float
) -> Times:
    """Steps per second without and with saves, in consecutive pairs."""
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
    """The first save comes half an interval after the start, so that it ends within this arm."""
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


def timed(action: Callable[[], Any]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def parser() -> argparse.ArgumentParser:
    one = argparse.ArgumentParser(prog="bench.checkpoint_training", description=__doc__)
    one.add_argument("--folder", type=Path, required=True)
    one.add_argument("--count", type=int, required=True)
    one.add_argument("--seconds", type=float, default=120.0)
    one.add_argument("--every", type=float, default=30.0)
    return one


if __name__ == "__main__":
    main()
