"""One accelerate step over all ranks; prints the sum of the rank numbers."""

from __future__ import annotations

import torch
from accelerate import Accelerator

accelerator = Accelerator(cpu=True)
model, optimizer = torch.nn.Linear(4, 1), None
model = accelerator.prepare(model)
accelerator.backward(model(torch.ones(2, 4)).mean())
number = torch.tensor([float(accelerator.process_index)])
print(
    f"rank {accelerator.process_index} of {accelerator.num_processes}: {accelerator.reduce(number).item():.0f}"
)
accelerator.end_training()
