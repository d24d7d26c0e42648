"""JSON from elsewhere becomes frozen dataclasses here: every field has a type, every text a character class.

Fields nobody knows are ignored, so that a newer sender is understood; everything else that does not fit is rejected.
A class is a type: `sha256: Digest`, `variables: Dict[Variable, str]`. Plain `str` is any text without NUL.
"""

from __future__ import annotations

import math
import re
import types
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import lru_cache
from typing import (
    Annotated,
    Any,
    Dict,
    List,
    Tuple,
    Type,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from diamond.core.errors import BadRequest

T = TypeVar("T")
_SHOWN = 80


@dataclass(frozen=True)
class Kind:
    """A character class: what a text must match, and what such a text is called."""

    pattern: str
    words: str

    def accepts(self, text: str) -> bool:
        return re.fullmatch(self.pattern, text) is not None


@dataclass(frozen=True)
class Range:
    """Whole numbers from `low` to `high`."""

    low: int
    high: int


_UNIONS = (Union, getattr(types, "UnionType", Union))
"""`Optional[int]`, and `int | None` where the reader has Python 3.10."""
_MOST = 2**62
"""Larger numbers fit no column, nor does the sum of two of them."""
_TEXT = Kind(r"[^\0\ud800-\udfff]*", "text")
_SHA256 = r"(?:sha256:)?[0-9a-f]{64}"
_WORD = r"[a-z][a-z0-9-]{0,31}"
_ID_WORDS = "an id (letters, digits, - and _)"
_WORD_WORDS = "a word (lower-case letters, digits and -)"
_FORMAT_WORDS = "squashfs, docker-archive or venv"

Count = Annotated[int, Range(0, _MOST)]
SmallCount = Annotated[int, Range(0, 2**31 - 1)]
Line = Annotated[str, Kind(r"[^\x00-\x1f\x7f\ud800-\udfff]*", "one line of text")]
Id = Annotated[str, Kind(r"[A-Za-z0-9_-]{1,64}", _ID_WORDS)]
MaybeId = Annotated[str, Kind(r"[A-Za-z0-9_-]{0,64}", _ID_WORDS)]
Hex = Annotated[str, Kind(r"[0-9a-f]{64}", "a sha256 in hex")]
Digest = Annotated[str, Kind(_SHA256, "a sha256 digest")]
MaybeDigest = Annotated[str, Kind(f"(?:{_SHA256})?", "a sha256 digest")]
Name = Annotated[str, Kind(r"[A-Za-z_][A-Za-z0-9_]{0,63}", "a name (letters, digits and _)")]
Variable = Annotated[
    str, Kind(r"[A-Za-z_][A-Za-z0-9_]{0,255}", "the name of a variable (letters, digits and _)")
]
Word = Annotated[str, Kind(_WORD, _WORD_WORDS)]
MaybeWord = Annotated[str, Kind(f"(?:{_WORD})?", _WORD_WORDS)]
TransferState = Annotated[str, Kind(r"running|done|failed", "running, done or failed")]
ImageFormat = Annotated[str, Kind(r"squashfs|docker-archive|venv", _FORMAT_WORDS)]
MaybeFormat = Annotated[str, Kind(r"(?:squashfs|docker-archive|venv)?", _FORMAT_WORDS)]
FileFormat = Annotated[str, Kind(r"squashfs|docker-archive", "squashfs or docker-archive")]
Inside = Annotated[
    str,
    Kind(
        r"(?s)(?!/)(?!(?:.*/)?\.\.(?:/|\Z))[^\x00]*",
        "a path inside the folder (not absolute, no ..)",
    ),
]
Absolute = Annotated[str, Kind(r"/[^\x00-\x1f\x7f:]*", "an absolute path without a colon")]
DataName = Annotated[
    str, Kind(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,63}", "a name of data (letters, digits, ., _ and -)")
]
Reference = Annotated[
    str, Kind(r"(?:[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,511})?", "an address in a registry")
]


def encode(message: Any) -> Dict[str, Any]:
    """A dataclass as JSON that `decode` reads back; what is None is left out."""
    values = {one.name: getattr(message, one.name) for one in fields(message)}
    return {name: _encoded(value) for name, value in values.items() if value is not None}


def _encoded(value: Any) -> Any:
    if is_dataclass(value):
        return encode(value)
    return [_encoded(one) for one in value] if isinstance(value, list) else value


def decode(cls: Type[T], data: Any, at: str = "") -> T:
    """`data` as an instance of the dataclass `cls`. Raises `BadRequest`, which names the field and what it may be."""
    if not isinstance(data, dict):
        raise BadRequest(f"{at or cls.__name__} must be an object, not {_shown(data)}")
    values: Dict[str, Any] = {}
    for name, hint, is_required in _fields(cls):  # type: ignore[arg-type]
        place = f"{at}.{name}" if at else name
        value = data.get(name)
        if value is not None:
            values[name] = _value(hint, value, place)
        elif is_required:
            raise BadRequest(f"{place} is missing")
    return cls(**values)


@lru_cache(maxsize=256)
def _fields(cls: Any) -> List[Tuple[str, Any, bool]]:
    """Name, type, and whether it must be there. What is null counts as absent."""
    hints = get_type_hints(cls, include_extras=True)
    return [
        (one.name, hints[one.name], one.default is MISSING and one.default_factory is MISSING)
        for one in fields(cls)
    ]


def _value(hint: Any, value: Any, at: str) -> Any:
    if hint is Any:
        return value
    if is_dataclass(hint):
        return decode(hint, value, at)  # type: ignore[arg-type]
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        allowed = parts[1]
        return (
            _within(value, allowed, at) if isinstance(allowed, Range) else _text(value, allowed, at)
        )
    if origin in _UNIONS:
        return _one_of([part for part in parts if part is not type(None)], value, at)
    if origin is list:
        return [_value(parts[0], one, f"{at}[{n}]") for n, one in enumerate(_is(list, value, at))]
    if origin is dict:
        return {
            _value(parts[0], key, f"a name in {at}"): _value(parts[1], one, f"{at}.{_shown(key)}")
            for key, one in _is(dict, value, at).items()
        }
    return _text(value, _TEXT, at) if hint is str else _number(hint, value, at)


def _one_of(hints: List[Any], value: Any, at: str) -> Any:
    fitting = next((hint for hint in hints if hint is type(value)), hints[0])
    return _value(fitting, value, at)


def _number(hint: Any, value: Any, at: str) -> Any:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number and isinstance(value, int) and abs(value) > _MOST and hint in (int, float):
        raise BadRequest(f"{at} must be a number of at most 18 digits, not {_shown(value)}")
    if hint is float and is_number and math.isfinite(value):
        return float(value)
    return _is(hint, value, at)


def _within(value: Any, allowed: Range, at: str) -> int:
    number = _number(int, value, at)
    if not allowed.low <= number <= allowed.high:
        raise BadRequest(f"{at} must be from {allowed.low} to {allowed.high}, not {_shown(value)}")
    return int(number)


def _is(wanted: Any, value: Any, at: str) -> Any:
    if type(value) is not wanted or (wanted is float and not math.isfinite(value)):
        raise BadRequest(f"{at} must be {_NAMES[wanted]}, not {_shown(value)}")
    return value


def _text(value: Any, wanted: Kind, at: str) -> str:
    if not isinstance(value, str) or not wanted.accepts(value):
        words = f"{at} must be {wanted.words}, not {_shown(value)}"
        raise BadRequest(words, "Nothing was done; send it again as it must be.")
    return value


def _shown(value: Any) -> str:
    if isinstance(value, int) and abs(value) > _MOST:
        return f"a number of {value.bit_length()} bits"
    text = ascii(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


_NAMES = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}
