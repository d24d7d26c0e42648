"""Passwords and tokens in the URLs of a spec, which is stored and shown."""

from __future__ import annotations

from collections.abc import Iterator

from diamond.compose.spec import Spec
from diamond.core.redact import has_credentials


def credential_warnings(spec: Spec) -> list[str]:
    """Rejected where Diamond reads a URL itself; everything else is the person's own."""
    shown = spec.model_dump(by_alias=True, exclude_unset=True)
    environment = shown.pop("environment", None)
    if isinstance(environment, dict):
        shown |= {f"environment.{name}": value for name, value in environment.items()}
    return [
        f"A URL in `{name}` contains a password or token, but specs are stored and shown. Use `secrets:` instead"
        for name, value in shown.items()
        if any(map(has_credentials, _texts(value)))
    ]


def _texts(value: object) -> Iterator[str]:
    """Every text in a field, also in lists and mappings."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for item in value.items() for part in item for text in _texts(part))
    elif isinstance(value, (list, tuple)):
        yield from (text for part in value for text in _texts(part))
