"""What of a spec may be seen by everybody who reads a record: not where things are, and no secrets.

The values themselves are sealed beside the entry (entries.py), so that the owner's own record is complete.
"""

from __future__ import annotations

import re
from typing import Any

from diamond.core.redact import HIDDEN, without_known_secrets

PATH = "[path]"
_PATH = re.compile(
    r"(?:(?<=file://)|(?<![\w.:/~$}\]-])|(?<=:))(?:~[\w.-]*)?/[\w.@%+~-]+(?:/[\w.@%+~-]*)*"
)
_SYSTEM = re.compile(r"/(?:bin|dev|etc|lib|lib64|opt|proc|sbin|sys|tmp|usr)(?:/|\Z)")
"""The same on every machine, so it says nothing about anybody."""
_SECRET_NAME = re.compile(
    r"(?:^|[_-])(?:token|secret|passw(?:or)?d|api[_-]?key|credentials?|authorization|private[_-]?key)(?:$|[_-])",
    re.IGNORECASE,
)
"""Unlike `tokenizer`, which is a parameter that a record must show."""
_PLACES = frozenset({"account", "partition", "qos", "reservation", "on", "git_url"})
"""Names of places and payers in a spec or an order."""


def path_pattern() -> re.Pattern[str]:
    """What may be an absolute path in a text."""
    return _PATH


def is_private_path(path: str) -> bool:
    return not _SYSTEM.match(path)


def without_secrets(value: Any) -> Any:
    """The same without what looks like a secret: this never gets into a record."""
    if isinstance(value, str):
        return without_known_secrets(value)
    if isinstance(value, dict):
        return {name: _field(str(name), one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_secrets(one) for one in value]
    return value


def public(value: Any) -> Any:
    """The same without absolute paths and names of places."""
    if isinstance(value, str):
        return _PATH.sub(_public_path, value) if "/" in value else value
    if isinstance(value, dict):
        return {name: _public_field(str(name), one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [public(one) for one in value]
    return value


def _public_path(found: re.Match[str]) -> str:
    return found[0] if _SYSTEM.match(found[0]) else PATH


def _field(name: str, value: Any) -> Any:
    is_text = isinstance(value, str) and value
    return HIDDEN if is_text and _SECRET_NAME.search(name) else without_secrets(value)


def _public_field(name: str, value: Any) -> Any:
    if name in _PLACES and isinstance(value, (str, list)) and value:
        return "[place]"
    return public(value)
