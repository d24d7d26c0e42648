"""Takes out of a report what must not stand in a support ticket."""

from __future__ import annotations

import re
from typing import Any

HIDDEN = "(hidden)"
_SECRET_NAME = re.compile(r"token|secret|passw|api_?key|credential|private", re.IGNORECASE)
_SECRET_TEXT = re.compile(
    r"(hf_[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|AKIA[A-Z0-9]{12,}"
    r"|sk-[A-Za-z0-9_-]{16,}|xox[abp]-[\w-]{10,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*"
    r"|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"
    r"|(?i:(?<=bearer )\S+)"
    r"|(?i:(?<=token=)|(?<=password=)|(?<=api_key=)|(?<=secret=))[^\s&\"']+)"
)
# Names of secrets may be told; what stands in a variable may not.
_TELL_KEYS = frozenset({"secrets"})
_HIDE_KEYS = frozenset({"variables"})


def redacted(value: Any) -> Any:
    if isinstance(value, str):
        return _SECRET_TEXT.sub(HIDDEN, value)
    if isinstance(value, (list, tuple)):
        return [redacted(one) for one in value]
    if isinstance(value, dict):
        return {key: _field(str(key), one) for key, one in value.items()}
    return value


def _field(name: str, value: Any) -> Any:
    if name in _HIDE_KEYS and isinstance(value, dict):
        return dict.fromkeys(value, HIDDEN)
    if name not in _TELL_KEYS and _SECRET_NAME.search(name) and isinstance(value, str) and value:
        return HIDDEN
    return redacted(value)
