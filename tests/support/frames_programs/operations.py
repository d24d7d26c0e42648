"""Every operation once, over all ranks: rank 0 writes what came out."""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow.parquet as parquet

from diamond import frames

data, out = Path(sys.argv[1]), Path(sys.argv[2])
session = frames.start(connect_seconds=60)
rides = frames.read(data / "rides", "*.parquet")
zones = frames.read(data / "zones", "*.csv")
drivers = frames.read(data / "drivers", "*.arrow")
far = rides.filter("km > 20").with_columns(miles="km * 0.62")
window = rides.window("zone", ["-km", "ride"], before="lag(km)", place="row_number()")
found = {
    "inner": rides.join(zones, "zone"),
    "left": rides.join(zones, "zone", how="left"),
    "moved": rides.join(drivers.select("driver", "age"), "driver"),
    "full": zones.join(rides.group("zone", n="count(*)"), "zone", how="full"),
    "simple": far.group(
        "zone", n="count(*)", s="sum(km)", m="avg(km)", a="max(ride)", b="min(ride)"
    ),
    "gathered": rides.group(
        ["zone", "driver"], middle="median(km)", different="count(DISTINCT ride)"
    ),
    "window": window,
    "sorted": far.sort("-km", "ride").select("ride", "km"),
}
for name, frame in found.items():
    rows = frame.gather()
    if session.ranks.rank == 0:
        parquet.write_table(rows, out / f"{name}.parquet")
totals = rides.totals(n="count(*)", s="sum(km)", m="avg(km)")
again = frames.read(found["simple"].write(out / "written"))
if session.ranks.rank == 0:
    (out / "totals.txt").write_text(repr([totals["n"], int(totals["s"]), totals["m"]]))
assert again.count() == found["simple"].count()
assert rides.count() == totals["n"]
frames.finish()
