"""Which service to speak to, and by which token."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from diamond.core.errors import BadRequest, NotSignedIn, ServiceUnreachable

DEFAULT_URL = "http://127.0.0.1:8642"
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Address:
    """A service's origin and the token for it; the token is sent nowhere else."""

    url: str
    token: str

    def __repr__(self) -> str:
        return f"Address({self.url!r})"


def diamond_home(env: Mapping[str, str] = os.environ) -> Path:
    """`$DIAMOND_HOME`, or ~/.diamond."""
    return Path(env.get("DIAMOND_HOME") or "~/.diamond").expanduser().absolute()


def find_address(
    url: str | None = None, token: str | None = None, *, env: Mapping[str, str] = os.environ
) -> Address:
    """From what is given, else `$DIAMOND_URL` and `$DIAMOND_TOKEN`, else what `diamond up` saved here."""
    saved = saved_address(diamond_home(env))
    chosen = url or env.get("DIAMOND_URL") or (saved.url if saved else None)
    if chosen is None:
        raise ServiceUnreachable(
            "No Diamond service is known here",
            "Start one with `diamond up`, or set DIAMOND_URL and DIAMOND_TOKEN.",
        )
    origin = check_url(chosen)
    secret = token or env.get("DIAMOND_TOKEN")
    if not secret and saved and saved.url == origin:
        secret = saved.token
    if not secret:
        raise NotSignedIn(
            f"There is no token for {origin}",
            "Set DIAMOND_TOKEN; the token saved on this machine belongs to another address.",
        )
    return Address(origin, secret)


def saved_address(home: Path) -> Address | None:
    """What the service of this machine wrote down for its own person."""
    try:
        read = json.loads((home / "token.json").read_text())
        return Address(check_url(str(read["url"])), str(read["token"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def check_url(url: str) -> str:
    """The origin of a URL; refuses plain http beyond this machine."""
    parts = urlsplit(url.rstrip("/"))
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadRequest(f"{url!r} is not a service's address", f"Write it like {DEFAULT_URL}.")
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        raise BadRequest(
            f"{url} would send your token unprotected",
            "Use https:// for a service on another machine.",
        )
    return f"{parts.scheme}://{_netloc(parts)}"


def _netloc(parts: SplitResult) -> str:
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    return f"{host}:{parts.port}" if parts.port else host
