"""JSON columns of SQLite, by pydantic's own reader and writer: three to six times as fast as the standard library's."""

from __future__ import annotations

import json
from typing import Any

from pydantic_core import PydanticSerializationError, from_json, to_json


def dump(value: Any) -> str:
    try:
        return to_json(value, inf_nan_mode="constants").decode()
    except (PydanticSerializationError, UnicodeEncodeError):
        return json.dumps(value)  # Half a character cannot be written as UTF-8, only as \udcff.


def load(text: str) -> Any:
    try:
        return from_json(text)
    except ValueError:
        return json.loads(text)
