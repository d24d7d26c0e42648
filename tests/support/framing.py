"""Ranks that use frames: programs of `frames_programs`, started as a launcher does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.feather as feather

PROGRAMS = Path(__file__).parent / "frames_programs"
TORCHRUN = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node")


def start_rank(
    rank: int, world: int, folder: Path, program: str, *words: object
) -> subprocess.Popen[str]:
    """As a launcher that only sets variables."""
    environ = {
        **os.environ,
        "RANK": str(rank),
        "WORLD_SIZE": str(world),
        "LOCAL_WORLD_SIZE": str(world),
        "OMP_NUM_THREADS": "1",
        "DIAMOND_METRICS": str(folder / "metrics.jsonl"),
    }
    return subprocess.Popen(
        [sys.executable, str(PROGRAMS / f"{program}.py"), *map(str, words)],
        cwd=folder,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run_ranks(world: int, folder: Path, program: str, *words: object) -> list[tuple[int, str, str]]:
    """Code, output and error output of each rank."""
    ranks = [start_rank(rank, world, folder, program, *words) for rank in range(world)]
    try:
        printed = [rank.communicate(timeout=100) for rank in ranks]
    finally:
        for rank in ranks:
            rank.kill()
    return [(rank.returncode, *texts) for rank, texts in zip(ranks, printed, strict=True)]


def make_data(root: Path) -> Path:
    """Rides in files of unequal length, zones as CSV with one that no ride has, drivers as Arrow."""
    connection = duckdb.connect()
    for name in ("rides", "zones", "drivers", "mixed", "wrong", "headers"):
        (root / name).mkdir(parents=True)
    begin = 0
    for number, rows in enumerate((1, 700, 3, 296)):
        connection.execute(
            f"COPY (SELECT i AS ride, (hash(i) % 7)::INTEGER AS zone, (hash(i + 9) % 50)::BIGINT AS km, "
            f"(hash(i + 5) % 40)::BIGINT AS driver FROM range({begin}, {begin + rows}) t(i)) "
            f"TO '{root}/rides/{number}.parquet' (ROW_GROUP_SIZE 128)"
        )
        begin += rows
    (root / "zones" / "a.csv").write_text('zone,name\n0,north\n1,south\n2,"a, b"\n')
    (root / "zones" / "b.csv").write_text("zone,name\n3,east\n4,west\n5,hill\n9,nowhere\n")
    drivers = pa.table({"driver": list(range(0, 40, 2)), "age": list(range(20, 40))})
    feather.write_feather(drivers, root / "drivers" / "all.arrow", compression="uncompressed")
    connection.execute(f"COPY (SELECT 1 AS a, 2 AS b) TO '{root}/mixed/0.parquet'")
    connection.execute(f"COPY (SELECT 1 AS a, 2.5::DOUBLE AS b) TO '{root}/mixed/1.parquet'")
    for number, text in enumerate(("1", "2", "three")):
        (root / "wrong" / f"{number}.csv").write_text(f"a\n{text}\n")
    (root / "headers" / "0.csv").write_text("a,b\n1,2\n")
    (root / "headers" / "1.csv").write_text("b,a\n1,2\n")
    return root
