"""An address of this node that the other nodes can reach."""

from __future__ import annotations

import contextlib
import socket
import struct
from pathlib import Path
from typing import List, Optional

NOWHERE = "192.0.2.1"
"""An address of no machine (RFC 5737): the route to it is the default route."""


def own_address(names: List[str], interface: str, *, alone: bool) -> str:
    """The address of the interface that the site names; else the first name of this node that leads to it.

    For a job of one node the loopback is enough; for several it is used only if there is nothing else.
    """
    if interface:
        known_address = interface_address(interface)
        if known_address:
            return known_address
    if alone:
        return "127.0.0.1"
    named = [(name, _resolve(name)) for name in names if name]
    ours = [(name, address) for name, address in named if address and _is_ours(address)]
    far = [name for name, address in ours if not address.startswith("127.")]
    return (far or [name for name, _ in ours] or names or ["127.0.0.1"])[0]


def interface_address(interface: str) -> str:
    """The IPv4 address of a network interface such as ib0 or hsn0; '' if it has none."""
    try:
        import fcntl

        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            asked = struct.pack("256s", interface[:15].encode())
            answer = fcntl.ioctl(probe.fileno(), 0x8915, asked)  # SIOCGIFADDR
        return socket.inet_ntoa(answer[20:24])
    except (OSError, ImportError):
        return ""


def interface_towards(address: str) -> str:
    """The interface by which this node reaches `address`, or other nodes if that is its own; '' if there is none."""
    for target in (address, NOWHERE):
        source = _source_towards(target)
        if source and not source.startswith("127."):
            return next((name for name in _interfaces() if interface_address(name) == source), "")
    return _first_interface()


def has_only_loopback() -> bool:
    """As in a container without a network, or a lab: what skips the loopback then finds no network at all."""
    return not _first_interface()


def _first_interface() -> str:
    """Without a default route: one of a real device, rather than a virtual one for containers."""
    names = [
        name for name in _interfaces() if not (interface_address(name) or "127.").startswith("127.")
    ]
    devices = [name for name in names if Path(f"/sys/class/net/{name}/device").exists()]
    return (devices or names or [""])[0]


def _interfaces() -> List[str]:
    return [name for _, name in socket.if_nameindex()]


def is_known_by_loopback(name: str) -> bool:
    """As Debian's installer sets it: a library that looks up the node's address then gets one that no other node reaches."""
    return (_resolve(name) or "127.").startswith("127.")


def _source_towards(target: str) -> str:
    """Nothing is sent: the kernel only chooses a route."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
        probe.connect((target, 9))
        return str(probe.getsockname()[0])
    return ""


def _resolve(name: str) -> Optional[str]:
    with contextlib.suppress(OSError):
        return socket.gethostbyname(name)
    return None


def _is_ours(address: str) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe, contextlib.suppress(OSError):
        probe.bind((address, 0))
        return True
    return False
