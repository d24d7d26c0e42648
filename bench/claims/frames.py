"""Join and group-by of 10 million rows over ranks, compared with DuckDB alone."""

from __future__ import annotations

import os
from pathlib import Path

from bench.claim import Claim, Findings, Options
from bench.numbers import median, seconds
from bench.turns import measure_in_turn

FULL_ROUNDS, WARM_UP = 5, 1
LEFT_ROWS, RIGHT_ROWS, FILES = 10_000_000, 5_000_000, 8
MOST_OF_BEST = 1.5
RANKS = (2, 4)


def measure(options: Options) -> Findings:
    import duckdb

    found, data = Findings(), options.folder / "data"
    for side in ("left", "right"):
        (data / side).mkdir(parents=True)
    for number in range(FILES):
        rows = LEFT_ROWS // FILES
        text = "hash(i) % 5000000 AS k, hash(i + 7) % 1000 AS v"
        _write(duckdb, text, number * rows, rows, data / "left" / f"{number}.parquet")
        rows = RIGHT_ROWS // FILES
        text = "i AS k, hash(i) % 100000 AS g, i % 97 AS w"
        _write(duckdb, text, number * rows, rows, data / "right" / f"{number}.parquet")
    os.environ["BENCH_FRAMES_DATA"] = str(data)
    ways = ["duckdb", *(f"frames-{ranks}" for ranks in RANKS)]
    rounds = options.samples(FULL_ROUNDS)
    times = measure_in_turn(
        "bench.arms.frames_join", ways, options.folder, rounds=rounds, warm_up=WARM_UP
    )
    _report(found, times)
    return found


def _report(found: Findings, times: dict[str, list[float]]) -> None:
    truth = set(times["duckdb-check"])
    found.add("DuckDB alone, one process, two threads", seconds(times["duckdb"]))
    for ranks in RANKS:
        name = f"frames-{ranks}"
        found.add(f"diamond.frames, {ranks} ranks of one thread", seconds(times[name]))
        exact = set(times[f"{name}-check"]) == truth
        found.add(f"{ranks} ranks: the same rows as DuckDB's", str(exact), "exact", exact)
        alone = _ratio(times[name], times["duckdb"])
        what = f"{ranks} ranks: time relative to DuckDB alone, pair by pair"
        found.add(what, f"{alone:.2f}", f"<= {MOST_OF_BEST}", alone <= MOST_OF_BEST)
        found.add(
            f"{ranks} ranks: from the result to the first batch", seconds(times[f"{name}-loader"])
        )
        written = max(times[f"{name}-written"])
        what = f"{ranks} ranks: bytes written to a disk meanwhile"
        found.add(what, f"{written:.0f}", "0", written == 0)
    found.note(
        "Parquet to Arrow, from the page cache; every arm in a process that lives on, in turn. All arms share two cores, so ranks add work and no speed here."
    )


def _ratio(ours: list[float], theirs: list[float]) -> float:
    return median([one / other for one, other in zip(ours, theirs, strict=True)])


def _write(duckdb: object, columns: str, begin: int, rows: int, file: Path) -> None:
    cast = ", ".join(
        f"({text})::BIGINT AS {name}"
        for text, name in (part.rsplit(" AS ", 1) for part in columns.split(", "))
    )
    query = f"SELECT {cast} FROM range({begin}, {begin + rows}) t(i)"
    duckdb.execute(f"COPY ({query}) TO '{file}'")  # type: ignore[attr-defined]


CLAIM = Claim("frames", "Join and group 10 million rows over ranks, and load them", measure)
