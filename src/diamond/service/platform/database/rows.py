"""Rows of the database as frozen values, one class for each shape of row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from pydantic import JsonValue
from sqlalchemy import Result
from sqlalchemy.exc import MultipleResultsFound

from diamond.core.decoding import field_names

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Row = Mapping[str, Any]
JsonObject = dict[str, JsonValue]
"""Data that is passed on as it was stored."""
Columns = dict[str, Any]
"""Values of columns, for SQLAlchemy."""
Decode = Callable[[Any], Any]


@dataclass(frozen=True)
class Codec:
    """How a JSON column becomes a typed value, and is stored again."""

    decode: Decode
    encode: Callable[[Any], Any]
    field: str = ""
    """Its name, if that is not the column's."""


@dataclass(frozen=True)
class TypedRow:
    """A row as a frozen value: columns are attributes."""

    CODECS: ClassVar[Mapping[str, Codec]] = {}
    """By column, for those whose stored JSON is read as a typed value."""


Kind = TypeVar("Kind", bound=TypedRow)
Value = TypeVar("Value", bound="DataclassInstance")


def row_of(result: Result[Any], kind: type[Kind]) -> Kind | None:
    """The one row, if there is one."""
    rows = rows_of(result, kind)
    if len(rows) > 1:
        raise MultipleResultsFound("more than one row where one was asked for")
    return rows[0] if rows else None


def rows_of(result: Result[Any], kind: type[Kind]) -> list[Kind]:
    reader = _reader_of(kind, tuple(result.keys()))
    make = _filled if reader.fills_all else _built
    return [make(kind, reader.names, _decoded(row, reader.decoders)) for row in result]


def values_of(row: TypedRow) -> Columns:
    """The columns of a row, as they are stored."""
    values = {name: getattr(row, name) for name in field_names(type(row))}
    for column, codec in row.CODECS.items():
        values[column] = codec.encode(values.pop(codec.field or column))
    return values


def encoded(kind: type[TypedRow], values: Mapping[str, Any]) -> Columns:
    """Some columns of such a row, as they are stored."""
    codecs = kind.CODECS
    return {
        name: codecs[name].encode(value) if name in codecs else value
        for name, value in values.items()
    }


def value_from(kind: type[Value], data: Mapping[str, Any]) -> Value:
    """A frozen value from stored JSON; keys that another version of Diamond wrote are ignored."""
    return kind(**{name: data[name] for name in field_names(kind) if name in data})


@dataclass(frozen=True)
class _Reader:
    """How the columns of one query become one kind of row."""

    names: Sequence[str]
    decoders: Sequence[tuple[int, Decode]]
    fills_all: bool


_READERS: dict[tuple[type, tuple[str, ...]], _Reader] = {}


def _reader_of(kind: type[TypedRow], columns: tuple[str, ...]) -> _Reader:
    reader = _READERS.get((kind, columns))
    if reader is None:
        reader = _READERS[kind, columns] = _new_reader(kind, columns)
    return reader


def _new_reader(kind: type[TypedRow], columns: tuple[str, ...]) -> _Reader:
    codecs = kind.CODECS
    names = [(codecs[name].field or name) if name in codecs else name for name in columns]
    decoders = [(n, codecs[name].decode) for n, name in enumerate(columns) if name in codecs]
    return _Reader(names, decoders, set(names) == set(field_names(kind)))


def _decoded(row: Sequence[Any], decoders: Sequence[tuple[int, Decode]]) -> list[Any]:
    values = list(row)
    for index, decode in decoders:
        values[index] = decode(values[index])
    return values


def filled(kind: type[Value], values: Mapping[str, Any]) -> Value:
    """With a value for every field: a frozen class's own constructor takes four times as long, which lists of tasks feel."""
    row = kind.__new__(kind)
    vars(row).update(values)
    return row


def _filled(kind: type[Kind], names: Sequence[str], values: list[Any]) -> Kind:
    return filled(kind, dict(zip(names, values, strict=True)))


def _built(kind: type[Kind], names: Sequence[str], values: list[Any]) -> Kind:
    """Fields without a column get their defaults."""
    return kind(**dict(zip(names, values, strict=True)))
