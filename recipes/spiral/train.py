"""Two spirals and a network in NumPy: forward, backward and momentum on one page."""

import argparse
import json
from pathlib import Path

import numpy as np

from diamond import training


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hidden", type=int, default=32)
    parser.add_argument("--lr", type=float, default=0.5)
    parser.add_argument("--steps", type=int, default=2000)
    options = parser.parse_args()
    chance = np.random.default_rng(0)
    points, labels = spirals(chance, 400)
    unseen, unseen_labels = spirals(chance, 200)
    model = new_model(chance, options.hidden)
    speed = {name: np.zeros_like(value) for name, value in model.items()}
    for step in range(options.steps):
        loss, slopes = learn(model, points, labels)
        for name, slope in slopes.items():
            speed[name] = 0.9 * speed[name] - options.lr * 0.1 * slope
            model[name] += speed[name]
        if step % 20 == 0 or step == options.steps - 1:
            accuracy = float(np.mean((predict(model, unseen)[1] > 0.5) == unseen_labels))
            training.log(step, loss=loss, val_accuracy=accuracy)
    np.savez("model.npz", **model)
    Path("result.json").write_text(json.dumps({"accuracy": accuracy, "loss": loss}))
    print(f"{accuracy:.0%} of the unseen points are on the right arm")


def spirals(chance, count):
    """`count` points on each of two arms, and which arm each is on."""
    turn = np.sqrt(chance.uniform(0.05, 1, count)) * 3 * np.pi
    arm = np.stack([turn * np.cos(turn), turn * np.sin(turn)], axis=1) / 10
    points = np.concatenate([arm, -arm]) + chance.normal(0, 0.02, (2 * count, 2))
    return points, np.repeat([0.0, 1.0], count)


def new_model(chance, hidden):
    return {
        "in": chance.normal(0, 2, (2, hidden)),
        "shift": chance.normal(0, 1, hidden),
        "mid": chance.normal(0, hidden**-0.5, (hidden, hidden)),
        "mid_shift": np.zeros(hidden),
        "out": chance.normal(0, hidden**-0.5, hidden),
    }


def predict(model, points):
    first = np.tanh(points @ model["in"] + model["shift"])
    second = np.tanh(first @ model["mid"] + model["mid_shift"])
    return (first, second), 1 / (1 + np.exp(-np.clip(second @ model["out"], -30, 30)))


def learn(model, points, labels):
    """The loss, and how it changes with each number of the model."""
    (first, second), chance_of_one = predict(model, points)
    sure = np.clip(np.where(labels == 1, chance_of_one, 1 - chance_of_one), 1e-9, 1)
    error = (chance_of_one - labels) / len(labels)
    back_second = np.outer(error, model["out"]) * (1 - second**2)
    back_first = back_second @ model["mid"].T * (1 - first**2)
    slopes = {
        "out": second.T @ error,
        "mid": first.T @ back_second,
        "mid_shift": back_second.sum(axis=0),
        "in": points.T @ back_first,
        "shift": back_first.sum(axis=0),
    }
    return float(-np.log(sure).mean()), slopes


if __name__ == "__main__":
    main()
