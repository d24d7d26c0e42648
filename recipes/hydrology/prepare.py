"""Ten years of weather and river flow of the Fulda: for each day the 60 days before it, over all ranks."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from diamond import frames

DAYS = 60
spotpy = Path(importlib.util.find_spec("spotpy").origin).parent
source = spotpy / "examples" / "cmf_data" / "fulda_climate.csv"

text = frames.read(source, types={"Q": "VARCHAR", "Prec": "VARCHAR", "tmean": "VARCHAR"})
days = text.filter("date <> '#'").select(
    day="strptime(date, '%d.%m.%Y')::DATE",
    river="'Fulda'",
    rain="Prec::DOUBLE",
    warmth="tmean::DOUBLE",
    flow="Q::DOUBLE",
)
train = days.filter("year(day) < 1986").totals(
    rain="avg(rain)", warmth="avg(warmth)", flow="avg(flow)", heat="avg(warmth * warmth)"
)
spread = (train["heat"] - train["warmth"] ** 2) ** 0.5
scaled = days.with_columns(
    rain="ln(1 + rain)",
    warmth=f"(warmth - {train['warmth']}) / {spread}",
    target=f"ln(flow / {train['flow']})",
)
windows = scaled.window(
    "river",
    "day",
    rains="list(rain)",
    warmths="list(warmth)",
    rows=f"BETWEEN {DAYS - 1} PRECEDING AND CURRENT ROW",
)
ready = windows.filter(f"len(rains) = {DAYS}").select(
    "day",
    "flow",
    "target",
    rains="rains::FLOAT[]",
    warmths="warmths::FLOAT[]",
    part="CASE WHEN year(day) < 1986 THEN 'train' ELSE 'test' END",
    scale=f"{train['flow']}::DOUBLE",
)
ready.sort("day").write("days")
print(ready.group("part", days="count(*)", first="min(day)", last="max(day)").gather().to_pylist())
frames.finish()
