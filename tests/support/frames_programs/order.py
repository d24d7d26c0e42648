"""Train on paper: write down which rows each step used; stop after some steps, and continue with a state."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from diamond import frames

data, out, steps, epochs = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
state = json.loads(Path(sys.argv[5]).read_text()) if len(sys.argv) > 5 else None
session = frames.start(connect_seconds=60)
rides = frames.read(data / "rides", "*.parquet").join(frames.read(data / "zones"), "zone")
loader = rides.select("ride", "km").loader(
    batch_size=3, seed=7, format="numpy", tensors={"ride": "ride", "x": ["km", "ride"]}
)
if state:
    loader.load_state_dict(state)
used: list[int] = []
for _ in range(loader.epoch, epochs):
    for batch in loader:
        assert batch["x"].shape == (len(batch["ride"]), 2)
        used += batch["ride"].tolist()
        steps -= 1
        if not steps:
            break
    if not steps:
        break
rank = session.ranks.rank
(out / f"{rank}.json").write_text(json.dumps([used, loader.state_dict(), len(loader)]))
frames.finish()
