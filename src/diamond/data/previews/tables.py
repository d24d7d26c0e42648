"""Tables: CSV, JSON lines and Parquet. What is read is bounded; counting lines is not reading them."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any, BinaryIO, Dict, List, Optional, Tuple

from diamond.core.previews import MOST_COLUMNS, PreviewPart
from diamond.data.previews.cells import cell, note, shown_path
from diamond.data.previews.columns import column_of_values, columns_of_text, first_rows

MOST_SAMPLED = 100_000
SAMPLE_BYTES = 32 << 20
LONGEST_LINE = 1 << 20
COUNTED_BYTES = 20 << 30
"""Lines of larger files are not counted."""
_BLOCK = 1 << 20


def preview_csv(path: Path, shown: str) -> PreviewPart:
    lines, is_whole = _lines(path)
    if not lines:
        return PreviewPart(shown_path(shown), "csv", "it is empty")
    csv.field_size_limit(LONGEST_LINE)
    text = "\n".join(lines[:50])
    dialect = _dialect(path, text)
    rows = [row for row in csv.reader(lines, dialect) if row]
    names, rows = _names(rows)
    count = len(rows) if is_whole else _line_count(path, header=1)
    return PreviewPart(
        shown_path(shown),
        "csv",
        "" if is_whole else note(f"columns of the first {len(rows):,} rows"),
        rows=count,
        sampled=len(rows),
        columns=columns_of_text(names, rows),
        first=first_rows(rows),
    )


def preview_json_lines(path: Path, shown: str) -> PreviewPart:
    lines, is_whole = _lines(path)
    values: List[Any] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            values.append(json.loads(line))
        except (ValueError, RecursionError):
            raise ValueError(f"line {number} is not JSON") from None
    names: Dict[str, None] = {}
    for value in values:
        for key in value if isinstance(value, dict) else ["value"]:
            if len(names) < MOST_COLUMNS:
                names.setdefault(key)
    rows = [[_at(value, name) for name in names] for value in values]
    columns = [
        column_of_values(
            name, _kind([row[index] for row in rows]), [_flat(row[index]) for row in rows]
        )
        for index, name in enumerate(names)
    ]
    return PreviewPart(
        shown_path(shown),
        "jsonl",
        "" if is_whole else note(f"columns of the first {len(rows):,} rows"),
        rows=len(rows) if is_whole else _line_count(path, header=0),
        sampled=len(rows),
        columns=columns,
        first=first_rows([[_flat(value, none="") for value in row] for row in rows[:20]]),
    )


def preview_parquet(path: Path, shown: str) -> PreviewPart:
    import pyarrow.parquet as parquet

    with parquet.ParquetFile(str(path), memory_map=True) as file:
        schema, total = file.schema_arrow, file.metadata.num_rows
        names = schema.names[:MOST_COLUMNS]
        if not file.metadata.num_row_groups:
            return PreviewPart(shown_path(shown), "parquet", "it has no rows", rows=total)
        group = file.metadata.row_group(0)
        if group.total_byte_size > 1 << 30:
            columns = [column_of_values(name, str(schema.field(name).type), []) for name in names]
            words = "its row groups are larger than 1 GB, so no values are shown"
            return PreviewPart(shown_path(shown), "parquet", words, rows=total, columns=columns)
        batch = next(file.iter_batches(MOST_SAMPLED, row_groups=[0], columns=names), None)
    values = {name: batch.column(name).to_pylist() if batch else [] for name in names}
    columns = [
        column_of_values(name, str(schema.field(name).type), [_flat(one) for one in values[name]])
        for name in names
    ]
    sampled = len(values[names[0]]) if names else 0
    rows = [[_flat(values[name][at], none="") for name in names] for at in range(min(sampled, 20))]
    return PreviewPart(
        shown_path(shown),
        "parquet",
        "" if sampled == total else note(f"columns of the first {sampled:,} rows"),
        rows=total,
        sampled=sampled,
        columns=columns,
        first=first_rows(rows),
    )


def open_plain(path: Path) -> BinaryIO:
    """Compressed or not; whoever reads says how much at most."""
    if path.name.lower().endswith(".gz"):
        return gzip.open(path, "rb")  # type: ignore[return-value]
    return path.open("rb")


def _lines(path: Path) -> Tuple[List[str], bool]:
    """Some lines, and whether that is all of it. Raises `ValueError` for a line without end."""
    lines: List[str] = []
    size = 0
    with open_plain(path) as source:
        while len(lines) <= MOST_SAMPLED and size < SAMPLE_BYTES:
            line = source.readline(LONGEST_LINE + 1)
            if not line:
                return lines, True
            if len(line) > LONGEST_LINE:
                raise ValueError(f"line {len(lines) + 1} is longer than {LONGEST_LINE >> 20} MB")
            size += len(line)
            lines.append(
                line.decode("utf-8-sig" if not lines else "utf-8", "replace").rstrip("\r\n")
            )
    return lines, False


def _line_count(path: Path, *, header: int) -> Optional[int]:
    """By line breaks; None for what is very large or compressed."""
    if path.name.lower().endswith(".gz") or path.stat().st_size > COUNTED_BYTES:
        return None
    count, last = 0, b"\n"
    with path.open("rb", buffering=0) as source:
        while block := source.read(_BLOCK):
            count += block.count(b"\n")
            last = block[-1:]
    return max(count + (last != b"\n") - header, 0)


def _dialect(path: Path, text: str) -> Any:
    if ".tsv" in path.name.lower():
        return csv.excel_tab
    try:
        return csv.Sniffer().sniff(text[:20_000], delimiters=",;\t|")
    except csv.Error:
        return csv.excel


def _names(rows: List[List[str]]) -> Tuple[List[str], List[List[str]]]:
    """The first row, unless it is numbers like the others."""
    first = rows[0]
    if all(_is_number(value) for value in first):
        return [f"column {number}" for number in range(1, len(first) + 1)], rows
    return first, rows[1:]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _at(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return value.get(name)
    return value if name == "value" else None


def _kind(values: List[Any]) -> str:
    names = {
        {
            bool: "true/false",
            int: "integer",
            float: "number",
            str: "text",
            list: "list",
            dict: "object",
        }.get(type(value), "text")
        for value in values
        if value is not None
    }
    return "/".join(sorted(names)) or "empty"


def _flat(value: Any, none: Any = None) -> Any:
    """Lists and objects as text; NaN is missing."""
    if value is None or (isinstance(value, float) and value != value):
        return none
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, dict)):
        out = io.StringIO()
        for chunk in json.JSONEncoder(default=str).iterencode(value):
            out.write(chunk)
            if out.tell() > 400:
                break
        return out.getvalue()
    return cell(value)
