"""A small Lightning training: `python by_lightning.py EPOCHS`; prints its weights at the end."""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path

import lightning.pytorch as pl
import torch
from torch.utils.data import TensorDataset

from diamond import training
from diamond.training.context import stop_flag_is_up


class Model(pl.LightningModule):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        layers = [torch.nn.Linear(4, 16), torch.nn.Dropout(0.2), torch.nn.Linear(16, 1)]
        self.layers = torch.nn.Sequential(*layers)

    def training_step(self, batch: list[torch.Tensor], index: int) -> torch.Tensor:
        if self.global_step == int(os.environ.get("STOP_AT", "-1")):
            raise_the_flag()
        features, wanted = batch
        return torch.nn.functional.mse_loss(self.layers(features), wanted)

    def configure_optimizers(self) -> tuple[list[object], list[object]]:
        optimizer = torch.optim.AdamW(self.parameters(), lr=0.01)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 2)]


def raise_the_flag() -> None:
    Path(os.environ["DIAMOND_STOP_FILE"]).touch()
    while not stop_flag_is_up():
        threading.Event().wait(0.05)


def main(epochs: int) -> None:
    pl.seed_everything(3)
    features = torch.randn(40, 4)
    loader = training.ResumableLoader(TensorDataset(features, features.sum(1, keepdim=True)), 4)
    model = Model()
    ranks = int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
    trainer = pl.Trainer(
        max_epochs=epochs,
        accelerator="cpu",
        devices=ranks,
        strategy="ddp" if ranks > 1 else "auto",
        callbacks=[training.LightningCheckpoints(folder="checkpoints")],
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
    )
    trainer.fit(model, loader)
    weights = [value.tolist() for value in model.state_dict().values()]
    if trainer.is_global_zero:
        found = {"event": "end", "step": trainer.global_step, "weights": weights}
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
