"""Trains a tiny neural network to tell the inside of a circle from the outside. Python alone, nothing to install."""

import argparse
import csv
import json
import math
import random
from pathlib import Path

HIDDEN = 8


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--lr", type=float, default=0.5)
    options = parser.parse_args()
    random.seed(0)
    points = [make_point() for _ in range(200)]
    network = new_network()
    with Path("progress.csv").open("w", newline="") as target:
        rows = csv.writer(target)
        rows.writerow(["step", "loss"])
        for step in range(options.steps):
            loss = train_step(network, points, options.lr)
            rows.writerow([step, loss])
            if step % 100 == 0:
                print(f"step {step}: loss {loss:.4f}", flush=True)
    finish(network)


def make_point():
    x, y = random.uniform(-1, 1), random.uniform(-1, 1)
    return x, y, 1.0 if x * x + y * y < 0.5 else 0.0


def new_network():
    return {
        "hidden": [[random.uniform(-1, 1) for _ in range(3)] for _ in range(HIDDEN)],
        "output": [random.uniform(-1, 1) for _ in range(HIDDEN + 1)],
    }


def predict(network, x, y):
    hidden = [math.tanh(a * x + b * y + c) for a, b, c in network["hidden"]]
    weights = network["output"]
    total = sum(weights[i] * h for i, h in enumerate(hidden)) + weights[-1]
    return hidden, 1 / (1 + math.exp(-total))


def train_step(network, points, lr):
    """One step of gradient descent on all points; returns the loss before it."""
    loss = 0.0
    hidden_slopes = [[0.0, 0.0, 0.0] for _ in range(HIDDEN)]
    output_slopes = [0.0] * (HIDDEN + 1)
    for x, y, label in points:
        hidden, answer = predict(network, x, y)
        loss -= math.log(answer if label else 1 - answer)
        error = answer - label
        for i, h in enumerate(hidden):
            output_slopes[i] += error * h
            back = error * network["output"][i] * (1 - h * h)
            for j, value in enumerate((x, y, 1.0)):
                hidden_slopes[i][j] += back * value
        output_slopes[-1] += error
    descend(network["output"], output_slopes, lr / len(points))
    for i, slopes in enumerate(hidden_slopes):
        descend(network["hidden"][i], slopes, lr / len(points))
    return loss / len(points)


def descend(weights, slopes, rate):
    for i, slope in enumerate(slopes):
        weights[i] -= rate * slope


def finish(network):
    unseen = [make_point() for _ in range(500)]
    right = sum((predict(network, x, y)[1] > 0.5) == (label > 0.5) for x, y, label in unseen)
    Path("result.json").write_text(json.dumps({"accuracy": right / len(unseen)}))
    print(f"done: {right} of {len(unseen)} unseen points are on the right side")


if __name__ == "__main__":
    main()
