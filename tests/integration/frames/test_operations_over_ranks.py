"""What frames compute over all ranks is what DuckDB computes from all rows, exactly."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from support.framing import PROGRAMS, TORCHRUN, run_ranks

FAR = "(SELECT *, km * 0.62 AS miles FROM rides WHERE km > 20)"
EXPECTED = {
    "inner": "SELECT * FROM rides JOIN zones USING (zone)",
    "left": "SELECT * FROM rides LEFT JOIN zones USING (zone)",
    "moved": "SELECT * FROM rides JOIN drivers USING (driver)",
    "full": "SELECT * FROM zones FULL JOIN (SELECT zone, count(*) AS n FROM rides GROUP BY zone) USING (zone)",
    "simple": f"SELECT zone, count(*) AS n, sum(km) AS s, avg(km) AS m, max(ride) AS a, min(ride) AS b FROM {FAR} GROUP BY zone",
    "gathered": "SELECT zone, driver, median(km) AS middle, count(DISTINCT ride) AS different FROM rides GROUP BY ALL",
    "window": "SELECT *, lag(km) OVER w AS before, row_number() OVER w AS place FROM rides WINDOW w AS (PARTITION BY zone ORDER BY km DESC, ride)",
    "sorted": "SELECT ride, km FROM rides WHERE km > 20 ORDER BY km DESC, ride",
}


@pytest.fixture(scope="module")
def truth(data: Path) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(f"CREATE VIEW rides AS SELECT * FROM '{data}/rides/*.parquet'")
    connection.execute(f"CREATE VIEW zones AS SELECT * FROM '{data}/zones/*.csv'")
    connection.execute(
        "CREATE TABLE drivers AS SELECT i AS driver, 20 + i // 2 AS age FROM range(0, 40, 2) t(i)"
    )
    return connection


@pytest.mark.parametrize(("launcher", "world"), [("plain", 1), ("torchrun", 2), ("mpirun", 4)])
def test_results_equal_those_of_one_duckdb(
    truth: duckdb.DuckDBPyConnection, data: Path, tmp_path: Path, launcher: str, world: int
) -> None:
    launch(launcher, world, tmp_path, str(data), str(tmp_path))
    for name, text in EXPECTED.items():
        found = f"SELECT * FROM '{tmp_path}/{name}.parquet'"
        assert described(truth, found) == described(truth, text)
        rows, wanted = truth.sql(found).fetchall(), truth.sql(text).fetchall()
        if name == "sorted":
            assert rows == wanted
        assert sorted(map(plain, rows)) == sorted(map(plain, wanted)), name
    [total] = truth.sql("SELECT count(*), sum(km), avg(km) FROM rides").fetchall()
    assert ast.literal_eval((tmp_path / "totals.txt").read_text()) == list(total)
    assert not list(tmp_path.glob(".frames*")), "the key is gone"


def plain(row: tuple[object, ...]) -> str:
    return repr([int(value) if isinstance(value, Decimal) else value for value in row])


def described(truth: duckdb.DuckDBPyConnection, text: str) -> list[tuple[str, str]]:
    """Arrow, in which rows leave the frames, has no HUGEINT."""
    rows = truth.sql(f"DESCRIBE {text}").fetchall()
    return [(name, kind.replace("HUGEINT", "DECIMAL(38,0)")) for name, kind, *_ in rows]


def launch(launcher: str, world: int, folder: Path, *words: str) -> None:
    program = [str(PROGRAMS / "operations.py"), *words]
    if launcher == "plain":
        [(code, _, error)] = run_ranks(1, folder, "operations", *words)
        assert code == 0, error
        return
    environ = {**os.environ, "OMP_NUM_THREADS": "1"}
    start = [sys.executable, *TORCHRUN, str(world)]
    if launcher == "mpirun":
        if not shutil.which("mpirun"):
            pytest.skip("needs mpirun")
        options = ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
        start = ["mpirun", *options, "-n", str(world), sys.executable]
    subprocess.run([*start, *program], cwd=folder, env=environ, check=True, timeout=120)


def test_what_does_not_fit_in_memory_is_spilled_and_said(tmp_path: Path) -> None:
    rows = tmp_path / "rows.parquet"
    duckdb.execute(f"COPY (SELECT range AS n FROM range(4000000)) TO '{rows}'")
    for code, printed, error in run_ranks(2, tmp_path, "spill", rows, tmp_path):
        assert code == 0, error
        count, megabytes = map(int, printed.split()[-2:])
        assert count == 2_000_000
        assert megabytes < 600, "the libraries alone take some 150"
        assert "does not fit in memory" in error
    assert "frames_spilled_mb" in (tmp_path / "metrics.jsonl").read_text()
    assert not list(tmp_path.glob("diamond-frames-*"))
