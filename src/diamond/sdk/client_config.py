"""Which service to use, and with which token."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from diamond.core.errors import BadRequest, NotSignedIn, ServiceUnreachable

DEFAULT_URL = "http://127.0.0.1:8642"
LOGINS = "logins.json"
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class ServiceAddress:
    """The URL of a service and the token for it; the token is sent nowhere else."""

    url: str
    token: str

    def __repr__(self) -> str:
        return f"Address({self.url!r})"


def diamond_home(env: Mapping[str, str] = os.environ) -> Path:
    """`$DIAMOND_HOME`, or ~/.diamond."""
    return Path(env.get("DIAMOND_HOME") or "~/.diamond").expanduser().absolute()


def find_address(
    url: str | None = None, token: str | None = None, *, env: Mapping[str, str] = os.environ
) -> ServiceAddress:
    """In this order: the arguments, `$DIAMOND_URL` and `$DIAMOND_TOKEN`, the last `diamond login`, the service of `diamond up`."""
    saved, logins = saved_address(diamond_home(env)), read_logins(diamond_home(env))
    default = logins.current or saved
    chosen = url or env.get("DIAMOND_URL") or (default.url if default else None)
    if chosen is None:
        raise ServiceUnreachable(
            "No Diamond service is known here",
            "Start one with `diamond up`, sign in with `diamond login URL`, or set DIAMOND_URL and DIAMOND_TOKEN.",
        )
    origin = check_url(chosen)
    secret = token or env.get("DIAMOND_TOKEN")
    if not secret and saved and saved.url == origin:
        secret = saved.token
    secret = secret or logins.tokens.get(origin)
    if not secret:
        raise NotSignedIn(
            f"There is no token for {origin}",
            f"Sign in with `diamond login {origin}`, or set DIAMOND_TOKEN. A saved token is only sent to its own service.",
        )
    return ServiceAddress(origin, secret)


def saved_address(home: Path) -> ServiceAddress | None:
    """The address and token that the service of this machine saved for its owner."""
    try:
        read = json.loads((home / "token.json").read_text())
        return ServiceAddress(check_url(str(read["url"])), str(read["token"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


@dataclass(frozen=True)
class Logins:
    """The services that `diamond login` signed this computer in to."""

    current: ServiceAddress | None
    tokens: Mapping[str, str]


def read_logins(home: Path) -> Logins:
    try:
        read = json.loads((home / LOGINS).read_text())
        tokens = {check_url(str(url)): str(token) for url, token in read["tokens"].items()}
        current = str(read["current"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, BadRequest):
        return Logins(None, {})
    return Logins(ServiceAddress(current, tokens[current]) if current in tokens else None, tokens)


def save_login(home: Path, address: ServiceAddress) -> None:
    """Save a token for its service, readable only by you; commands use that service from now on."""
    tokens = {**read_logins(home).tokens, address.url: address.token}
    _write_logins(home, {"current": address.url, "tokens": tokens})


def forget_login(home: Path, url: str) -> None:
    tokens = {saved: token for saved, token in read_logins(home).tokens.items() if saved != url}
    _write_logins(home, {"current": "", "tokens": tokens})


def _write_logins(home: Path, content: Mapping[str, object]) -> None:
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = home / f".{LOGINS}.{os.getpid()}"
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
        json.dump(content, out)
    temporary.rename(home / LOGINS)


def check_url(url: str) -> str:
    """The origin of a URL; rejects plain http to other machines."""
    parts = urlsplit(url.rstrip("/"))
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadRequest(f"{url!r} is not the URL of a service", f"Write it like {DEFAULT_URL}.")
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        raise BadRequest(
            f"{url} would send your token unencrypted",
            "Use https:// for a service on another machine.",
        )
    return f"{parts.scheme}://{_netloc(parts)}"


def _netloc(parts: SplitResult) -> str:
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    return f"{host}:{parts.port}" if parts.port else host
