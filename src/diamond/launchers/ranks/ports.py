"""A port for the ranks of one job to meet at, kept from all other jobs of the node."""

from __future__ import annotations

import contextlib
import errno
import socket
import zlib
from typing import NamedTuple, Optional

FIRST_PORT, PORTS = 15000, 17000
"""Below the range from which Linux gives ports to outgoing connections (32768 on)."""


class Reserved(NamedTuple):
    port: int
    claim: socket.socket
    """While this is open, no other job of Diamond takes the port."""


def reserve_port(seed: str) -> Reserved:
    """A TCP port that nobody uses. Each job begins to look elsewhere, by its random `seed`.

    The claim is the UDP port of the same number: the TCP port itself stays untouched, so that a program can bind it
    however it likes. (Held by a TCP socket with SO_REUSEADDR, it would be refused to programs that bind without.)
    """
    start = zlib.crc32(seed.encode()) % PORTS
    for offset in range(PORTS):
        port = FIRST_PORT + (start + offset) % PORTS
        claim = _claim(port)
        if claim is None:
            continue
        if _is_free(port):
            return Reserved(port, claim)
        claim.close()
    raise OSError("no free port for the ranks to meet")


def _claim(port: int) -> Optional[socket.socket]:
    """On the loopback, where nothing is sent to it. The kernel gives it to one process, and back when that is gone."""
    claim = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        claim.bind(("127.0.0.1", port))
    except OSError:
        claim.close()
        return None
    return claim


def _is_free(port: int) -> bool:
    """By both IPs at once, as torch listens: a port that is taken on IPv6 alone can be bound on IPv4."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET6) as probe:
        probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        return _can_bind(probe, "::", port)
    with socket.socket(socket.AF_INET) as probe:
        return _can_bind(probe, "", port)


def _can_bind(probe: socket.socket, address: str, port: int) -> bool:
    """A machine without IPv6 says that it knows no such address; any other answer counts."""
    try:
        probe.bind((address, port))
    except OSError as error:
        if error.errno == errno.EADDRNOTAVAIL:
            raise
        return False
    return True
