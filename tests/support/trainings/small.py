"""A small training that is killed and resumed: `python small.py KIND STEPS`, with ranks from the usual variables.

Words in KIND: `ddp` or `fsdp`, `exact` without dropout, `scaler` with a gradient scaler that skips steps, `stateful` with
torchdata's loader, `quiet` to run without a checkpointer.
Prints JSON lines for the test. The last line is only the same if random numbers, the scheduler and the order of the data
all survive.
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
    scaler = torch.amp.GradScaler("cpu", 2.0**122, growth_interval=2, enabled="scaler" in kind)
    loader = loader_for(kind, session)
    if "quiet" in kind:
        batches: Iterator[Any] = enumerate(itertools.islice(endless(loader), steps))
        checkpointer = None
    else:
        checkpointer = training.Checkpointer(
            model,
            optimizer,
            folder=os.environ.get("CHECKPOINTS", "checkpoints"),
            best="min" if "METRICS" in os.environ else "",
            scheduler=scheduler,
            scaler=scaler,
            loader=loader,
        )
        batches = checkpointer.steps(loader, total=steps)
        say(event="started", rank=session.rank, writer=checkpointer.writer_pid)
    for done, (features, wanted) in batches:
        train(model, optimizer, scaler, features, wanted)
        scheduler.step()
        seen = {"step": done + 1, "rank": session.rank, "seen": float(wanted.sum())}
        if checkpointer is None:
            say(event="step", **seen)
        else:
            say(event="step", writer=checkpointer.writer_pid, **seen)
            save(checkpointer, done + 1)
    ended = {"digest": digest(model), "weights": weights(model), "scaler": scaler.state_dict()}
    say(event="end", rank=session.rank, **ended)
    training.finish()
    return checkpointer.exit_code if checkpointer is not None else 0


def loader_for(kind: str, session: training.Session) -> Any:
    data, each = samples(), 8 // session.world_size
    if "stateful" not in kind:
        return training.ResumableLoader(data, each, seed=3)
    from torchdata.stateful_dataloader import StatefulDataLoader
    from torchdata.stateful_dataloader.sampler import StatefulDistributedSampler

    workers = int(os.environ.get("WORKERS", "0"))
    if session.world_size == 1:
        return StatefulDataLoader(data, each, shuffle=True, num_workers=workers)
    sampler = StatefulDistributedSampler(data, session.world_size, session.rank, seed=3)
    return StatefulDataLoader(data, each, sampler=sampler, num_workers=workers)


def endless(loader: Any) -> Iterator[Any]:
    while True:
        yield from loader


def save(checkpointer: training.Checkpointer, step: int) -> None:
    every = int(os.environ.get("SAVE_EVERY", "4"))
    if step % every == 0:
        checkpointer.save(step, metric_of(step // every - 1))
    if str(step) == os.environ.get("WAIT_AT"):
        checkpointer.wait()
    hold(step)


def metric_of(save: int) -> torch.Tensor | None:
    """Only rank 0 evaluates, as in most programs."""
    values = os.environ.get("METRICS", "").split(",")
    if os.environ.get("RANK", "0") != "0" or save >= len(values) or not values[save]:
        return None
    return torch.tensor(float(values[save]), requires_grad=True)


def train(
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    features: torch.Tensor,
    wanted: torch.Tensor,
) -> None:
    optimizer.zero_grad()
    scaler.scale(torch.nn.functional.mse_loss(model(features), wanted)).backward()
    scaler.step(optimizer)
    scaler.update()


def wrapped(kind: str, world_size: int) -> torch.nn.Module:
    dropout = torch.nn.Dropout(0.2) if "exact" not in kind else torch.nn.Identity()
    width = int(os.environ.get("WIDTH", "32"))
    norm = torch.nn.BatchNorm1d(width) if "ddp" in kind else torch.nn.LayerNorm(width)
    layers = [torch.nn.Linear(6, width), norm, torch.nn.Tanh(), dropout]
    model = torch.nn.Sequential(*layers, torch.nn.Linear(width, 1))
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
    """Wait briefly at every step, and at steps named by the test until the file `go-STEP` exists."""
    threading.Event().wait(float(os.environ.get("PAUSE", "0")))
    if str(step) in os.environ.get("HOLD_AT", "").split(","):
        say(event="held", step=step, rank=int(os.environ.get("RANK", "0")))
        while not Path(f"go-{step}").exists():
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
