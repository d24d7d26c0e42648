"""One DDP step; rank 0 writes the time it finished. The same program for every arm."""

import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

if __name__ == "__main__":
    dist.init_process_group("gloo")
    model = DistributedDataParallel(torch.nn.Linear(64, 64))
    model(torch.ones(8, 64)).sum().backward()
    if dist.get_rank() == 0:
        Path(sys.argv[1]).write_text(f"{time.time()}\n")
    dist.barrier()
    dist.destroy_process_group()
