"""What a service is told at its start; nothing below reads the environment."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from diamond.core.errors import BadRequest

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True)
class Settings:
    home: Path
    host: str = "127.0.0.1"
    port: int = 8642
    database_url: str = ""
    """Empty: SQLite in `home`. Else postgresql://…"""
    public_url: str = ""
    """The https:// address of a proxy in front, where there is one."""
    mode: str = "embedded"

    @property
    def url(self) -> str:
        return self.public_url.rstrip("/") or f"http://{_bracketed(self.host)}:{self.port}"

    @property
    def database(self) -> str:
        """The URL with the driver that SQLAlchemy needs."""
        if not self.database_url:
            return f"sqlite+aiosqlite:///{self.home / 'diamond.db'}"
        scheme, rest = self.database_url.split("://", 1)
        driver = {"postgres": "postgresql+asyncpg", "postgresql": "postgresql+asyncpg"}
        return f"{driver.get(scheme, scheme.replace('sqlite', 'sqlite+aiosqlite', 1))}://{rest}"

    @property
    def token_file(self) -> Path:
        return self.home / "token.json"

    @property
    def blob_folder(self) -> Path:
        return self.home / "blobs"

    @property
    def scratch(self) -> Path:
        """Uploads lie here until they are checked."""
        return self.home / "tmp"

    @property
    def agent_file(self) -> Path:
        return self.home / "agent.pyz"

    @property
    def hosts(self) -> frozenset[str]:
        """The values of `Host:` that are answered."""
        local = {f"{_bracketed(name)}:{self.port}" for name in LOOPBACK}
        if self.public_url:
            local.add(urlsplit(self.public_url).netloc)
        return frozenset(local)


def check_settings(settings: Settings) -> None:
    """Refuse what would send tokens over the network in the clear."""
    public = settings.public_url
    if public and not public.startswith("https://"):
        raise BadRequest(
            f"{public} is not an https:// address",
            "Plain http is for this machine alone: put a TLS proxy in front and give its https:// URL.",
        )
    if settings.host not in LOOPBACK and not public:
        raise BadRequest(
            f"Plain http is refused on {settings.host}: tokens would travel in the clear",
            "Listen on 127.0.0.1, or put a TLS proxy in front and give --public-url https://…",
        )


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
