"""A small torch training that saves with Diamond's Checkpointer: `python chain_training.py yes|no TOTAL STEP_SECONDS INTERVAL`.

Each attempt of the claim `chain` runs it. `yes`: it follows the stop flag and saves during its steps. `no`: it ignores the flag and
waits for each save, so that a kill costs at most one interval. Each step appends its number to the file `done`.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import torch

from diamond import training


class Training:
    def __init__(self) -> None:
        torch.manual_seed(0)
        torch.set_num_threads(1)
        self.model = torch.nn.Sequential(*(torch.nn.Linear(256, 256) for _ in range(4)))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4)
        data = torch.utils.data.TensorDataset(torch.randn(640, 256))
        self.loader = training.ResumableLoader(data, batch_size=32)

    def step(self, number: int, batch: torch.Tensor, seconds: float) -> None:
        """One step of the given duration, recorded in `done`."""
        began = time.monotonic()
        self.optimizer.zero_grad()
        loss = self.model(batch).square().mean()
        loss.backward()
        self.optimizer.step()
        training.log(number, loss=loss)
        with Path("done").open("a") as file:
            file.write(f"{number}\n")
        time.sleep(max(0.0, seconds - (time.monotonic() - began)))


def follow_flag(work: Training, total: int, seconds: float, interval: int) -> int:
    every = interval * seconds / 60
    saver = training.Checkpointer(work.model, work.optimizer, every_minutes=every)
    for done, (batch,) in saver.steps(work.loader, total=total):
        work.step(done + 1, batch, seconds)
    training.finish()
    return saver.exit_code


def ignore_flag(work: Training, total: int, seconds: float, interval: int) -> int:
    saver = training.Checkpointer(work.model, work.optimizer, loader=work.loader)
    done = saver.resume()
    while done < total:
        for (batch,) in work.loader:
            done += 1
            work.step(done, batch, seconds)
            if done % interval == 0:
                saver.save(done, wait=True)
            if done == total:
                break
    training.finish()
    return 0


if __name__ == "__main__":
    follows_flag, total, seconds, interval = sys.argv[1:]
    act = follow_flag if follows_flag == "yes" else ignore_flag
    sys.exit(act(Training(), int(total), float(seconds), int(interval)))
