"""A small training with the Hugging Face Trainer: `python by_transformers.py EPOCHS`; prints its weights at the end.

With EARLY, it is evaluated every three steps and ends early, after three evaluations that are no better than the first. It is
then evaluated twice more, when nothing is saved any longer.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

import torch
from transformers import EarlyStoppingCallback, Trainer, TrainerCallback, TrainingArguments

from diamond import training
from diamond.training.context import stop_flag_is_up


class Model(torch.nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        layers = [torch.nn.Linear(4, 16), torch.nn.Dropout(0.2), torch.nn.Linear(16, 1)]
        self.layers = torch.nn.Sequential(*layers)

    def forward(self, features: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"loss": torch.nn.functional.mse_loss(self.layers(features), labels)}


class RaisesTheFlag(TrainerCallback):  # type: ignore[misc]
    def on_step_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        if state.global_step == int(os.environ.get("STOP_AT", "-1")):
            raise_the_flag()


def raise_the_flag() -> None:
    Path(os.environ["DIAMOND_STOP_FILE"]).touch()
    while not stop_flag_is_up():
        threading.Event().wait(0.05)


def main(epochs: int) -> None:
    torch.manual_seed(3)
    features = torch.randn(48, 4)
    samples = [{"features": one, "labels": one.sum(0, keepdim=True)} for one in features]
    model = Model()
    early = "EARLY" in os.environ
    measured = {"eval_strategy": "steps", "eval_steps": 3, "metric_for_best_model": "loss"}
    stopping = [EarlyStoppingCallback(3, early_stopping_threshold=1e9)] if early else []
    trainer = Trainer(
        model=model,
        args=TrainingArguments(
            output_dir="out",
            num_train_epochs=epochs,
            per_device_train_batch_size=4,
            gradient_accumulation_steps=2,
            learning_rate=0.01,
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
            use_cpu=True,
            **(measured if early else {}),
        ),
        train_dataset=samples,
        eval_dataset=samples[:8],
        callbacks=[
            RaisesTheFlag(),
            *stopping,
            training.TransformersCheckpoints(folder="checkpoints"),
        ],
    )
    trainer.train()
    for _ in range(2 * early):
        trainer.evaluate()
    weights = [value.tolist() for value in model.state_dict().values()]
    found = {"event": "end", "step": trainer.state.global_step, "epoch": trainer.state.epoch}
    if trainer.is_world_process_zero():
        print(json.dumps({**found, "weights": weights}), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
