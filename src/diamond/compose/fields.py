"""Types of the fields of a spec, each with its own check."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    WrapValidator,
)

from diamond.core.errors import DiamondError
from diamond.core.ids import IDENTIFIER
from diamond.core.units import parse_megabytes, parse_minutes, parse_seconds

NAME_WORDS = "letters, digits, spaces and . _ - (at most 100, the first a letter or digit)"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,99}")
_SITE_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.,:+@/&|*()\[\]-]{0,199}")
_TREE = re.compile(r"sha256:[0-9a-f]{64}")

BUDGET = re.compile(r"(\d+(?:\.\d+)?) ([A-Za-z][A-Za-z0-9 _-]{0,39})")
NODE_HOURS = "node-hours"


def _name(value: str) -> str:
    if not _NAME.fullmatch(value):
        raise ValueError(f"{value!r} is not a valid name: use {NAME_WORDS}")
    return value


def _identifier(value: str) -> str:
    if not IDENTIFIER.fullmatch(value):
        raise ValueError(
            f"{value!r} is not a valid identifier: use letters, digits and _, and do not start with a digit"
        )
    return value


def site_word(value: str) -> str:
    if value and not _SITE_WORD.fullmatch(value):
        raise ValueError(f"{value!r} is not a name that a batch system accepts")
    return value


def _printable(value: str) -> str:
    if any(ord(char) < 32 or ord(char) == 127 for char in value):
        raise ValueError(f"{value!r} contains a control character")
    return value


def _pattern(value: str) -> str:
    if ".." in value.split("/"):
        raise ValueError(
            f"{value!r} leaves the run directory; write a pattern inside it, such as: ckpt/*.pt"
        )
    return value


def _read(parse: Callable[[Any], int], value: Any) -> int:
    try:
        return parse(value)
    except DiamondError as error:
        raise ValueError(f"{error.message}. {error.hint}".strip()) from None


def _command(value: str | list[str]) -> str | list[str]:
    arguments = [value] if isinstance(value, str) else value
    if not arguments or not arguments[0].strip():
        raise ValueError("the command is empty; write one such as: python train.py")
    if any("\0" in argument for argument in arguments):
        raise ValueError("a command cannot contain a NUL character")
    return value


def _tree_digest(value: str) -> str:
    if value and not _TREE.fullmatch(value):
        raise ValueError(f"{value!r} is not a digest; write sha256: and 64 hex digits")
    return value


def _budget(value: str) -> str:
    if not BUDGET.fullmatch(value):
        raise ValueError(
            f"{value!r} is not a budget; write a number and a unit, such as: 200 node-hours"
        )
    return value


Name = Annotated[str, AfterValidator(_name)]
TreeDigest = Annotated[str, AfterValidator(_tree_digest)]
BudgetText = Annotated[str, AfterValidator(_budget)]
Command = Annotated[str | list[str], AfterValidator(_command)]
Identifier = Annotated[str, AfterValidator(_identifier)]
SiteWord = Annotated[str, AfterValidator(site_word)]
Printable = Annotated[str, AfterValidator(_printable)]
FilePattern = Annotated[Printable, AfterValidator(_pattern)]
# For forms and editors: what users may write, not the parsed value.
_SIZE = WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "integer"}], "examples": ["4GB"]})
_SPAN = WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "integer"}], "examples": ["2h"]})
Megabytes = Annotated[int, BeforeValidator(lambda value: _read(parse_megabytes, value)), _SIZE]
Minutes = Annotated[int, BeforeValidator(lambda value: _read(parse_minutes, value)), _SPAN]
Seconds = Annotated[int, BeforeValidator(lambda value: _read(parse_seconds, value)), _SPAN]
AUTO_NODES = 0
"""The parsed value of `nodes: auto`: probe runs decide."""
Nodes = Annotated[
    int,
    Field(ge=1, le=100_000),
    BeforeValidator(lambda value: _not_boolean(value)),
    WrapValidator(lambda value, read: AUTO_NODES if value == "auto" else read(value)),
    WithJsonSchema(
        {"anyOf": [{"type": "integer", "minimum": 1, "maximum": 100_000}, {"const": "auto"}]}
    ),
]
Scalar = str | int | Annotated[float, Field(allow_inf_nan=False)] | bool | None


def _not_boolean(value: Any) -> Any:
    """`true` would count as 1."""
    if isinstance(value, bool):
        raise ValueError(f"{str(value).lower()} is not a whole number")
    return value


Whole = Annotated[int, BeforeValidator(_not_boolean)]


class StrictModel(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)
