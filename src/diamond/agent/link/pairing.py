"""Pairing: a code from the owner, typed here, becomes a key that is good for this endpoint only."""

from __future__ import annotations

import getpass
import platform
import socket
import sys
import urllib.parse
from typing import Any

import diamond
from diamond.agent.link.carriers import HttpLink, ask
from diamond.core.errors import BadRequest

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def pair(url: str, code: str) -> dict[str, Any]:
    """Trade the code for a key; the answer is what `agent.json` holds."""
    check_address(url)
    message = {
        "code": code,
        "host": socket.gethostname(),
        "user": getpass.getuser(),
        "agent_version": diamond.__version__,
        "python": platform.python_version(),
    }
    answer = ask(HttpLink(url), "pair", message)
    return {**{name: answer[name] for name in ("endpoint", "name", "key")}, "url": url}


def read_code() -> str:
    """From a prompt that does not echo, or from standard input; never from the command line."""
    code = getpass.getpass("Pairing code: ") if sys.stdin.isatty() else sys.stdin.readline()
    if not code.strip():
        raise BadRequest(
            "No pairing code was given", "Type the code that `diamond endpoint add` printed."
        )
    return code.strip()


def check_address(url: str) -> None:
    """A key is never sent unencrypted to another machine."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        raise BadRequest(
            f"{url} is not encrypted", "Use https:// for a service on another machine."
        )
