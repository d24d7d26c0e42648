"""A plain training loop with slow saves: `python slow_saves.py SECONDS`; runs until a file `enough` exists.

Each step appends its number to the file `done`.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

import torch

from diamond import training


class Gathered:
    """State that must be gathered before it can be saved."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def state_dict(self) -> dict[str, Any]:
        pause(self._seconds)
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        del state


def pause(seconds: float) -> None:
    threading.Event().wait(seconds)


def main(save_seconds: float) -> int:
    torch.set_num_threads(1)
    model = torch.nn.Linear(8, 1)
    optimizer = torch.optim.AdamW(model.parameters())
    slow = Gathered(save_seconds)
    checkpointer = training.Checkpointer(model, optimizer, every_minutes=0.25, slow=slow)
    step = checkpointer.resume()
    while not Path("enough").exists():
        optimizer.zero_grad()
        model(torch.ones(4, 8)).square().mean().backward()
        optimizer.step()
        step += 1
        with Path("done").open("a") as file:
            file.write(f"{step}\n")
        pause(0.05)
        if checkpointer.after_step(step):
            break
    training.finish()
    return checkpointer.exit_code


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1])))
