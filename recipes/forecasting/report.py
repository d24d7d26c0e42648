"""A table of all models by their error, and pictures of their forecasts."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from diamond import frames

folders = [Path(name) for name in sys.argv[1:]]
report = Path("report")
report.mkdir()

scores = sorted(
    (json.loads((folder / "score.json").read_text()) for folder in folders), key=lambda s: s["mae"]
)
with (report / "scores.csv").open("w", newline="") as file:
    writer = csv.DictWriter(file, ["model", "mae", "rmse", "mape", "seconds"])
    writer.writeheader()
    writer.writerows({**s, **{k: round(s[k], 3) for k in ("mae", "rmse", "mape")}} for s in scores)

figure, axes = plt.subplots(figsize=(8, 0.35 * len(scores) + 1.2))
axes.barh(
    [s["model"] for s in reversed(scores)], [s["mae"] for s in reversed(scores)], color="#0d7377"
)
axes.set_xlabel("mean absolute error, thousands of passengers")
axes.spines[["top", "right"]].set_visible(False)
figure.tight_layout()
figure.savefig(report / "errors.png", dpi=120)

rows = {
    folder: frames.read(folder / "rows").sort("unique_id", "ds").to_pandas() for folder in folders
}
best = {s["model"] for s in scores[:3]}
airlines = sorted(next(iter(rows.values()))["unique_id"].unique())
figure, parts = plt.subplots(len(airlines), 1, figsize=(8, 3 * len(airlines)), squeeze=False)
for axes, airline in zip(parts[:, 0], airlines, strict=True):
    for part in rows.values():
        own = part[part["unique_id"] == airline]
        name = own["model"].iloc[0]
        known = name in best
        axes.plot(
            own["ds"],
            own["forecast"],
            label=name if known else None,
            lw=1.8 if known else 0.7,
            color=None if known else "#bbbbbb",
            zorder=2 if known else 1,
        )
    axes.plot(own["ds"], own["y"], color="black", lw=2, label="passengers")
    axes.set_title(str(airline), loc="left", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8)
figure.tight_layout()
figure.savefig(report / "forecasts.png", dpi=120)
print((report / "scores.csv").read_text())
