"""The settings of a service; nothing below reads the environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from diamond.core.errors import BadRequest
from diamond.service.platform.delivery.mail import Smtp, check_smtp
from diamond.service.platform.http.certificate import Certificate
from diamond.service.platform.people_settings import People

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True)
class Settings:
    home: Path
    host: str = "127.0.0.1"
    port: int = 8642
    database_url: str = ""
    """Empty: SQLite in `home`. Else postgresql://…"""
    public_url: str = ""
    """The https:// address at which people and agents reach it: a proxy's, or its own with `certificate`."""
    certificate: Certificate | None = None
    """Its own; None: it speaks plain http, on this machine or to a proxy."""
    proxies: tuple[str, ...] = ()
    """Addresses of proxies on other machines whose `X-Forwarded-Proto` is believed."""
    people: People = field(default_factory=People)
    smtp: Smtp | None = None
    """The server that sends mail; None: none does."""
    webhook_private: bool = False
    """Whether webhooks may lead into this machine's own network."""

    @property
    def is_shared(self) -> bool:
        """Several people, known by their providers; else the one person of this machine."""
        return bool(self.people.providers)

    @property
    def mode(self) -> Literal["embedded", "shared"]:
        return "shared" if self.is_shared else "embedded"

    @property
    def session_seconds(self) -> float:
        return self.people.session_days * 86400.0

    @property
    def url(self) -> str:
        public = urlsplit(self.public_url.rstrip("/"))
        if public.netloc:
            return public._replace(netloc=public.netloc.lower()).geturl()
        return f"http://{_bracketed(self.host)}:{self.port}"

    @property
    def public_host(self) -> str:
        return urlsplit(self.public_url).netloc.lower()

    @property
    def database(self) -> str:
        """The URL with the driver that SQLAlchemy needs."""
        if not self.database_url:
            return f"sqlite:///{self.home / 'diamond.db'}"
        scheme, rest = self.database_url.split("://", 1)
        driver = {"postgres": "postgresql+asyncpg", "postgresql": "postgresql+asyncpg"}
        return f"{driver.get(scheme, scheme)}://{rest}"

    @property
    def token_file(self) -> Path:
        return self.home / "token.json"

    @property
    def relay_key_file(self) -> Path:
        """Processes on one database share it: questions and answers that pass through the database are sealed with it."""
        return self.home / "relay.key"

    @property
    def sign_in_key_file(self) -> Path:
        """Seals what a browser carries while its user is at their provider."""
        return self.home / "sign-in.key"

    @property
    def blob_folder(self) -> Path:
        return self.home / "blobs"

    @property
    def scratch(self) -> Path:
        """Uploads are here until they are checked."""
        return self.home / "tmp"

    @property
    def agent_file(self) -> Path:
        return self.home / "agent.pyz"

    @property
    def hosts(self) -> frozenset[str]:
        """The values of `Host:` that are answered."""
        local = {f"{_bracketed(name)}:{self.port}" for name in LOOPBACK}
        return frozenset(local | {self.public_host} - {""})


def check_settings(settings: Settings) -> None:
    """Refuse what would send tokens over the network in the clear."""
    if settings.smtp is not None:
        check_smtp(settings.smtp)
    public = settings.public_url
    if public and not (urlsplit(public).scheme == "https" and settings.public_host):
        raise BadRequest(
            f"{public} is not an https:// address",
            "Plain http is for this machine alone: put a TLS proxy in front and give its https:// URL.",
        )
    if settings.host not in LOOPBACK and not public:
        raise BadRequest(
            f"Plain http is refused on {settings.host}: tokens would be sent in the clear",
            "Listen on 127.0.0.1; or put a TLS proxy in front, or give a certificate; and --public-url https://…",
        )
    if settings.certificate is not None:
        _check_certificate(settings.certificate, public)


def _check_certificate(certificate: Certificate, public: str) -> None:
    if not public:
        raise BadRequest(
            "A certificate is for a name", 'Give it: public_url = "https://diamond.example.org"'
        )
    certificate.check()


def read_proxies(text: str) -> tuple[str, ...]:
    """Addresses with commas between them."""
    addresses = [word.strip() for word in text.split(",") if word.strip()]
    try:
        return tuple(str(ip_address(word)) for word in addresses)
    except ValueError as error:
        raise BadRequest(
            f"proxies: {error}", "Give IP addresses, such as 10.0.0.5,10.0.0.6"
        ) from None


def read_smtp(values: Mapping[str, str]) -> Smtp | None:
    """From variables such as DIAMOND_SMTP_HOST: a password has no place on a command line."""
    host = values.get("DIAMOND_SMTP_HOST", "")
    if not host:
        return None
    port = values.get("DIAMOND_SMTP_PORT", "587")
    if not port.isdigit():
        raise BadRequest(f"DIAMOND_SMTP_PORT is {port!r}, not a number")
    return Smtp(
        host,
        int(port),
        values.get("DIAMOND_SMTP_SECURITY", "starttls"),
        values.get("DIAMOND_SMTP_USER", ""),
        values.get("DIAMOND_SMTP_PASSWORD", ""),
        values.get("DIAMOND_SMTP_FROM", "") or values.get("DIAMOND_SMTP_USER", ""),
    )


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
