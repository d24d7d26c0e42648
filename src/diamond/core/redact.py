"""Takes out of a report what must not stand in a support ticket."""

from __future__ import annotations

import re
from typing import Any, Sequence

HIDDEN = "[secret]"
_NAMES = r"token|secret|passw(?:or)?d|api[_-]?key|authorization|credential|private"
_NAME = re.compile(_NAMES, re.IGNORECASE)
_ASSIGNED = re.compile(
    rf"""((?:{_NAMES})[\w-]*["']?\s*[=:]\s*["']?)((?:(?:bearer|basic)\s+)?[^\s&"']+)""",
    re.IGNORECASE,
)
_BEARER = re.compile(r"(bearer\s+)[^\s\"']+", re.IGNORECASE)
_IN_A_URL = re.compile(r"(?<=://)[^/\s@]+(?=@)")
_KNOWN_SHAPE = re.compile(
    r"hf_[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}"
    r"|AKIA[A-Z0-9]{12,}|sk-[A-Za-z0-9_-]{16,}|xox[abp]-[\w-]{10,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*"
)
_SHORTEST = len("a://:c@")
"""Of what these find: most texts of a spec and of an order are shorter."""
# A short name before the @ is a user's, as in https://ada@host; anything longer, or with a known beginning, is a token.
_USER = r"(?!gh[pousr]_|github_pat_|glpat-|hf_)[\w.-]{1,19}@"
_CREDENTIALS = re.compile(
    rf"((?:git\+)?https?://)(?!{_USER})[^/\s]+@|\b(\w{{1,30}}://)[^/\s:@]*:[^/\s]+@", re.IGNORECASE
)
# Names of secrets may be shown; values may not.
_TELL_KEYS = frozenset({"secrets"})
_HIDE_KEYS = frozenset({"variables"})


def has_credentials(text: str) -> bool:
    """Whether a URL in the text holds a password or a token."""
    return bool(_CREDENTIALS.search(text))


def without_credentials(text: str) -> str:
    return _CREDENTIALS.sub(lambda match: match[1] or match[2], text)


def without_known_secrets(text: str) -> str:
    """Without what is a secret by its shape, wherever it stands. Names and other words stay."""
    if len(text) < _SHORTEST:
        return text
    return _BEARER.sub(rf"\1{HIDDEN}", _KNOWN_SHAPE.sub(HIDDEN, without_credentials(text)))


def redacted(value: Any, secrets: Sequence[str] = ()) -> Any:
    """The same facts without the values in `secrets`, nor what looks like one."""
    if isinstance(value, str):
        return _text(value, secrets)
    if isinstance(value, (list, tuple)):
        return [redacted(item, secrets) for item in value]
    if isinstance(value, dict):
        return {key: _field(str(key), item, secrets) for key, item in value.items()}
    return value


def _field(name: str, value: Any, secrets: Sequence[str]) -> Any:
    if name in _HIDE_KEYS and isinstance(value, dict):
        return dict.fromkeys(value, HIDDEN)
    if name not in _TELL_KEYS and _NAME.search(name) and isinstance(value, str) and value:
        return HIDDEN
    return redacted(value, secrets)


def _text(text: str, secrets: Sequence[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    text = _KNOWN_SHAPE.sub(HIDDEN, _IN_A_URL.sub(HIDDEN, text))
    return _BEARER.sub(rf"\1{HIDDEN}", _ASSIGNED.sub(rf"\1{HIDDEN}", text))
