"""Where to forward: the address and the key in one secret, so that nobody can send the key to another address."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

MLFLOW, WANDB = "FORWARD_MLFLOW", "FORWARD_WANDB"
"""Names of secrets of the endpoint."""


class ForwardFailed(Exception):
    """For the person: what the other server said. Tried again later."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Target:
    url: str
    """Without the key."""
    host: str
    user: str = ""
    password: str = field(default="", repr=False)


def read_target(secrets: Path, name: str) -> Target | None:
    """None where the secret is not set. Raises `ForwardFailed` for anything but an address; its text is never shown."""
    try:
        text = (secrets / name).read_text().strip()
    except OSError:
        return None
    try:
        parts = urlsplit(text)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        raise _wrong(name) from None
    if parts.scheme not in ("https", "http") or not parts.hostname:
        raise _wrong(name)
    return Target(
        url=f"{parts.scheme}://{parts.hostname}{port}{parts.path.rstrip('/')}",
        host=parts.hostname,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
    )


def _wrong(name: str) -> ForwardFailed:
    example = "https://user:password@host or https://:KEY@host"
    return ForwardFailed(f"The secret {name} is not an address such as {example}")
