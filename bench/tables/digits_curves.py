"""Trains small networks on scikit-learn's digits over a grid of settings, and writes their validation losses: real curves to replay.

Needs numpy and scikit-learn: python bench/tables/digits_curves.py >bench/tables/digits_curves.csv (some minutes on one core).
"""

from __future__ import annotations

import itertools
import sys

import numpy
from sklearn.datasets import load_digits

EPOCHS = (1, 3, 9, 27, 81)
GRID = {
    "lr": [round(10 ** (-4 + n / 3), 6) for n in range(13)],
    "width": [4, 8, 16, 32, 64],
    "momentum": [0.0, 0.5, 0.9],
    "decay": [0.0, 0.001, 0.01],
}
BATCH = 32


def main() -> None:
    print(",".join([*GRID, *(f"loss{epoch}" for epoch in EPOCHS)]))
    data = load()
    for point in itertools.product(*GRID.values()):
        losses = train(*data, *point)
        print(",".join([*(f"{each:g}" for each in point), *(f"{each:.4f}" for each in losses)]))
        sys.stdout.flush()


def load():
    digits = load_digits()
    order = numpy.random.default_rng(0).permutation(len(digits.target))
    images, labels = digits.data[order] / 16 - 0.5, digits.target[order]
    return images[:1437], labels[:1437], images[1437:], labels[1437:]


def train(images, labels, others, other_labels, lr, width, momentum, decay):
    """One hidden layer, SGD. A network that diverges has a large loss from then on."""
    random = numpy.random.default_rng(1)
    layers = [
        random.normal(0, (2 / 64) ** 0.5, (64, width)),
        numpy.zeros(width),
        random.normal(0, (2 / width) ** 0.5, (width, 10)),
        numpy.zeros(10),
    ]
    speeds = [numpy.zeros_like(each) for each in layers]
    losses = []
    for epoch in range(1, EPOCHS[-1] + 1):
        order = random.permutation(len(labels))
        for first in range(0, len(order), BATCH):
            some = order[first : first + BATCH]
            slopes = gradients(layers, images[some], labels[some])
            for layer, speed, slope in zip(layers, speeds, slopes, strict=False):
                speed *= momentum
                speed -= lr * (slope + decay * layer)
                layer += speed
        if epoch in EPOCHS:
            losses.append(
                min(99.0, float(numpy.nan_to_num(loss(layers, others, other_labels), nan=99)))
            )
        if not numpy.isfinite(layers[0]).all():
            return losses + [99.0] * (len(EPOCHS) - len(losses))
    return losses


def gradients(layers, images, labels):
    hidden = numpy.maximum(images @ layers[0] + layers[1], 0)
    wrong = softmax(hidden @ layers[2] + layers[3])
    wrong[numpy.arange(len(labels)), labels] -= 1
    wrong /= len(labels)
    back = (wrong @ layers[2].T) * (hidden > 0)
    return images.T @ back, back.sum(0), hidden.T @ wrong, wrong.sum(0)


def loss(layers, images, labels):
    hidden = numpy.maximum(images @ layers[0] + layers[1], 0)
    shares = softmax(hidden @ layers[2] + layers[3])
    return -numpy.log(numpy.maximum(shares[numpy.arange(len(labels)), labels], 1e-12)).mean()


def softmax(scores):
    scores = numpy.exp(numpy.clip(scores - scores.max(1, keepdims=True), -50, 0))
    return scores / scores.sum(1, keepdims=True)


if __name__ == "__main__":
    numpy.seterr(all="ignore")
    main()
