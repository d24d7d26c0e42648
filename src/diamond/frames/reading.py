"""Datasets of Parquet, CSV or Arrow files, divided among the ranks."""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

from diamond.frames import engines
from diamond.frames.errors import FramesError
from diamond.frames.frame import Frame
from diamond.frames.session import Session, current
from diamond.frames.sql import name_of, text_of
from diamond.frames.store import Schema
from diamond.training.context import NotGiven, data

_KINDS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".csv.gz": "csv",
    ".tsv.gz": "csv",
    ".csv.zst": "csv",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
_MOST_NAMED = 3


@dataclass(frozen=True)
class Part:
    """Some rows of a file; `begin` and `end` only if it is divided."""

    file: str
    rows: int
    begin: int = 0
    end: int = -1


def read(
    source: Union[str, Path],
    pattern: str = "**/*",
    *,
    types: Optional[Mapping[str, str]] = None,
) -> Frame:
    """The rows of a file, or of all files of a folder that match the pattern; each rank gets a part of them.

    `source` is a path, or the name of data in the spec. `types` converts columns, with DuckDB's names of types:
    `{"zip": "VARCHAR"}`. All files must have the same columns.
    """
    session = current()
    with session.operation(f"read({str(source)!r}, {pattern!r})"):
        files = _same_files(session, _find(source, pattern) if session.ranks.rank == 0 else [])
        kind = _kind_of(files)
        reader = {"parquet": _parquet, "csv": _csv, "arrow": _arrow}[kind]
        relation, keep, most = reader(session, files, dict(types or {}))
        return Frame(session, relation, keep, rows_at_most=most)


def table(rows: Any) -> Frame:
    """Rows that the program has made: an Arrow table, or a pandas or Polars data frame. Each rank gives its own."""
    session = current()
    with session.operation("table"):
        if not hasattr(rows, "schema") or hasattr(rows, "collect_schema"):
            arrow = engines.arrow()
            rows = rows.to_arrow() if hasattr(rows, "to_arrow") else arrow.Table.from_pandas(rows)
        relation, keep = session.store.register(rows)
        _agree(session, {"this rank's rows": session.store.schema(relation)})
        return Frame(session, relation, (keep,), rows_at_most=sum(session.share(len(rows))))


def _find(source: Union[str, Path], pattern: str) -> List[str]:
    """Sorted, so that the order does not depend on the file system."""
    root = Path(source)
    if isinstance(source, str) and not root.exists() and not glob.has_magic(source):
        try:
            root = data(source)
        except NotGiven:
            raise FramesError(
                f"no file, folder or data of the spec is named {source!r}; the working directory is {Path.cwd()}"
            ) from None
    if root.is_file():
        return [str(root)]
    if not root.exists() and isinstance(source, str):
        files = [Path(name) for name in glob.glob(source, recursive=True)]  # noqa: PTH207
    else:
        files = [file for file in root.glob(pattern) if _is_data(file)]
    if not any(file.is_file() for file in files):
        raise FramesError(f"no file in {str(root)!r} matches {pattern!r}")
    return sorted(str(file) for file in files if file.is_file())


def _is_data(file: Path) -> bool:
    return file.is_file() and not file.name.startswith((".", "_"))


def _same_files(session: Session, own: List[str]) -> List[str]:
    """Rank 0's list for all: a shared folder may look different on another node for a moment."""
    files = [str(name) for name in session.share(own)[0]]
    absent = [name for name in files if not os.path.isfile(name)]  # noqa: PTH113
    problems = session.share(absent)
    for rank, names in enumerate(problems):
        if names:
            raise FramesError(
                f"rank {rank} cannot see {_some(names)}: the folder must be on a file system that all nodes share"
            )
    return files


def _kind_of(files: List[str]) -> str:
    kinds = {name: _kind(name) for name in files}
    unknown = [name for name, kind in kinds.items() if not kind]
    if unknown:
        raise FramesError(
            f"{_some(unknown)}: the name must end in one of {', '.join(sorted(_KINDS))}; or give a pattern that matches only data"
        )
    if len(set(kinds.values())) > 1:
        raise FramesError(f"files of several kinds: {sorted(set(kinds.values()))}; give a pattern")
    return next(iter(kinds.values()))


def _kind(name: str) -> str:
    return next((kind for end, kind in _KINDS.items() if name.lower().endswith(end)), "")


def _parquet(
    session: Session, files: List[str], types: Dict[str, str]
) -> Tuple[str, Tuple[Any, ...], Optional[int]]:
    """Divided by row groups. What is in the files is read from their ends, each by one rank."""
    mine = files[session.ranks.rank :: session.ranks.world]
    schemas = {
        name: session.store.schema(f"SELECT * FROM read_parquet({text_of(name)})") for name in mine
    }
    schema = _agree(session, schemas)
    groups = [group for found in session.share(_row_groups(session, mine)) for group in found]
    groups.sort()
    parts = _divide([Part(*group) for group in groups], session.ranks.world)
    texts = [_parquet_part(part) for part in parts[session.ranks.rank]]
    whole = [part.file for part in parts[session.ranks.rank] if part.end < 0]
    if whole:
        texts.append(f"SELECT * FROM read_parquet([{', '.join(map(text_of, whole))}])")
    text = " UNION ALL ".join(filter(None, texts)) or _nothing(schema)
    return _convert(text, schema, types), (), sum(group[1] for group in groups)


def _row_groups(session: Session, files: List[str]) -> List[Tuple[str, int, int, int]]:
    found: List[Tuple[str, int, int, int]] = []
    for name in files:
        rows = session.store.run(
            f"SELECT DISTINCT row_group_id, row_group_num_rows FROM parquet_metadata({text_of(name)}) ORDER BY 1"
        )
        begin = 0
        for _, count in rows:
            found.append((name, int(count), begin, begin + int(count)))
            begin += int(count)
    return found


def _divide(groups: List[Part], world: int) -> List[List[Part]]:
    """Consecutive row groups for each rank, about equally many rows; a whole file stays whole."""
    total = sum(group.rows for group in groups)
    shares: List[List[Part]] = [[] for _ in range(world)]
    done = 0
    for group in groups:
        middle = done + group.rows / 2
        shares[min(world - 1, int(middle * world / max(1, total)))].append(group)
        done += group.rows
    ends: Dict[str, int] = {}
    for group in groups:
        ends[group.file] = max(ends.get(group.file, 0), group.end)
    return [list(_merged(share, ends)) for share in shares]


def _merged(groups: List[Part], ends: Mapping[str, int]) -> Iterator[Part]:
    """Neighbours in a file become one part; all of a file is the file."""
    merged: List[Part] = []
    for group in groups:
        last = merged[-1] if merged else None
        if last is not None and last.file == group.file and last.end == group.begin:
            merged[-1] = Part(last.file, last.rows + group.rows, last.begin, group.end)
        else:
            merged.append(group)
    for part in merged:
        is_whole = part.begin == 0 and part.end == ends[part.file]
        yield Part(part.file, part.rows) if is_whole else part


def _parquet_part(part: Part) -> str:
    if part.end < 0:
        return ""
    return (
        f"SELECT * EXCLUDE (file_row_number) FROM read_parquet({text_of(part.file)}, file_row_number = true)"
        f" WHERE file_row_number >= {part.begin} AND file_row_number < {part.end}"
    )


def _csv(
    session: Session, files: List[str], types: Dict[str, str]
) -> Tuple[str, Tuple[Any, ...], Optional[int]]:
    """Rank 0 detects the types from the first file; a value elsewhere that does not fit is an error, never a null."""
    mine = files[session.ranks.rank :: session.ranks.world]
    first: Schema = {}
    if session.ranks.rank == 0:
        first = _sniffed(session, files[0], types)
    schema: Schema = session.share(first)[0]
    for name in mine:
        header = list(_sniffed(session, name, types))
        if header != list(schema):
            raise FramesError(f"{name} has the columns {header}, but {files[0]} has {list(schema)}")
    session.share("headers agree")
    columns = ", ".join(f"{text_of(name)}: {text_of(kind)}" for name, kind in schema.items())
    names = ", ".join(map(text_of, mine))
    if not mine:
        return _nothing(schema), (), None
    text = f"SELECT * FROM read_csv([{names}], columns = {{{columns}}}, header = true, auto_detect = true)"
    return text, (), None


def _sniffed(session: Session, name: str, types: Dict[str, str]) -> Schema:
    given = ", ".join(f"{text_of(column)}: {text_of(kind)}" for column, kind in types.items())
    option = f", types = {{{given}}}" if given else ""
    return session.store.schema(f"SELECT * FROM read_csv({text_of(name)}, header = true{option})")


def _arrow(
    session: Session, files: List[str], types: Dict[str, str]
) -> Tuple[str, Tuple[Any, ...], Optional[int]]:
    engines.arrow()
    dataset = engines.engine("pyarrow.dataset")
    mine = files[session.ranks.rank :: session.ranks.world]
    opened = {name: session.store.register(dataset.dataset(name, format="ipc")) for name in mine}
    schemas = {name: session.store.schema(text) for name, (text, _) in opened.items()}
    schema = _agree(session, schemas)
    text = " UNION ALL ".join(text for text, _ in opened.values()) or _nothing(schema)
    return _convert(text, schema, types), tuple(keep for _, keep in opened.values()), None


def _agree(session: Session, schemas: Mapping[str, Schema]) -> Schema:
    """One schema for all files of all ranks, or an error that names two files that differ."""
    listed = [
        (name, list(columns.items()))
        for found in session.share({name: list(s.items()) for name, s in schemas.items()})
        for name, columns in ((name, dict(pairs)) for name, pairs in found.items())
    ]
    first_name, first = listed[0]
    for name, other in listed[1:]:
        if other != first:
            raise FramesError(_difference(first_name, dict(first), name, dict(other)))
    return dict(first)


def _difference(first_name: str, first: Schema, name: str, other: Schema) -> str:
    for column, kind in first.items():
        if other.get(column, kind) != kind:
            return f"the column {column!r} is {kind} in {first_name}, but {other[column]} in {name}"
    return f"{first_name} has the columns {list(first)}, but {name} has {list(other)}"


def _convert(text: str, schema: Schema, types: Mapping[str, str]) -> str:
    """The columns of `types` in the type asked for; an ENUM as text, because its numbers differ between files."""
    unknown = [name for name in types if name not in schema]
    if unknown:
        raise FramesError(f"no column {unknown[0]!r} for `types`: there are {list(schema)}")
    wanted = {name: "VARCHAR" for name, kind in schema.items() if kind.startswith("ENUM")}
    wanted.update(types)
    if not wanted:
        return text
    columns = (
        f"CAST({name_of(name)} AS {wanted[name]}) AS {name_of(name)}"
        if name in wanted
        else name_of(name)
        for name in schema
    )
    return f"SELECT {', '.join(columns)} FROM ({text})"


def _nothing(schema: Schema) -> str:
    columns = ", ".join(f"CAST(NULL AS {kind}) AS {name_of(name)}" for name, kind in schema.items())
    return f"SELECT {columns} WHERE false"


def _some(names: List[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more
