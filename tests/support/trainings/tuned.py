"""A real training whose precision, batch, accumulation and loader workers are params of its spec.

Asserts that an update sees `--batch` samples over all ranks, whatever the params are.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import TensorDataset

from diamond import training


def main(batch: int) -> None:
    session = training.init()
    torch.set_num_threads(1)
    given = training.params()
    torch.manual_seed(1)
    layers = [torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 1)]
    model: torch.nn.Module = torch.nn.Sequential(*layers)
    if session.world_size > 1:
        model = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    workers = given["num_workers"]
    loader = training.ResumableLoader(samples(), given["batch_size"], num_workers=workers)
    for step, parts in enumerate(updates(loader, given["accumulate"]), 1):
        seen = update(model, optimizer, parts, given["precision"])
        count, loss, bits = together(seen)
        assert not batch or count == batch, f"an update saw {count:.0f} samples instead of {batch}"
        training.log(step, loss=loss, samples=count, bits=bits, ranks=session.world_size)


def samples() -> TensorDataset:
    features = torch.randn(4096, 64, generator=torch.Generator().manual_seed(2))
    return TensorDataset(features, features[:, :8].sum(1, keepdim=True))


def updates(loader: Any, accumulate: int) -> Iterator[list[Any]]:
    """The batches of one update at a time, endlessly."""
    while True:
        batches = iter(loader)
        for first in batches:
            yield [first, *(next(batches) for _ in range(accumulate - 1))]


def update(
    model: torch.nn.Module, optimizer: torch.optim.Optimizer, parts: list[Any], precision: str
) -> torch.Tensor:
    """Sums over this rank's samples: their number, their losses, the bits of a result."""
    optimizer.zero_grad()
    seen = torch.zeros(3)
    for features, wanted in parts:
        with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"):
            outcome = model(features)
        loss = torch.nn.functional.mse_loss(outcome.float(), wanted)
        (loss / len(parts)).backward()
        bits = float(8 * outcome.element_size())
        seen += torch.tensor([1.0, loss.item(), bits]) * len(features)
    optimizer.step()
    return seen


def together(seen: torch.Tensor) -> tuple[float, float, float]:
    """The number of samples of all ranks, and the means of the other values."""
    if dist.is_initialized():
        dist.all_reduce(seen)
    return float(seen[0]), float(seen[1] / seen[0]), float(seen[2] / seen[0])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
