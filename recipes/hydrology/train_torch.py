"""A GRU in PyTorch learns the same from the same days."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from torch import nn

from diamond import frames, training

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("days")
parser.add_argument("--epochs", type=int, default=12)
parser.add_argument("--seed", type=int, default=1)
given = parser.parse_args()
torch.manual_seed(given.seed)
training.seed(given.seed)

rows = frames.read(given.days)
wanted = {"rain": "rains", "warmth": "warmths", "y": "target"}
loader = rows.filter("part = 'train'").loader(64, seed=given.seed, tensors=wanted, key=["day"])


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.recurrent, self.last = nn.GRU(2, 16, batch_first=True), nn.Linear(16, 1)

    def forward(self, windows):
        return self.last(self.recurrent(windows)[0][:, -1])[:, 0]


model = Model()
optimizer = torch.optim.Adam(model.parameters(), 5e-3)
for epoch in range(loader.epoch, given.epochs):
    losses = []
    for batch in loader:
        windows = torch.stack([batch["rain"], batch["warmth"]], dim=-1)
        loss = nn.functional.mse_loss(model(windows), batch["y"].float())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    training.log(epoch, loss=sum(losses) / len(losses))

unseen = rows.filter("part = 'test'").sort("day").to_arrow()
windows = np.stack([np.stack(unseen[name].to_pylist()) for name in ("rains", "warmths")], axis=-1)
with torch.no_grad():
    predicted = model(torch.from_numpy(windows.astype("float32"))).numpy()
flow = np.exp(predicted) * unseen["scale"][0].as_py()
truth = unseen["flow"].to_numpy()
efficiency = 1 - ((truth - flow) ** 2).sum() / ((truth - truth.mean()) ** 2).sum()
training.log(given.epochs, nash_sutcliffe=float(efficiency))

Path("result").mkdir()
found = unseen.select(["day", "flow"]).append_column("predicted", [flow.astype("float64")])
frames.table(found).write("result/rows")
score = {"model": "GRU (PyTorch)", "nash_sutcliffe": round(float(efficiency), 4)}
Path("result/score.json").write_text(json.dumps(score))
print(json.dumps(score))
