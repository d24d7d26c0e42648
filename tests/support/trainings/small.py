"""A small training that is killed and resumed: `python small.py KIND STEPS`, ranks by the usual variables.

With `quiet` in KIND it runs through without a checkpointer.
Prints what a test wants to know as JSON lines; random numbers, a scheduler and the order of the data
all have to survive for the last line to come out the same.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import TensorDataset

from diamond import training


def main(kind: str, steps: int) -> int:
    torch.set_num_threads(1)
    session = training.init()
    torch.manual_seed(7)
    model = wrapped(kind, session.world_size)
    torch.manual_seed(100 + session.rank)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 5)
    loader = training.ResumableLoader(samples(), 8 // session.world_size, seed=3)
    if "quiet" in kind:
        batches: Iterator[Any] = enumerate(itertools.islice(endless(loader), steps))
        checkpointer = None
    else:
        checkpointer = training.Checkpointer(
            model, optimizer, folder="checkpoints", scheduler=scheduler, loader=loader
        )
        batches = checkpointer.steps(loader, total=steps)
        say(event="started", rank=session.rank, writer=checkpointer.writer_pid)
    for done, (features, wanted) in batches:
        train(model, optimizer, features, wanted)
        scheduler.step()
        if checkpointer is not None:
            say(event="step", step=done + 1, rank=session.rank, writer=checkpointer.writer_pid)
            save(checkpointer, done + 1)
    say(event="end", rank=session.rank, digest=digest(model), weights=weights(model))
    training.finish()
    return checkpointer.exit_code if checkpointer is not None else 0


def endless(loader: training.ResumableLoader) -> Iterator[Any]:
    while True:
        yield from loader


def save(checkpointer: training.Checkpointer, step: int) -> None:
    if step % int(os.environ.get("SAVE_EVERY", "4")) == 0:
        checkpointer.save(step)
    hold(step)


def train(
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
    features: torch.Tensor,
    wanted: torch.Tensor,
) -> None:
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(features), wanted).backward()
    optimizer.step()


def wrapped(kind: str, world_size: int) -> torch.nn.Module:
    dropout = torch.nn.Dropout(0.2) if "exact" not in kind else torch.nn.Identity()
    norm = torch.nn.BatchNorm1d(32) if "ddp" in kind else torch.nn.LayerNorm(32)
    layers = [torch.nn.Linear(6, 32), norm, torch.nn.Tanh(), dropout]
    model = torch.nn.Sequential(*layers, torch.nn.Linear(32, 1))
    if "fsdp" in kind:
        fully_shard(model)
    elif world_size > 1:
        return DistributedDataParallel(model)
    return model


def samples() -> TensorDataset:
    generator = torch.Generator().manual_seed(1)
    features = torch.randn(96, 6, generator=generator)
    return TensorDataset(features, features.sum(1, keepdim=True))


def hold(step: int) -> None:
    """At every step for a moment, and at the one that a test names until it makes the file `go`."""
    threading.Event().wait(float(os.environ.get("PAUSE", "0")))
    if step == int(os.environ.get("HOLD_AT", "-1")):
        say(event="held", step=step, rank=int(os.environ.get("RANK", "0")))
        while not Path("go").exists():
            threading.Event().wait(0.02)


def weights(model: torch.nn.Module) -> list[float]:
    return [float(value) for one in whole(model) for value in one.flatten()[:3]]


def digest(model: torch.nn.Module) -> str:
    content = b"".join(bytes(one.flatten().view(torch.uint8).tolist()) for one in whole(model))
    return hashlib.sha256(content).hexdigest()[:16]


def whole(model: torch.nn.Module) -> list[torch.Tensor]:
    values = [value.detach() for value in model.state_dict().values()]
    return [one.full_tensor() if hasattr(one, "full_tensor") else one for one in values]


def say(**values: object) -> None:
    print(json.dumps(values), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
