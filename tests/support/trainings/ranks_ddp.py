"""DDP, or with `fsdp` FSDP2, over all ranks, which must end with the same weights. Prints their sum."""

from __future__ import annotations

import os
import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from diamond import training


def main(kind: str) -> None:
    torch.manual_seed(1)
    training.init()
    model: torch.nn.Module = torch.nn.Linear(8, 4)
    if kind == "fsdp":
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import fully_shard

        fully_shard(model, mesh=init_device_mesh("cpu", (dist.get_world_size(),)))
    else:
        model = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        torch.manual_seed(100 * step + dist.get_rank())
        loss = model(torch.randn(16, 8)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        training.log(step, loss=loss)
    total = torch.stack([whole(value).sum() for value in model.parameters()]).sum()
    print(f"rank {dist.get_rank()} of {dist.get_world_size()}: {total.item():.6f}", flush=True)
    if os.environ["RANK"] == os.environ.get("KILLED_RANK"):
        os.kill(os.getpid(), 9)
    training.finish()


def whole(value: torch.Tensor) -> torch.Tensor:
    full = getattr(value, "full_tensor", None)
    return full().detach() if full else value.detach()


if __name__ == "__main__":
    main(sys.argv[1])
