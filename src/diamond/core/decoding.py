"""JSON from elsewhere becomes frozen dataclasses here: every field has a type, every text a character class.

Fields nobody knows are ignored, so that a newer sender is understood; everything else that does not fit is rejected.
A class is a type: `sha256: Digest`, `variables: Dict[Variable, str]`. Plain `str` is any text without NUL.
"""

from __future__ import annotations

import math
import re
import types
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import lru_cache, partial
from typing import (
    Annotated,
    Any,
    Callable,
    Dict,
    List,
    Match,
    Optional,
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
_NAMES: Dict[type, Tuple[str, ...]] = {}
_LEAVES = frozenset({str, int, float, bool, type(None)})


@dataclass(frozen=True)
class Kind:
    """A character class: what a text must match, and what such a text is called."""

    pattern: str
    words: str


@dataclass(frozen=True)
class Range:
    """Whole numbers from `low` to `high`."""

    low: int
    high: int


_UNIONS = (Union, getattr(types, "UnionType", Union))
"""`Optional[int]`, and `int | None` where the reader has Python 3.10."""
_MOST = 2**62
"""Larger numbers fit no column, nor does the sum of two of them."""
_ANY_TEXT = Annotated[str, Kind(r"[^\0\ud800-\udfff]*", "text")]
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
MaybeName = Annotated[
    str, Kind(r"(?:[A-Za-z_][A-Za-z0-9_]{0,63})?", "a name (letters, digits and _)")
]
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
Layout = Annotated[str, Kind(r"files|archive", "files or archive")]
MaybeLayout = Annotated[str, Kind(r"(?:files|archive)?", "files or archive")]
MaybeHex = Annotated[str, Kind(r"(?:[0-9a-f]{64})?", "a sha256 in hex")]
FolderPath = Annotated[
    str,
    Kind(
        r"[/~$][^\x00-\x1f\x7f\ud800-\udfff]{0,4095}",
        "a path that is absolute or starts with ~ or $",
    ),
]
MaybeFolderPath = Annotated[
    str,
    Kind(
        r"(?:[/~$][^\x00-\x1f\x7f\ud800-\udfff]{0,4095})?",
        "a path that is absolute or starts with ~ or $",
    ),
]
Reference = Annotated[
    str, Kind(r"(?:[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,511})?", "an address in a registry")
]


def encode(message: Any) -> Dict[str, Any]:
    """A dataclass as JSON that `decode` reads back; fields that are None are left out."""
    values = {name: getattr(message, name) for name in field_names(type(message))}
    return {name: _encoded(value) for name, value in values.items() if value is not None}


def plain_data(value: Any) -> Any:
    """With a dict for every dataclass, as `asdict` makes, but without copies of texts and numbers: six times as fast."""
    kind = type(value)
    if kind in _LEAVES:
        return value
    if kind is dict:
        return {name: plain_data(item) for name, item in value.items()}
    if kind is list or kind is tuple:
        return [plain_data(item) for item in value]
    if is_dataclass(kind):
        return {name: plain_data(getattr(value, name)) for name in field_names(kind)}
    return value


def field_names(kind: Any) -> Tuple[str, ...]:
    names = _NAMES.get(kind)
    if names is None:
        names = _NAMES[kind] = tuple(field.name for field in fields(kind))
    return names


def _encoded(value: Any) -> Any:
    if is_dataclass(value):
        return encode(value)
    return [_encoded(item) for item in value] if isinstance(value, list) else value


def decode(cls: Type[T], data: Any, at: str = "") -> T:
    """`data` as an instance of the dataclass `cls`. Raises `BadRequest`, which names the field and what it may be."""
    try:
        read: Callable[[Any], T] = _reader(cls)  # type: ignore[arg-type]
        return read(data)
    except _Unfit as unfit:
        raise unfit.problem(at or ("" if unfit.path else cls.__name__)) from None


Reader = Callable[[Any], Any]


class _Unfit(Exception):
    """A value that does not fit. Where it stands is gathered on the way out, so that what fits costs nothing for it."""

    def __init__(self, words: str, hint: str = "") -> None:
        super().__init__(words)
        self.words, self.hint = words, hint
        self.path: List[str] = []
        self.before = ""

    def problem(self, at: str) -> BadRequest:
        place = (at + "".join(reversed(self.path))).lstrip(".")
        return BadRequest(f"{self.before}{place} {self.words}", self.hint)


@lru_cache(maxsize=512)
def _reader(hint: Any) -> Reader:
    """What reads a value of this type, made once: lists of tasks and bursts of events read thousands."""
    if hint is Any:
        return _as_it_is
    if is_dataclass(hint):
        return partial(_object, hint)
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        allowed = parts[1]
        if isinstance(allowed, Range):
            return partial(_within, allowed)
        return partial(_text, re.compile(allowed.pattern).fullmatch, allowed.words)
    if origin in _UNIONS:
        return _union_reader([part for part in parts if part is not type(None)])
    if origin is list:
        return partial(_list, _reader(parts[0]))
    if origin is dict:
        return partial(_dict, _reader(parts[0]), _reader(parts[1]))
    return _reader(_ANY_TEXT) if hint is str else _NUMBERS[hint]


def _as_it_is(value: Any) -> Any:
    return value


def _object(cls: Any, data: Any) -> Any:
    if not isinstance(data, dict):
        raise _Unfit(f"must be an object, not {_shown(data)}")
    values: Dict[str, Any] = {}
    name = ""
    try:
        for name, read, is_required in _fields(cls):
            value = data.get(name)
            if value is not None:
                values[name] = read(value)
            elif is_required:
                raise _Unfit("is missing")
    except _Unfit as unfit:
        unfit.path.append(f".{name}")
        raise
    return cls(**values)


@lru_cache(maxsize=256)
def _fields(cls: Any) -> List[Tuple[str, Reader, bool]]:
    """Name, reader, and whether it must be there. What is null counts as absent."""
    hints = get_type_hints(cls, include_extras=True)
    return [
        (
            field.name,
            _reader(hints[field.name]),
            field.default is MISSING and field.default_factory is MISSING,
        )
        for field in fields(cls)
    ]


def _union_reader(hints: List[Any]) -> Reader:
    if len(hints) == 1:
        return _reader(hints[0])
    readers = {hint: _reader(hint) for hint in hints}

    def read(value: Any) -> Any:
        return readers.get(type(value), readers[hints[0]])(value)

    return read


def _list(read: Reader, value: Any) -> List[Any]:
    if type(value) is not list:
        raise _other("a list", value)
    items = []
    try:
        for item in value:
            items.append(read(item))
    except _Unfit as unfit:
        unfit.path.append(f"[{len(items)}]")
        raise
    return items


def _dict(read_key: Reader, read: Reader, value: Any) -> Dict[Any, Any]:
    if type(value) is not dict:
        raise _other("an object", value)
    items = {}
    for key, item in value.items():
        try:
            name = read_key(key)
        except _Unfit as unfit:
            unfit.before = "a name in "
            raise
        try:
            items[name] = read(item)
        except _Unfit as unfit:
            unfit.path.append(f".{_shown(key)}")
            raise
    return items


def _int(value: Any) -> int:
    if type(value) is not int:
        raise _other("a whole number", value)
    if not -_MOST <= value <= _MOST:
        raise _other("a number of at most 18 digits", value)
    return value


def _float(value: Any) -> float:
    if type(value) is int:
        return float(_int(value))
    if type(value) is not float or not math.isfinite(value):
        raise _other("a number", value)
    return value


def _bool(value: Any) -> bool:
    if type(value) is not bool:
        raise _other("true or false", value)
    return value


def _within(allowed: Range, value: Any) -> int:
    number = _int(value)
    if not allowed.low <= number <= allowed.high:
        raise _other(f"from {allowed.low} to {allowed.high}", value)
    return number


def _text(accepts: Callable[[str], Optional[Match[str]]], words: str, value: Any) -> str:
    if not isinstance(value, str) or accepts(value) is None:
        unfit = _other(words, value)
        unfit.hint = "Nothing was done; send it again as it must be."
        raise unfit
    return value


def _other(wanted: str, value: Any) -> _Unfit:
    return _Unfit(f"must be {wanted}, not {_shown(value)}")


def _shown(value: Any) -> str:
    if isinstance(value, int) and abs(value) > _MOST:
        return f"a number of {value.bit_length()} bits"
    text = ascii(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


_NUMBERS: Dict[Any, Reader] = {int: _int, float: _float, bool: _bool}
