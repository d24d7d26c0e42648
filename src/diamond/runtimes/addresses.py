"""Where a base image is: its registry, name and tag, read from its address."""

from __future__ import annotations

import re
from typing import Sequence, Tuple

from diamond.images.bases import Base

_HERE = ("localhost", "127.0.0.1", "[::1]")


def is_plain_http(base: Base, insecure: Sequence[str]) -> bool:
    """Only registries of this very machine, and those that the site names."""
    host = split_address(base)[0]
    return bool(host) and (host in insecure or host.rsplit(":", 1)[0] in _HERE)


def split_address(base: Base, registry: str = "") -> Tuple[str, str, str]:
    """Host, name and tag; a name without a host belongs to `registry`."""
    address = base.address.split("@")[0]
    first, _, rest = address.partition("/")
    has_host = bool(rest) and bool(re.search(r"[.:]", first) or first == "localhost")
    host, path = (first, rest) if has_host else (registry, address)
    head, _, last = path.rpartition("/")
    last, _, tag = last.partition(":")
    return host, f"{head}/{last}" if head else last, tag or "latest"
