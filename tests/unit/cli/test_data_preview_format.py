from __future__ import annotations

from diamond.cli.data_format import check_line, is_changed
from diamond.cli.data_preview_format import bars, preview_lines

TABLE = {
    "path": "a.csv",
    "format": "csv",
    "rows": 3,
    "columns": [
        {"name": "x", "type": "integer", "histogram": {"low": 0, "high": 9, "counts": [1, 4, 2]}},
        {"name": "who", "type": "text", "missing": 1, "values": [{"value": "ada", "count": 2}]},
    ],
    "first": [["1", "ada"], ["2", ""]],
}
ARRAY = {"name": "t2m", "type": "float32", "shape": [10, 60], "dimensions": ["time", "place"]}


def test_a_table_is_shown_with_its_columns_and_first_rows() -> None:
    kinds = [{"suffix": ".csv", "files": 1, "bytes": 2048}]
    text = "\n".join(
        preview_lines({"state": "done", "preview": {"kinds": kinds, "parts": [TABLE]}})
    )
    assert "content   .csv 1 file 2.0 kB" in text or "content   .csv 1 file 2 kB" in text
    assert "a.csv: csv, 3 rows" in text and "▃█▅  0 to 9" in text
    assert "text, 1 missing" in text and "ada (2)" in text
    assert "  x  who" in text and "  1  ada" in text


def test_dimensions_have_their_names() -> None:
    part = {"path": "a.nc", "format": "netcdf", "arrays": [ARRAY]}
    text = "\n".join(preview_lines({"state": "done", "preview": {"kinds": [], "parts": [part]}}))
    assert "time 10 × place 60" in text


def test_a_missing_preview_says_why() -> None:
    failed = {"state": "failed", "message": "the disk is full", "preview": None}
    assert preview_lines(failed) == ["preview   none: the disk is full"]
    assert preview_lines({"state": "running", "preview": None}) == ["preview   being made"]


def test_an_empty_histogram_is_drawn() -> None:
    assert bars({"low": 1.0, "high": 1.0, "counts": [0]}).startswith("▁")


def test_a_look_at_a_source_says_what_changed() -> None:
    looked = {"version": "v1", "endpoint": "alpha", "state": "done", "message": "", "changed": []}
    same = {**looked, "source_changed": False}
    assert not is_changed(same) and check_line(same) == "v1 on alpha: the source is unchanged"
    other = {**looked, "source_changed": True, "changed": ["a.csv: changed"]}
    assert is_changed(other)
    assert check_line(other) == "v1 on alpha: the source has changed: a.csv: changed"
    copy = {**looked, "source_changed": None}
    assert check_line(copy) == "v1 on alpha: unchanged"
