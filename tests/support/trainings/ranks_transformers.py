"""The Hugging Face Trainer over all ranks; prints the sum of the rank numbers."""

from __future__ import annotations

import torch
import torch.distributed as dist
from transformers import Trainer, TrainingArguments


class Model(torch.nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def forward(self, features: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"loss": torch.nn.functional.mse_loss(self.layer(features), labels)}


def main() -> None:
    samples = [{"features": one, "labels": one.sum(0, keepdim=True)} for one in torch.randn(32, 4)]
    given = TrainingArguments(
        output_dir="out",
        num_train_epochs=1,
        per_device_train_batch_size=4,
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
    )
    Trainer(model=Model(), args=given, train_dataset=samples).train()
    total = torch.tensor(float(dist.get_rank()))
    dist.all_reduce(total)
    print(f"rank {dist.get_rank()} of {dist.get_world_size()}: {total.item():.0f}", flush=True)


if __name__ == "__main__":
    main()
