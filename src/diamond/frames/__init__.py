"""Data frames over all ranks of a job, handed to the training in memory.

    from diamond import frames

    rides = frames.read("rides", "*.parquet").filter("distance > 0")
    zones = frames.read("zones", "*.csv")
    table = rides.join(zones, on="zone").select("distance", "fare")
    loader = table.loader(batch_size=64, seed=1, format="torch")
    for epoch in range(loader.epoch, 10):
        for batch in loader:
            step(batch["distance"], batch["fare"])

Every rank makes the same calls in the same order; each holds its part of the rows. DuckDB does the work on a rank, and
the ranks exchange Arrow batches with each other. Needs `duckdb`, `pyarrow` and `numpy` in the job's environment;
importing this module does not.
"""

from __future__ import annotations

from diamond.frames.errors import FramesError, MissingPackage, RankLost
from diamond.frames.frame import Frame
from diamond.frames.loader import Loader
from diamond.frames.reading import read, table
from diamond.frames.session import finish, start

__all__ = [
    "Frame",
    "FramesError",
    "Loader",
    "MissingPackage",
    "RankLost",
    "finish",
    "read",
    "start",
    "table",
]
