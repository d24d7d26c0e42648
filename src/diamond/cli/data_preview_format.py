"""Previews of datasets as text: columns with small histograms, first rows, shapes, the start of a text."""

from __future__ import annotations

from typing import Any

from diamond.cli.output import plural
from diamond.core.units import show_bytes

Data = dict[str, Any]
BLOCKS = "▁▂▃▄▅▆▇█"
WIDEST, MOST_LINES, SHOWN_COLUMNS = 24, 12, 8


def preview_lines(found: Data) -> list[str]:
    if found["state"] in ("waiting", "running"):
        return ["preview   being made"]
    if found["preview"] is None:
        return [f"preview   none: {found['message']}"]
    preview = found["preview"]
    kinds = ", ".join(
        f"{kind['suffix']} {plural(kind['files'], 'file')} {show_bytes(kind['bytes'])}"
        for kind in preview["kinds"]
    )
    lines = [f"content   {kinds}"] if kinds else []
    for part in preview["parts"]:
        lines += ["", *part_lines(part)]
    return lines


def part_lines(part: Data) -> list[str]:
    rows = f", {plural(part['rows'], 'row')}" if part.get("rows") is not None else ""
    note = f" ({part['note']})" if part.get("note") else ""
    lines = [f"{part['path']}: {part['format']}{rows}{note}"]
    lines += [f"  {_column(column)}" for column in part.get("columns") or []]
    lines += [f"  {_array(array)}" for array in part.get("arrays") or []]
    if part.get("first"):
        names = [column["name"] for column in part["columns"]][:SHOWN_COLUMNS]
        lines += ["  " + line for line in _rows([names, *part["first"]])]
    lines += [
        f"  {image['path']}: {image['width']} × {image['height']}"
        for image in part.get("images") or []
    ]
    if part.get("text"):
        lines += [f"  {line}" for line in part["text"].splitlines()[:MOST_LINES]]
    return lines


def bars(histogram: Data) -> str:
    """For example: ▁▂▅█▃, from 0.2 to 7."""
    most = max(histogram["counts"], default=0) or 1
    top = len(BLOCKS) - 1
    drawn = "".join(BLOCKS[round(count / most * top)] for count in histogram["counts"])
    return f"{drawn}  {histogram['low']:.6g} to {histogram['high']:.6g}"


def _column(column: Data) -> str:
    missing = f", {column['missing']:,} missing" if column.get("missing") else ""
    head = f"{_short(column['name']):{WIDEST}} {column['type'] + missing:20}"
    if column.get("histogram"):
        return f"{head} {bars(column['histogram'])}"
    values = [f"{one['value']} ({one['count']:,})" for one in (column.get("values") or [])[:4]]
    return f"{head} {', '.join(values)}".rstrip()


def _array(array: Data) -> str:
    names = array.get("dimensions") or []
    lengths = [str(length) for length in array["shape"]]
    if len(names) == len(lengths):
        lengths = [f"{name} {length}" for name, length in zip(names, lengths, strict=True)]
    head = f"{_short(array['name']):{WIDEST}} {array['type']:10} {' × '.join(lengths) or 'one value':24}"
    about = f"  {array['about']}" if array.get("about") else ""
    drawn = f" {bars(array['histogram'])}" if array.get("histogram") else ""
    return f"{head}{drawn}{about}".rstrip()


def _rows(rows: list[list[str]]) -> list[str]:
    cut = [[_short(value) for value in row[:SHOWN_COLUMNS]] for row in rows]
    count = max(map(len, cut))
    widths = [max((len(row[at]) for row in cut if at < len(row)), default=0) for at in range(count)]
    return [
        "  ".join(f"{value:{width}}" for value, width in zip(row, widths, strict=False)).rstrip()
        for row in cut
    ]


def _short(text: str) -> str:
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"
