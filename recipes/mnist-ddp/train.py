"""Learns to read MNIST's handwritten digits on several processes: DistributedDataParallel, on one node or many."""

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel

from diamond import training


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--batch", type=int, default=64, help="samples of one process")
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--most", type=int, default=60_000, help="train on so many images")
    options = parser.parse_args()
    me = training.init()
    torch.manual_seed(0)
    images, labels = read("train", options.most)
    model = DistributedDataParallel(build_model())
    optimizer = torch.optim.SGD(model.parameters(), lr=options.lr, momentum=0.9)
    step = 0
    for epoch in range(options.epochs):
        # The same order on all processes; each takes every n-th image of it.
        order = torch.randperm(len(images), generator=torch.Generator().manual_seed(epoch))
        for own in order[me.rank :: me.world_size].split(options.batch):
            loss = cross_entropy(model(images[own]), labels[own])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            if step % 10 == 0:
                training.log(step, loss=loss)
    accuracy = measure(model)
    if me.rank == 0:
        print(
            f"{me.world_size} processes, {step} steps: {accuracy:.1%} of the unseen digits are read right"
        )
        torch.save(model.module.state_dict(), "model.pt")
        Path("result.json").write_text(json.dumps({"accuracy": accuracy, "steps": step}))
    training.log(step, accuracy=accuracy)
    training.finish()


def build_model():
    return nn.Sequential(
        nn.Conv2d(1, 16, 5, stride=2),
        nn.ReLU(),
        nn.Conv2d(16, 32, 5, stride=2),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(32 * 4 * 4, 10),
    )


def read(part, most):
    """Images as numbers around 0, and what digit each is. The files begin with 16 and 8 bytes on their shape."""
    folder = training.data("mnist")
    pixels = np.fromfile(folder / f"{part}-images-idx3-ubyte", dtype=np.uint8, offset=16)
    digits = np.fromfile(folder / f"{part}-labels-idx1-ubyte", dtype=np.uint8, offset=8)
    images = torch.from_numpy(pixels).view(-1, 1, 28, 28)[:most].float() / 128 - 1
    return images, torch.from_numpy(digits)[:most].long()


@torch.no_grad()
def measure(model):
    images, labels = read("t10k", 10_000)
    guesses = torch.cat([model(part).argmax(1) for part in images.split(1000)])
    return (guesses == labels).float().mean().item()


if __name__ == "__main__":
    main()
