"""Something goes wrong on one rank; every rank prints the error that it sees."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from diamond import frames

data, fault = Path(sys.argv[1]), sys.argv[2]
rank = int(os.environ["RANK"])
frames.start(patience_seconds=3 if fault == "absent" else 60, connect_seconds=60)
last = rank == int(os.environ["WORLD_SIZE"]) - 1
try:
    rides = frames.read(data / "rides", "*.parquet")
    if fault == "killed" and last:
        os.kill(os.getpid(), signal.SIGKILL)
    if fault == "absent" and last:
        time.sleep(20)
    if fault == "leaves" and last:
        sys.exit(0)
    if fault == "schema":
        frames.read(data / "mixed", "*.parquet")
    if fault == "missing":
        frames.read(data / "nowhere")
    if fault == "value":
        frames.read(data / "wrong", "*.csv").totals(s="sum(a)")
    if fault == "header":
        frames.read(data / "headers", "*.csv")
    if fault == "differ":
        rides.sort("km") if last else rides.group("zone", n="count(*)").count()
    if fault == "null":
        rides.select(x="CASE WHEN ride = 3 THEN NULL ELSE ride END").loader(2)
    rides.group("driver", n="median(km)").count()
except frames.FramesError as error:
    print(f"{type(error).__name__}: {error}", flush=True)
    sys.exit(3)
