"""Trains a small convolutional network to read handwritten digits (scikit-learn's 8x8 images)."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from diamond import training

CHECKPOINTS = Path("ckpt")


def main() -> None:
    options = read_options()
    torch.manual_seed(0)
    train, test = load_data()
    model = build_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=options.lr)
    first = resume(model, optimizer)
    for epoch in range(first, options.epochs):
        loss = train_epoch(model, optimizer, train)
        accuracy = measure(model, test)
        training.log(epoch, loss=loss, accuracy=accuracy)
        print(f"epoch {epoch}: loss {loss:.4f}, accuracy {accuracy:.4f}", flush=True)
        save(model, optimizer, epoch)
        if training.should_stop() and epoch + 1 < options.epochs:
            raise SystemExit(training.CONTINUE)
    finish(model, measure(model, test))


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lr", type=float, default=0.003)
    parser.add_argument("--epochs", type=int, default=12)
    return parser.parse_args()


def load_data() -> tuple[DataLoader[tuple[Tensor, ...]], TensorDataset]:
    digits = load_digits()
    images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16
    labels = torch.tensor(digits.target)
    parts = train_test_split(images, labels, test_size=0.2, random_state=0)
    train, test = TensorDataset(parts[0], parts[2]), TensorDataset(parts[1], parts[3])
    return DataLoader(train, batch_size=64, shuffle=True), test


def build_model() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(32 * 4 * 4, 10),
    )


def train_epoch(
    model: nn.Module, optimizer: torch.optim.Optimizer, batches: DataLoader[tuple[Tensor, ...]]
) -> float:
    model.train()
    total = 0.0
    for images, labels in batches:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / len(batches)


@torch.no_grad()
def measure(model: nn.Module, test: TensorDataset) -> float:
    model.eval()
    images, labels = test.tensors
    return (model(images).argmax(1) == labels).float().mean().item()


def resume(model: nn.Module, optimizer: torch.optim.Optimizer) -> int:
    """Load the checkpoint that Diamond names, if any, and return the epoch to start with."""
    checkpoint = training.resume_from()
    if checkpoint is None:
        return 0
    saved = torch.load(checkpoint)
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    print(f"continuing after epoch {saved['epoch']} from {checkpoint}", flush=True)
    return int(saved["epoch"]) + 1


def save(model: nn.Module, optimizer: torch.optim.Optimizer, epoch: int) -> None:
    """Write aside, then rename: a checkpoint is complete or absent."""
    CHECKPOINTS.mkdir(exist_ok=True)
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}
    aside = CHECKPOINTS / "unfinished"
    torch.save(state, aside)
    aside.replace(CHECKPOINTS / f"epoch-{epoch:03d}.pt")


def finish(model: nn.Module, accuracy: float) -> None:
    torch.save(model.state_dict(), "model.pt")
    Path("result.json").write_text(json.dumps({"accuracy": accuracy}) + "\n")
    print(f"done: {accuracy:.1%} of the unseen digits are read rightly", flush=True)


if __name__ == "__main__":
    main()
