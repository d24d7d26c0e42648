"""A join and a group-by of 10 million rows: one way of doing it, once per line received. See `bench/turns.py`.

`frames-N` starts N - 1 further ranks; the times are those of rank 0, which ends when all ranks have their part.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from diamond.frames.session import Session

QUERY = "SELECT g, sum(v * w)::BIGINT AS s, count(*) AS n FROM '{0}/left/*.parquet' JOIN '{0}/right/*.parquet' USING (k) GROUP BY g"
CHECK = "SELECT count(*), sum(hash(g, s, n))::VARCHAR FROM rows"
"""The same for the same rows in any order."""
Answer = dict[str, list[float]]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("way")
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    data = os.environ["BENCH_FRAMES_DATA"]
    kind, _, ranks = given.way.partition("-")
    if kind == "frames":
        _ranks(data, int(ranks), given.folder)
        return
    _serve(_duckdb(data))


def _serve(once: Callable[[], Answer]) -> None:
    print("{}", flush=True)
    for _ in sys.stdin:
        print(json.dumps(once()), flush=True)


def _duckdb(data: str) -> Callable[[], Answer]:
    import duckdb

    connection = duckdb.connect(config={"threads": 2})

    def once() -> Answer:
        began = time.perf_counter()
        rows = connection.sql(QUERY.format(data)).to_arrow_table()
        seconds = time.perf_counter() - began
        return {"duckdb": [seconds], "duckdb-check": [_checked(rows)]}

    return once


def _ranks(data: str, count: int, folder: Path) -> None:
    shared = {"WORLD_SIZE": str(count), "LOCAL_WORLD_SIZE": str(count), "OMP_NUM_THREADS": "1"}
    shared["DIAMOND_METRICS"] = str(folder / "metrics.jsonl")
    rank = int(os.environ.get("RANK", "0"))
    others = [
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                "bench.arms.frames_join",
                f"frames-{count}",
                "--folder",
                str(folder),
            ],
            env={**os.environ, **shared, "RANK": str(other)},
            stdin=subprocess.DEVNULL,
        )
        for other in (range(1, count) if rank == 0 else ())
    ]
    os.environ.update(shared, RANK=str(rank))
    from diamond import frames

    session = frames.start()
    if rank == 0:
        _serve(lambda: _together(session, data, f"frames-{count}"))
        _go(session, "end")
    else:
        while _go(session, "") == "go":
            _work(session, data)
    frames.finish()
    for other in others:
        other.wait()


def _go(session: Session, word: str) -> str:
    with session.operation("wait for the bench"):
        return str(session.share(word)[0])


def _together(session: Session, data: str, name: str) -> Answer:
    _go(session, "go")
    seconds, loader, written, check = _work(session, data)
    return {
        name: [seconds],
        f"{name}-loader": [loader],
        f"{name}-written": [written],
        f"{name}-check": [check],
    }


def _work(session: Session, data: str) -> tuple[float, float, float, float]:
    from diamond import frames

    began = time.perf_counter()
    joined = frames.read(f"{data}/left").join(frames.read(f"{data}/right"), on="k")
    grouped = joined.group("g", s="sum(v * w)", n="count(*)").with_columns(s="s::BIGINT").kept()
    with session.operation("wait for all"):
        session.share("done")
    seconds = time.perf_counter() - began
    before = _written()
    began = time.perf_counter()
    loader = grouped.loader(batch_size=256, seed=1, format="numpy")
    next(iter(loader))
    first = time.perf_counter() - began
    written = _written() - before
    with session.operation("sum of bytes written"):
        total = sum(session.share(written))
    return seconds, first, float(total), _checked(grouped.gather())


def _written() -> int:
    """Bytes that this process has caused to be written to a disk."""
    text = Path("/proc/self/io").read_text()
    return int(dict(line.split(": ") for line in text.splitlines())["write_bytes"])


def _checked(rows: object) -> float:
    import duckdb

    connection = duckdb.connect(config={"threads": 1})
    connection.register("rows", rows)
    count, digest = connection.sql(CHECK).fetchall()[0]
    return float(int(digest) % (1 << 50)) if count == 100_000 else float(count)


if __name__ == "__main__":
    main()
