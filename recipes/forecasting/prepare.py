"""Monthly passengers of two airlines, divided into a training part and the last year, over all ranks."""

from __future__ import annotations

from neuralforecast.utils import AirPassengersPanel

from diamond import frames

HORIZON = 12

session = frames.start()
ranks = session.ranks
own = AirPassengersPanel.iloc[ranks.rank :: ranks.world]  # each rank brings its part of the rows
series = frames.table(own[["unique_id", "ds", "y"]].reset_index(drop=True))

gaps = series.window("unique_id", "ds", before="lag(ds)").filter(
    "date_diff('month', before, ds) <> 1"
)
if gaps.count():
    raise SystemExit("a month is missing in the series")

from_end = series.window("unique_id", "-ds", months_left="row_number()")
parts = from_end.with_columns(
    part=f"CASE WHEN months_left > {HORIZON} THEN 'train' ELSE 'test' END"
)
ready = parts.select("unique_id", "ds", "y", "part").sort("unique_id", "ds")
ready.write("series")
print("rows of each part:", ready.group("part", rows="count(*)").gather().to_pylist())
frames.finish()
