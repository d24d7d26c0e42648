"""Ordinary Lightning over all ranks; prints the sum of the rank numbers and the cluster environment it detects."""

from __future__ import annotations

import os
import signal

import lightning.pytorch as pl
import torch
from torch.utils.data import DataLoader, TensorDataset


class Model(pl.LightningModule):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch: list[torch.Tensor], index: int) -> torch.Tensor:
        return self.layer(batch[0]).square().mean()

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def on_train_start(self) -> None:
        self.print(
            "requeues"
            if signal.getsignal(signal.SIGUSR1) is not signal.SIG_DFL
            else "does not requeue"
        )


def main() -> None:
    nodes = int(os.environ["DIAMOND_NODES"])
    trainer = pl.Trainer(
        accelerator="cpu",
        strategy="ddp",
        devices=int(os.environ["LOCAL_WORLD_SIZE"]),
        num_nodes=nodes,
        max_epochs=1,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(Model(), DataLoader(TensorDataset(torch.randn(32, 4)), 4))
    total = trainer.strategy.reduce(torch.tensor(float(trainer.global_rank)), reduce_op="sum")
    print(f"rank {trainer.global_rank} of {trainer.world_size}: {total.item():.0f}", flush=True)


if __name__ == "__main__":
    main()
