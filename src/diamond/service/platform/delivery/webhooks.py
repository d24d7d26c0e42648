"""Calls to addresses that people name: signed, short, and never into the service's own network."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import ipaddress
import logging
import socket
import ssl
import time
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from diamond import __version__
from diamond.core.errors import BadRequest

log = logging.getLogger("diamond.service")
TIMEOUT_SECONDS = 10.0
MOST_READ = 1000
_CARRIES_IPV4 = [ipaddress.ip_network(network) for network in ("64:ff9b::/96", "::/96")]
"""Where a gateway (NAT64) or an old host takes the last four bytes for an address of its own network."""


class WebhookFailed(Exception):
    """It was rejected; `is_final` when another try would end the same way."""

    def __init__(self, message: str, *, is_final: bool = False) -> None:
        super().__init__(message)
        self.message, self.is_final = message, is_final


@dataclass(frozen=True)
class Webhook:
    url: str
    secret: str = ""
    allow_private: bool = False


def check_url(url: str, *, allow_private: bool) -> None:
    """Raise BadRequest for an address that could never be called; where its name leads is seen at each call."""
    try:
        parts = _split(url)
        address = ipaddress.ip_address(str(parts.hostname))
    except WebhookFailed as error:
        raise BadRequest(
            error.message, "Give an address such as https://example.org/hook"
        ) from None
    except ValueError:
        if parts.hostname != "localhost" or allow_private:
            return
        address = ipaddress.ip_address("127.0.0.1")
    if not allow_private and not _is_public(address):
        raise BadRequest(
            f"{parts.hostname} is not a public address",
            "A service calls its own network only where its setting webhook_private allows it.",
        )


def call(webhook: Webhook, body: bytes, *, delivery: str) -> None:
    """POST the JSON; raises WebhookFailed unless the answer is 2xx. Redirects are not followed."""
    parts = _split(webhook.url)
    connection = _connection(parts, _resolved(parts, webhook.allow_private))
    try:
        path = parts.path or "/"
        target = f"{path}?{parts.query}" if parts.query else path
        connection.request("POST", target, body, _headers(webhook, parts, body, delivery))
        answer = connection.getresponse()
        answer.read(MOST_READ)
    except (OSError, http.client.HTTPException) as error:
        log.info("webhook to %s: %s", parts.hostname, error or type(error).__name__)
        raise _unreachable(parts) from None
    finally:
        connection.close()
    if not 200 <= answer.status < 300:
        is_final = 300 <= answer.status < 500 and answer.status not in (408, 425, 429)
        raise WebhookFailed(f"{parts.hostname} answered {answer.status}", is_final=is_final)


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """What the receiver computes too: HMAC-SHA256 over the time, a dot and the body."""
    digest = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256)
    return f"sha256={digest.hexdigest()}"


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1) > 0
    except ValueError:
        valid = False
    if not valid or any(ord(char) <= 32 or ord(char) == 127 for char in url):
        raise WebhookFailed(f"{url!r} is not an http or https address", is_final=True)
    if "@" in parts.netloc:
        raise WebhookFailed("The address holds a user or password", is_final=True)
    return parts


def _resolved(parts: SplitResult, allow_private: bool) -> str:
    """The address to connect to: looked at and used, so that a name cannot point elsewhere in between."""
    try:
        answers = socket.getaddrinfo(parts.hostname, _port(parts), type=socket.SOCK_STREAM)
    except OSError:
        log.info("webhook to %s: no such host", parts.hostname)
        raise _unreachable(parts) from None
    addresses = [str(answer[4][0]) for answer in answers]
    if not allow_private and not all(_is_public(ipaddress.ip_address(a)) for a in addresses):
        log.info("webhook to %s: leads into a private network", parts.hostname)
        raise _unreachable(parts)
    return addresses[0]


def _unreachable(parts: SplitResult) -> WebhookFailed:
    """The same for every cause: else anyone could learn by trying which names and ports there are in this network."""
    return WebhookFailed(f"{parts.hostname} did not answer, or is not a public address")


def _is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    mapped = getattr(address, "ipv4_mapped", None) or getattr(address, "sixtofour", None)
    if mapped is None and any(address in network for network in _CARRIES_IPV4):
        mapped = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    if mapped is not None:
        return _is_public(mapped)
    return address.is_global and not address.is_multicast


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


def _connection(parts: SplitResult, address: str) -> http.client.HTTPConnection:
    """To that very address; TLS is checked against the name."""
    name, port = str(parts.hostname), _port(parts)
    try:
        plain = socket.create_connection((address, port), TIMEOUT_SECONDS)
        if parts.scheme == "https":
            plain = ssl.create_default_context().wrap_socket(plain, server_hostname=name)
    except OSError as error:
        log.info("webhook to %s: %s", name, error)
        raise _unreachable(parts) from None
    connection = http.client.HTTPConnection(name, port, timeout=TIMEOUT_SECONDS)
    connection.sock = plain
    return connection


def _headers(webhook: Webhook, parts: SplitResult, body: bytes, delivery: str) -> dict[str, str]:
    now = str(int(time.time()))
    headers = {
        "Host": parts.netloc,
        "Content-Type": "application/json",
        "User-Agent": f"Diamond/{__version__}",
        "Diamond-Delivery": delivery,
        "Diamond-Timestamp": now,
        "Connection": "close",
    }
    if webhook.secret:
        headers["Diamond-Signature"] = signature(webhook.secret, now, body)
    return headers
