"""A preview of a tree: small, typed, and made on its machine. The service checks it and never reads the files themselves."""

from __future__ import annotations

import base64
import binascii
import struct
from dataclasses import dataclass, field
from typing import Annotated, List, Optional

from diamond.core.decoding import Count, Kind, SmallCount, Word, decode
from diamond.core.errors import BadRequest

MOST_BYTES = 768 << 10
MOST_KINDS, MOST_PARTS, MOST_COLUMNS, MOST_ROWS = 12, 12, 40, 10
MOST_ARRAYS, MOST_IMAGES, MOST_BARS, MOST_VALUES = 24, 12, 24, 8
LONGEST_CELL, LONGEST_TEXT, LONGEST_PATH = 120, 4000, 400
THUMBNAIL_PIXELS, THUMBNAIL_BYTES = 128, 24 << 10
PNG = b"\x89PNG\r\n\x1a\n"
_PRINTABLE = r"[^\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
"""No control characters, which a terminal would obey, and none that turn the direction of a line."""

Cell = Annotated[str, Kind(rf"{_PRINTABLE}{{0,{LONGEST_CELL}}}", "one short line")]
Note = Annotated[str, Kind(rf"{_PRINTABLE}{{0,300}}", "a line")]
TreePath = Annotated[str, Kind(rf"{_PRINTABLE}{{0,{LONGEST_PATH}}}", "a path as it is shown")]
Text = Annotated[
    str, Kind(rf"(?:{_PRINTABLE}|[\n\t]){{0,{LONGEST_TEXT}}}", f"at most {LONGEST_TEXT} characters")
]
Base64 = Annotated[str, Kind(r"[A-Za-z0-9+/]*={0,2}", "base64")]


@dataclass(frozen=True)
class PreviewHistogram:
    """Equally wide bars from the lowest to the highest number."""

    low: float
    high: float
    counts: List[Count]


@dataclass(frozen=True)
class PreviewValue:
    value: Cell
    count: Count


@dataclass(frozen=True)
class PreviewColumn:
    name: Cell
    type: Cell
    missing: Count = 0
    """Of the rows that were looked at."""
    histogram: Optional[PreviewHistogram] = None
    values: List[PreviewValue] = field(default_factory=list)
    """The most frequent ones, where there are few different ones."""


@dataclass(frozen=True)
class PreviewArray:
    name: TreePath
    type: Cell
    shape: List[Count]
    dimensions: List[Cell] = field(default_factory=list)
    """Their names, where the file gives any."""
    about: Cell = ""
    """Unit and long name."""
    histogram: Optional[PreviewHistogram] = None
    first: List[Cell] = field(default_factory=list)


@dataclass(frozen=True)
class PreviewThumbnail:
    path: TreePath
    width: SmallCount
    height: SmallCount
    """Of the image itself."""
    png: Base64


@dataclass(frozen=True)
class PreviewPart:
    """One file, or several images."""

    path: TreePath
    format: Word
    note: Note = ""
    """Why there is no more of it, or what the numbers are of."""
    rows: Optional[Count] = None
    sampled: Count = 0
    """Rows that columns were made from."""
    columns: List[PreviewColumn] = field(default_factory=list)
    first: List[List[Cell]] = field(default_factory=list)
    """The first rows."""
    arrays: List[PreviewArray] = field(default_factory=list)
    text: Text = ""
    images: List[PreviewThumbnail] = field(default_factory=list)


@dataclass(frozen=True)
class PreviewFileKind:
    suffix: Cell
    files: Count
    bytes: Count


@dataclass(frozen=True)
class TreePreview:
    kinds: List[PreviewFileKind] = field(default_factory=list)
    """Which files there are, the most bytes first."""
    parts: List[PreviewPart] = field(default_factory=list)
    note: Note = ""


def read_preview(data: object) -> TreePreview:
    """Checked in every field, length and picture. Raises `BadRequest`."""
    preview = decode(TreePreview, data)
    _most(preview.kinds, MOST_KINDS, "kinds")
    _most(preview.parts, MOST_PARTS, "parts")
    for part in preview.parts:
        _most(part.columns, MOST_COLUMNS, "columns")
        _most(part.first, MOST_ROWS, "first")
        _most(part.arrays, MOST_ARRAYS, "arrays")
        _most(part.images, MOST_IMAGES, "images")
        for row in part.first:
            _most(row, MOST_COLUMNS, "first")
        for column in part.columns:
            _most(column.values, MOST_VALUES, "values")
            _check_histogram(column.histogram)
        for array in part.arrays:
            for values in (array.shape, array.dimensions, array.first):
                _most(values, 32, "arrays")
            _check_histogram(array.histogram)
        for image in part.images:
            _check_png(image.png)
    return preview


def _most(items: object, most: int, what: str) -> None:
    assert isinstance(items, list)
    if len(items) > most:
        raise BadRequest(f"A preview has at most {most} {what}, not {len(items)}")


def _check_histogram(histogram: Optional[PreviewHistogram]) -> None:
    if histogram is not None:
        _most(histogram.counts, MOST_BARS, "bars")


def _check_png(text: str) -> None:
    """A PNG by its first bytes, of a small size, and nothing else behind that name."""
    try:
        content = base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        raise BadRequest("A thumbnail is not base64") from None
    if len(content) > THUMBNAIL_BYTES or not content.startswith(PNG) or content[12:16] != b"IHDR":
        raise BadRequest(f"A thumbnail is a PNG of at most {THUMBNAIL_BYTES} bytes")
    width, height = struct.unpack(">II", content[16:24])
    if not (0 < width <= THUMBNAIL_PIXELS and 0 < height <= THUMBNAIL_PIXELS):
        raise BadRequest(f"A thumbnail has at most {THUMBNAIL_PIXELS} pixels on each side")
