"""Rows of the database as frozen values, one class for each shape of row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from sqlalchemy import Result

Row = Mapping[str, Any]


@dataclass(frozen=True)
class TypedRow(Mapping[str, Any]):
    """Fields are attributes; reading them by name, as from a mapping, is for code that is not converted yet."""

    def __getitem__(self, name: str) -> Any:
        try:
            return getattr(self, name)
        except AttributeError:
            raise KeyError(name) from None

    def __iter__(self) -> Iterator[str]:
        return (field.name for field in fields(self))

    def __len__(self) -> int:
        return len(fields(self))


Kind = TypeVar("Kind")


def row_of(result: Result[Any], kind: type[Kind]) -> Kind | None:
    """The one row, if there is one."""
    found = result.one_or_none()
    return None if found is None else kind(**found._mapping)


def rows_of(result: Result[Any], kind: type[Kind]) -> list[Kind]:
    names = tuple(result.keys())
    return [kind(**dict(zip(names, row, strict=True))) for row in result]
