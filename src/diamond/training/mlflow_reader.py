"""Reads the metrics that a script logged with MLflow into its run directory: the folders `mlruns/`, or the database `mlflow.db`.

MLflow 3 writes the database unless `MLFLOW_ALLOW_FILE_STORE` is set; before, it wrote folders with one file for each metric.
"""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple
from urllib.parse import quote

from diamond.training.tensorboard_event import add_value

MAX_BYTES = 4 * 2**20
MAX_ROWS = 20_000
"""Read at most this much per call; the next call continues."""
LOCK_SECONDS, QUERY_SECONDS = 0.5, 5.0
"""A database that the program is writing to is asked again at the next look."""
INFINITE = 1.7976931348623157e308
"""MLflow's database has this number in place of infinity."""
METRICS = (
    "SELECT rowid, run_uuid, key, value, timestamp, step, is_nan FROM metrics"
    " WHERE rowid > ? ORDER BY rowid LIMIT ?"
)


class MetricRow(NamedTuple):
    """One logged value."""

    run: str
    key: str
    value: float
    milliseconds: int
    step: int

    def as_line(self) -> Dict[str, Any]:
        """As in metrics.jsonl."""
        line: Dict[str, Any] = {"step": self.step, "time": self.milliseconds / 1000}
        add_value(line, self.key, self.value)
        return line


Rows = Tuple[List[MetricRow], int]


def read_metric_file(path: Path, offset: int, since: float = 0.0) -> Rows:
    """What is new after `offset`, and where to continue: lines of `<milliseconds> <value> <step>`. `since`: nothing older."""
    run, name = _metric_of(path)
    with path.open("rb") as source:
        source.seek(offset)
        content = source.read(MAX_BYTES)
    whole = content[: content.rfind(b"\n") + 1]
    rows = [_row(run, name, line.split()) for line in whole.splitlines()]
    return [each for each in rows if each and each.milliseconds >= 1000 * since], offset + len(
        whole
    )


def read_database(path: Path, offset: int, since: float = 0.0) -> Rows:
    """The same from the table `metrics`, with the number of the last row as offset. Raises `OSError` while it cannot be read."""
    found = query_database(path, METRICS, (offset, MAX_ROWS))
    rows = [
        MetricRow(str(run), str(key), _value(value, is_nan), int(at), int(step))
        for _, run, key, value, at, step, is_nan in found
    ]
    last = int(found[-1][0]) if found else offset
    return [each for each in rows if each.milliseconds >= 1000 * since], last


def query_database(path: Path, query: str, values: Sequence[Any] = ()) -> List[Tuple[Any, ...]]:
    """Read-only, and never for long: a job wrote the file. Raises `OSError`."""
    try:
        import sqlite3
    except ImportError as error:  # a Python that was built without it
        raise OSError("this Python cannot read SQLite databases") from error
    end = time.monotonic() + QUERY_SECONDS
    address = f"file:{quote(str(path.absolute()))}?mode=ro"
    try:
        connection = sqlite3.connect(address, uri=True, timeout=LOCK_SECONDS)
        try:
            connection.set_progress_handler(lambda: int(time.monotonic() > end), 10_000)
            return connection.execute(query, values).fetchall()
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise OSError(f"not readable now: {error}") from error


def _metric_of(path: Path) -> Tuple[str, str]:
    """`…/<run>/metrics/<name>`; a name may have slashes."""
    parts = path.parts
    place = len(parts) - 1 - parts[::-1].index("metrics")
    return parts[place - 1], "/".join(parts[place + 1 :])


def _row(run: str, name: str, words: List[bytes]) -> Optional[MetricRow]:
    """None for a line of another kind. MLflow before 1.0 wrote no step."""
    try:
        step = int(words[2]) if len(words) > 2 else 0
        return MetricRow(run, name, float(words[1]), int(words[0]), step)
    except (IndexError, ValueError):
        return None


def _value(value: float, is_nan: int) -> float:
    if is_nan:
        return math.nan
    return math.copysign(math.inf, value) if abs(value) >= INFINITE else float(value)
