"""The measured flow of the unseen years, and what both models say."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from diamond import frames

report = Path("report")
report.mkdir()
folders = [Path(name) for name in sys.argv[1:]]
scores = [json.loads((folder / "score.json").read_text()) for folder in folders]
with (report / "scores.csv").open("w", newline="") as file:
    writer = csv.DictWriter(file, ["model", "nash_sutcliffe"])
    writer.writeheader()
    writer.writerows(scores)

figure, axes = plt.subplots(figsize=(9, 3.5))
for number, (folder, score) in enumerate(zip(folders, scores, strict=True)):
    rows = frames.read(folder / "rows").sort("day").to_arrow()
    days = rows["day"].to_numpy(zero_copy_only=False)
    if number == 0:
        axes.plot(days, rows["flow"].to_numpy(), color="black", lw=1.2, label="measured")
    axes.plot(
        days,
        rows["predicted"].to_numpy(),
        lw=1,
        alpha=0.8,
        label=f"{score['model']}: {score['nash_sutcliffe']:.2f}",
    )
axes.set_ylabel("flow of the Fulda, m³/s")
axes.legend(frameon=False, fontsize=8, title="Nash–Sutcliffe efficiency", title_fontsize=8)
axes.spines[["top", "right"]].set_visible(False)
figure.tight_layout()
figure.savefig(report / "flow.png", dpi=120)
print((report / "scores.csv").read_text())
