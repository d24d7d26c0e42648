"""Pairing: a code from the owner, typed here, becomes a key that is good for this endpoint only."""

from __future__ import annotations

import getpass
import platform
import socket
import sys
import urllib.parse

import diamond
from diamond.agent.link.carriers import HttpLink, ask
from diamond.core.agent_messages import Pair
from diamond.core.decoding import decode
from diamond.core.errors import BadRequest
from diamond.core.protocol import Paired

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def pair(url: str, code: str) -> dict[str, str]:
    """Trade the code for a key; the answer is what `agent.json` holds."""
    check_address(url)
    message = Pair(
        code=code,
        host=socket.gethostname(),
        user=getpass.getuser(),
        agent_version=diamond.__version__,
        python=platform.python_version(),
    )
    paired = decode(Paired, ask(HttpLink(url), "pair", message))
    return {"endpoint": paired.endpoint, "name": paired.name, "key": paired.key, "url": url}


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
